	.text
	.intel_syntax noprefix
	.file	"g.c"
	.globl	pick                            # -- Begin function pick
	.p2align	4, 0x90
	.type	pick,@function
pick:                                   # @pick
	.cfi_startproc
# %bb.0:
	test	rcx, rcx
	jle	.LBB0_13
# %bb.1:
	cmp	rcx, 8
	jae	.LBB0_3
# %bb.2:
	xor	eax, eax
	jmp	.LBB0_12
.LBB0_3:
	movabs	r8, 9223372036854775792
	cmp	rcx, 16
	jae	.LBB0_5
# %bb.4:
	xor	eax, eax
.LBB0_9:
	mov	r9, rax
	add	r8, 8
	mov	rax, r8
	and	rax, rcx
	.p2align	4, 0x90
.LBB0_10:                               # =>This Inner Loop Header: Depth=1
	vmovups	ymm0, ymmword ptr [rdx + 4*r9]
	kxnorw	k1, k0, k0
	vxorps	xmm1, xmm1, xmm1
	vgatherdps	ymm1 {k1}, ymmword ptr [rsi + 4*ymm0]
	vmovups	ymmword ptr [rdi + 4*r9], ymm1
	add	r9, 8
	cmp	rax, r9
	jne	.LBB0_10
# %bb.11:
	cmp	rax, rcx
	jne	.LBB0_12
	jmp	.LBB0_13
.LBB0_5:
	mov	rax, rcx
	and	rax, r8
	xor	r9d, r9d
	.p2align	4, 0x90
.LBB0_6:                                # =>This Inner Loop Header: Depth=1
	vmovups	zmm0, zmmword ptr [rdx + 4*r9]
	kxnorw	k1, k0, k0
	vxorps	xmm1, xmm1, xmm1
	vgatherdps	zmm1 {k1}, zmmword ptr [rsi + 4*zmm0]
	vmovups	zmmword ptr [rdi + 4*r9], zmm1
	add	r9, 16
	cmp	rax, r9
	jne	.LBB0_6
# %bb.7:
	cmp	rax, rcx
	je	.LBB0_13
# %bb.8:
	test	cl, 8
	jne	.LBB0_9
	.p2align	4, 0x90
.LBB0_12:                               # =>This Inner Loop Header: Depth=1
	movsxd	r8, dword ptr [rdx + 4*rax]
	vmovss	xmm0, dword ptr [rsi + 4*r8]    # xmm0 = mem[0],zero,zero,zero
	vmovss	dword ptr [rdi + 4*rax], xmm0
	inc	rax
	cmp	rcx, rax
	jne	.LBB0_12
.LBB0_13:
	vzeroupper
	ret
.Lfunc_end0:
	.size	pick, .Lfunc_end0-pick
	.cfi_endproc
                                        # -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
