	.arch armv8-a
	.file	"crc.c"
	.text
	.align	2
	.p2align 4,,11
	.global	crc
	.type	crc, %function
crc:
.LFB0:
	.cfi_startproc
	mov	x3, x1
	cmp	x1, 0
	ble	.L4
	mov	w4, 33568
	add	x3, x0, x3
	mov	w1, -1
	movk	w4, 0xedb8, lsl 16
	.p2align 3,,7
.L3:
	ldrb	w2, [x0], 1
	eor	w1, w2, w1
	sbfx	x2, x1, 0, 1
	and	w2, w2, w4
	eor	w1, w2, w1, lsr 1
	cmp	x3, x0
	bne	.L3
	mvn	w0, w1
	ret
	.p2align 2,,3
.L4:
	mov	w0, 0
	ret
	.cfi_endproc
.LFE0:
	.size	crc, .-crc
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
