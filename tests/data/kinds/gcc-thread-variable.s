	.file	"k.c"
	.text
	.p2align 4
	.globl	dot
	.type	dot, @function
dot:
.LFB0:
	.cfi_startproc
	testq	%rdx, %rdx
	jle	.L4
	xorl	%eax, %eax
	pxor	%xmm1, %xmm1
	.p2align 4,,10
	.p2align 3
.L3:
	movsd	(%rdi,%rax,8), %xmm0
	mulsd	(%rsi,%rax,8), %xmm0
	addq	$1, %rax
	addsd	%xmm0, %xmm1
	cmpq	%rax, %rdx
	jne	.L3
	movapd	%xmm1, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L4:
	pxor	%xmm1, %xmm1
	movapd	%xmm1, %xmm0
	ret
	.cfi_endproc
.LFE0:
	.size	dot, .-dot
	.p2align 4
	.globl	add
	.type	add, @function
add:
.LFB1:
	.cfi_startproc
	testq	%rsi, %rsi
	jle	.L19
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	movq	%rsi, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -32
	movq	%rdi, %rbx
	leaq	total@tlsld(%rip), %rdi
	call	__tls_get_addr@PLT
	movq	%rbx, %rdi
	leaq	(%rbx,%r12,8), %rcx
	xorl	%esi, %esi
	leaq	counts(%rip), %rdx
	movq	total@dtpoff(%rax), %rbp
	jmp	.L12
	.p2align 4,,10
	.p2align 3
.L23:
	addq	$8, %rdi
	addq	%rax, %rbp
	movl	$1, %esi
	cmpq	%rcx, %rdi
	je	.L22
.L12:
	movq	(%rdi), %rax
	cmpq	$3, %rax
	jg	.L23
	andl	$63, %eax
	addq	$8, %rdi
	addl	$1, (%rdx,%rax,4)
	cmpq	%rcx, %rdi
	jne	.L12
.L22:
	testb	%sil, %sil
	je	.L7
	leaq	total@tlsld(%rip), %rdi
	call	__tls_get_addr@PLT
	movq	%rbp, total@dtpoff(%rax)
.L7:
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%r12
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L19:
	.cfi_restore 3
	.cfi_restore 6
	.cfi_restore 12
	ret
	.cfi_endproc
.LFE1:
	.size	add, .-add
	.p2align 4
	.globl	last
	.type	last, @function
last:
.LFB2:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movslq	20+counts(%rip), %rbx
	leaq	total@tlsld(%rip), %rdi
	call	__tls_get_addr@PLT
	addq	total@dtpoff(%rax), %rbx
	movq	%rbx, %rax
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE2:
	.size	last, .-last
	.local	counts
	.comm	counts,256,32
	.section	.tbss,"awT",@nobits
	.align 8
	.type	total, @object
	.size	total, 8
total:
	.zero	8
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
