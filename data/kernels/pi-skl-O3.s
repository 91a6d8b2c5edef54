# π by numerical integration, eight steps an iteration in two 256-bit vectors, as gcc -O3 -march=skylake does (OSACA paper): divider 16.
.L3:
	vcvtdq2pd %xmm2, %ymm1
	vextracti128 $1, %ymm2, %xmm0
	vcvtdq2pd %xmm0, %ymm0
	vpaddd %ymm9, %ymm2, %ymm2
	vaddpd %ymm7, %ymm1, %ymm1
	vaddpd %ymm7, %ymm0, %ymm0
	vmulpd %ymm6, %ymm1, %ymm1
	vmulpd %ymm6, %ymm0, %ymm0
	vfmadd132pd %ymm1, %ymm5, %ymm1
	vfmadd132pd %ymm0, %ymm5, %ymm0
	vdivpd %ymm1, %ymm8, %ymm1
	vdivpd %ymm0, %ymm8, %ymm0
	vaddpd %ymm1, %ymm3, %ymm3
	vaddpd %ymm0, %ymm3, %ymm3
	addl $1, %eax
	cmpl $125000000, %eax
	jne .L3
