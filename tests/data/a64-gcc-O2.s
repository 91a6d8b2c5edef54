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
	mov	x5, 0
	.p2align 3,,7
.L3:
	ldr	d2, [x2, x5, lsl 3]
	ldr	d1, [x3, x5, lsl 3]
	ldr	d0, [x1, x5, lsl 3]
	fmadd	d0, d2, d1, d0
	str	d0, [x0, x5, lsl 3]
	add	x5, x5, 1
	cmp	x4, x5
	bne	.L3
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
	movi	d0, #0
	cmp	x2, 0
	ble	.L6
	mov	x3, 0
	.p2align 3,,7
.L8:
	ldr	d2, [x0, x3, lsl 3]
	ldr	d1, [x1, x3, lsl 3]
	add	x3, x3, 1
	fmadd	d0, d2, d1, d0
	cmp	x2, x3
	bne	.L8
.L6:
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
	.p2align 3,,7
.L13:
	ldr	d2, [x1, x3, lsl 3]
	ldr	d1, [x0, x3, lsl 3]
	fmadd	d1, d2, d0, d1
	str	d1, [x0, x3, lsl 3]
	add	x3, x3, 1
	cmp	x2, x3
	bne	.L13
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
	sub	x3, x2, #1
	cmp	x2, 2
	ble	.L15
	sub	x5, x1, #8
	add	x4, x1, 8
	mov	x2, 1
	fmov	d4, 2.5e-1
	fmov	d3, 5.0e-1
	.p2align 3,,7
.L17:
	ldr	d0, [x5, x2, lsl 3]
	ldr	d2, [x4, x2, lsl 3]
	ldr	d1, [x1, x2, lsl 3]
	fadd	d0, d0, d2
	fmul	d0, d0, d4
	fmadd	d0, d1, d3, d0
	str	d0, [x0, x2, lsl 3]
	add	x2, x2, 1
	cmp	x2, x3
	bne	.L17
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
	add	x0, x0, 8
	.p2align 3,,7
.L21:
	ldp	d1, d0, [x0, -8]
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
	fmov	s1, 5.0e-1
	.p2align 3,,7
.L25:
	ldr	s0, [x1, x3, lsl 2]
	scvtf	s0, s0
	fmul	s0, s0, s1
	str	s0, [x0, x3, lsl 2]
	add	x3, x3, 1
	cmp	x2, x3
	bne	.L25
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
	mov	x3, x0
	mov	x0, 0
	add	x4, x3, x1
	.p2align 3,,7
.L34:
	ldrb	w1, [x3], 1
	cmp	w1, w2
	cinc	x0, x0, eq
	cmp	x4, x3
	bne	.L34
	ret
	.p2align 2,,3
.L35:
	mov	x0, 0
	ret
	.cfi_endproc
.LFE7:
	.size	count, .-count
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
