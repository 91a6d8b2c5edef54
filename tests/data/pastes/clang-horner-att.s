	.text
	.file	"horner.c"
	.section	.rodata.cst8,"aM",@progbits,8
	.p2align	3, 0x0                          # -- Begin function horner
.LCPI0_0:
	.quad	0x3ff8000000000000              # double 1.5
.LCPI0_1:
	.quad	0xbfd0000000000000              # double -0.25
.LCPI0_2:
	.quad	0x3fc0000000000000              # double 0.125
.LCPI0_3:
	.quad	0x4000000000000000              # double 2
	.text
	.globl	horner
	.p2align	4, 0x90
	.type	horner,@function
horner:                                 # @horner
	.cfi_startproc
# %bb.0:
	testl	%esi, %esi
	jle	.LBB0_1
# %bb.3:
	movl	%esi, %eax
	xorpd	%xmm0, %xmm0
	xorl	%ecx, %ecx
	movsd	.LCPI0_0(%rip), %xmm1           # xmm1 = [1.5E+0,0.0E+0]
	movsd	.LCPI0_1(%rip), %xmm2           # xmm2 = [-2.5E-1,0.0E+0]
	movsd	.LCPI0_2(%rip), %xmm3           # xmm3 = [1.25E-1,0.0E+0]
	movsd	.LCPI0_3(%rip), %xmm4           # xmm4 = [2.0E+0,0.0E+0]
	.p2align	4, 0x90
.LBB0_4:                                # =>This Inner Loop Header: Depth=1
	movsd	(%rdi,%rcx,8), %xmm5            # xmm5 = mem[0],zero
	movapd	%xmm5, %xmm6
	mulsd	%xmm1, %xmm6
	addsd	%xmm2, %xmm6
	mulsd	%xmm5, %xmm6
	addsd	%xmm3, %xmm6
	mulsd	%xmm5, %xmm6
	addsd	%xmm4, %xmm6
	addsd	%xmm6, %xmm0
	incq	%rcx
	cmpq	%rcx, %rax
	jne	.LBB0_4
# %bb.2:
	retq
.LBB0_1:
	xorps	%xmm0, %xmm0
	retq
.Lfunc_end0:
	.size	horner, .Lfunc_end0-horner
	.cfi_endproc
                                        # -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
