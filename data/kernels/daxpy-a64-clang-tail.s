// y[i] += a * x[i], the scalar loop of clang 14 for AArch64: post-indexed accesses.
.LBB2_7:
	ldr	d1, [x10], #8
	ldr	d2, [x8]
	subs	x9, x9, #1
	fmadd	d1, d1, d0, d2
	str	d1, [x8], #8
	b.ne	.LBB2_7
