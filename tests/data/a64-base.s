// Base integer, floating-point and vector instructions of ARMv8-A, those of the published Cortex-A72 experiments among them.
	abs v0.2d, v1.2d
	abs v0.4s, v1.4s
	add d0, d1, d2
	add v0.2d, v1.2d, v2.2d
	add v0.4s, v1.4s, v2.4s
	add v0.8h, v1.8h, v2.8h
	add x0, x1, x2
	add x0, x1, x2, asr #3
	add x0, x1, x2, lsl #2
	add x0, x1, x2, lsr #4
	add x0, x1, w2, sxtb
	add x0, x1, w2, sxth
	add x0, x1, w2, sxth #3
	add x0, x1, w2, sxtw
	add x0, x1, w2, sxtw #2
	add x0, x1, w2, uxtb
	add x0, x1, w2, uxtb #3
	add x0, x1, w2, uxth
	add x0, x1, w2, uxth #3
	add x0, x1, w2, uxtw
	add x0, x1, w2, uxtw #3
	add x0, x1, #8
	sub x0, x1, x2, asr #3
	sub x0, x1, x2, lsl #2
	sub x0, x1, x2, lsr #4
	sub x0, x1, w2, sxtb
	sub x0, x1, w2, sxth
	sub x0, x1, w2, sxth #3
	sub x0, x1, w2, sxtw
	sub x0, x1, w2, sxtw #2
	sub x0, x1, w2, uxtb
	sub x0, x1, w2, uxtb #3
	sub x0, x1, w2, uxth
	sub x0, x1, w2, uxth #3
	sub x0, x1, w2, uxtw
	sub x0, x1, w2, uxtw #3
	sub x0, x1, #8
	addp d0, v1.2d
	addv s0, v1.4s
	addv b0, v1.16b
	adds x0, x1, x2
	adds x0, x1, x2, lsl #3
	adds x0, x1, x2, lsl #5
	adds x0, x1, w2, sxtw
	adds x0, x1, w2, sxtw #2
	adds x0, x1, #40
	subs x0, x1, x2
	subs x0, x1, x2, lsl #3
	subs x0, x1, x2, lsl #5
	subs x0, x1, w2, sxtw
	subs x0, x1, w2, sxtw #2
	subs x0, x1, #40
	and v0.16b, v1.16b, v2.16b
	and x0, x1, x2
	and x0, x1, x2, lsl #7
	and x0, x1, x2, lsr #8
	and x0, x1, #0x80000000
	ands x0, x1, x2
	ands x0, x1, #7
	asr x0, x1, x2
	asr x0, x1, #2
	bfi x0, x1, #16, #16
	bic v0.16b, v1.16b, v2.16b
	bic x0, x1, x2
	bic x0, x1, x2, lsl #8
	bic x0, x1, x2, lsr #8
	bics x0, x1, x2
	bif v0.16b, v1.16b, v2.16b
	bit v0.16b, v1.16b, v2.16b
	bsl v0.16b, v1.16b, v2.16b
	clz x0, x1
	cmeq v0.16b, v1.16b, v2.16b
	cmeq v0.4s, v1.4s, v2.4s
	cmeq v0.8h, v1.8h, v2.8h
	cmeq v0.16b, v1.16b, #0
	cmeq v0.2s, v1.2s, #0
	cmge v0.2d, v1.2d, v2.2d
	cmge v0.4s, v1.4s, v2.4s
	cmge v0.4s, v1.4s, #0
	cmgt v0.2d, v1.2d, v2.2d
	cmgt v0.4s, v1.4s, v2.4s
	cmgt d0, d1, #0
	cmgt v0.4s, v1.4s, #0
	cmgt v0.8h, v1.8h, #0
	cmhi v0.2d, v1.2d, v2.2d
	cmhi v0.4s, v1.4s, v2.4s
	cmhi v0.8h, v1.8h, v2.8h
	cmhs v0.4s, v1.4s, v2.4s
	cmp x0, #1
	cmp x0, x1
	cmn x0, #1
	cmn x0, x1
	cmp x0, x1, asr #2
	cmp x0, x1, lsl #3
	cmp x0, x1, lsr #3
	cmp x0, w1, sxth
	cmp x0, w1, sxtw
	cmp x0, w1, sxtw #3
	cmp x0, w1, uxtb
	cmp x0, w1, uxth
	cmp x0, w1, uxtw
	dup s0, v1.s[0]
	dup v0.2d, v1.d[0]
	dup v0.2d, x1
	dup v0.4s, v1.s[0]
	eor v0.16b, v1.16b, v2.16b
	eor x0, x1, x2
	eor x0, x1, x2, asr #63
	eor x0, x1, x2, lsl #11
	eor x0, x1, x2, lsr #30
	eor x0, x1, x2, ror #18
	eor x0, x1, #4
	orr v0.16b, v1.16b, v2.16b
	orr x0, x1, x2
	orr x0, x1, x2, asr #63
	orr x0, x1, x2, lsl #11
	orr x0, x1, x2, lsr #30
	orr x0, x1, x2, ror #18
	orr x0, x1, #4
	extr x0, x1, x2, #49
	fabd s0, s1, s2
	fabd d0, d1, d2
	fabd v0.2d, v1.2d, v2.2d
	fabd v0.4s, v1.4s, v2.4s
	fadd s0, s1, s2
	fadd d0, d1, d2
	fadd v0.2d, v1.2d, v2.2d
	fadd v0.4s, v1.4s, v2.4s
	fsub s0, s1, s2
	fsub d0, d1, d2
	fsub v0.2d, v1.2d, v2.2d
	fsub v0.4s, v1.4s, v2.4s
	fmul s0, s1, s2
	fmul d0, d1, d2
	fmul v0.2d, v1.2d, v2.2d
	fmul v0.4s, v1.4s, v2.4s
	fdiv s0, s1, s2
	fdiv d0, d1, d2
	fdiv v0.2d, v1.2d, v2.2d
	fdiv v0.4s, v1.4s, v2.4s
	fabs s0, s1
	fabs d0, d1
	fabs v0.2d, v1.2d
	fabs v0.4s, v1.4s
	fneg s0, s1
	fneg d0, d1
	fneg v0.2d, v1.2d
	fneg v0.4s, v1.4s
	fsqrt s0, s1
	fsqrt d0, d1
	fsqrt v0.2d, v1.2d
	fsqrt v0.4s, v1.4s
	fcmeq v0.2d, v1.2d, v2.2d
	fcmeq v0.2d, v1.2d, #0.0
	fcmeq v0.4s, v1.4s, #0.0
	fcmge v0.2d, v1.2d, v2.2d
	fcmge v0.4s, v1.4s, v2.4s
	fcmgt v0.2d, v1.2d, v2.2d
	fcmgt v0.4s, v1.4s, v2.4s
	fcmgt v0.2d, v1.2d, #0.0
	fcmgt v0.4s, v1.4s, #0.0
	fcmle v0.4s, v1.4s, #0.0
	fcmlt v0.2d, v1.2d, #0.0
	fcmlt v0.4s, v1.4s, #0.0
	fcmp s0, #0.0
	fcmp s0, s1
	fcmp d0, #0.0
	fcmp d0, d1
	fcmpe s0, #0.0
	fcmpe s0, s1
	fcmpe d0, #0.0
	fcmpe d0, d1
	fcvt s0, d1
	fcvt d0, s1
	fcvtas v0.4s, v1.4s
	fcvtl v0.2d, v1.2s
	fcvtl2 v0.2d, v1.4s
	fcvtms v0.2d, v1.2d
	fcvtms x0, s1
	fcvtms x0, d1
	fcvtmu x0, d1
	fcvtn v0.2s, v1.2d
	fcvtn2 v0.4s, v1.2d
	fcvtps x0, d1
	fcvtpu x0, d1
	fcvtzs v0.2d, v1.2d
	fcvtzs v0.2s, v1.2s
	fcvtzs x0, s1
	fcvtzs x0, d1
	fcvtzu v0.2d, v1.2d
	fcvtzu x0, s1
	fcvtzu x0, d1
	fmadd s0, s1, s2, s3
	fmadd d0, d1, d2, d3
	fmsub s0, s1, s2, s3
	fmsub d0, d1, d2, d3
	fnmadd s0, s1, s2, s3
	fnmadd d0, d1, d2, d3
	fnmsub s0, s1, s2, s3
	fnmsub d0, d1, d2, d3
	fmla v0.2d, v1.2d, v2.2d
	fmla v0.4s, v1.4s, v2.4s
	fmla v0.2d, v1.2d, v2.d[0]
	fmls v0.2d, v1.2d, v2.2d
	fmls v0.4s, v1.4s, v2.4s
	fmov s0, s1
	fmov s0, #20.0
	fmov d0, d1
	fmov d0, x1
	fmov d0, #10.0
	fmov v0.2d, #1.0
	fmov v0.4s, #1.0
	fmov v0.d[1], x1
	fmov x0, d1
	fmov x0, v1.d[1]
	fmul v0.2d, v1.2d, v2.d[0]
	fmul v0.4s, v1.4s, v2.s[1]
	fnmul s0, s1, s2
	fnmul d0, d1, d2
	frinta d0, d1
	frintm s0, s1
	frintm d0, d1
	frintm v0.2s, v1.2s
	frintp s0, s1
	frintp d0, d1
	frintp v0.2d, v1.2d
	frintx d0, d1
	frintz s0, s1
	frintz d0, d1
	frintz v0.4s, v1.4s
	ins v0.d[1], v1.d[0]
	ins v0.d[1], x1
	ldr q0, [x1, #16]
	str q0, [x1, #16]
	ldr h0, [x1, #16]
	str h0, [x1, #16]
	ldr s0, [x1, #16]
	str s0, [x1, #16]
	ldr d0, [x1, #16]
	str d0, [x1, #16]
	ldr b0, [x1, #16]
	str b0, [x1, #16]
	ldr x0, [x1, #16]
	str x0, [x1, #16]
	ldrsb x0, [x1, #16]
	ldrsh x0, [x1, #16]
	ldrsw x0, [x1, #16]
	lsl x0, x1, x2
	lsl x0, x1, #4
	lsr x0, x1, x2
	lsr x0, x1, #32
	madd x0, x1, x2, x3
	msub x0, x1, x2, x3
	mla v0.16b, v1.16b, v2.16b
	mla v0.4s, v1.4s, v2.4s
	mla v0.8h, v1.8h, v2.8h
	mul v0.16b, v1.16b, v2.16b
	mul v0.4s, v1.4s, v2.4s
	mul v0.8h, v1.8h, v2.8h
	mul x0, x1, x2
	mneg x0, x1, x2
	mov v0.8b, v1.8b
	mov x0, x1
	mov x0, #0x7fffffff
	movi d0, #0xffffffffffffff00
	movi v0.16b, #0xdf
	movi v0.4s, #0
	movi v0.4s, #4, lsl #8
	movi v0.4s, #0xff, msl #8
	movi v0.8h, #4, lsl #8
	movi v0.8h, #0x53
	movk x0, #0x6c07, lsl #16
	mvn x0, x1
	mvn x0, x1, lsl #2
	mvn x0, x1, lsr #6
	mvni v0.4h, #0xfe, lsl #8
	mvni v0.4s, #0
	mvni v0.4s, #0x7c, msl #8
	mvni v0.4s, #0x80, lsl #24
	mvni v0.8h, #0x40
	neg d0, d1
	neg v0.2d, v1.2d
	neg v0.4s, v1.4s
	neg v0.8h, v1.8h
	neg x0, x1
	neg x0, x1, asr #2
	neg x0, x1, lsl #3
	neg x0, x1, lsr #2
	negs x0, x1
	not v0.16b, v1.16b
	orn x0, x1, x2
	rev x0, x1
	ror x0, x1, #14
	sabd v0.4s, v1.4s, v2.4s
	sbfiz x0, x1, #6, #32
	sbfx x0, x1, #32, #32
	saddl v0.4s, v1.4h, v2.4h
	saddl2 v0.4s, v1.8h, v2.8h
	uaddl v0.4s, v1.4h, v2.4h
	uaddl2 v0.4s, v1.8h, v2.8h
	ssubl v0.4s, v1.4h, v2.4h
	ssubl2 v0.4s, v1.8h, v2.8h
	usubl v0.4s, v1.4h, v2.4h
	usubl2 v0.4s, v1.8h, v2.8h
	uaddl v0.8h, v1.8b, v2.8b
	uaddl2 v0.8h, v1.16b, v2.16b
	scvtf s0, x1
	scvtf d0, x1
	scvtf v0.2d, v1.2d
	scvtf v0.4s, v1.4s
	ucvtf s0, x1
	ucvtf d0, x1
	ucvtf v0.2d, v1.2d
	ucvtf v0.4s, v1.4s
	sdiv x0, x1, x2
	udiv x0, x1, x2
	shl d0, d1, #3
	shl v0.2d, v1.2d, #56
	shl v0.2s, v1.2s, #1
	shl v0.8h, v1.8h, #8
	smax v0.16b, v1.16b, v2.16b
	smax v0.4s, v1.4s, v2.4s
	smax v0.8h, v1.8h, v2.8h
	smin v0.16b, v1.16b, v2.16b
	smin v0.4s, v1.4s, v2.4s
	smin v0.8h, v1.8h, v2.8h
	umax v0.16b, v1.16b, v2.16b
	umax v0.4s, v1.4s, v2.4s
	umax v0.8h, v1.8h, v2.8h
	umin v0.16b, v1.16b, v2.16b
	smaxv h0, v1.8h
	smaxv s0, v1.4s
	smaxv b0, v1.16b
	sminv h0, v1.8h
	sminv s0, v1.4s
	sminv b0, v1.16b
	umaxv h0, v1.8h
	umaxv s0, v1.4s
	umaxv b0, v1.16b
	uminv b0, v1.16b
	smulh x0, x1, x2
	umulh x0, x1, x2
	smull v0.2d, v1.2s, v2.2s
	smull2 v0.2d, v1.4s, v2.4s
	sshl v0.2d, v1.2d, v2.2d
	sshl v0.4s, v1.4s, v2.4s
	sshll v0.2d, v1.2s, #0
	sshll v0.4s, v1.4h, #0
	sshll v0.8h, v1.8b, #0
	sshll2 v0.2d, v1.4s, #0
	sshll2 v0.4s, v1.8h, #0
	sshll2 v0.8h, v1.16b, #0
	ushll v0.2d, v1.2s, #0
	ushll v0.4s, v1.4h, #0
	ushll v0.8h, v1.8b, #0
	ushll2 v0.2d, v1.4s, #0
	ushll2 v0.4s, v1.8h, #0
	ushll2 v0.8h, v1.16b, #0
	sshr d0, d1, #3
	sshr v0.2d, v1.2d, #56
	sshr v0.2s, v1.2s, #10
	sshr v0.8h, v1.8h, #8
	ushr d0, d1, #3
	ushr v0.2d, v1.2d, #56
	ushr v0.2s, v1.2s, #10
	ushr v0.8h, v1.8h, #8
	ssubw2 v0.2d, v1.2d, v2.4s
	sub d0, d1, d2
	sub v0.2d, v1.2d, v2.2d
	sub v0.4s, v1.4s, v2.4s
	sub v0.8h, v1.8h, v2.8h
	sub x0, x1, x2
	tbl v0.16b, {v1.16b}, v2.16b
	tst x0, x1
	tst x0, #-3
	ubfiz x0, x1, #2, #6
	ubfx x0, x1, #5, #2
	umlal v0.2d, v1.2s, v2.2s
	umlal2 v0.2d, v1.4s, v2.4s
	umov x0, v1.d[1]
	umull v0.8h, v1.8b, v2.8b
	umull2 v0.8h, v1.16b, v2.16b
	ushl d0, d1, d2
	ushl v0.2s, v1.2s, v2.2s
	usubw2 v0.4s, v1.4s, v2.8h
	uzp1 v0.16b, v1.16b, v2.16b
	uzp1 v0.4s, v1.4s, v2.4s
	uzp1 v0.8h, v1.8h, v2.8h
	uzp2 v0.16b, v1.16b, v2.16b
	uzp2 v0.4s, v1.4s, v2.4s
	uzp2 v0.8h, v1.8h, v2.8h
	zip1 v0.16b, v1.16b, v2.16b
	zip1 v0.4s, v1.4s, v2.4s
	zip1 v0.8h, v1.8h, v2.8h
	zip2 v0.16b, v1.16b, v2.16b
	zip2 v0.4s, v1.4s, v2.4s
	zip2 v0.8h, v1.8h, v2.8h
	xtn v0.2s, v1.2d
	xtn v0.4h, v1.4s
	xtn v0.8b, v1.8h
	xtn2 v0.16b, v1.8h
	xtn2 v0.4s, v1.2d
	xtn2 v0.8h, v1.4s
