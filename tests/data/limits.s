# Loops of every kind of limit. A line of three # names a machine, the kinds that limit it there (analysis/limit.h; + between those of a tie) and what it is.
### skylake: reduction: dot product, scalar
1:	vmovsd	(%rdi,%rax,8), %xmm1
	vfmadd231sd	(%rsi,%rax,8), %xmm1, %xmm0
	incq	%rax
	cmpq	%rax, %rdx
	jne	1b
### znver4: reduction: dot product, two vectors unrolled over one accumulator
1:	vmovupd	(%rdi,%rax,8), %ymm1
	vfmadd231pd	(%rsi,%rax,8), %ymm1, %ymm0
	vmovupd	32(%rdi,%rax,8), %ymm1
	vfmadd231pd	32(%rsi,%rax,8), %ymm1, %ymm0
	addq	$8, %rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: reduction: clang -ffast-math with too few accumulators
1:	vmovupd	(%rdi,%rax,8), %ymm2
	vmovupd	32(%rdi,%rax,8), %ymm3
	vfmadd231pd	(%rsi,%rax,8), %ymm2, %ymm0
	vfmadd231pd	32(%rsi,%rax,8), %ymm3, %ymm1
	addq	$8, %rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: reduction: sum of double
1:	addsd	(%rdi), %xmm0
	addq	$8, %rdi
	cmpq	%rdi, %rax
	jne	1b
### skylake: reduction: sum of float, x87 left aside
1:	vaddss	(%rdi,%rax,4), %xmm0, %xmm0
	addq	$1, %rax
	cmpq	%rax, %rsi
	jne	1b
### skylake: reduction: product of integers
1:	imulq	(%rdi), %rax
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: reduction: product of double
1:	mulsd	(%rdi), %xmm0
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: reduction: maximum of double
1:	maxsd	(%rdi), %xmm0
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### sapphirerapids: reduction: dot product of bytes
1:	vmovdqu	(%rdi,%rax), %ymm1
	vpdpbusd	(%rsi,%rax), %ymm1, %ymm0
	addq	$32, %rax
	cmpq	%rax, %rdx
	jne	1b
