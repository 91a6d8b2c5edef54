	.file	"horner.c"
	.text
	.p2align 4
	.globl	horner
	.type	horner, @function
horner:
.LFB0:
	.cfi_startproc
	movq	%rdi, %rcx
	movl	%esi, %edx
	testl	%esi, %esi
	jle	.L9
	leal	-1(%rsi), %eax
	cmpl	$2, %eax
	jbe	.L10
	shrl	$2, %esi
	salq	$5, %rsi
	vbroadcastsd	.LC2(%rip), %ymm7
	vbroadcastsd	.LC4(%rip), %ymm6
	vbroadcastsd	.LC6(%rip), %ymm5
	vbroadcastsd	.LC8(%rip), %ymm4
	movq	%rdi, %rax
	addq	%rdi, %rsi
	vxorpd	%xmm3, %xmm3, %xmm3
	.p2align 4,,10
	.p2align 3
.L4:
	vmovupd	(%rax), %ymm0
	addq	$32, %rax
	vmovapd	%ymm0, %ymm1
	vfmadd132pd	%ymm7, %ymm6, %ymm1
	vfmadd132pd	%ymm0, %ymm5, %ymm1
	vfmadd132pd	%ymm1, %ymm4, %ymm0
	vaddsd	%xmm0, %xmm3, %xmm1
	vunpckhpd	%xmm0, %xmm0, %xmm2
	vextractf128	$0x1, %ymm0, %xmm0
	vaddsd	%xmm2, %xmm1, %xmm1
	vaddsd	%xmm0, %xmm1, %xmm1
	vunpckhpd	%xmm0, %xmm0, %xmm0
	vaddsd	%xmm0, %xmm1, %xmm3
	cmpq	%rsi, %rax
	jne	.L4
	movl	%edx, %eax
	andl	$-4, %eax
	movl	%eax, %esi
	cmpl	%edx, %eax
	je	.L20
	vzeroupper
.L3:
	subl	%esi, %edx
	cmpl	$1, %edx
	je	.L7
	vmovupd	(%rcx,%rsi,8), %xmm0
	vmovddup	.LC4(%rip), %xmm2
	vmovddup	.LC2(%rip), %xmm1
	vfmadd132pd	%xmm0, %xmm2, %xmm1
	vmovddup	.LC6(%rip), %xmm2
	vfmadd132pd	%xmm0, %xmm2, %xmm1
	vmovddup	.LC8(%rip), %xmm2
	vfmadd132pd	%xmm1, %xmm2, %xmm0
	vaddsd	%xmm0, %xmm3, %xmm3
	vunpckhpd	%xmm0, %xmm0, %xmm0
	vaddsd	%xmm3, %xmm0, %xmm3
	testb	$1, %dl
	je	.L1
	andl	$-2, %edx
	addl	%edx, %eax
.L7:
	cltq
	vmovsd	(%rcx,%rax,8), %xmm0
	vmovsd	.LC2(%rip), %xmm1
	vfmadd213sd	.LC4(%rip), %xmm0, %xmm1
	vfmadd213sd	.LC6(%rip), %xmm0, %xmm1
	vfmadd213sd	.LC8(%rip), %xmm1, %xmm0
	vaddsd	%xmm0, %xmm3, %xmm3
.L1:
	vmovsd	%xmm3, %xmm3, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L20:
	vzeroupper
	vmovsd	%xmm3, %xmm3, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L9:
	vxorpd	%xmm3, %xmm3, %xmm3
	vmovsd	%xmm3, %xmm3, %xmm0
	ret
.L10:
	xorl	%esi, %esi
	xorl	%eax, %eax
	vxorpd	%xmm3, %xmm3, %xmm3
	jmp	.L3
	.cfi_endproc
.LFE0:
	.size	horner, .-horner
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC2:
	.long	0
	.long	1073217536
	.align 8
.LC4:
	.long	0
	.long	-1076887552
	.align 8
.LC6:
	.long	0
	.long	1069547520
	.align 8
.LC8:
	.long	0
	.long	1073741824
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
