; y += a x, System V
        default rel
        global  daxpy
        section .text
daxpy:  test    edi, edi
        jle     .done
        mov     ecx, edi
        xor     eax, eax
.loop:  movsd   xmm1, [rsi+rax*8]
        mulsd   xmm1, xmm0
        addsd   xmm1, qword [rdx+rax*8]   ; qword without ptr
        movsd   qword [rdx+rax*8], xmm1
        inc     rax
        cmp     rax, rcx
        jb      short .loop
.done:  ret
