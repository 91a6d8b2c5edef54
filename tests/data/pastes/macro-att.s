	.macro STEP reg, off
	vfmadd231pd \off(%rsi), %ymm15, \reg
	.endm
	.globl kernel
kernel:
1:	STEP %ymm0, 0
	STEP %ymm1, 32
	addq $64, %rsi
	decq %rdi
	jnz 1b
	ret
