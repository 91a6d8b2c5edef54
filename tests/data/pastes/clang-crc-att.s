	.text
	.file	"crc.c"
	.globl	crc                             # -- Begin function crc
	.p2align	4, 0x90
	.type	crc,@function
crc:                                    # @crc
	.cfi_startproc
# %bb.0:
	testq	%rsi, %rsi
	jle	.LBB0_1
# %bb.4:
	movl	$-1, %eax
	xorl	%ecx, %ecx
	.p2align	4, 0x90
.LBB0_5:                                # =>This Inner Loop Header: Depth=1
	movzbl	(%rdi,%rcx), %edx
	xorl	%eax, %edx
	movl	%edx, %r8d
	shrl	%r8d
	andl	$1, %edx
	negl	%edx
	andl	$-306674912, %edx               # imm = 0xEDB88320
	movl	%edx, %eax
	xorl	%r8d, %eax
	incq	%rcx
	cmpq	%rcx, %rsi
	jne	.LBB0_5
# %bb.2:
	notl	%eax
	retq
.LBB0_1:
	xorl	%eax, %eax
	retq
.Lfunc_end0:
	.size	crc, .Lfunc_end0-crc
	.cfi_endproc
                                        # -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
