%define STEP 32
bits 64
global scale, fill
section .data
factor: dq 1.5
table:  times 4 dq 0
section .text
scale:
    vbroadcastsd ymm1, [rel factor]
.loop:
    vmulpd  ymm0, ymm1, [rdi]
    vmovupd yword [rdi], ymm0
    add     rdi, STEP
    sub     rsi, 4
    jg      .loop
    vzeroupper
    ret
align 16
fill:
.loop:
    mov     byte [rdi], 0ffh
    inc     rdi
    dec     rsi
    jnz     .loop
    ret
