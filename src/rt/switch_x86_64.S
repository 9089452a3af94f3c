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
