	.file	"triad.f90"
	.text
	.p2align 4
	.globl	triad_
	.type	triad_, @function
triad_:
.LFB0:
	.cfi_startproc
	movl	(%rdi), %edi
	testl	%edi, %edi
	jle	.L17
	leal	-1(%rdi), %eax
	cmpl	$2, %eax
	jbe	.L8
	movl	%edi, %r8d
	shrl	$2, %r8d
	vbroadcastsd	.LC1(%rip), %ymm1
	salq	$5, %r8
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L4:
	vmovupd	(%rcx,%rax), %ymm0
	vfmadd213pd	(%rdx,%rax), %ymm1, %ymm0
	vmovupd	%ymm0, (%rsi,%rax)
	addq	$32, %rax
	cmpq	%rax, %r8
	jne	.L4
	movl	%edi, %r8d
	andl	$-4, %r8d
	testb	$3, %dil
	je	.L16
	leal	1(%r8), %eax
	vzeroupper
.L3:
	subl	%r8d, %edi
	cmpl	$1, %edi
	je	.L6
	vmovupd	(%rdx,%r8,8), %xmm3
	vmovddup	.LC1(%rip), %xmm0
	vfmadd132pd	(%rcx,%r8,8), %xmm3, %xmm0
	vmovupd	%xmm0, (%rsi,%r8,8)
	testb	$1, %dil
	je	.L17
	andl	$-2, %edi
	addl	%edi, %eax
.L6:
	decl	%eax
	cltq
	vmovsd	(%rcx,%rax,8), %xmm0
	vmovsd	(%rdx,%rax,8), %xmm2
	vfmadd132sd	.LC1(%rip), %xmm2, %xmm0
	vmovsd	%xmm0, (%rsi,%rax,8)
	ret
	.p2align 4,,10
	.p2align 3
.L16:
	vzeroupper
.L17:
	ret
.L8:
	xorl	%r8d, %r8d
	movl	$1, %eax
	jmp	.L3
	.cfi_endproc
.LFE0:
	.size	triad_, .-triad_
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC1:
	.long	0
	.long	1074266112
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
