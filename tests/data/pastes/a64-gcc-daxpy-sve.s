	.arch armv8.2-a+crc+sve
	.file	"daxpy.c"
	.text
	.align	2
	.p2align 4,,11
	.global	daxpy
	.type	daxpy, %function
daxpy:
.LFB0:
	.cfi_startproc
	cmp	w0, 0
	ble	.L1
	sub	w3, w0, #1
	cmp	w3, 2
	bls	.L3
	add	x3, x1, 8
	cntb	x4
	sub	x3, x2, x3
	sub	x4, x4, #16
	cmp	x3, x4
	bhi	.L10
.L3:
	sbfiz	x3, x0, 3, 32
	mov	x0, 0
	.p2align 3,,7
.L6:
	ldr	d2, [x1, x0]
	ldr	d1, [x2, x0]
	fmadd	d1, d0, d2, d1
	str	d1, [x2, x0]
	add	x0, x0, 8
	cmp	x3, x0
	bne	.L6
.L1:
	ret
	.p2align 2,,3
.L10:
	mov	x3, 0
	cntd	x4
	mov	z0.d, d0
	whilelo	p0.d, wzr, w0
	ptrue	p1.b, all
	.p2align 3,,7
.L4:
	ld1d	z2.d, p0/z, [x2, x3, lsl 3]
	ld1d	z1.d, p0/z, [x1, x3, lsl 3]
	fmad	z1.d, p1/m, z0.d, z2.d
	st1d	z1.d, p0, [x2, x3, lsl 3]
	add	x3, x3, x4
	whilelo	p0.d, w3, w0
	b.any	.L4
	ret
	.cfi_endproc
.LFE0:
	.size	daxpy, .-daxpy
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
