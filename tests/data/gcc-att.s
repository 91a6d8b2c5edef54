	.file	"own.c"
	.text
	.p2align 4
	.globl	triad
	.type	triad, @function
triad:
.LFB0:
	.cfi_startproc
	testq	%r8, %r8
	je	.L23
	leaq	-1(%r8), %rax
	cmpq	$2, %rax
	jbe	.L8
	movq	%r8, %r9
	xorl	%eax, %eax
	shrq	$2, %r9
	salq	$5, %r9
	.p2align 4,,10
	.p2align 3
.L4:
	vmovupd	(%rdx,%rax), %ymm0
	vmovupd	(%rsi,%rax), %ymm1
	vfmadd132pd	(%rcx,%rax), %ymm1, %ymm0
	vmovupd	%ymm0, (%rdi,%rax)
	addq	$32, %rax
	cmpq	%r9, %rax
	jne	.L4
	testb	$3, %r8b
	je	.L22
	movq	%r8, %rax
	andq	$-4, %rax
	vzeroupper
.L3:
	subq	%rax, %r8
	cmpq	$1, %r8
	je	.L6
	vmovupd	(%rdx,%rax,8), %xmm0
	vmovupd	(%rsi,%rax,8), %xmm3
	vfmadd132pd	(%rcx,%rax,8), %xmm3, %xmm0
	vmovupd	%xmm0, (%rdi,%rax,8)
	testb	$1, %r8b
	je	.L23
	andq	$-2, %r8
	addq	%r8, %rax
.L6:
	vmovsd	(%rdx,%rax,8), %xmm0
	vmovsd	(%rsi,%rax,8), %xmm2
	vfmadd132sd	(%rcx,%rax,8), %xmm2, %xmm0
	vmovsd	%xmm0, (%rdi,%rax,8)
	ret
	.p2align 4,,10
	.p2align 3
.L22:
	vzeroupper
.L23:
	ret
.L8:
	xorl	%eax, %eax
	jmp	.L3
	.cfi_endproc
.LFE0:
	.size	triad, .-triad
	.p2align 4
	.globl	product
	.type	product, @function
product:
.LFB1:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-32, %rsp
	subq	$8, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rsi, -48(%rsp)
	testl	%ecx, %ecx
	jle	.L63
	movq	%rsi, %rbx
	movslq	%ecx, %rax
	movl	%ecx, %r15d
	xorl	%r14d, %r14d
	movq	%rbx, -8(%rsp)
	leal	(%rcx,%rcx), %ebx
	movl	%r15d, %r8d
	xorl	%r11d, %r11d
	movl	%ebx, -64(%rsp)
	movslq	%ebx, %rbx
	andl	$-4, %r8d
	leaq	0(,%rax,8), %rsi
	movq	%rbx, -80(%rsp)
	leal	-1(%rcx), %ebx
	shrl	$2, %ecx
	salq	$5, %rcx
	movl	%ebx, -12(%rsp)
	movq	%rcx, %r9
	movl	%r15d, %ecx
	movl	%r8d, -92(%rsp)
	shrl	$3, %ecx
	movq	$0, (%rsp)
	salq	$6, %rcx
	movq	%r9, -88(%rsp)
	movq	%rcx, -56(%rsp)
	movq	%rax, -24(%rsp)
	movq	%rdi, %rax
.L27:
	xorl	%r10d, %r10d
	cmpl	$2, %r15d
	jle	.L42
	movq	-8(%rsp), %r12
	xorl	%ebx, %ebx
	cmpl	$6, -12(%rsp)
	movl	%r15d, %r13d
	movq	%rax, -40(%rsp)
	movq	-56(%rsp), %rax
	movl	$0, -32(%rsp)
	vmovsd	(%r12), %xmm4
	movl	$1, -16(%rsp)
	movl	%r11d, -60(%rsp)
	movq	%rsi, -72(%rsp)
	jbe	.L45
.L66:
	movslq	%r13d, %rcx
	movq	-40(%rsp), %rsi
	vbroadcastsd	8(%r12), %ymm2
	leaq	(%rdx,%rbx,8), %r9
	leaq	(%rdx,%rcx,8), %r8
	vbroadcastsd	%xmm4, %ymm3
	xorl	%ecx, %ecx
	.p2align 4,,10
	.p2align 3
.L40:
	vmovupd	(%r9,%rcx), %ymm1
	vmovupd	32(%r9,%rcx), %ymm0
	addq	$64, %rsi
	vfmadd213pd	-64(%rsi), %ymm3, %ymm1
	vfmadd213pd	-32(%rsi), %ymm3, %ymm0
	vfmadd231pd	(%r8,%rcx), %ymm2, %ymm1
	vfmadd231pd	32(%r8,%rcx), %ymm2, %ymm0
	addq	$64, %rcx
	vmovupd	%ymm1, -64(%rsi)
	vmovupd	%ymm0, -32(%rsi)
	cmpq	%rcx, %rax
	jne	.L40
	movl	%r15d, %ecx
	andl	$-8, %ecx
	movl	%ecx, %esi
	cmpl	%ecx, %r15d
	je	.L28
