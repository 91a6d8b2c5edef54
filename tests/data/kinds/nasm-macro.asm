; saxpy, unrolled by the preprocessor of NASM
bits 64
default rel
%define UNROLL 2
%macro fma_step 1
    vmovups ymm1, [rsi + %1*32]
    vfmadd213ps ymm1, ymm0, [rdi + %1*32]
    vmovups [rdi + %1*32], ymm1
%endmacro
section .data
align 32
ones: times 8 dd 1.0
section .text
global saxpy
saxpy:
    vbroadcastss ymm0, xmm0
    align 16
.loop:
%assign i 0
%rep UNROLL
    fma_step i
%assign i i+1
%endrep
    times 2 nop
    add rdi, 32*UNROLL
    add rsi, 32*UNROLL
    dec rdx
    jnz .loop
    ret
