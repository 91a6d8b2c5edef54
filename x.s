# π by numerical integration, gcc -O1: the sum lives on the stack, and the chain through (%rsp) binds (OSACA paper).
	.byte 187,111,0,0,0,100,103,144
.L2:
	vxorpd %xmm0, %xmm0, %xmm0
	vcvtsi2sd %eax, %xmm0, %xmm0
	vaddsd %xmm4, %xmm0, %xmm0
	vmulsd %xmm3, %xmm0, %xmm0
	vmulsd %xmm0, %xmm0, %xmm0
	vaddsd %xmm2, %xmm0, %xmm0
	vdivsd %xmm0, %xmm1, %xmm0
	vaddsd (%rsp), %xmm0, %xmm5
	vmovsd %xmm5, (%rsp)
	addl $1, %eax
	cmpl $1000000000, %eax
	jne .L2
	.byte 187,222,0,0,0,100,103,144