.L39:
	movl	%r15d, %r10d
	subl	%esi, %r10d
	leal	-1(%r10), %r8d
	cmpl	$2, %r8d
	jbe	.L29
	movq	(%rsp), %r8
	leaq	(%rsi,%rbx), %r9
	vmovddup	%xmm4, %xmm0
	leaq	(%rdx,%r9,8), %r11
	movslq	%r13d, %r9
	addq	%rsi, %r8
	vmovupd	(%r11), %xmm2
	addq	%rsi, %r9
	leaq	(%rdi,%r8,8), %r8
	leaq	(%rdx,%r9,8), %rsi
	vfmadd213pd	(%r8), %xmm0, %xmm2
	vmovupd	16(%r8), %xmm7
	vfmadd132pd	16(%r11), %xmm7, %xmm0
	movl	-16(%rsp), %r11d
	leal	(%r11,%r14), %r9d
	movq	-48(%rsp), %r11
	movslq	%r9d, %r9
	vmovddup	(%r11,%r9,8), %xmm1
	vfmadd231pd	(%rsi), %xmm1, %xmm2
	vfmadd132pd	16(%rsi), %xmm0, %xmm1
	movl	%r10d, %esi
	andl	$-4, %esi
	addl	%esi, %ecx
	andl	$3, %r10d
	vmovupd	%xmm2, (%r8)
	vmovupd	%xmm1, 16(%r8)
	je	.L28
.L29:
	movl	-32(%rsp), %r10d
	leal	(%r14,%rcx), %esi
	leal	0(%r13,%rcx), %r8d
	vmovsd	8(%r12), %xmm0
	movslq	%esi, %rsi
	movslq	%r8d, %r8
	leaq	(%rdi,%rsi,8), %r9
	leal	(%r10,%rcx), %esi
	movslq	%esi, %rsi
	vmovsd	(%rdx,%rsi,8), %xmm1
	vfmadd213sd	(%r9), %xmm4, %xmm1
	leal	1(%rcx), %esi
	vfmadd231sd	(%rdx,%r8,8), %xmm0, %xmm1
	vmovsd	%xmm1, (%r9)
	cmpl	%esi, %r15d
	jle	.L28
	leal	(%r14,%rsi), %r8d
	addl	$2, %ecx
	movslq	%r8d, %r8
	leaq	(%rdi,%r8,8), %r9
	leal	(%r10,%rsi), %r8d
	addl	%r13d, %esi
	movslq	%r8d, %r8
	movslq	%esi, %rsi
	vmovsd	(%rdx,%r8,8), %xmm1
	vfmadd213sd	(%r9), %xmm4, %xmm1
	vfmadd231sd	(%rdx,%rsi,8), %xmm0, %xmm1
	vmovsd	%xmm1, (%r9)
	cmpl	%ecx, %r15d
	jle	.L28
	leal	(%r14,%rcx), %esi
	movslq	%esi, %rsi
	leaq	(%rdi,%rsi,8), %r8
	leal	(%r10,%rcx), %esi
	addl	%r13d, %ecx
	movslq	%esi, %rsi
	vmovsd	(%r8), %xmm7
	movslq	%ecx, %rcx
	vfmadd132sd	(%rdx,%rsi,8), %xmm7, %xmm4
	vfmadd132sd	(%rdx,%rcx,8), %xmm4, %xmm0
	vmovsd	%xmm0, (%r8)
.L28:
	movl	-16(%rsp), %esi
	addq	$16, %r12
	leal	2(%rsi), %ecx
	movl	-64(%rsp), %esi
	addl	%esi, -32(%rsp)
	addl	%esi, %r13d
	movq	-80(%rsp), %rsi
	addq	%rsi, %rbx
	movl	-12(%rsp), %esi
	cmpl	%esi, %ecx
	jge	.L65
	cmpl	$6, -12(%rsp)
	vmovsd	(%r12), %xmm4
	movl	%ecx, -16(%rsp)
	ja	.L66
.L45:
	xorl	%esi, %esi
	xorl	%ecx, %ecx
	jmp	.L39
.L65:
	movl	-16(%rsp), %r10d
	movl	-60(%rsp), %r11d
	movq	-72(%rsp), %rsi
	movq	-40(%rsp), %rax
	addl	$1, %r10d
.L42:
	movslq	%r10d, %r13
	imull	%r15d, %r10d
	movq	%rsi, -32(%rsp)
	movl	-92(%rsp), %r8d
	movl	%r11d, -16(%rsp)
	movq	-88(%rsp), %r11
	movslq	%r10d, %r12
	.p2align 4,,10
	.p2align 3
