/* wr_switch(void **save_sp, void *load_sp): put this context aside, take up
 * another.  x19-x30 and d8-d15 are what a call must preserve.  At every
 * instruction the unwinder can tell where it is. */
    .macro saved one, two, at
    .cfi_rel_offset \one, \at
    .cfi_rel_offset \two, \at + 8
    .endm

    .text
    .globl wr_switch
    .hidden wr_switch
    .type wr_switch, %function
    .p2align 4
wr_switch:
    .cfi_startproc
    sub sp, sp, #160
    .cfi_adjust_cfa_offset 160
    stp x19, x20, [sp, #0]
    saved x19, x20, 0
    stp x21, x22, [sp, #16]
    saved x21, x22, 16
    stp x23, x24, [sp, #32]
    saved x23, x24, 32
    stp x25, x26, [sp, #48]
    saved x25, x26, 48
    stp x27, x28, [sp, #64]
    saved x27, x28, 64
    stp x29, x30, [sp, #80]
    saved x29, x30, 80
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    .cfi_adjust_cfa_offset -160
    .cfi_restore x19
    .cfi_restore x20
    .cfi_restore x21
    .cfi_restore x22
    .cfi_restore x23
    .cfi_restore x24
    .cfi_restore x25
    .cfi_restore x26
    .cfi_restore x27
    .cfi_restore x28
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size wr_switch, . - wr_switch

/* The first entry of a fiber: entry(fiber), which never returns. */
    .globl wr_switch_start
    .hidden wr_switch_start
    .type wr_switch_start, %function
    .p2align 4
wr_switch_start:
    .cfi_startproc
    .cfi_undefined x30
    mov x0, x19
    blr x20
    brk #0
    .cfi_endproc
    .size wr_switch_start, . - wr_switch_start
    .section .note.GNU-stack, "", %progbits
