	.text
	.intel_syntax noprefix
	.file	"crc.c"
	.globl	crc                             # -- Begin function crc
	.p2align	4, 0x90
	.type	crc,@function
crc:                                    # @crc
	.cfi_startproc
# %bb.0:
	test	rsi, rsi
	jle	.LBB0_1
# %bb.4:
	mov	eax, -1
	xor	ecx, ecx
	.p2align	4, 0x90
.LBB0_5:                                # =>This Inner Loop Header: Depth=1
	movzx	edx, byte ptr [rdi + rcx]
	xor	edx, eax
	mov	r8d, edx
	shr	r8d
	and	edx, 1
	neg	edx
	and	edx, -306674912
	mov	eax, edx
	xor	eax, r8d
	inc	rcx
	cmp	rsi, rcx
	jne	.LBB0_5
# %bb.2:
	not	eax
	ret
.LBB0_1:
	xor	eax, eax
	ret
.Lfunc_end0:
	.size	crc, .Lfunc_end0-crc
	.cfi_endproc
                                        # -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
