	.section	__TEXT,__text,regular,pure_instructions
	.build_version macos, 11, 0
	.globl	_dot                            ## -- Begin function dot
	.p2align	4, 0x90
_dot:                                   ## @dot
	.cfi_startproc
## %bb.0:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	testq	%rdx, %rdx
	jle	LBB0_1
## %bb.2:
	movl	%edx, %eax
	andl	$3, %eax
	cmpq	$4, %rdx
	jae	LBB0_8
## %bb.3:
	xorpd	%xmm0, %xmm0
	xorl	%ecx, %ecx
	jmp	LBB0_4
LBB0_1:
	xorps	%xmm0, %xmm0
	popq	%rbp
	retq
LBB0_8:
	movabsq	$9223372036854775804, %rcx      ## imm = 0x7FFFFFFFFFFFFFFC
	andq	%rcx, %rdx
	xorpd	%xmm0, %xmm0
	xorl	%ecx, %ecx
	.p2align	4, 0x90
LBB0_9:                                 ## =>This Inner Loop Header: Depth=1
	movsd	(%rdi,%rcx,8), %xmm1            ## xmm1 = mem[0],zero
	movsd	8(%rdi,%rcx,8), %xmm2           ## xmm2 = mem[0],zero
	mulsd	(%rsi,%rcx,8), %xmm1
	mulsd	8(%rsi,%rcx,8), %xmm2
	addsd	%xmm0, %xmm1
	movsd	16(%rdi,%rcx,8), %xmm3          ## xmm3 = mem[0],zero
	mulsd	16(%rsi,%rcx,8), %xmm3
	addsd	%xmm1, %xmm2
	movsd	24(%rdi,%rcx,8), %xmm0          ## xmm0 = mem[0],zero
	mulsd	24(%rsi,%rcx,8), %xmm0
	addsd	%xmm2, %xmm3
	addsd	%xmm3, %xmm0
	addq	$4, %rcx
	cmpq	%rcx, %rdx
	jne	LBB0_9
LBB0_4:
	testq	%rax, %rax
	je	LBB0_7
## %bb.5:
	leaq	(%rsi,%rcx,8), %rdx
	leaq	(%rdi,%rcx,8), %rcx
	xorl	%esi, %esi
	.p2align	4, 0x90
LBB0_6:                                 ## =>This Inner Loop Header: Depth=1
	movsd	(%rcx,%rsi,8), %xmm1            ## xmm1 = mem[0],zero
	mulsd	(%rdx,%rsi,8), %xmm1
	addsd	%xmm1, %xmm0
	incq	%rsi
	cmpq	%rsi, %rax
	jne	LBB0_6
LBB0_7:
	popq	%rbp
	retq
	.cfi_endproc
                                        ## -- End function
	.globl	_add                            ## -- Begin function add
	.p2align	4, 0x90
_add:                                   ## @add
	.cfi_startproc
## %bb.0:
	testq	%rsi, %rsi
	jle	LBB1_6
## %bb.1:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	%rdi, %rcx
	movq	_total@TLVP(%rip), %rdi
	callq	*(%rdi)
	movq	(%rax), %rdx
	xorl	%edi, %edi
	leaq	_counts(%rip), %r8
	popq	%rbp
	jmp	LBB1_2
	.p2align	4, 0x90
LBB1_3:                                 ##   in Loop: Header=BB1_2 Depth=1
	addq	%r9, %rdx
	movq	%rdx, (%rax)
LBB1_5:                                 ##   in Loop: Header=BB1_2 Depth=1
	incq	%rdi
	cmpq	%rdi, %rsi
	je	LBB1_6
LBB1_2:                                 ## =>This Inner Loop Header: Depth=1
	movq	(%rcx,%rdi,8), %r9
	cmpq	$4, %r9
	jge	LBB1_3
## %bb.4:                               ##   in Loop: Header=BB1_2 Depth=1
	andl	$63, %r9d
	incl	(%r8,%r9,4)
	jmp	LBB1_5
LBB1_6:
	retq
	.cfi_endproc
                                        ## -- End function
	.globl	_last                           ## -- Begin function last
	.p2align	4, 0x90
_last:                                  ## @last
	.cfi_startproc
## %bb.0:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	_total@TLVP(%rip), %rdi
	callq	*(%rdi)
	movslq	_counts+20(%rip), %rcx
	addq	(%rax), %rcx
	movq	%rcx, %rax
	popq	%rbp
	retq
	.cfi_endproc
                                        ## -- End function
.tbss _total$tlv$init, 8, 3             ## @total

	.section	__DATA,__thread_vars,thread_local_variables
	.globl	_total
_total:
	.quad	__tlv_bootstrap
	.quad	0
	.quad	_total$tlv$init

.zerofill __DATA,__bss,_counts,256,4    ## @counts
.subsections_via_symbols
