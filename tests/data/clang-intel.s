	.text
	.intel_syntax noprefix
	.file	"own.c"
	.globl	triad                           # -- Begin function triad
	.p2align	4, 0x90
	.type	triad,@function
triad:                                  # @triad
	.cfi_startproc
# %bb.0:
	test	r8, r8
	je	.LBB0_7
# %bb.1:
	cmp	r8, 16
	jae	.LBB0_3
# %bb.2:
	xor	r9d, r9d
	jmp	.LBB0_6
.LBB0_3:
	mov	r9, r8
	and	r9, -16
	xor	eax, eax
	.p2align	4, 0x90
.LBB0_4:                                # =>This Inner Loop Header: Depth=1
	vmovupd	ymm0, ymmword ptr [rdx + 8*rax]
	vmovupd	ymm1, ymmword ptr [rdx + 8*rax + 32]
	vmovupd	ymm2, ymmword ptr [rdx + 8*rax + 64]
	vmovupd	ymm3, ymmword ptr [rdx + 8*rax + 96]
	vmovupd	ymm4, ymmword ptr [rcx + 8*rax]
	vmovupd	ymm5, ymmword ptr [rcx + 8*rax + 32]
	vmovupd	ymm6, ymmword ptr [rcx + 8*rax + 64]
	vmovupd	ymm7, ymmword ptr [rcx + 8*rax + 96]
	vfmadd213pd	ymm4, ymm0, ymmword ptr [rsi + 8*rax] # ymm4 = (ymm0 * ymm4) + mem
	vfmadd213pd	ymm5, ymm1, ymmword ptr [rsi + 8*rax + 32] # ymm5 = (ymm1 * ymm5) + mem
	vfmadd213pd	ymm6, ymm2, ymmword ptr [rsi + 8*rax + 64] # ymm6 = (ymm2 * ymm6) + mem
	vfmadd213pd	ymm7, ymm3, ymmword ptr [rsi + 8*rax + 96] # ymm7 = (ymm3 * ymm7) + mem
	vmovupd	ymmword ptr [rdi + 8*rax], ymm4
	vmovupd	ymmword ptr [rdi + 8*rax + 32], ymm5
	vmovupd	ymmword ptr [rdi + 8*rax + 64], ymm6
	vmovupd	ymmword ptr [rdi + 8*rax + 96], ymm7
	add	rax, 16
	cmp	r9, rax
	jne	.LBB0_4
# %bb.5:
	cmp	r9, r8
	je	.LBB0_7
	.p2align	4, 0x90
.LBB0_6:                                # =>This Inner Loop Header: Depth=1
	vmovsd	xmm0, qword ptr [rdx + 8*r9]    # xmm0 = mem[0],zero
	vmovsd	xmm1, qword ptr [rcx + 8*r9]    # xmm1 = mem[0],zero
	vfmadd213sd	xmm1, xmm0, qword ptr [rsi + 8*r9] # xmm1 = (xmm0 * xmm1) + mem
	vmovsd	qword ptr [rdi + 8*r9], xmm1
	add	r9, 1
	cmp	r8, r9
	jne	.LBB0_6
.LBB0_7:
	vzeroupper
	ret
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
	push	rbp
	.cfi_def_cfa_offset 16
	push	r15
	.cfi_def_cfa_offset 24
	push	r14
	.cfi_def_cfa_offset 32
	push	r13
	.cfi_def_cfa_offset 40
	push	r12
	.cfi_def_cfa_offset 48
	push	rbx
	.cfi_def_cfa_offset 56
	.cfi_offset rbx, -56
	.cfi_offset r12, -48
	.cfi_offset r13, -40
	.cfi_offset r14, -32
	.cfi_offset r15, -24
	.cfi_offset rbp, -16
	mov	qword ptr [rsp - 16], rdx       # 8-byte Spill
	test	ecx, ecx
	jle	.LBB1_7
# %bb.1:
	mov	r11d, ecx
	mov	r8d, r11d
	and	r8d, -16
	mov	rax, qword ptr [rsp - 16]       # 8-byte Reload
	add	rax, 96
	mov	qword ptr [rsp - 8], rax        # 8-byte Spill
	lea	r10, [8*r11]
	lea	rax, [rdi + 96]
	mov	r12, r10
	and	r12, -128
	xor	r14d, r14d
	jmp	.LBB1_2
	.p2align	4, 0x90
.LBB1_6:                                #   in Loop: Header=BB1_2 Depth=1
	add	r14, 1
	add	rax, r10
	add	rdi, r10
	cmp	r14, r11
	je	.LBB1_7
.LBB1_2:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB1_3 Depth 2
                                        #       Child Loop BB1_9 Depth 3
                                        #       Child Loop BB1_5 Depth 3
	mov	r15, r14
	imul	r15, r11
	mov	r13, qword ptr [rsp - 16]       # 8-byte Reload
	mov	rbx, qword ptr [rsp - 8]        # 8-byte Reload
	xor	ebp, ebp
	jmp	.LBB1_3
	.p2align	4, 0x90
.LBB1_11:                               #   in Loop: Header=BB1_3 Depth=2
	add	rbp, 1
	add	rbx, r10
	add	r13, r10
	cmp	rbp, r11
	je	.LBB1_6
