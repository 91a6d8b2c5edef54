	.text
	.file	"daxpy.c"
	.globl	daxpy                           // -- Begin function daxpy
	.p2align	2
	.type	daxpy,@function
daxpy:                                  // @daxpy
	.cfi_startproc
// %bb.0:
	cmp	w0, #1
	b.lt	.LBB0_3
// %bb.1:
	mov	w8, w0
.LBB0_2:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x1], #8
	ldr	d2, [x2]
	subs	x8, x8, #1
	fmadd	d1, d0, d1, d2
	str	d1, [x2], #8
	b.ne	.LBB0_2
.LBB0_3:
	ret
.Lfunc_end0:
	.size	daxpy, .Lfunc_end0-daxpy
	.cfi_endproc
                                        // -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
