	.text
	.intel_syntax noprefix
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
	test	esi, esi
	jle	.LBB0_1
# %bb.3:
	mov	eax, esi
	xorpd	xmm0, xmm0
	xor	ecx, ecx
	movsd	xmm1, qword ptr [rip + .LCPI0_0] # xmm1 = [1.5E+0,0.0E+0]
	movsd	xmm2, qword ptr [rip + .LCPI0_1] # xmm2 = [-2.5E-1,0.0E+0]
	movsd	xmm3, qword ptr [rip + .LCPI0_2] # xmm3 = [1.25E-1,0.0E+0]
	movsd	xmm4, qword ptr [rip + .LCPI0_3] # xmm4 = [2.0E+0,0.0E+0]
	.p2align	4, 0x90
.LBB0_4:                                # =>This Inner Loop Header: Depth=1
	movsd	xmm5, qword ptr [rdi + 8*rcx]   # xmm5 = mem[0],zero
	movapd	xmm6, xmm5
	mulsd	xmm6, xmm1
	addsd	xmm6, xmm2
	mulsd	xmm6, xmm5
	addsd	xmm6, xmm3
	mulsd	xmm6, xmm5
	addsd	xmm6, xmm4
	addsd	xmm0, xmm6
	inc	rcx
	cmp	rax, rcx
	jne	.LBB0_4
# %bb.2:
	ret
.LBB0_1:
	xorps	xmm0, xmm0
	ret
.Lfunc_end0:
	.size	horner, .Lfunc_end0-horner
	.cfi_endproc
                                        # -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