.LBB1_3:                                #   Parent Loop BB1_2 Depth=1
                                        # =>  This Loop Header: Depth=2
                                        #       Child Loop BB1_9 Depth 3
                                        #       Child Loop BB1_5 Depth 3
	lea	rdx, [r15 + rbp]
	vmovsd	xmm0, qword ptr [rsi + 8*rdx]   # xmm0 = mem[0],zero
	cmp	ecx, 16
	jae	.LBB1_8
# %bb.4:                                #   in Loop: Header=BB1_3 Depth=2
	xor	edx, edx
	jmp	.LBB1_5
	.p2align	4, 0x90
.LBB1_8:                                #   in Loop: Header=BB1_3 Depth=2
	vbroadcastsd	ymm1, xmm0
	xor	r9d, r9d
	.p2align	4, 0x90
.LBB1_9:                                #   Parent Loop BB1_2 Depth=1
                                        #     Parent Loop BB1_3 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	vmovupd	ymm2, ymmword ptr [rbx + r9 - 96]
	vmovupd	ymm3, ymmword ptr [rbx + r9 - 64]
	vmovupd	ymm4, ymmword ptr [rbx + r9 - 32]
	vmovupd	ymm5, ymmword ptr [rbx + r9]
	vfmadd213pd	ymm2, ymm1, ymmword ptr [rax + r9 - 96] # ymm2 = (ymm1 * ymm2) + mem
	vfmadd213pd	ymm3, ymm1, ymmword ptr [rax + r9 - 64] # ymm3 = (ymm1 * ymm3) + mem
	vfmadd213pd	ymm4, ymm1, ymmword ptr [rax + r9 - 32] # ymm4 = (ymm1 * ymm4) + mem
	vfmadd213pd	ymm5, ymm1, ymmword ptr [rax + r9] # ymm5 = (ymm1 * ymm5) + mem
	vmovupd	ymmword ptr [rax + r9 - 96], ymm2
	vmovupd	ymmword ptr [rax + r9 - 64], ymm3
	vmovupd	ymmword ptr [rax + r9 - 32], ymm4
	vmovupd	ymmword ptr [rax + r9], ymm5
	sub	r9, -128
	cmp	r12, r9
	jne	.LBB1_9
# %bb.10:                               #   in Loop: Header=BB1_3 Depth=2
	mov	rdx, r8
	cmp	r8, r11
	je	.LBB1_11
	.p2align	4, 0x90
.LBB1_5:                                #   Parent Loop BB1_2 Depth=1
                                        #     Parent Loop BB1_3 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	vmovsd	xmm1, qword ptr [r13 + 8*rdx]   # xmm1 = mem[0],zero
	vfmadd213sd	xmm1, xmm0, qword ptr [rdi + 8*rdx] # xmm1 = (xmm0 * xmm1) + mem
	vmovsd	qword ptr [rdi + 8*rdx], xmm1
	add	rdx, 1
	cmp	r11, rdx
	jne	.LBB1_5
	jmp	.LBB1_11
.LBB1_7:
	pop	rbx
	.cfi_def_cfa_offset 48
	pop	r12
	.cfi_def_cfa_offset 40
	pop	r13
	.cfi_def_cfa_offset 32
	pop	r14
	.cfi_def_cfa_offset 24
	pop	r15
	.cfi_def_cfa_offset 16
	pop	rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	ret
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
	mov	eax, -1
	.p2align	4, 0x90
.LBB2_1:                                # =>This Inner Loop Header: Depth=1
	add	eax, 1
	cmp	byte ptr [rdi], 0
	lea	rdi, [rdi + 1]
	jne	.LBB2_1
# %bb.2:
	ret
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
	push	rbp
	.cfi_def_cfa_offset 16
	push	r15
	.cfi_def_cfa_offset 24
	push	r14
	.cfi_def_cfa_offset 32
	push	rbx
	.cfi_def_cfa_offset 40
	push	rax
	.cfi_def_cfa_offset 48
	.cfi_offset rbx, -40
	.cfi_offset r14, -32
	.cfi_offset r15, -24
	.cfi_offset rbp, -16
	test	esi, esi
	jle	.LBB3_1
# %bb.3:
	mov	r15d, esi
	mov	r14, rdi
	xor	ebx, ebx
	xor	ebp, ebp
	.p2align	4, 0x90
.LBB3_4:                                # =>This Inner Loop Header: Depth=1
	mov	edi, ebx
	call	r14
	add	ebp, eax
	add	ebx, 1
	cmp	r15d, ebx
	jne	.LBB3_4
	jmp	.LBB3_2
.LBB3_1:
	xor	ebp, ebp
.LBB3_2:
	mov	eax, ebp
	add	rsp, 8
	.cfi_def_cfa_offset 40
	pop	rbx
	.cfi_def_cfa_offset 32
	pop	r14
	.cfi_def_cfa_offset 24
	pop	r15
	.cfi_def_cfa_offset 16
	pop	rbp
	.cfi_def_cfa_offset 8
	ret
.Lfunc_end3:
	.size	apply, .Lfunc_end3-apply
	.cfi_endproc
                                        # -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
