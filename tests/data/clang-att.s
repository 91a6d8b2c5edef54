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
                                        #       Child Loop BB1_9 Depth 3
                                        #       Child Loop BB1_5 Depth 3
	movq	%r14, %r15
	imulq	%r11, %r15
	movq	-16(%rsp), %r13                 # 8-byte Reload
	movq	-8(%rsp), %rbx                  # 8-byte Reload
	xorl	%ebp, %ebp
	jmp	.LBB1_3
	.p2align	4, 0x90
.LBB1_11:                               #   in Loop: Header=BB1_3 Depth=2
	addq	$1, %rbp
	addq	%r10, %rbx
	addq	%r10, %r13
	cmpq	%r11, %rbp
	je	.LBB1_6
.LBB1_3:                                #   Parent Loop BB1_2 Depth=1
                                        # =>  This Loop Header: Depth=2
                                        #       Child Loop BB1_9 Depth 3
                                        #       Child Loop BB1_5 Depth 3
	leaq	(%r15,%rbp), %rdx
	vmovsd	(%rsi,%rdx,8), %xmm0            # xmm0 = mem[0],zero
	cmpl	$16, %ecx
	jae	.LBB1_8
# %bb.4:                                #   in Loop: Header=BB1_3 Depth=2
	xorl	%edx, %edx
	jmp	.LBB1_5
	.p2align	4, 0x90
.LBB1_8:                                #   in Loop: Header=BB1_3 Depth=2
	vbroadcastsd	%xmm0, %ymm1
	xorl	%r9d, %r9d
	.p2align	4, 0x90
.LBB1_9:                                #   Parent Loop BB1_2 Depth=1
                                        #     Parent Loop BB1_3 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	vmovupd	-96(%rbx,%r9), %ymm2
	vmovupd	-64(%rbx,%r9), %ymm3
	vmovupd	-32(%rbx,%r9), %ymm4
	vmovupd	(%rbx,%r9), %ymm5
	vfmadd213pd	-96(%rax,%r9), %ymm1, %ymm2 # ymm2 = (ymm1 * ymm2) + mem
	vfmadd213pd	-64(%rax,%r9), %ymm1, %ymm3 # ymm3 = (ymm1 * ymm3) + mem
	vfmadd213pd	-32(%rax,%r9), %ymm1, %ymm4 # ymm4 = (ymm1 * ymm4) + mem
	vfmadd213pd	(%rax,%r9), %ymm1, %ymm5 # ymm5 = (ymm1 * ymm5) + mem
	vmovupd	%ymm2, -96(%rax,%r9)
	vmovupd	%ymm3, -64(%rax,%r9)
	vmovupd	%ymm4, -32(%rax,%r9)
	vmovupd	%ymm5, (%rax,%r9)
	subq	$-128, %r9
	cmpq	%r9, %r12
	jne	.LBB1_9
# %bb.10:                               #   in Loop: Header=BB1_3 Depth=2
	movq	%r8, %rdx
	cmpq	%r11, %r8
	je	.LBB1_11
	.p2align	4, 0x90
.LBB1_5:                                #   Parent Loop BB1_2 Depth=1
                                        #     Parent Loop BB1_3 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	vmovsd	(%r13,%rdx,8), %xmm1            # xmm1 = mem[0],zero
	vfmadd213sd	(%rdi,%rdx,8), %xmm0, %xmm1 # xmm1 = (xmm0 * xmm1) + mem
	vmovsd	%xmm1, (%rdi,%rdx,8)
	addq	$1, %rdx
	cmpq	%rdx, %r11
	jne	.LBB1_5
	jmp	.LBB1_11
.LBB1_7:
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.Lfunc_end1:
	.size	product, .Lfunc_end1-product
	.cfi_endproc
                                        # -- End function
	.globl	length                          # -- Begin function length
	.p2align	4, 0x90
	.type	length,@function
length:                                 # @length
	.cfi_startproc
# %bb.0:
	movl	$-1, %eax
	.p2align	4, 0x90
.LBB2_1:                                # =>This Inner Loop Header: Depth=1
	addl	$1, %eax
	cmpb	$0, (%rdi)
	leaq	1(%rdi), %rdi
	jne	.LBB2_1
# %bb.2:
	retq
.Lfunc_end2:
	.size	length, .Lfunc_end2-length
	.cfi_endproc
                                        # -- End function
	.globl	apply                           # -- Begin function apply
	.p2align	4, 0x90
	.type	apply,@function
apply:                                  # @apply
	.cfi_startproc
# %bb.0:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%rbx
	.cfi_def_cfa_offset 40
	pushq	%rax
	.cfi_def_cfa_offset 48
	.cfi_offset %rbx, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	testl	%esi, %esi
	jle	.LBB3_1
# %bb.3:
	movl	%esi, %r15d
	movq	%rdi, %r14
	xorl	%ebx, %ebx
	xorl	%ebp, %ebp
	.p2align	4, 0x90
.LBB3_4:                                # =>This Inner Loop Header: Depth=1
	movl	%ebx, %edi
	callq	*%r14
	addl	%eax, %ebp
	addl	$1, %ebx
	cmpl	%ebx, %r15d
	jne	.LBB3_4
	jmp	.LBB3_2
.LBB3_1:
	xorl	%ebp, %ebp
.LBB3_2:
	movl	%ebp, %eax
	addq	$8, %rsp
	.cfi_def_cfa_offset 40
	popq	%rbx
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end3:
	.size	apply, .Lfunc_end3-apply
	.cfi_endproc
                                        # -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
