	.file	"triad.f90"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	triad_
	.type	triad_, @function
triad_:
	mov	edi, DWORD PTR [rdi]
	test	edi, edi
	jle	.L1
	movsd	xmm1, QWORD PTR .LC0[rip]
	xor	eax, eax
	.p2align 4,,10
	.p2align 3
.L3:
	movsd	xmm0, QWORD PTR [rcx+rax*8]
	mulsd	xmm0, xmm1
	addsd	xmm0, QWORD PTR [rdx+rax*8]
	movsd	QWORD PTR [rsi+rax*8], xmm0
	add	rax, 1
	cmp	rdi, rax
	jne	.L3
.L1:
	ret
	.size	triad_, .-triad_
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC0:
	.long	0
	.long	1074266112
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
