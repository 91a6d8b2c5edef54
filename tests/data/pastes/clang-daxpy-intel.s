	.text
	.intel_syntax noprefix
	.file	"daxpy.c"
	.globl	daxpy                           # -- Begin function daxpy
	.p2align	4, 0x90
	.type	daxpy,@function
daxpy:                                  # @daxpy
	.cfi_startproc
# %bb.0:
	test	edi, edi
	jle	.LBB0_3
# %bb.1:
	mov	eax, edi
	xor	ecx, ecx
	.p2align	4, 0x90
.LBB0_2:                                # =>This Inner Loop Header: Depth=1
	movsd	xmm1, qword ptr [rsi + 8*rcx]   # xmm1 = mem[0],zero
	mulsd	xmm1, xmm0
	addsd	xmm1, qword ptr [rdx + 8*rcx]
	movsd	qword ptr [rdx + 8*rcx], xmm1
	inc	rcx
	cmp	rax, rcx
	jne	.LBB0_2
.LBB0_3:
	ret
.Lfunc_end0:
	.size	daxpy, .Lfunc_end0-daxpy
	.cfi_endproc
                                        # -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
