	.arch armv8-a
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
	cmp	x4, 1
	beq	.L6
	lsr	x6, x4, 1
	mov	x5, 0
	lsl	x6, x6, 4
	.p2align 3,,7
.L4:
	ldr	q2, [x2, x5]
	ldr	q1, [x3, x5]
	ldr	q0, [x1, x5]
	fmla	v0.2d, v2.2d, v1.2d
	str	q0, [x0, x5]
	add	x5, x5, 16
	cmp	x5, x6
	bne	.L4
	tbz	x4, 0, .L1
	and	x4, x4, -2
.L3:
	ldr	d2, [x3, x4, lsl 3]
	ldr	d1, [x2, x4, lsl 3]
	ldr	d0, [x1, x4, lsl 3]
	fmadd	d0, d2, d1, d0
	str	d0, [x0, x4, lsl 3]
.L1:
	ret
.L6:
	mov	x4, 0
	b	.L3
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
	ble	.L18
	cmp	x2, 1
	beq	.L19
	lsr	x4, x2, 1
	mov	x3, 0
	movi	v0.2d, 0
	lsl	x4, x4, 4
	.p2align 3,,7
.L15:
	ldr	q2, [x0, x3]
	ldr	q1, [x1, x3]
	add	x3, x3, 16
	fmla	v0.2d, v2.2d, v1.2d
	cmp	x3, x4
	bne	.L15
	faddp	d0, v0.2d
	and	x3, x2, -2
	tbz	x2, 0, .L12
.L14:
	ldr	d2, [x1, x3, lsl 3]
	ldr	d1, [x0, x3, lsl 3]
	fmadd	d0, d2, d1, d0
.L12:
	ret
	.p2align 2,,3
.L18:
	movi	d0, #0
	ret
.L19:
	movi	d0, #0
	mov	x3, 0
	b	.L14
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
	fmov	d3, d0
	cmp	x2, 0
	ble	.L21
	cmp	x2, 1
	beq	.L26
	lsr	x4, x2, 1
	mov	x3, 0
	dup	v0.2d, v0.d[0]
	lsl	x4, x4, 4
	.p2align 3,,7
.L24:
	ldr	q1, [x0, x3]
	ldr	q2, [x1, x3]
	fmla	v1.2d, v2.2d, v0.2d
	str	q1, [x0, x3]
	add	x3, x3, 16
	cmp	x3, x4
	bne	.L24
	and	x3, x2, -2
	tbz	x2, 0, .L21
.L23:
	ldr	d1, [x1, x3, lsl 3]
	ldr	d0, [x0, x3, lsl 3]
	fmadd	d0, d3, d1, d0
	str	d0, [x0, x3, lsl 3]
.L21:
	ret
.L26:
	mov	x3, 0
	b	.L23
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
	ble	.L28
	sub	x3, x2, #2
	cmp	x2, 3
	beq	.L33
	mov	x5, x1
	lsr	x4, x3, 1
	fmov	v5.2d, 2.5e-1
	mov	x2, 8
	fmov	v4.2d, 5.0e-1
	lsl	x4, x4, 4
	ldr	q2, [x5], 8
	add	x4, x4, x2
	.p2align 3,,7
.L31:
	ldr	q1, [x5, x2]
	ldr	q3, [x1, x2]
	fadd	v0.2d, v2.2d, v1.2d
	mov	v2.16b, v1.16b
	fmul	v0.2d, v0.2d, v5.2d
	fmla	v0.2d, v3.2d, v4.2d
	str	q0, [x0, x2]
	add	x2, x2, 16
	cmp	x4, x2
	bne	.L31
	orr	x2, x3, 1
	tbz	x3, 0, .L28
.L30:
	add	x3, x1, x2, lsl 3
	ldr	d2, [x1, x2, lsl 3]
	fmov	d3, 2.5e-1
	fmov	d1, 5.0e-1
	ldr	d4, [x3, -8]
	ldr	d0, [x3, 8]
	fadd	d0, d0, d4
	fmul	d0, d0, d3
	fmadd	d0, d2, d1, d0
	str	d0, [x0, x2, lsl 3]
.L28:
	ret
.L33:
	mov	x2, 1
	b	.L30
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
	ble	.L38
	add	x1, x0, x1, lsl 3
	ldr	d0, [x0], 8
	.p2align 3,,7
.L40:
	ldr	d1, [x0]
	fadd	d0, d0, d1
	str	d0, [x0], 8
	cmp	x1, x0
	bne	.L40
