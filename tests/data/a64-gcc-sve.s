	.arch armv8.2-a+crc+sve
	.file	"a64-loops.c"
	.text
	.align	2
	.p2align 4,,11
	.global	triad
	.type	triad, %function
triad:
.LFB0:
	.cfi_startproc
	cmp	x4, 0
	ble	.L1
	mov	x5, 0
	cntd	x6
	whilelo	p0.d, xzr, x4
	ptrue	p1.b, all
	.p2align 3,,7
.L3:
	ld1d	z2.d, p0/z, [x1, x5, lsl 3]
	ld1d	z1.d, p0/z, [x2, x5, lsl 3]
	ld1d	z0.d, p0/z, [x3, x5, lsl 3]
	fmad	z0.d, p1/m, z1.d, z2.d
	st1d	z0.d, p0, [x0, x5, lsl 3]
	add	x5, x5, x6
	whilelo	p0.d, x5, x4
	b.any	.L3
.L1:
	ret
	.cfi_endproc
.LFE0:
	.size	triad, .-triad
	.align	2
	.p2align 4,,11
	.global	dot
	.type	dot, %function
dot:
.LFB1:
	.cfi_startproc
	cmp	x2, 0
	ble	.L9
	mov	x3, 0
	cntd	x4
	whilelo	p0.d, xzr, x2
	mov	z0.d, #0
	.p2align 3,,7
.L8:
	ld1d	z2.d, p0/z, [x0, x3, lsl 3]
	ld1d	z1.d, p0/z, [x1, x3, lsl 3]
	add	x3, x3, x4
	fmla	z0.d, p0/m, z1.d, z2.d
	whilelo	p0.d, x3, x2
	b.any	.L8
	ptrue	p0.b, all
	faddv	d0, p0, z0.d
	ret
	.p2align 2,,3
.L9:
	movi	d0, #0
	ret
	.cfi_endproc
.LFE1:
	.size	dot, .-dot
	.align	2
	.p2align 4,,11
	.global	daxpy
	.type	daxpy, %function
daxpy:
.LFB2:
	.cfi_startproc
	cmp	x2, 0
	ble	.L11
	mov	x3, 0
	cntd	x4
	mov	z0.d, d0
	whilelo	p0.d, xzr, x2
	ptrue	p1.b, all
	.p2align 3,,7
.L13:
	ld1d	z2.d, p0/z, [x0, x3, lsl 3]
	ld1d	z1.d, p0/z, [x1, x3, lsl 3]
	fmad	z1.d, p1/m, z0.d, z2.d
	st1d	z1.d, p0, [x0, x3, lsl 3]
	add	x3, x3, x4
	whilelo	p0.d, x3, x2
	b.any	.L13
.L11:
	ret
	.cfi_endproc
.LFE2:
	.size	daxpy, .-daxpy
	.align	2
	.p2align 4,,11
	.global	stencil
	.type	stencil, %function
stencil:
.LFB3:
	.cfi_startproc
	cmp	x2, 2
	ble	.L15
	add	x6, x1, 8
	add	x5, x1, 16
	add	x3, x0, 8
	cntd	x4
	mov	x0, 0
	sub	x2, x2, #2
	ptrue	p1.b, all
	whilelo	p0.d, xzr, x2
	fmov	z4.d, #2.5e-1
	fmov	z3.d, #5.0e-1
	.p2align 3,,7
.L17:
	ld1d	z2.d, p0/z, [x1, x0, lsl 3]
	ld1d	z0.d, p0/z, [x5, x0, lsl 3]
	ld1d	z1.d, p0/z, [x6, x0, lsl 3]
	fadd	z0.d, z0.d, z2.d
	fmul	z0.d, z0.d, z4.d
	fmla	z0.d, p1/m, z1.d, z3.d
	st1d	z0.d, p0, [x3, x0, lsl 3]
	add	x0, x0, x4
	whilelo	p0.d, x0, x2
	b.any	.L17
.L15:
	ret
	.cfi_endproc
.LFE3:
	.size	stencil, .-stencil
	.align	2
	.p2align 4,,11
	.global	prefix
	.type	prefix, %function
prefix:
.LFB4:
	.cfi_startproc
	cmp	x1, 1
	ble	.L19
	add	x1, x0, x1, lsl 3
	ldr	d0, [x0], 8
	.p2align 3,,7
.L21:
	ldr	d1, [x0]
	fadd	d0, d0, d1
	str	d0, [x0], 8
	cmp	x1, x0
	bne	.L21
.L19:
	ret
	.cfi_endproc
.LFE4:
	.size	prefix, .-prefix
	.align	2
	.p2align 4,,11
	.global	scale
	.type	scale, %function
scale:
.LFB5:
	.cfi_startproc
	cmp	x2, 0
	ble	.L23
	mov	x3, 0
	cntw	x4
	whilelo	p0.s, xzr, x2
	ptrue	p1.b, all
	.p2align 3,,7
