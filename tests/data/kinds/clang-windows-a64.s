	.text
	.def	"@feat.00";
	.scl	3;
	.type	0;
	.endef
	.globl	"@feat.00"
.set "@feat.00", 0
	.file	"kp.c"
	.def	dot;
	.scl	2;
	.type	32;
	.endef
	.globl	dot                             // -- Begin function dot
	.p2align	2
dot:                                    // @dot
// %bb.0:
	cmp	w2, #1
	b.lt	.LBB0_3
// %bb.1:
	movi	d0, #0000000000000000
	cmp	w2, #3
	mov	w8, w2
	b.hi	.LBB0_4
// %bb.2:
	mov	x9, xzr
	b	.LBB0_7
.LBB0_3:
	movi	d0, #0000000000000000
	ret
.LBB0_4:
	and	x9, x8, #0x7ffffffc
	add	x10, x0, #16
	add	x11, x1, #16
	mov	x12, x9
.LBB0_5:                                // =>This Inner Loop Header: Depth=1
	ldp	q1, q4, [x11, #-16]
	subs	x12, x12, #4
	ldp	q2, q3, [x10, #-16]
	add	x10, x10, #32
	add	x11, x11, #32
	fmul	v1.2d, v2.2d, v1.2d
	mov	d2, v1.d[1]
	fadd	d0, d0, d1
	fmul	v1.2d, v3.2d, v4.2d
	fadd	d0, d0, d2
	mov	d2, v1.d[1]
	fadd	d0, d0, d1
	fadd	d0, d0, d2
	b.ne	.LBB0_5
// %bb.6:
	cmp	x9, x8
	b.eq	.LBB0_9
.LBB0_7:
	lsl	x11, x9, #3
	sub	x8, x8, x9
	add	x10, x1, x11
	add	x11, x0, x11
.LBB0_8:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x11], #8
	subs	x8, x8, #1
	ldr	d2, [x10], #8
	fmadd	d0, d1, d2, d0
	b.ne	.LBB0_8
.LBB0_9:
	ret
                                        // -- End function
	.def	add;
	.scl	2;
	.type	32;
	.endef
	.globl	add                             // -- Begin function add
	.p2align	2
add:                                    // @add
// %bb.0:
	cmp	w1, #1
	b.lt	.LBB1_5
// %bb.1:
	adrp	x8, _tls_index
	ldr	x9, [x18, #88]
	mov	w10, w1
	ldr	w8, [x8, :lo12:_tls_index]
	adrp	x11, counts
	add	x11, x11, :lo12:counts
	ldr	x8, [x9, x8, lsl #3]
	add	x8, x8, :secrel_hi12:total
	add	x8, x8, :secrel_lo12:total
	ldr	w9, [x8]
	b	.LBB1_3
.LBB1_2:                                //   in Loop: Header=BB1_3 Depth=1
	add	w9, w9, w12
	str	w9, [x8]
	subs	x10, x10, #1
	b.eq	.LBB1_5
.LBB1_3:                                // =>This Inner Loop Header: Depth=1
	ldr	w12, [x0], #4
	cmp	w12, #4
	b.ge	.LBB1_2
// %bb.4:                               //   in Loop: Header=BB1_3 Depth=1
	and	x12, x12, #0x3f
	ldr	w13, [x11, x12, lsl #2]
	add	w13, w13, #1
	str	w13, [x11, x12, lsl #2]
	subs	x10, x10, #1
	b.ne	.LBB1_3
.LBB1_5:
	ret
                                        // -- End function
	.def	last;
	.scl	2;
	.type	32;
	.endef
	.globl	last                            // -- Begin function last
	.p2align	2
last:                                   // @last
// %bb.0:
	adrp	x8, _tls_index
	ldr	x9, [x18, #88]
	ldr	w8, [x8, :lo12:_tls_index]
	ldr	x8, [x9, x8, lsl #3]
	adrp	x9, counts+20
	ldr	w9, [x9, :lo12:counts+20]
	add	x8, x8, :secrel_hi12:total
	ldr	w8, [x8, :secrel_lo12:total]
	add	w0, w9, w8
	ret
                                        // -- End function
	.section	.tls$,"dw"
	.globl	total                           // @total
	.p2align	2, 0x0
total:
	.word	0                               // 0x0

	.lcomm	counts,256,16                   // @counts
	.addrsig