.L37:
	movq	-8(%rsp), %rbx
	cmpl	$2, -12(%rsp)
	vmovsd	(%rbx,%r13,8), %xmm0
	jbe	.L44
	leaq	(%rdx,%r12,8), %rsi
	vbroadcastsd	%xmm0, %ymm2
	xorl	%ecx, %ecx
	.p2align 4,,10
	.p2align 3
.L33:
	vmovupd	(%rsi,%rcx), %ymm1
	vfmadd213pd	(%rax,%rcx), %ymm2, %ymm1
	vmovupd	%ymm1, (%rax,%rcx)
	addq	$32, %rcx
	cmpq	%r11, %rcx
	jne	.L33
	cmpl	%r8d, %r15d
	je	.L34
	movl	%r8d, %esi
	movl	%r8d, %ecx
.L32:
	movl	%r15d, %r9d
	subl	%esi, %r9d
	cmpl	$1, %r9d
	je	.L35
	movq	(%rsp), %rbx
	vmovddup	%xmm0, %xmm1
	addq	%rsi, %rbx
	addq	%r12, %rsi
	leaq	(%rdi,%rbx,8), %rbx
	vmovupd	(%rbx), %xmm6
	vfmadd132pd	(%rdx,%rsi,8), %xmm6, %xmm1
	vmovupd	%xmm1, (%rbx)
	testb	$1, %r9b
	je	.L34
	andl	$-2, %r9d
	addl	%r9d, %ecx
.L35:
	leal	(%r14,%rcx), %esi
	addl	%r10d, %ecx
	movslq	%esi, %rsi
	movslq	%ecx, %rcx
	leaq	(%rdi,%rsi,8), %rsi
	vmovsd	(%rsi), %xmm5
	vfmadd132sd	(%rdx,%rcx,8), %xmm5, %xmm0
	vmovsd	%xmm0, (%rsi)
.L34:
	movq	-24(%rsp), %rbx
	addq	$1, %r13
	addl	%r15d, %r10d
	addq	%rbx, %r12
	cmpl	%r13d, %r15d
	jg	.L37
	movl	-16(%rsp), %r11d
	movq	-32(%rsp), %rsi
	addl	%r15d, %r14d
	addq	%rsi, -8(%rsp)
	addl	$1, %r11d
	addq	%rbx, (%rsp)
	addq	%rsi, %rax
	cmpl	%r11d, %r15d
	jne	.L27
	vzeroupper
.L63:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L44:
	.cfi_restore_state
	xorl	%esi, %esi
	xorl	%ecx, %ecx
	jmp	.L32
	.cfi_endproc
.LFE1:
	.size	product, .-product
	.p2align 4
	.globl	length
	.type	length, @function
length:
.LFB2:
	.cfi_startproc
	cmpb	$0, (%rdi)
	je	.L69
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	addq	$1, %rdi
	call	strlen@PLT
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	addl	$1, %eax
	ret
	.p2align 4,,10
	.p2align 3
.L69:
	xorl	%eax, %eax
	ret
	.cfi_endproc
.LFE2:
	.size	length, .-length
	.p2align 4
	.globl	apply
	.type	apply, @function
apply:
.LFB3:
	.cfi_startproc
	pushq	%r13
	.cfi_def_cfa_offset 16
	.cfi_offset 13, -16
	pushq	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset 12, -24
	pushq	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset 6, -32
	pushq	%rbx
	.cfi_def_cfa_offset 40
	.cfi_offset 3, -40
	subq	$8, %rsp
	.cfi_def_cfa_offset 48
	testl	%esi, %esi
	jle	.L77
	movq	%rdi, %r13
	movl	%esi, %r12d
	xorl	%ebx, %ebx
	xorl	%ebp, %ebp
	.p2align 4,,10
	.p2align 3
.L76:
	movl	%ebx, %edi
	addl	$1, %ebx
	call	*%r13
	addl	%eax, %ebp
	cmpl	%ebx, %r12d
	jne	.L76
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 40
	movl	%ebp, %eax
	popq	%rbx
	.cfi_def_cfa_offset 32
	popq	%rbp
	.cfi_def_cfa_offset 24
	popq	%r12
	.cfi_def_cfa_offset 16
	popq	%r13
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L77:
	.cfi_restore_state
	addq	$8, %rsp
	.cfi_def_cfa_offset 40
	xorl	%ebp, %ebp
	popq	%rbx
	.cfi_def_cfa_offset 32
	movl	%ebp, %eax
	popq	%rbp
	.cfi_def_cfa_offset 24
	popq	%r12
	.cfi_def_cfa_offset 16
	popq	%r13
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE3:
	.size	apply, .-apply
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
