	.file	"crc.c"
	.text
	.p2align 4
	.globl	crc
	.type	crc, @function
crc:
	testq	%rsi, %rsi
	jle	.L4
	addq	%rdi, %rsi
	movl	$-1, %eax
	.p2align 4,,10
	.p2align 3
.L3:
	movzbl	(%rdi), %edx
	addq	$1, %rdi
	xorl	%eax, %edx
	movl	%edx, %eax
	andl	$1, %edx
	negl	%edx
	shrl	%eax
	andl	$-306674912, %edx
	xorl	%edx, %eax
	cmpq	%rdi, %rsi
	jne	.L3
	notl	%eax
	ret
	.p2align 4,,10
	.p2align 3
.L4:
	xorl	%eax, %eax
	ret
	.size	crc, .-crc
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