.L25:
	ld1w	z0.s, p0/z, [x1, x3, lsl 2]
	scvtf	z0.s, p1/m, z0.s
	fmul	z0.s, p1/m, z0.s, #0.5
	st1w	z0.s, p0, [x0, x3, lsl 2]
	add	x3, x3, x4
	whilelo	p0.s, x3, x2
	b.any	.L25
.L23:
	ret
	.cfi_endproc
.LFE5:
	.size	scale, .-scale
	.align	2
	.p2align 4,,11
	.global	hash
	.type	hash, %function
hash:
.LFB6:
	.cfi_startproc
	cmp	x1, 0
	ble	.L30
	mov	x2, x0
	mov	x0, 8997
	movk	x0, 0x8422, lsl 16
	mov	x4, 435
	movk	x0, 0x9ce4, lsl 32
	add	x3, x2, x1
	movk	x0, 0xcbf2, lsl 48
	movk	x4, 0x100, lsl 32
	.p2align 3,,7
.L29:
	ldrb	w1, [x2], 1
	eor	x0, x1, x0
	mul	x0, x0, x4
	cmp	x3, x2
	bne	.L29
	ret
	.p2align 2,,3
.L30:
	mov	x0, 8997
	movk	x0, 0x8422, lsl 16
	movk	x0, 0x9ce4, lsl 32
	movk	x0, 0xcbf2, lsl 48
	ret
	.cfi_endproc
.LFE6:
	.size	hash, .-hash
	.align	2
	.p2align 4,,11
	.global	count
	.type	count, %function
count:
.LFB7:
	.cfi_startproc
	and	w2, w2, 255
	cmp	x1, 0
	ble	.L35
	mov	x3, 0
	cntb	x10
	mov	x9, x1
	mov	x8, x1
	mov	x7, x1
	mov	x6, x1
	mov	x5, x1
	mov	x4, x1
	uqdecd	x9, all, mul #7
	uqdecw	x8, all, mul #3
	uqdecd	x7, all, mul #5
	uqdech	x6
	uqdecd	x5, all, mul #3
	uqdecw	x4
	mov	z5.b, w2
	whilelo	p8.d, xzr, x9
	mov	x2, x1
	whilelo	p7.d, xzr, x8
	uqdecd	x2
	whilelo	p6.d, xzr, x7
	whilelo	p5.d, xzr, x6
	whilelo	p4.d, xzr, x5
	whilelo	p3.d, xzr, x4
	whilelo	p2.b, xzr, x1
	whilelo	p1.d, xzr, x2
	whilelo	p0.d, xzr, x1
	mov	z0.b, #0
	ptrue	p9.b, all
	.p2align 3,,7
.L34:
	ld1b	z1.b, p2/z, [x0, x3]
	mov	p2.b, p9.b
	cmpeq	p2.b, p2/z, z1.b, z5.b
	mov	z1.b, p2/z, #1
	uunpklo	z2.h, z1.b
	uunpklo	z3.s, z2.h
	uunpklo	z4.d, z3.s
	uunpkhi	z2.s, z2.h
	add	z0.d, p0/m, z0.d, z4.d
	uunpkhi	z3.d, z3.s
	uunpklo	z4.d, z2.s
	uunpkhi	z2.d, z2.s
	add	z0.d, p1/m, z0.d, z3.d
	uunpkhi	z1.h, z1.b
	add	z0.d, p3/m, z0.d, z4.d
	uunpklo	z3.s, z1.h
	add	z0.d, p4/m, z0.d, z2.d
	uunpklo	z2.d, z3.s
	add	x3, x3, x10
	add	z0.d, p5/m, z0.d, z2.d
	mov	p0.b, p8.b
	uunpkhi	z1.s, z1.h
	whilelo	p2.b, x3, x1
	uunpklo	z2.d, z1.s
	uunpkhi	z3.d, z3.s
	whilelo	p8.d, x3, x9
	add	z0.d, p6/m, z0.d, z3.d
	whilelo	p5.d, x3, x6
	add	z0.d, p7/m, z0.d, z2.d
	whilelo	p6.d, x3, x7
	whilelo	p7.d, x3, x8
	whilelo	p4.d, x3, x5
	whilelo	p3.d, x3, x4
	whilelo	p1.d, x3, x2
	uunpkhi	z1.d, z1.s
	add	z0.d, p0/m, z0.d, z1.d
	whilelo	p0.d, x3, x1
	b.any	.L34
	mov	p0.b, p9.b
	uaddv	d0, p0, z0.d
	fmov	x0, d0
	ret
	.p2align 2,,3
.L35:
	fmov	d0, xzr
	fmov	x0, d0
	ret
	.cfi_endproc
.LFE7:
	.size	count, .-count
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
