	.file	"length.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	length
	.type	length, @function
length:
	xor	eax, eax
	cmp	BYTE PTR [rdi], 0
	je	.L4
	.p2align 4,,10
	.p2align 3
.L3:
	add	rax, 1
	cmp	BYTE PTR [rdi+rax], 0
	jne	.L3
	ret
	.p2align 4,,10
	.p2align 3
.L4:
	ret
	.size	length, .-length
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