.L38:
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
	ble	.L42
	sub	x3, x2, #1
	cmp	x3, 2
	bls	.L47
	lsr	x4, x2, 2
	mov	x3, 0
	fmov	v1.4s, 5.0e-1
	lsl	x4, x4, 4
	.p2align 3,,7
.L45:
	ldr	q0, [x1, x3]
	scvtf	v0.4s, v0.4s
	fmul	v0.4s, v0.4s, v1.4s
	str	q0, [x0, x3]
	add	x3, x3, 16
	cmp	x3, x4
	bne	.L45
	and	x3, x2, -4
	tst	x2, 3
	beq	.L42
.L44:
	ldr	s0, [x1, x3, lsl 2]
	fmov	s1, 5.0e-1
	add	x5, x3, 1
	lsl	x4, x3, 2
	scvtf	s0, s0
	fmul	s0, s0, s1
	str	s0, [x0, x3, lsl 2]
	cmp	x2, x5
	ble	.L42
	add	x5, x4, 4
	add	x3, x3, 2
	ldr	s0, [x1, x5]
	scvtf	s0, s0
	fmul	s0, s0, s1
	str	s0, [x0, x5]
	cmp	x2, x3
	ble	.L42
	add	x4, x4, 8
	ldr	s0, [x1, x4]
	scvtf	s0, s0
	fmul	s0, s0, s1
	str	s0, [x0, x4]
.L42:
	ret
.L47:
	mov	x3, 0
	b	.L44
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
	ble	.L52
	mov	x2, x0
	mov	x0, 8997
	movk	x0, 0x8422, lsl 16
	mov	x4, 435
	movk	x0, 0x9ce4, lsl 32
	add	x3, x2, x1
	movk	x0, 0xcbf2, lsl 48
	movk	x4, 0x100, lsl 32
	.p2align 3,,7
.L51:
	ldrb	w1, [x2], 1
	eor	x0, x1, x0
	mul	x0, x0, x4
	cmp	x3, x2
	bne	.L51
	ret
	.p2align 2,,3
.L52:
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
	mov	x4, x0
	and	w2, w2, 255
	cmp	x1, 0
	ble	.L60
	sub	x0, x1, #1
	cmp	x0, 14
	bls	.L61
	and	x0, x1, -16
	dup	v6.16b, w2
	movi	v0.4s, 0
	mov	x3, x4
	movi	v5.16b, 0x1
	add	x0, x0, x4
	.p2align 3,,7
.L57:
	ldr	q1, [x3], 16
	cmeq	v1.16b, v1.16b, v6.16b
	and	v1.16b, v5.16b, v1.16b
	uxtl	v2.8h, v1.8b
	uxtl2	v1.8h, v1.16b
	uxtl	v4.4s, v2.4h
	uxtl2	v2.4s, v2.8h
	uxtl	v3.4s, v1.4h
	uxtl2	v1.4s, v1.8h
	uaddw	v0.2d, v0.2d, v4.2s
	uaddw2	v0.2d, v0.2d, v4.4s
	uaddw	v0.2d, v0.2d, v2.2s
	uaddw2	v0.2d, v0.2d, v2.4s
	uaddw	v0.2d, v0.2d, v3.2s
	uaddw2	v0.2d, v0.2d, v3.4s
	uaddw	v0.2d, v0.2d, v1.2s
	uaddw2	v0.2d, v0.2d, v1.4s
	cmp	x3, x0
	bne	.L57
	addp	d0, v0.2d
	and	x3, x1, -16
	fmov	x0, d0
	tst	x1, 15
	beq	.L54
.L56:
	ldrb	w6, [x4, x3]
	add	x5, x3, 1
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 2
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 3
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 4
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 5
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 6
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 7
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 8
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 9
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 10
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 11
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 12
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w6, [x4, x5]
	add	x5, x3, 13
	cmp	w6, w2
	cinc	x0, x0, eq
	cmp	x1, x5
	ble	.L54
	ldrb	w5, [x4, x5]
	add	x3, x3, 14
	cmp	w5, w2
	cinc	x0, x0, eq
	cmp	x1, x3
	ble	.L54
	ldrb	w1, [x4, x3]
	cmp	w1, w2
	cinc	x0, x0, eq
.L54:
	ret
	.p2align 2,,3
.L60:
	mov	x0, 0
	ret
.L61:
	mov	x3, 0
	mov	x0, 0
	b	.L56
	.cfi_endproc
.LFE7:
	.size	count, .-count
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
