	.file	"horner.c"
	.text
	.p2align 4
	.globl	horner
	.type	horner, @function
horner:
	testl	%esi, %esi
	jle	.L4
	movslq	%esi, %rsi
	movsd	.LC1(%rip), %xmm6
	movsd	.LC2(%rip), %xmm5
	pxor	%xmm2, %xmm2
	movsd	.LC3(%rip), %xmm4
	movsd	.LC4(%rip), %xmm3
	leaq	(%rdi,%rsi,8), %rax
	.p2align 4,,10
	.p2align 3
.L3:
	movsd	(%rdi), %xmm1
	addq	$8, %rdi
	movapd	%xmm1, %xmm0
	mulsd	%xmm6, %xmm0
	subsd	%xmm5, %xmm0
	mulsd	%xmm1, %xmm0
	addsd	%xmm4, %xmm0
	mulsd	%xmm1, %xmm0
	addsd	%xmm3, %xmm0
	addsd	%xmm0, %xmm2
	cmpq	%rdi, %rax
	jne	.L3
	movapd	%xmm2, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L4:
	pxor	%xmm2, %xmm2
	movapd	%xmm2, %xmm0
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
