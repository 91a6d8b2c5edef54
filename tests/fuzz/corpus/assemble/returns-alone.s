.L10:	vm¥bnzd (%r15,%rax), %ymm0
	vmovapd (%r12,%rax,) %ymm3
	addl $1, %ecx
	vfmadd264pd 0(rax
 %ecx, %m¥bnzd (s.L10
