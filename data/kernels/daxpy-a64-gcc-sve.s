// y[i] += a * x[i], gcc 12 -O3 -march=armv8.2-a+sve: one vector of whatever length.
.L13:
	ld1d	z2.d, p0/z, [x0, x3, lsl 3]
	ld1d	z1.d, p0/z, [x1, x3, lsl 3]
	fmad	z1.d, p1/m, z0.d, z2.d
	st1d	z1.d, p0, [x0, x3, lsl 3]
	add	x3, x3, x4
	whilelo	p0.d, x3, x2
	b.any	.L13
