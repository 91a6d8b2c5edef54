	.file	"crc.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	crc
	.type	crc, @function
crc:
	test	rsi, rsi
	jle	.L4
	add	rsi, rdi
	mov	eax, -1
	.p2align 4,,10
	.p2align 3
.L3:
	movzx	edx, BYTE PTR [rdi]
	add	rdi, 1
	xor	edx, eax
	mov	eax, edx
	and	edx, 1
	neg	edx
	shr	eax
	and	edx, -306674912
	xor	eax, edx
	cmp	rsi, rdi
	jne	.L3
	not	eax
	ret
	.p2align 4,,10
	.p2align 3
.L4:
	xor	eax, eax
	ret
	.size	crc, .-crc
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
