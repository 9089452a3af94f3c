/* The switch of stacks.  Callee-saved registers only: the compiler treats it as a
 * call.  The floating-point control words are not switched: they belong to the
 * thread, and a fiber must not wait while it has changed them.
 *
 * A context that is put aside is its registers on its stack, then where it goes
 * on.  At every instruction the unwinder can tell where it is: profilers and the
 * report of a stall look from a signal handler. */
#include "rt/switch.h"

    .macro save reg
    pushq %\reg
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset \reg, 0
    .endm

    .macro restore reg
    popq %\reg
    .cfi_adjust_cfa_offset -8
    .cfi_restore \reg
    .endm

    .macro save_all
    save rbp
    save rbx
    save r12
    save r13
    save r14
    save r15
    .endm

    .macro restore_all
    restore r15
    restore r14
    restore r13
    restore r12
    restore rbx
    restore rbp
    .endm

    .macro return_by_jump
    popq %rcx
    .cfi_adjust_cfa_offset -8
    .cfi_register rip, rcx
    jmp *%rcx
    .endm

/* wr_switch(void **save_sp, void *load_sp): put this context aside, take up
 * another. */
    .text
    .globl wr_switch
    .hidden wr_switch
    .type wr_switch, @function
    .p2align 4
wr_switch:
    .cfi_startproc
    save_all
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    restore_all
    ret
    .cfi_endproc
    .size wr_switch, . - wr_switch

/* wr_switch_result(struct fiber *from, struct fiber *to): put this context aside,
 * take up another; once this one is taken up again, return the result of its
 * wait (wait_int.h).  What it puts aside goes on at wr_switch_resume, which finds
 * the fiber above it. */
    .globl wr_switch_result
    .hidden wr_switch_result
    .type wr_switch_result, @function
    .p2align 4
wr_switch_result:
    .cfi_startproc
    leaq wr_switch_resume(%rip), %rax
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rax
    .cfi_adjust_cfa_offset 8
    save_all
    movq %rsp, FIBER_SP(%rdi)
    movq FIBER_SP(%rsi), %rsp
    .cfi_def_cfa_offset 56              /* the other context is as wr_switch leaves it */
    .cfi_offset rbp, -16
    .cfi_offset rbx, -24
    .cfi_offset r12, -32
    .cfi_offset r13, -40
    .cfi_offset r14, -48
    .cfi_offset r15, -56
    restore_all
    return_by_jump
    .cfi_endproc
    .size wr_switch_result, . - wr_switch_result

/* The unwinder looks up the byte before an address that it returns to: the nop. */
    .type wr_switch_resume, @function
    .p2align 4
    .cfi_startproc
    .cfi_def_cfa_offset 16
    nop
wr_switch_resume:
    popq %rdi
    .cfi_adjust_cfa_offset -8
    cmpb $FIBER_WON, FIBER_WORD(%rdi)
    jb wr_wait_lost@PLT
    movl FIBER_WAITER_ERR(%rdi), %eax
    return_by_jump
    .cfi_endproc
    .size wr_switch_resume, . - wr_switch_resume

/* The first entry of a fiber: entry(fiber), which never returns.  The return
 * address is undefined, so that backtraces end here; the nop as above. */
    .globl wr_switch_start
    .hidden wr_switch_start
    .type wr_switch_start, @function
    .p2align 4
    .cfi_startproc
    .cfi_undefined rip
    nop
wr_switch_start:
    movq %r12, %rdi
    callq *%r13
    ud2
    .cfi_endproc
    .size wr_switch_start, . - wr_switch_start
    .section .note.GNU-stack, "", @progbits
