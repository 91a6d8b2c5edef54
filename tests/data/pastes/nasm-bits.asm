section .text
global popcount
popcount:
        xor     eax, eax
.next:  mov     rdx, rdi
        and     edx, 1010b
        add     eax, edx
        shr     rdi, 0x4
        test    rdi, $0ff
        jne     near .next
        ret
