	.text
	.file	"own.c"
	.globl	triad                           # -- Begin function triad
	.p2align	4, 0x90
	.type	triad,@function
triad:                                  # @triad
	.cfi_startproc
# %bb.0:
	testq	%r8, %r8
	je	.LBB0_7
# %bb.1:
	cmpq	$16, %r8
	jae	.LBB0_3
# %bb.2:
	xorl	%r9d, %r9d
	jmp	.LBB0_6
.LBB0_3:
	movq	%r8, %r9
	andq	$-16, %r9
	xorl	%eax, %eax
	.p2align	4, 0x90
.LBB0_4:                                # =>This Inner Loop Header: Depth=1
	vmovupd	(%rdx,%rax,8), %ymm0
	vmovupd	32(%rdx,%rax,8), %ymm1
	vmovupd	64(%rdx,%rax,8), %ymm2
	vmovupd	96(%rdx,%rax,8), %ymm3
	vmovupd	(%rcx,%rax,8), %ymm4
	vmovupd	32(%rcx,%rax,8), %ymm5
	vmovupd	64(%rcx,%rax,8), %ymm6
	vmovupd	96(%rcx,%rax,8), %ymm7
	vfmadd213pd	(%rsi,%rax,8), %ymm0, %ymm4 # ymm4 = (ymm0 * ymm4) + mem
	vfmadd213pd	32(%rsi,%rax,8), %ymm1, %ymm5 # ymm5 = (ymm1 * ymm5) + mem
	vfmadd213pd	64(%rsi,%rax,8), %ymm2, %ymm6 # ymm6 = (ymm2 * ymm6) + mem
	vfmadd213pd	96(%rsi,%rax,8), %ymm3, %ymm7 # ymm7 = (ymm3 * ymm7) + mem
	vmovupd	%ymm4, (%rdi,%rax,8)
	vmovupd	%ymm5, 32(%rdi,%rax,8)
	vmovupd	%ymm6, 64(%rdi,%rax,8)
	vmovupd	%ymm7, 96(%rdi,%rax,8)
	addq	$16, %rax
	cmpq	%rax, %r9
	jne	.LBB0_4
# %bb.5:
	cmpq	%r8, %r9
	je	.LBB0_7
	.p2align	4, 0x90
.LBB0_6:                                # =>This Inner Loop Header: Depth=1
	vmovsd	(%rdx,%r9,8), %xmm0             # xmm0 = mem[0],zero
	vmovsd	(%rcx,%r9,8), %xmm1             # xmm1 = mem[0],zero
	vfmadd213sd	(%rsi,%r9,8), %xmm0, %xmm1 # xmm1 = (xmm0 * xmm1) + mem
	vmovsd	%xmm1, (%rdi,%r9,8)
	addq	$1, %r9
	cmpq	%r9, %r8
	jne	.LBB0_6
.LBB0_7:
	vzeroupper
	retq
.Lfunc_end0:
	.size	triad, .Lfunc_end0-triad
	.cfi_endproc
                                        # -- End function
	.globl	product                         # -- Begin function product
	.p2align	4, 0x90
	.type	product,@function
product:                                # @product
	.cfi_startproc
# %bb.0:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	%rdx, -16(%rsp)                 # 8-byte Spill
	testl	%ecx, %ecx
	jle	.LBB1_7
# %bb.1:
	movl	%ecx, %r11d
	movl	%r11d, %r8d
	andl	$-16, %r8d
	movq	-16(%rsp), %rax                 # 8-byte Reload
	addq	$96, %rax
	movq	%rax, -8(%rsp)                  # 8-byte Spill
	leaq	(,%r11,8), %r10
	leaq	96(%rdi), %rax
	movq	%r10, %r12
	andq	$-128, %r12
	xorl	%r14d, %r14d
	jmp	.LBB1_2
	.p2align	4, 0x90
.LBB1_6:                                #   in Loop: Header=BB1_2 Depth=1
	addq	$1, %r14
	addq	%r10, %rax
	addq	%r10, %rdi
	cmpq	%r11, %r14
	je	.LBB1_7
.LBB1_2:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB1_3 Depth 2
                                        #       Child Loop BB1_9 De