	.text
	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 0
	.intel_syntax noprefix
	.file	"kp.c"
	.def	dot;
	.scl	2;
	.type	32;
	.endef
	.globl	dot                             # -- Begin function dot
	.p2align	4, 0x90
dot:                                    # @dot
# %bb.0:
	test	r8d, r8d
	jle	.LBB0_1
# %bb.2:
	mov	r9d, r8d
	mov	eax, r9d
	and	eax, 3
	cmp	r8d, 4
	jae	.LBB0_8
# %bb.3:
	xorpd	xmm0, xmm0
	xor	r8d, r8d
	jmp	.LBB0_4
.LBB0_1:
	xorps	xmm0, xmm0
	ret
.LBB0_8:
	and	r9d, 2147483644
	xorpd	xmm0, xmm0
	xor	r8d, r8d
	.p2align	4, 0x90
.LBB0_9:                                # =>This Inner Loop Header: Depth=1
	movsd	xmm1, qword ptr [rcx + 8*r8]    # xmm1 = mem[0],zero
	movsd	xmm2, qword ptr [rcx + 8*r8 + 8] # xmm2 = mem[0],zero
	mulsd	xmm1, qword ptr [rdx + 8*r8]
	mulsd	xmm2, qword ptr [rdx + 8*r8 + 8]
	addsd	xmm1, xmm0
	movsd	xmm3, qword ptr [rcx + 8*r8 + 16] # xmm3 = mem[0],zero
	mulsd	xmm3, qword ptr [rdx + 8*r8 + 16]
	addsd	xmm2, xmm1
	movsd	xmm0, qword ptr [rcx + 8*r8 + 24] # xmm0 = mem[0],zero
	mulsd	xmm0, qword ptr [rdx + 8*r8 + 24]
	addsd	xmm3, xmm2
	addsd	xmm0, xmm3
	add	r8, 4
	cmp	r9, r8
	jne	.LBB0_9
.LBB0_4:
	test	rax, rax
	je	.LBB0_7
# %bb.5:
	lea	rdx, [rdx + 8*r8]
	lea	rcx, [rcx + 8*r8]
	xor	r8d, r8d
	.p2align	4, 0x90
.LBB0_6:                                # =>This Inner Loop Header: Depth=1
	movsd	xmm1, qword ptr [rcx + 8*r8]    # xmm1 = mem[0],zero
	mulsd	xmm1, qword ptr [rdx + 8*r8]
	addsd	xmm0, xmm1
	inc	r8
	cmp	rax, r8
	jne	.LBB0_6
.LBB0_7:
	ret
                                        # -- End function
	.def	add;
	.scl	2;
	.type	32;
	.endef
	.globl	add                             # -- Begin function add
	.p2align	4, 0x90
add:                                    # @add
# %bb.0:
	test	edx, edx
	jle	.LBB1_6
# %bb.1:
	mov	eax, dword ptr [rip + _tls_index]
	mov	r8, qword ptr gs:[88]
	mov	r8, qword ptr [r8 + 8*rax]
	lea	rax, [r8 + total@SECREL32]
	mov	r8d, dword ptr [r8 + total@SECREL32]
	mov	edx, edx
	xor	r9d, r9d
	lea	r10, [rip + counts]
	jmp	.LBB1_2
	.p2align	4, 0x90
.LBB1_3:                                #   in Loop: Header=BB1_2 Depth=1
	add	r8d, r11d
	mov	dword ptr [rax], r8d
.LBB1_5:                                #   in Loop: Header=BB1_2 Depth=1
	inc	r9
	cmp	rdx, r9
	je	.LBB1_6
.LBB1_2:                                # =>This Inner Loop Header: Depth=1
	mov	r11d, dword ptr [rcx + 4*r9]
	cmp	r11d, 4
	jge	.LBB1_3
# %bb.4:                                #   in Loop: Header=BB1_2 Depth=1
	and	r11d, 63
	inc	dword ptr [r10 + 4*r11]
	jmp	.LBB1_5
.LBB1_6:
	ret
                                        # -- End function
	.def	last;
	.scl	2;
	.type	32;
	.endef
	.globl	last                            # -- Begin function last
	.p2align	4, 0x90
last:                                   # @last
# %bb.0:
	mov	eax, dword ptr [rip + _tls_index]
	mov	rcx, qword ptr gs:[88]
	mov	rcx, qword ptr [rcx + 8*rax]
	mov	eax, dword ptr [rip + counts+20]
	add	eax, dword ptr [rcx + total@SECREL32]
	ret
                                        # -- End function
	.section	.tls$,"dw"
	.globl	total                           # @total
	.p2align	2, 0x0
total:
	.long	0                               # 0x0

	.lcomm	counts,256,16                   # @counts
	.addrsig
	.globl	_fltused
