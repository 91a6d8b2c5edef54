	.file	"daxpy.c"
	.text
	.p2align 4
	.globl	daxpy
	.type	daxpy, @function
daxpy:
	testl	%edi, %edi
	jle	.L1
	movslq	%edi, %rdi
	xorl	%eax, %eax
	leaq	0(,%rdi,8), %rcx
	.p2align 4,,10
	.p2align 3
.L3:
	movsd	(%rsi,%rax), %xmm1
	mulsd	%xmm0, %xmm1
	addsd	(%rdx,%rax), %xmm1
	movsd	%xmm1, (%rdx,%rax)
	addq	$8, %rax
	cmpq	%rax, %rcx
	jne	.L3
.L1:
	ret
	.size	daxpy, .-daxpy
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
