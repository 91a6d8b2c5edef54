// func dot(a, b []float32) float32
TEXT ·dot(SB), NOSPLIT, $0-52
	MOVQ a_base+0(FP), SI
	MOVQ b_base+24(FP), DI
	MOVQ a_len+8(FP), CX
	VXORPS Y0, Y0, Y0
	SHRQ $3, CX
	TESTQ CX, CX
	JEQ done
loop:
	VMOVUPS (SI), Y1
	VFMADD231PS 32(DI)(CX*4), Y1, Y0
	MOVBLZX 3(SI), AX
	MOVL $-1, R8
	CMPQ AX, $8
	ADDQ $32, SI
	LEAQ table<>+8(SB), R9
	DECQ CX
	JNE loop
done:
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET
