	.file	"i.c"
	.text
	.p2align 4
	.globl	add
	.type	add, @function
add:
.LFB0:
	.cfi_startproc
	.p2align 4,,10
	.p2align 3
.L2:
	movq	(%rdi), %rax
	addq	$8, %rdi
#APP
# 1 "i.c" 1
	.intel_syntax noprefix
	add %rax, 5
	ror %rax, 3
	.att_syntax prefix
# 0 "" 2
#NO_APP
	movq	%rax, -8(%rdi)
	cmpq	%rsi, %rdi
	jne	.L2
	ret
	.cfi_endproc
.LFE0:
	.size	add, .-add
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
