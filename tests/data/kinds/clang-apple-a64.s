	.section	__TEXT,__text,regular,pure_instructions
	.build_version macos, 13, 0
	.globl	_axpy                           ; -- Begin function axpy
	.p2align	2
_axpy:                                  ; @axpy
	.cfi_startproc
; %bb.0:
                                        ; kill: def $d0 killed $d0 def $q0
	cmp	x2, #1
	b.lt	LBB0_7
; %bb.1:
	cmp	x2, #7
	b.ls	LBB0_4
; %bb.2:
	lsl	x8, x2, #3
	add	x9, x0, x8
	cmp	x9, x1
	b.ls	LBB0_8
; %bb.3:
	add	x8, x1, x8
	cmp	x8, x0
	b.ls	LBB0_8
LBB0_4:
	mov	x8, #0                          ; =0x0
LBB0_5:
	sub	x9, x2, x8
	lsl	x10, x8, #3
	add	x8, x1, x10
	add	x10, x0, x10
LBB0_6:                                 ; =>This Inner Loop Header: Depth=1
	ldr	d1, [x10], #8
	ldr	d2, [x8]
	fmadd	d1, d0, d1, d2
	str	d1, [x8], #8
	subs	x9, x9, #1
	b.ne	LBB0_6
LBB0_7:
	ret
LBB0_8:
	and	x8, x2, #0x7ffffffffffffff8
	dup.2d	v1, v0[0]
	add	x9, x1, #32
	add	x10, x0, #32
	mov	x11, x8
LBB0_9:                                 ; =>This Inner Loop Header: Depth=1
	ldp	q2, q3, [x10, #-32]
	ldp	q4, q5, [x10], #64
	ldp	q6, q7, [x9, #-32]
	ldp	q16, q17, [x9]
	fmla.2d	v6, v2, v1
	fmla.2d	v7, v3, v1
	fmla.2d	v16, v4, v1
	fmla.2d	v17, v5, v1
	stp	q6, q7, [x9, #-32]
	stp	q16, q17, [x9], #64
	subs	x11, x11, #8
	b.ne	LBB0_9
; %bb.10:
	cmp	x8, x2
	b.ne	LBB0_5
	b	LBB0_7
	.cfi_endproc
                                        ; -- End function
	.globl	_dot                            ; -- Begin function dot
	.p2align	2
_dot:                                   ; @dot
	.cfi_startproc
; %bb.0:
	cmp	x2, #1
	b.lt	LBB1_3
; %bb.1:
	cmp	x2, #31
	b.hi	LBB1_4
; %bb.2:
	mov	x8, #0                          ; =0x0
	mov	w9, #0                          ; =0x0
	b	LBB1_7
LBB1_3:
	sxth	w0, wzr
	ret
LBB1_4:
	movi.2d	v0, #0000000000000000
	and	x8, x2, #0x7fffffffffffffe0
	movi.2d	v1, #0000000000000000
	add	x9, x1, #32
	add	x10, x0, #32
	mov	x11, x8
	movi.2d	v3, #0000000000000000
	movi.2d	v4, #0000000000000000
	movi.2d	v5, #0000000000000000
	movi.2d	v2, #0000000000000000
	movi.2d	v7, #0000000000000000
	movi.2d	v6, #0000000000000000
LBB1_5:                                 ; =>This Inner Loop Header: Depth=1
	ldp	q16, q17, [x10, #-32]
	ldp	q18, q19, [x10], #64
	ldp	q20, q21, [x9, #-32]
	ldp	q22, q23, [x9], #64
	smlal2.4s	v1, v20, v16
	smlal.4s	v0, v20, v16
	smlal2.4s	v4, v21, v17
	smlal.4s	v3, v21, v17
	smlal2.4s	v2, v22, v18
	smlal.4s	v5, v22, v18
	smlal2.4s	v6, v23, v19
	smlal.4s	v7, v23, v19
	subs	x11, x11, #32
	b.ne	LBB1_5
; %bb.6:
	add.4s	v0, v3, v0
	add.4s	v1, v4, v1
	add.4s	v3, v7, v5
	add.4s	v0, v3, v0
	add.4s	v2, v6, v2
	add.4s	v1, v2, v1
	add.4s	v0, v0, v1
	addv.4s	s0, v0
	fmov	w9, s0
	cmp	x8, x2
	b.eq	LBB1_9
LBB1_7:
	sub	x10, x2, x8
	lsl	x11, x8, #1
	add	x8, x1, x11
	add	x11, x0, x11
LBB1_8:                                 ; =>This Inner Loop Header: Depth=1
	ldrsh	w12, [x11], #2
	ldrsh	w13, [x8], #2
	madd	w9, w13, w12, w9
	subs	x10, x10, #1
	b.ne	LBB1_8
LBB1_9:
	lsr	w8, w9, #15
	sxth	w0, w8
	ret
	.cfi_endproc
                                        ; -- End function
.subsections_via_symbols
