// Schönauer vector triad a[i] = b[i] + c[i] * d[i], gcc 12 -O3 for AArch64: one iteration does two elements.
.L4:
	ldr	q2, [x2, x5]
	ldr	q1, [x3, x5]
	ldr	q0, [x1, x5]
	fmla	v0.2d, v2.2d, v1.2d
	str	q0, [x0, x5]
	add	x5, x5, 16
	cmp	x5, x6
	bne	.L4