### neoverse-n1: reduction: dot product, AArch64
.L3:	ldr	d1, [x0, x3, lsl #3]
	ldr	d2, [x1, x3, lsl #3]
	fmadd	d0, d1, d2, d0
	add	x3, x3, #1
	cmp	x2, x3
	bne	.L3
### neoverse-n1: reduction: sum of vectors, AArch64
.L3:	ldr	q1, [x0], #16
	fadd	v0.2d, v0.2d, v1.2d
	cmp	x0, x2
	bne	.L3
### skylake: front end+induction variable: empty loop
1:	addl	$1, %ecx
	cmpl	%ecx, %r10d
	ja	1b
### skylake: induction variable: two steps of one register
1:	addq	$8, %rax
	movq	%rax, %rcx
	addq	$24, %rax
	cmpq	%rcx, %rdx
	jne	1b
### neoverse-n1: ports+induction variable: pointer stepped by the access
.L2:	ldr	x1, [x0], #8
	cmp	x0, x2
	bne	.L2
### skylake: recurrence: FNV-1a
1:	movzbl	(%rdi), %edx
	incq	%rdi
	xorl	%edx, %eax
	imull	$16777619, %eax, %eax
	cmpq	%rdi, %rsi
	jne	1b
### skylake: recurrence: linear congruential generator
1:	imulq	%rcx, %rax
	addq	%rsi, %rax
	movq	%rax, (%rdi)
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: recurrence: xorshift
1:	movq	%rax, %rcx
	shlq	$13, %rcx
	xorq	%rax, %rcx
	movq	%rcx, %rax
	shrq	$7, %rax
	xorq	%rcx, %rax
	movq	%rax, %rcx
	shlq	$17, %rcx
	xorq	%rcx, %rax
	decq	%rdx
	jne	1b
### skylake: recurrence: Horner's rule
1:	vfmadd213sd	(%rdi), %xmm1, %xmm0
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: recurrence: Fibonacci numbers
1:	movq	%rax, %rcx
	addq	%rdx, %rax
	movq	%rcx, %rdx
	imulq	%rax, %rax
	decq	%rsi
	jne	1b
### skylake: recurrence: carries of a long addition
1:	movq	(%rsi,%rcx,8), %rax
	adcq	(%rdx,%rcx,8), %rax
	adcq	%r8, %r8
	adcq	%r9, %r9
	movq	%rax, (%rdi,%rcx,8)
	leaq	1(%rcx), %rcx
	decq	%r10
	jne	1b
### skylake: recurrence: CRC-32 by instruction
1:	crc32q	(%rdi), %rax
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: recurrence: Newton's iteration
1:	movapd	%xmm1, %xmm2
	divsd	%xmm0, %xmm2
	addsd	%xmm2, %xmm0
	mulsd	%xmm3, %xmm0
	decl	%ecx
	jne	1b
### skylake: recurrence: rotating sum
1:	rolq	$5, %rax
	xorq	(%rdi), %rax
	imulq	%rcx, %rax
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: recurrence: exponential moving average
1:	mulsd	%xmm1, %xmm0
	addsd	(%rdi), %xmm0
	movsd	%xmm0, (%rsi)
	addq	$8, %rdi
	addq	$8, %rsi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: pointer chase: linked list
1:	movq	(%rax), %rax
	testq	%rax, %rax
	jne	1b
### skylake: pointer chase: linked list with a sum
1:	addl	8(%rdi), %eax
	movq	16(%rdi), %rdi
	testq	%rdi, %rdi
	jne	1b
### skylake: pointer chase: table of states
1:	movzbl	(%rdi), %ecx
	incq	%rdi
	shll	$8, %eax
	addl	%ecx, %eax
	movzbl	(%rsi,%rax), %eax
	cmpq	%rdi, %rdx
	jne	1b
### skylake: pointer chase: CRC by table
1:	movzbl	(%rdi), %ecx
	xorl	%eax, %ecx
	movzbl	%cl, %ecx
	shrl	$8, %eax
	xorl	(%rsi,%rcx,4), %eax
	incq	%rdi
	cmpq	%rdi, %rdx
	jne	1b
### neoverse-n1: pointer chase: linked list, AArch64
.L2:	ldr	x0, [x0, #8]
	cbnz	x0, .L2
### skylake: select chain: maximum of integers
1:	movl	(%rcx), %esi
	addq	$4, %rcx
	cmpl	%eax, %esi
	cmovgl	%esi, %eax
	cmpq	%rdx, %rcx
	jne	1b
### skylake: select chain: maximum by masks, SSE2
1:	movdqu	(%rdi,%rax,4), %xmm2
	movdqa	%xmm2, %xmm4
	pcmpgtd	%xmm0, %xmm4
	pand	%xmm4, %xmm2
	pandn	%xmm0, %xmm4
	movdqa	%xmm4, %xmm0
	por	%xmm2, %xmm0
	addq	$4, %rax
	cmpq	%rax, %r8
	jne	1b
### skylake: select chain: binary search without a branch
1:	movl	%ecx, %edx
	shrl	%edx
	leaq	(%rax,%rdx,4), %r9
	cmpl	%esi, (%r9)
	cmovbq	%r9, %rax
	subl	%edx, %ecx
	cmpl	$1, %ecx
	ja	1b
### neoverse-n1: select chain: maximum of integers, AArch64
.L3:	ldr	w2, [x0], #4
	cmp	w2, w1
	csel	w1, w2, w1, gt
	cmp	x0, x3
	bne	.L3
### skylake: through memory: accumulator in memory
1:	vmovsd	(%rsi), %xmm0
	vaddsd	(%rdi,%rax,8), %xmm0, %xmm0
	vmovsd	%xmm0, (%rsi)
	incq	%rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: through memory: counter on the stack, -O0
1:	addl	$1, -4(%rbp)
	cmpl	$999, -4(%rbp)
	jle	1b
### skylake: through memory: prefix sums
1:	movsd	-8(%rdi), %xmm0
	addsd	(%rsi), %xmm0
	movsd	%xmm0, (%rdi)
	addq	$8, %rdi
	addq	$8, %rsi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: false dependency: popcnt
1:	popcntq	(%rdi), %rax
	popcntq	8(%rdi), %rax
	movq	%rax, (%rsi)
	addq	$16, %rdi
	decl	%ecx
	jne	1b
### skylake: false dependency: cvtsi2sd
1:	cvtsi2sdl	(%rdi,%rax,4), %xmm0
	movsd	%xmm0, (%rsi,%rax,8)
	incq	%rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: serialisation: locked addition
1:	lock addq	$1, (%rdi)
	decl	%ecx
	jne	1b
### skylake: divider: division by an invariant
1:	movsd	(%rdi,%rax,8), %xmm0
	divsd	%xmm1, %xmm0
	movsd	%xmm0, (%rdi,%rax,8)
	incq	%rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: divider: quotients of two arrays
1:	vmovups	(%rdi,%rax), %ymm0
	vdivps	(%rsi,%rax), %ymm0, %ymm0
	vmovups	%ymm0, (%rdx,%rax)
	addq	$32, %rax
	cmpq	%rax, %rcx
	jne	1b
### skylake: divider: square roots
1:	sqrtpd	(%rdi,%rax), %xmm0
	movups	%xmm0, (%rsi,%rax)
	addq	$16, %rax
	cmpq	%rax, %rcx
	jne	1b
### skylake: ports: triad
1:	vmovapd	(%r15,%rax), %ymm0
	vmovapd	(%r14,%rax), %ymm2
	vfmadd132pd	(%r12,%rax), %ymm2, %ymm0
	vmovapd	%ymm0, (%rdi,%rax)
	vmovapd	32(%r15,%rax), %ymm0
	addq	$32, %rax
	cmpq	%rax, %rsi
	jne	1b
### skylake: ports: shuffles
1:	vpshufb	%ymm1, %ymm2, %ymm3
	vpermd	%ymm1, %ymm2, %ymm4
	vpunpcklbw	%ymm1, %ymm2, %ymm5
	decl	%ecx
	jne	1b
### skylake: ports: multiplications
1:	imulq	%rsi, %rbx
	imulq	%rsi, %rcx
	imulq	%rsi, %rdx
	imulq	%rsi, %r8
	decl	%edi
	jne	1b
### skylake: ports: copy
1:	vmovups	(%rsi,%rax), %ymm0
	vmovups	%ymm0, (%rdi,%rax)
	vmovups	32(%rsi,%rax), %ymm0
	vmovups	%ymm0, 32(%rdi,%rax)
	addq	$64, %rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: ports+issue width: branches not taken and one taken
1:	addq	$1, %rax
	addq	$1, %rbx
	cmpq	%r8, %rdi
	jo	2f
	cmpq	%r9, %rdi
	jo	2f
	cmpq	%r12, %rdi
	jo	2f
	subq	$1, %r10
	jne	1b
2:
### skylake: ports: histogram
1:	movzbl	(%rdi), %eax
	movzbl	1(%rdi), %ecx
	addl	$1, (%rdx,%rax,4)
	addl	$1, (%rdx,%rcx,4)
	addq	$2, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### znver4: ports: many loads
1:	addl	(%rdi), %eax
	addl	4(%rdi), %ebx
	addl	8(%rdi), %ecx
	addl	12(%rdi), %edx
	addl	16(%rdi), %r8d
	addl	20(%rdi), %r9d
	addq	$24, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### skylake: issue width+front end: independent moves and additions
1:	leal	1(%rax), %ebx
	vpaddd	%ymm1, %ymm2, %ymm3
	movl	(%rdi), %ecx
	addl	$1, %r8d
	vpaddd	%ymm1, %ymm2, %ymm4
	movl	8(%rdi), %edx
	leal	1(%rax), %r9d
	nop
	nop
	nop
	nop
	decl	%esi
	jne	1b
### skylake: issue width: indexed addresses that split
1:	vpaddd	(%rdi,%rax), %ymm1, %ymm2
	vpaddd	32(%rdi,%rax), %ymm1, %ymm3
	vpsubd	(%rsi,%rax), %ymm1, %ymm4
	vpsubd	32(%rsi,%rax), %ymm1, %ymm5
	vpaddd	%ymm2, %ymm3, %ymm6
	nop
	nop
	nop
	addq	$64, %rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: front end: length-changing prefixes
1:	addw	$4660, (%rdi)
	addw	$4660, 2(%rsi)
	addw	$4660, 6(%rdx)
	addw	$4660, 8(%rcx)
	addw	$4660, 2(%r8)
### skylake: front end: more code than 16 bytes a cycle
	vaddpd	0x12345678(%rdi,%rax,8), %ymm1, %ymm2
	vmulpd	0x12345678(%rsi,%rax,8), %ymm1, %ymm3
	movabsq	$0x123456789abcdef, %rbx
	movabsq	$0x123456789abcdef, %rcx
### zen5-charted: taken branch: nothing but the jump
1:	testl	%eax, %eax
	jne	1b
### znver4: ports+front end: two jumps a turn
1:	cmpb	$0, (%rdi)
	je	2f
	jmp	1b
2:
### znver4: issue width: no-operations
1:	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	movl	(%rdi), %ecx
	leal	1(%rax), %ebx
	decl	%esi
	jne	1b
### zen5-charted: ports: stores to several lines
1:	movq	%rax, (%rdi)
	movq	%rax, 64(%rdi)
	movq	%rax, 128(%rdi)
	movq	%rax, 192(%rdi)
	decq	%rcx
	jne	1b
### zen5-charted: induction variable+taken branch: independent sums
1:	leaq	1(%rax), %rbx
	leaq	2(%rax), %rcx
	leaq	3(%rax), %rdx
	leaq	4(%rax), %rsi
	decq	%r8
	jne	1b
### skylake: serialisation: cpuid
1:	cpuid
	decl	%esi
	jne	1b
### skylake: microcode: pause
1:	pause
	decl	%ecx
	jnz	1b
