	.file	"horner.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	horner
	.type	horner, @function
horner:
	test	esi, esi
	jle	.L4
	movsx	rsi, esi
	movsd	xmm6, QWORD PTR .LC1[rip]
	movsd	xmm5, QWORD PTR .LC2[rip]
	pxor	xmm2, xmm2
	movsd	xmm4, QWORD PTR .LC3[rip]
	movsd	xmm3, QWORD PTR .LC4[rip]
	lea	rax, [rdi+rsi*8]
	.p2align 4,,10
	.p2align 3
.L3:
	movsd	xmm1, QWORD PTR [rdi]
	add	rdi, 8
	movapd	xmm0, xmm1
	mulsd	xmm0, xmm6
	subsd	xmm0, xmm5
	mulsd	xmm0, xmm1
	addsd	xmm0, xmm4
	mulsd	xmm0, xmm1
	addsd	xmm0, xmm3
	addsd	xmm2, xmm0
	cmp	rax, rdi
	jne	.L3
	movapd	xmm0, xmm2
	ret
	.p2align 4,,10
	.p2align 3
.L4:
	pxor	xmm2, xmm2
	movapd	xmm0, xmm2
	ret
	.size	horner, .-horner
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC1:
	.long	0
	.long	1073217536
	.align 8
.LC2:
	.long	0
	.long	1070596096
	.align 8
.LC3:
	.long	0
	.long	1069547520
	.align 8
.LC4:
	.long	0
	.long	1073741824
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
