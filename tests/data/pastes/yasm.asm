BITS 64
default rel
global sum:function
section .text align=16
sum:
    pxor    xmm0, xmm0
    xor     eax, eax
.next:
    addsd   xmm0, [rdi+rax*8]
    inc     rax
    cmp     rax, rsi
    jl      .next
    ret
section .note.GNU-stack noalloc noexec nowrite progbits
