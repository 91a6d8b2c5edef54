	.file	"daxpy.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	daxpy
	.type	daxpy, @function
daxpy:
	test	edi, edi
	jle	.L1
	movsx	rdi, edi
	xor	eax, eax
	lea	rcx, 0[0+rdi*8]
	.p2align 4,,10
	.p2align 3
.L3:
	movsd	xmm1, QWORD PTR [rsi+rax]
	mulsd	xmm1, xmm0
	addsd	xmm1, QWORD PTR [rdx+rax]
	movsd	QWORD PTR [rdx+rax], xmm1
	add	rax, 8
	cmp	rcx, rax
	jne	.L3
.L1:
	ret
	.size	daxpy, .-daxpy
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
