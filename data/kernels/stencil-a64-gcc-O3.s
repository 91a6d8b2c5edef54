// o[i] = 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1], gcc 12 -O3 -ffast-math for AArch64: two elements.
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
