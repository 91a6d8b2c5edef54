	.file	"length.c"
	.text
	.p2align 4
	.globl	length
	.type	length, @function
length:
	xorl	%eax, %eax
	cmpb	$0, (%rdi)
	je	.L4
	.p2align 4,,10
	.p2align 3
.L3:
	addq	$1, %rax
	cmpb	$0, (%rdi,%rax)
	jne	.L3
	ret
	.p2align 4,,10
	.p2align 3
.L4:
	ret
	.size	length, .-length
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
