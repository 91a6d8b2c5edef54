	.section	__TEXT,__text,regular,pure_instructions
	.build_version macos, 11, 0
	.globl	_dot                            ; -- Begin function dot
	.p2align	2
_dot:                                   ; @dot
	.cfi_startproc
; %bb.0:
	cmp	x2, #1
	b.lt	LBB0_3
; %bb.1:
	cmp	x2, #7
	b.hi	LBB0_4
; %bb.2:
	mov	x8, #0                          ; =0x0
	movi	d0, #0000000000000000
	b	LBB0_7
LBB0_3:
	movi	d0, #0000000000000000
	ret
LBB0_4:
	and	x8, x2, #0x7ffffffffffffff8
	add	x9, x1, #32
	add	x10, x0, #32
	movi	d0, #0000000000000000
	mov	x11, x8
LBB0_5:                                 ; =>This Inner Loop Header: Depth=1
	ldp	q1, q2, [x10, #-32]
	ldp	q3, q4, [x10], #64
	ldp	q5, q6, [x9, #-32]
	ldp	q7, q16, [x9], #64
	fmul.2d	v1, v1, v5
	mov	d5, v1[1]
	fmul.2d	v2, v2, v6
	mov	d6, v2[1]
	fmul.2d	v3, v3, v7
	mov	d7, v3[1]
	fmul.2d	v4, v4, v16
	mov	d16, v4[1]
	fadd	d0, d0, d1
	fadd	d0, d0, d5
	fadd	d0, d0, d2
	fadd	d0, d0, d6
	fadd	d0, d0, d3
	fadd	d0, d0, d7
	fadd	d0, d0, d4
	fadd	d0, d0, d16
	subs	x11, x11, #8
	b.ne	LBB0_5
; %bb.6:
	cmp	x8, x2
	b.eq	LBB0_9
LBB0_7:
	sub	x9, x2, x8
	lsl	x10, x8, #3
	add	x8, x1, x10
	add	x10, x0, x10
LBB0_8:                                 ; =>This Inner Loop Header: Depth=1
	ldr	d1, [x10], #8
	ldr	d2, [x8], #8
	fmadd	d0, d1, d2, d0
	subs	x9, x9, #1
	b.ne	LBB0_8
LBB0_9:
	ret
	.cfi_endproc
                                        ; -- End function
	.globl	_add                            ; -- Begin function add
	.p2align	2
_add:                                   ; @add
	.cfi_startproc
; %bb.0:
	cmp	x1, #1
	b.lt	LBB1_6
; %bb.1:
	stp	x29, x30, [sp, #-16]!           ; 16-byte Folded Spill
	mov	x29, sp
	.cfi_def_cfa w29, 16
	.cfi_offset w30, -8
	.cfi_offset w29, -16
	mov	x8, x0
Lloh0:
	adrp	x0, _total@TLVPPAGE
Lloh1:
	ldr	x0, [x0, _total@TLVPPAGEOFF]
	ldr	x9, [x0]
	blr	x9
	ldr	x9, [x0]
Lloh2:
	adrp	x10, _counts@PAGE
Lloh3:
	add	x10, x10, _counts@PAGEOFF
	b	LBB1_3
LBB1_2:                                 ;   in Loop: Header=BB1_3 Depth=1
	add	x9, x9, x11
	str	x9, [x0]
	subs	x1, x1, #1
	b.eq	LBB1_5
LBB1_3:                                 ; =>This Inner Loop Header: Depth=1
	ldr	x11, [x8], #8
	cmp	x11, #4
	b.ge	LBB1_2
; %bb.4:                                ;   in Loop: Header=BB1_3 Depth=1
	and	x11, x11, #0x3f
	ldr	w12, [x10, x11, lsl #2]
	add	w12, w12, #1
	str	w12, [x10, x11, lsl #2]
	subs	x1, x1, #1
	b.ne	LBB1_3
LBB1_5:
	ldp	x29, x30, [sp], #16             ; 16-byte Folded Reload
LBB1_6:
	ret
	.loh AdrpAdd	Lloh2, Lloh3
	.loh AdrpLdr	Lloh0, Lloh1
	.cfi_endproc
                                        ; -- End function
	.globl	_last                           ; -- Begin function last
	.p2align	2
_last:                                  ; @last
	.cfi_startproc
; %bb.0:
	stp	x29, x30, [sp, #-16]!           ; 16-byte Folded Spill
	mov	x29, sp
	.cfi_def_cfa w29, 16
	.cfi_offset w30, -8
	.cfi_offset w29, -16
Lloh4:
	adrp	x0, _total@TLVPPAGE
Lloh5:
	ldr	x0, [x0, _total@TLVPPAGEOFF]
	ldr	x8, [x0]
	blr	x8
	ldr	x8, [x0]
Lloh6:
	adrp	x9, _counts@PAGE+20
Lloh7:
	ldrsw	x9, [x9, _counts@PAGEOFF+20]
	add	x0, x8, x9
	ldp	x29, x30, [sp], #16             ; 16-byte Folded Reload
	ret
	.loh AdrpLdr	Lloh6, Lloh7
	.loh AdrpLdr	Lloh4, Lloh5
	.cfi_endproc
                                        ; -- End function
.tbss _total$tlv$init, 8, 3             ; @total

	.section	__DATA,__thread_vars,thread_local_variables
	.globl	_total
_total:
	.quad	__tlv_bootstrap
	.quad	0
	.quad	_total$tlv$init

.zerofill __DATA,__bss,_counts,256,2    ; @counts
.subsections_via_symbols
