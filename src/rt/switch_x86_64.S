/* wr_switch(void **save_sp, void *load_sp): put this context aside, take up
 * another.  Callee-saved registers only: the compiler treats it as a call.
 * The floating-point control words are not switched: they belong to the
 * thread, and a fiber must not wait while it has changed them. */
    .text
    .globl wr_switch
    .hidden wr_switch
    .type wr_switch, @function
    .p2align 4
wr_switch:
    .cfi_startproc
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size wr_switch, . - wr_switch

/* wr_switch_result(struct fiber *from, struct fiber *to): put this context aside,
 * take up another; once this one is taken up again, return the result of its
 * wait (wait_int.h).  What it leaves is what wr_switch finds and leaves, with
 * wr_switch_resume to go on at, then the fiber. */
#define WORD 24
#define WAITER_ERR 112
#define WAIT_WON 8

    .globl wr_switch_result
    .hidden wr_switch_result
    .type wr_switch_result, @function
    .p2align 4
wr_switch_result:
    .cfi_startproc
    endbr64
    leaq wr_switch_resume(%rip), %rax
    pushq %rdi
    pushq %rax
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq (%rsi), %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    notrack jmp *%rcx
    .cfi_endproc
    .size wr_switch_result, . - wr_switch_result

    .type wr_switch_resume, @function
    .p2align 4
wr_switch_resume:
    .cfi_startproc
    .cfi_def_cfa_offset 16
    popq %rdi
    .cfi_def_cfa_offset 8
    cmpb $WAIT_WON, WORD(%rdi)
    jb wr_wait_lost@PLT
    movl WAITER_ERR(%rdi), %eax
    popq %rcx
    notrack jmp *%rcx
    .cfi_endproc
    .size wr_switch_resume, . - wr_switch_resume

/* The first entry of a fiber: entry(fiber), which never returns.  The return
 * address is undefined, so that backtraces end here. */
    .globl wr_switch_start
    .hidden wr_switch_start
    .type wr_switch_start, @function
    .p2align 4
wr_switch_start:
    .cfi_startproc
    .cfi_undefined rip
    endbr64
    movq %r12, %rdi
    callq *%r13
    ud2
    .cfi_endproc
    .size wr_switch_start, . - wr_switch_start
    .section .note.GNU-stack, "", @progbits
