	.arch armv8-a
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
	sbfiz	x3, x0, 3, 32
	mov	x0, 0
	.p2align 3,,7
.L3:
	ldr	d2, [x1, x0]
	ldr	d1, [x2, x0]
	fmadd	d1, d2, d0, d1
	str	d1, [x2, x0]
	add	x0, x0, 8
	cmp	x3, x0
	bne	.L3
.L1:
	ret
	.cfi_endproc
.LFE0:
	.size	daxpy, .-daxpy
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
