	.file	"daxpy.c"
	.text
	.p2align 4
	.globl	daxpy
	.type	daxpy, @function
daxpy:
.LFB0:
	.cfi_startproc
	movslq	%edi, %rax
	testl	%eax, %eax
	jle	.L25
	cmpl	$1, %eax
	je	.L3
	leaq	8(%rsi), %rdi
	movq	%rdx, %rcx
	subq	%rdi, %rcx
	cmpq	$16, %rcx
	ja	.L27
.L3:
	leaq	0(,%rax,8), %rcx
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L9:
	vmovsd	(%rsi,%rax), %xmm1
	vfmadd213sd	(%rdx,%rax), %xmm0, %xmm1
	vmovsd	%xmm1, (%rdx,%rax)
	addq	$8, %rax
	cmpq	%rax, %rcx
	jne	.L9
	ret
.L23:
	vzeroupper
.L25:
	ret
	.p2align 4,,10
	.p2align 3
.L27:
	leal	-1(%rax), %ecx
	movl	%eax, %r8d
	cmpl	$2, %ecx
	jbe	.L11
	movl	%eax, %edi
	shrl	$2, %edi
	vbroadcastsd	%xmm0, %ymm2
	salq	$5, %rdi
	xorl	%ecx, %ecx
	.p2align 4,,10
	.p2align 3
.L5:
	vmovupd	(%rsi,%rcx), %ymm1
	vfmadd213pd	(%rdx,%rcx), %ymm2, %ymm1
	vmovupd	%ymm1, (%rdx,%rcx)
	addq	$32, %rcx
	cmpq	%rdi, %rcx
	jne	.L5
	movl	%eax, %ecx
	andl	$-4, %ecx
	movl	%ecx, %edi
	cmpl	%ecx, %eax
	je	.L23
	subl	%ecx, %eax
	movl	%eax, %r8d
	cmpl	$1, %eax
	je	.L28
	vzeroupper
.L4:
	movl	%edi, %eax
	leaq	(%rdx,%rax,8), %rdi
	vmovupd	(%rdi), %xmm4
	vmovddup	%xmm0, %xmm1
	vfmadd132pd	(%rsi,%rax,8), %xmm4, %xmm1
	vmovupd	%xmm1, (%rdi)
	testb	$1, %r8b
	je	.L25
	andl	$-2, %r8d
	addl	%r8d, %ecx
.L7:
	movslq	%ecx, %rax
	leaq	(%rdx,%rax,8), %rdx
	vmovsd	(%rdx), %xmm3
	vfmadd132sd	(%rsi,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, (%rdx)
	ret
.L11:
	xorl	%edi, %edi
	xorl	%ecx, %ecx
	jmp	.L4
.L28:
	vzeroupper
	jmp	.L7
	.cfi_endproc
.LFE0:
	.size	daxpy, .-daxpy
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
