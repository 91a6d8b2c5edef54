// s += a[i] * b[i], clang 14 -O3 -ffast-math for AArch64: four elements in two sums.
.LBB1_5:
	ldp	q2, q3, [x9, #-16]
	add	x9, x9, #32
	subs	x11, x11, #4
	ldp	q4, q5, [x10, #-16]
	add	x10, x10, #32
	fmla	v0.2d, v4.2d, v2.2d
	fmla	v1.2d, v5.2d, v3.2d
	b.ne	.LBB1_5
