	.text
	.file	"a64-loops.c"
	.globl	triad                           // -- Begin function triad
	.p2align	2
	.type	triad,@function
triad:                                  // @triad
	.cfi_startproc
// %bb.0:
	cmp	x4, #1
	b.lt	.LBB0_8
// %bb.1:
	cmp	x4, #4
	b.hs	.LBB0_3
// %bb.2:
	mov	x8, xzr
	b	.LBB0_6
.LBB0_3:
	and	x8, x4, #0xfffffffffffffffc
	add	x9, x1, #16
	add	x10, x2, #16
	add	x11, x3, #16
	add	x12, x0, #16
	mov	x13, x8
.LBB0_4:                                // =>This Inner Loop Header: Depth=1
	ldp	q0, q1, [x9, #-16]
	add	x9, x9, #32
	subs	x13, x13, #4
	ldp	q2, q3, [x10, #-16]
	add	x10, x10, #32
	ldp	q4, q5, [x11, #-16]
	add	x11, x11, #32
	fmla	v0.2d, v4.2d, v2.2d
	fmla	v1.2d, v5.2d, v3.2d
	stp	q0, q1, [x12, #-16]
	add	x12, x12, #32
	b.ne	.LBB0_4
// %bb.5:
	cmp	x8, x4
	b.eq	.LBB0_8
.LBB0_6:
	lsl	x12, x8, #3
	sub	x9, x4, x8
	add	x8, x0, x12
	add	x10, x3, x12
	add	x11, x2, x12
	add	x12, x1, x12
.LBB0_7:                                // =>This Inner Loop Header: Depth=1
	ldr	d0, [x12], #8
	ldr	d1, [x11], #8
	ldr	d2, [x10], #8
	subs	x9, x9, #1
	fmadd	d0, d2, d1, d0
	str	d0, [x8], #8
	b.ne	.LBB0_7
.LBB0_8:
	ret
.Lfunc_end0:
	.size	triad, .Lfunc_end0-triad
	.cfi_endproc
                                        // -- End function
	.globl	dot                             // -- Begin function dot
	.p2align	2
	.type	dot,@function
dot:                                    // @dot
	.cfi_startproc
// %bb.0:
	cmp	x2, #1
	b.lt	.LBB1_3
// %bb.1:
	cmp	x2, #4
	b.hs	.LBB1_4
// %bb.2:
	movi	d0, #0000000000000000
	mov	x8, xzr
	b	.LBB1_7
.LBB1_3:
	movi	d0, #0000000000000000
	ret
.LBB1_4:
	and	x8, x2, #0xfffffffffffffffc
	add	x9, x0, #16
	movi	v0.2d, #0000000000000000
	add	x10, x1, #16
	movi	v1.2d, #0000000000000000
	mov	x11, x8
.LBB1_5:                                // =>This Inner Loop Header: Depth=1
	ldp	q2, q3, [x9, #-16]
	add	x9, x9, #32
	subs	x11, x11, #4
	ldp	q4, q5, [x10, #-16]
	add	x10, x10, #32
	fmla	v0.2d, v4.2d, v2.2d
	fmla	v1.2d, v5.2d, v3.2d
	b.ne	.LBB1_5
// %bb.6:
	fadd	v0.2d, v1.2d, v0.2d
	cmp	x8, x2
	faddp	d0, v0.2d
	b.eq	.LBB1_9
.LBB1_7:
	lsl	x10, x8, #3
	sub	x9, x2, x8
	add	x8, x1, x10
	add	x10, x0, x10
.LBB1_8:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x10], #8
	ldr	d2, [x8], #8
	subs	x9, x9, #1
	fmadd	d0, d2, d1, d0
	b.ne	.LBB1_8
.LBB1_9:
	ret
.Lfunc_end1:
	.size	dot, .Lfunc_end1-dot
	.cfi_endproc
                                        // -- End function
	.globl	daxpy                           // -- Begin function daxpy
	.p2align	2
	.type	daxpy,@function
daxpy:                                  // @daxpy
	.cfi_startproc
// %bb.0:
	cmp	x2, #1
                                        // kill: def $d0 killed $d0 def $q0
	b.lt	.LBB2_8
// %bb.1:
	cmp	x2, #4
	b.hs	.LBB2_3
// %bb.2:
	mov	x8, xzr
	b	.LBB2_6
.LBB2_3:
	and	x8, x2, #0xfffffffffffffffc
	add	x9, x1, #16
	add	x10, x0, #16
	mov	x11, x8
	dup	v1.2d, v0.d[0]
.LBB2_4:                                // =>This Inner Loop Header: Depth=1
	ldp	q2, q3, [x9, #-16]
	add	x9, x9, #32
	subs	x11, x11, #4
	ldp	q4, q5, [x10, #-16]
	fmla	v4.2d, v2.2d, v1.2d
	fmla	v5.2d, v3.2d, v0.d[0]
	stp	q4, q5, [x10, #-16]
	add	x10, x10, #32
	b.ne	.LBB2_4
// %bb.5:
	cmp	x8, x2
	b.eq	.LBB2_8
.LBB2_6:
	lsl	x10, x8, #3
	sub	x9, x2, x8
	add	x8, x0, x10
	add	x10, x1, x10
.LBB2_7:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x10], #8
	ldr	d2, [x8]
	subs	x9, x9, #1
	fmadd	d1, d1, d0, d2
	str	d1, [x8], #8
	b.ne	.LBB2_7
.LBB2_8:
	ret
.Lfunc_end2:
	.size	daxpy, .Lfunc_end2-daxpy
	.cfi_endproc
                                        // -- End function
	.globl	stencil                         // -- Begin function stencil
	.p2align	2
	.type	stencil,@function
stencil:                                // @stencil
	.cfi_startproc
// %bb.0:
	cmp	x2, #3
	b.lt	.LBB3_3
// %bb.1:
	ldp	d3, d0, [x1]
	add	x8, x0, #8
	sub	x9, x2, #2
	add	x10, x1, #16
	fmov	d1, #0.50000000
	fmov	d2, #0.25000000
.LBB3_2:                                // =>This Inner Loop Header: Depth=1
	fmov	d4, d0
	subs	x9, x9, #1
	ldr	d0, [x10], #8
	fmul	d5, d4, d1
	fadd	d3, d0, d3
	fmadd	d5, d3, d2, d5
	fmov	d3, d4
	str	d5, [x8], #8
	b.ne	.LBB3_2
.LBB3_3:
	ret
.Lfunc_end3:
	.size	stencil, .Lfunc_end3-stencil
	.cfi_endproc
                                        // -- End function
	.globl	prefix                          // -- Begin function prefix
	.p2align	2
	.type	prefix,@function
prefix:                                 // @prefix
	.cfi_startproc
// %bb.0:
	cmp	x1, #2
	b.lt	.LBB4_3
// %bb.1:
	ldr	d0, [x0], #8
	sub	x8, x1, #1
.LBB4_2:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x0]
	subs	x8, x8, #1
	fadd	d0, d1, d0
	str	d0, [x0], #8
	b.ne	.LBB4_2
.LBB4_3:
	ret
.Lfunc_end4:
	.size	prefix, .Lfunc_end4-prefix
	.cfi_endproc
                                        // -- End function
	.globl	scale                           // -- Begin function scale
	.p2align	2
	.type	scale,@function
scale:                                  // @scale
	.cfi_startproc
// %bb.0:
	cmp	x2, #1
	b.lt	.LBB5_8
// %bb.1:
	cmp	x2, #8
	b.hs	.LBB5_3
// %bb.2:
	mov	x8, xzr
	b	.LBB5_6
.LBB5_3:
	and	x8, x2, #0xfffffffffffffff8
	add	x9, x1, #16
	movi	v0.4s, #63, lsl #24
	add	x10, x0, #16
	mov	x11, x8
.LBB5_4:                                // =>This Inner Loop Header: Depth=1
	ldp	q1, q2, [x9, #-16]
	add	x9, x9, #32
	subs	x11, x11, #8
	scvtf	v1.4s, v1.4s
	scvtf	v2.4s, v2.4s
	fmul	v1.4s, v1.4s, v0.4s
	fmul	v2.4s, v2.4s, v0.4s
	stp	q1, q2, [x10, #-16]
	add	x10, x10, #32
	b.ne	.LBB5_4
// %bb.5:
	cmp	x8, x2
	b.eq	.LBB5_8
.LBB5_6:
	lsl	x10, x8, #2
	sub	x8, x2, x8
	add	x9, x0, x10
	add	x10, x1, x10
	fmov	s0, #0.50000000
.LBB5_7:                                // =>This Inner Loop Header: Depth=1
	ldr	s1, [x10], #4
	subs	x8, x8, #1
	scvtf	s1, s1
	fmul	s1, s1, s0
	str	s1, [x9], #4
	b.ne	.LBB5_7
.LBB5_8:
	ret
.Lfunc_end5:
	.size	scale, .Lfunc_end5-scale
	.cfi_endproc
                                        // -- End function
	.globl	hash                            // -- Begin function hash
	.p2align	2
	.type	hash,@function
hash:                                   // @hash
	.cfi_startproc
// %bb.0:
	mov	x8, x0
	mov	x0, #8997
	movk	x0, #33826, lsl #16
	cmp	x1, #1
	movk	x0, #40164, lsl #32
	movk	x0, #52210, lsl #48
	b.lt	.LBB6_3
// %bb.1:
	mov	x9, #435
	movk	x9, #256, lsl #32
.LBB6_2:                                // =>This Inner Loop Header: Depth=1
	ldrb	w10, [x8], #1
	subs	x1, x1, #1
	eor	x10, x0, x10
	mul	x0, x10, x9
	b.ne	.LBB6_2
.LBB6_3:
	ret
.Lfunc_end6:
	.size	hash, .Lfunc_end6-hash
	.cfi_endproc
                                        // -- End function
	.globl	count                           // -- Begin function count
	.p2align	2
	.type	count,@function
count:                                  // @count
	.cfi_startproc
// %bb.0:
	cmp	x1, #1
	b.lt	.LBB7_3
// %bb.1:
	cmp	x1, #4
	b.hs	.LBB7_4
// %bb.2:
	mov	x9, xzr
	mov	x8, xzr
	b	.LBB7_7
.LBB7_3:
	mov	x0, xzr
	ret
.LBB7_4:
	dup	v1.2s, w2
	movi	d2, #0x0000ff000000ff
	mov	w11, #1
	and	x9, x1, #0xfffffffffffffffc
	movi	v0.2d, #0000000000000000
	add	x8, x0, #2
	mov	x10, x9
	and	v1.8b, v1.8b, v2.8b
	dup	v3.2d, x11
	movi	v2.2d, #0000000000000000
.LBB7_5:                                // =>This Inner Loop Header: Depth=1
	ldurb	w11, [x8, #-2]
	subs	x10, x10, #4
	ldrb	w12, [x8]
	fmov	s4, w11
	ldurb	w11, [x8, #-1]
	fmov	s5, w12
	ldrb	w12, [x8, #1]
	add	x8, x8, #4
	mov	v4.s[1], w11
	mov	v5.s[1], w12
	cmeq	v4.2s, v4.2s, v1.2s
	cmeq	v5.2s, v5.2s, v1.2s
	ushll	v4.2d, v4.2s, #0
	ushll	v5.2d, v5.2s, #0
	and	v4.16b, v4.16b, v3.16b
	and	v5.16b, v5.16b, v3.16b
	add	v0.2d, v0.2d, v4.2d
	add	v2.2d, v2.2d, v5.2d
	b.ne	.LBB7_5
// %bb.6:
	add	v0.2d, v2.2d, v0.2d
	cmp	x9, x1
	addp	d0, v0.2d
	fmov	x8, d0
	b.eq	.LBB7_9
.LBB7_7:
	sub	x10, x1, x9
	add	x9, x0, x9
.LBB7_8:                                // =>This Inner Loop Header: Depth=1
	ldrb	w11, [x9], #1
	cmp	w11, w2, uxtb
	cinc	x8, x8, eq
	subs	x10, x10, #1
	b.ne	.LBB7_8
.LBB7_9:
	mov	x0, x8
	ret
.Lfunc_end7:
	.size	count, .Lfunc_end7-count
	.cfi_endproc
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
