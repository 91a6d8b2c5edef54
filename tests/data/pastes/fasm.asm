format ELF64
public sum
section '.text' executable
sum:
        xorpd   xmm0, xmm0
.next:
        addsd   xmm0, qword [rdi]
        add     rdi, 8
        sub     rsi, 1
        jnz     .next
        ret
