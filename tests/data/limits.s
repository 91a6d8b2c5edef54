# Loops of every kind of limit. A line of three # names a machine, the kinds that limit it there
# (analysis/limit.c; + between those of a tie) and what it is. "# says:" lists what the sentence
# holds, between |, and behind ! what it does not hold.
### skylake: reduction: dot product, scalar
# says: waits for the accumulator | Split the accumulator: 4 accumulators in an unrolled loop | 1.25 cycles or less, then limited by issue width | round differently: -ffast-math and kernel tune --reassociate | data in the first-level cache, branches predicted correctly | !run at
1:	vmovsd	(%rdi,%rax,8), %xmm1
	vfmadd231sd	(%rsi,%rax,8), %xmm1, %xmm0
	incq	%rax
	cmpq	%rax, %rdx
	jne	1b
### znver4: reduction: dot product, two vectors unrolled over one accumulator
# says: vfmadd231pd 4 (line 2), vfmadd231pd 4 (line 4) wait | 4 accumulators | FP4 and FP5 | accesses that cross pages
1:	vmovupd	(%rdi,%rax,8), %ymm1
	vfmadd231pd	(%rsi,%rax,8), %ymm1, %ymm0
	vmovupd	32(%rdi,%rax,8), %ymm1
	vfmadd231pd	32(%rsi,%rax,8), %ymm1, %ymm0
	addq	$8, %rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: reduction: clang -ffast-math with too few accumulators
# says: 2 accumulators instead of each of the 2 | then limited by ports 2 and 3
1:	vmovupd	(%rdi,%rax,8), %ymm2
	vmovupd	32(%rdi,%rax,8), %ymm3
	vfmadd231pd	(%rsi,%rax,8), %ymm2, %ymm0
	vfmadd231pd	32(%rsi,%rax,8), %ymm3, %ymm1
	addq	$8, %rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: reduction: sum of double
# says: 6 accumulators | 0.75 cycles or less
1:	addsd	(%rdi), %xmm0
	addq	$8, %rdi
	cmpq	%rdi, %rax
	jne	1b
### skylake: reduction: sum of float, x87 left aside
# says: vaddss (line 1) | 4 accumulators
1:	vaddss	(%rdi,%rax,4), %xmm0, %xmm0
	addq	$1, %rax
	cmpq	%rax, %rsi
	jne	1b
### skylake: reduction: product of integers
# says: imul (line 1) | 3 accumulators | limited by port 1 | !round
1:	imulq	(%rdi), %rax
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: reduction: product of double
# says: mulsd (line 1) | round differently
1:	mulsd	(%rdi), %xmm0
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: reduction: maximum of double
# says: maxsd (line 1) | Split the accumulator | !round
1:	maxsd	(%rdi), %xmm0
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### sapphirerapids: reduction: dot product of bytes
# says: vpdpbusd (line 2) | 8 accumulators | !round
1:	vmovdqu	(%rdi,%rax), %ymm1
	vpdpbusd	(%rsi,%rax), %ymm1, %ymm0
	addq	$32, %rax
	cmpq	%rax, %rdx
	jne	1b
### neoverse-n1: reduction: dot product, AArch64
# says: fmadd (line 3) | 2 accumulators | front end (decoders)
.L3:	ldr	d1, [x0, x3, lsl #3]
	ldr	d2, [x1, x3, lsl #3]
	fmadd	d0, d1, d2, d0
	add	x3, x3, #1
	cmp	x2, x3
	bne	.L3
### neoverse-n1: reduction: sum of vectors, AArch64
# says: fadd (line 2) | 4 accumulators | round differently
.L3:	ldr	q1, [x0], #16
	fadd	v0.2d, v0.2d, v1.2d
	cmp	x0, x2
	bne	.L3
### skylake: front end+induction variable: empty loop
# says: Tied limits, 1.00 | the front end (µop cache) and the induction variable | Unrolling relieves both | Assumed: branches predicted correctly. | !data in the first-level cache
1:	addl	$1, %ecx
	cmpl	%ecx, %r10d
	ja	1b
### skylake: induction variable: two steps of one register
# says: add (line 1), add (line 3) step the variable once per iteration | not an accumulator | !Split
1:	addq	$8, %rax
	movq	%rax, %rcx
	addq	$24, %rax
	cmpq	%rcx, %rdx
	jne	1b
### neoverse-n1: ports+induction variable: pointer stepped by the access
# says: port B | induction variable (ldr (line 1)) | Unrolling relieves both
.L2:	ldr	x1, [x0], #8
	cmp	x0, x2
	bne	.L2
### skylake: recurrence: FNV-1a
# says: xor 1 (line 3), imul 3 (line 4) | cannot be split | Interleave independent data (4 streams | !two steps
1:	movzbl	(%rdi), %edx
	incq	%rdi
	xorl	%edx, %eax
	imull	$16777619, %eax, %eax
	cmpq	%rdi, %rsi
	jne	1b
### skylake: recurrence: linear congruential generator
# says: Combine two steps, x * a * a + (b * a + b'), which halves the chain. | Or interleave | !rounded
1:	imulq	%rcx, %rax
	addq	%rsi, %rax
	movq	%rax, (%rdi)
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: recurrence: xorshift
# says: cannot be split | Interleave independent data (3 streams | !two steps
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
# says: Combine two steps | rounded differently | Or interleave
1:	vfmadd213sd	(%rdi), %xmm1, %xmm0
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: recurrence: Fibonacci numbers
# says: cannot be split | !two steps
1:	movq	%rax, %rcx
	addq	%rdx, %rax
	movq	%rcx, %rdx
	imulq	%rax, %rax
	decq	%rsi
	jne	1b
### skylake: recurrence: carries of a long addition
# says: adc 1 | needs the carry of the previous step | !two steps
1:	movq	(%rsi,%rcx,8), %rax
	adcq	(%rdx,%rcx,8), %rax
	adcq	%r8, %r8
	adcq	%r9, %r9
	movq	%rax, (%rdi,%rcx,8)
	leaq	1(%rcx), %rcx
	decq	%r10
	jne	1b
### skylake: recurrence: CRC-32 by instruction
# says: crc32 3 (line 1) | carry-less multiplication can combine | !cannot be split
1:	crc32q	(%rdi), %rax
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: recurrence: two registers exchange their values
# says: only moves values between registers | exchange the registers | !CRC
1:	xchgq	%rax, %rbx
	decq	%rcx
	jne	1b
### skylake: recurrence: Newton's iteration
# says: divsd 13 (line 2) | cannot be split | Interleave independent data (6 streams
1:	movapd	%xmm1, %xmm2
	divsd	%xmm0, %xmm2
	addsd	%xmm2, %xmm0
	mulsd	%xmm3, %xmm0
	decl	%ecx
	jne	1b
### skylake: recurrence: rotating sum
# says: rol 1 | cannot be split | !two steps
1:	rolq	$5, %rax
	xorq	(%rdi), %rax
	imulq	%rcx, %rax
	addq	$8, %rdi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: recurrence: exponential moving average
# says: mulsd 4 (line 1), addsd 4 (line 2) | Combine two steps | rounded differently
1:	mulsd	%xmm1, %xmm0
	addsd	(%rdi), %xmm0
	movsd	%xmm0, (%rsi)
	addq	$8, %rdi
	addq	$8, %rsi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: pointer chase: linked list
# says: The address of each load is the result of the previous load | Unrolling does not help | Every cache miss adds its full latency | cache misses of loads whose addresses are loaded: mov (line 1) | mispredicted branches on loaded data: jnz (line 3) | memory 266 cycles
1:	movq	(%rax), %rax
	testq	%rax, %rax
	jne	1b
### skylake: pointer chase: linked list with a sum
# says: mov 4 (line 2) | several independent chains
1:	addl	8(%rdi), %eax
	movq	16(%rdi), %rdi
	testq	%rdi, %rdi
	jne	1b
### skylake: pointer chase: table of states
# says: The index of each look-up depends on | Several independent inputs in one loop | !links | movzx 5 (line 5)
1:	movzbl	(%rdi), %ecx
	incq	%rdi
	shll	$8, %eax
	addl	%ecx, %eax
	movzbl	(%rsi,%rax), %eax
	cmpq	%rdi, %rdx
	jne	1b
### skylake: pointer chase: CRC by table
# says: The index of each look-up depends on | Several independent inputs in one loop | !links | xor 6 (line 5) | !instead of the comparison
1:	movzbl	(%rdi), %ecx
	xorl	%eax, %ecx
	movzbl	%cl, %ecx
	shrl	$8, %eax
	xorl	(%rsi,%rcx,4), %eax
	incq	%rdi
	cmpq	%rdi, %rdx
	jne	1b
### neoverse-n1: pointer chase: linked list, AArch64
# says: ldr 4 (line 1) | Unrolling does not help
.L2:	ldr	x0, [x0, #8]
	cbnz	x0, .L2
### skylake: select chain: maximum of integers
# says: cmp 1 (line 3), cmovnle 1 (line 4) | Keep the minimum or maximum of several parts | !Split
1:	movl	(%rcx), %esi
	addq	$4, %rcx
	cmpl	%eax, %esi
	cmovgl	%esi, %eax
	cmpq	%rdx, %rcx
	jne	1b
### skylake: select chain: maximum by masks, SSE2
# says: pcmpgtd 1 (line 3) | minimum or maximum
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
# says: cmp 6 (line 4) | Run several searches in one loop | would let the loads execute earlier | cache misses of loads whose addresses are loaded
1:	movl	%ecx, %edx
	shrl	%edx
	leaq	(%rax,%rdx,4), %r9
	cmpl	%esi, (%r9)
	cmovbq	%r9, %rax
	subl	%edx, %ecx
	cmpl	$1, %ecx
	ja	1b
### neoverse-n1: select chain: maximum of integers, AArch64
# says: cmp 1 (line 2), csel 1 (line 3) | minimum or maximum
.L3:	ldr	w2, [x0], #4
	cmp	w2, w1
	csel	w1, w2, w1, gt
	cmp	x0, x3
	bne	.L3
### skylake: through memory: accumulator in memory
# says: vmovsd (line 1) loads the value that vmovsd (line 3) stored | 5.00 of them from store to load | Keep the value in a register | about 4.00 cycles would remain
1:	vmovsd	(%rsi), %xmm0
	vaddsd	(%rdi,%rax,8), %xmm0, %xmm0
	vmovsd	%xmm0, (%rsi)
	incq	%rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: through memory: counter on the stack, -O0
# says: add (line 1) loads the value that it stored | Keep the value in a register
1:	addl	$1, -4(%rbp)
	cmpl	$999, -4(%rbp)
	jle	1b
### skylake: through memory: prefix sums
# says: movsd (line 1) loads the value that movsd (line 3) stored | Keep the value in a register
1:	movsd	-8(%rdi), %xmm0
	addsd	(%rsi), %xmm0
	movsd	%xmm0, (%rdi)
	addq	$8, %rdi
	addq	$8, %rsi
	cmpq	%rdi, %rdx
	jne	1b
### skylake: false dependency: popcnt
# says: popcnt 3 (line 1) | old value of its destination | Zero the register first (xor)
1:	popcntq	(%rdi), %rax
	popcntq	8(%rdi), %rax
	movq	%rax, (%rsi)
	addq	$16, %rdi
	decl	%ecx
	jne	1b
### skylake: false dependency: cvtsi2sd
# says: cvtsi2sd 4 (line 1) | Zero the register first (xor)
1:	cvtsi2sdl	(%rdi,%rax,4), %xmm0
	movsd	%xmm0, (%rsi,%rax,8)
	incq	%rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: serialisation: locked addition
# says: lock add 18 (line 1) | Accumulate in a register, and access memory once after the loop
1:	lock addq	$1, (%rdi)
	decl	%ecx
	jne	1b
### skylake: divider: division by an invariant
# says: divsd 4.00 (line 2) | divisor of divsd (line 2) does not change | reciprocal, which rounds differently (-ffast-math)
1:	movsd	(%rdi,%rax,8), %xmm0
	divsd	%xmm1, %xmm0
	movsd	%xmm0, (%rdi,%rax,8)
	incq	%rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: divider: quotients of two arrays
# says: The divider is busy for 5.00 | vdivps 5.00 (line 2) | !does not change
1:	vmovups	(%rdi,%rax), %ymm0
	vdivps	(%rsi,%rax), %ymm0, %ymm0
	vmovups	%ymm0, (%rdx,%rax)
	addq	$32, %rax
	cmpq	%rax, %rcx
	jne	1b
### skylake: divider: square roots
# says: The divider is busy for 6.00 | sqrtpd 6.00
1:	sqrtpd	(%rdi,%rax), %xmm0
	movups	%xmm0, (%rsi,%rax)
	addq	$16, %rax
	cmpq	%rax, %rcx
	jne	1b
### skylake: ports: triad
# says: Ports 2 and 3 are saturated | Fewer loads and stores would help. | !wider
1:	vmovapd	(%r15,%rax), %ymm0
	vmovapd	(%r14,%rax), %ymm2
	vfmadd132pd	(%r12,%rax), %ymm2, %ymm0
	vmovapd	%ymm0, (%rdi,%rax)
	vmovapd	32(%r15,%rax), %ymm0
	addq	$32, %rax
	cmpq	%rax, %rsi
	jne	1b
### skylake: ports: shuffles
# says: Port 5 is saturated | vpshufb 1.00 (line 1) | Fewer shuffles
1:	vpshufb	%ymm1, %ymm2, %ymm3
	vpermd	%ymm1, %ymm2, %ymm4
	vpunpcklbw	%ymm1, %ymm2, %ymm5
	decl	%ecx
	jne	1b
### skylake: ports: multiplications
# says: Port 1 is saturated for 4.00 | Fewer operations on these ports | !wider
1:	imulq	%rsi, %rbx
	imulq	%rsi, %rcx
	imulq	%rsi, %rdx
	imulq	%rsi, %r8
	decl	%edi
	jne	1b
### skylake: ports: copy
# says: Ports 2 and 3 (vmovups 1.00 (line 1), vmovups 1.00 (line 2)) and port 4 (vmovups 1.00 (line 2), vmovups 1.00 (line 4)) are saturated | Fewer loads and stores | !wider
1:	vmovups	(%rsi,%rax), %ymm0
	vmovups	%ymm0, (%rdi,%rax)
	vmovups	32(%rsi,%rax), %ymm0
	vmovups	%ymm0, 32(%rdi,%rax)
	addq	$64, %rax
	cmpq	%rax, %rdx
	jne	1b
### skylake: ports+issue width: branches not taken and one taken
# says: Tied limits, 2.25 | ports 0, 1, 5 and 6 | issue width (9 µops, 4 per cycle) | Relieving only one limit gains nothing; use fewer operations on these ports and fewer instructions. | !wider
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
# says: Ports 2 and 3 are saturated | Fewer loads and stores would help. | loads delayed by recent stores: add (line 3)
1:	movzbl	(%rdi), %eax
	movzbl	1(%rdi), %ecx
	addl	$1, (%rdx,%rax,4)
	addl	$1, (%rdx,%rcx,4)
	addq	$2, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### znver4: ports: many loads
# says: Ports AGU0, AGU1 and AGU2 are saturated | Fewer loads would help, and so would wider vectors
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
# says: issue width (12 µops, 4 per cycle) | the front end (predecoding; a jump crosses or ends at a 32-byte boundary) | fewer instructions and an aligned jump
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
# says: Issue is saturated: 14 µops per iteration, 4 per cycle | save the issue slot that each indexed address costs | vpaddd (line 1) | (unrolling) would help
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
# says: Front end, predecoding | 16 bytes and 5 instructions per cycle | Length-changing prefixes stall the predecoder; the first prefix is in add (line 1)
1:	addw	$4660, (%rdi)
	addw	$4660, 2(%rsi)
	addw	$4660, 6(%rdx)
	addw	$4660, 8(%rcx)
	addw	$4660, 2(%r8)
### skylake: front end: more code than 16 bytes a cycle
# says: Front end, predecoding | vaddpd (line 1) at 0x0 | Shorter encodings | !refix
	vaddpd	0x12345678(%rdi,%rax,8), %ymm1, %ymm2
	vmulpd	0x12345678(%rsi,%rax,8), %ymm1, %ymm3
	movabsq	$0x123456789abcdef, %rbx
	movabsq	$0x123456789abcdef, %rcx
### zen5-charted: taken branch: nothing but the jump
# says: The taken branch takes 1.00 cycles | Unrolling
1:	testl	%eax, %eax
	jne	1b
### znver4: ports+front end: two jumps a turn
# says: ports ALU0 and BR1 | use fewer jumps in an unrolled loop. | !wider
1:	cmpb	$0, (%rdi)
	je	2f
	jmp	1b
2:
### znver4: issue width: no-operations
# says: Issue is saturated: 7 µops per iteration, 6 per cycle | Fewer instructions (unrolling) | !wider
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
# says: Ports AG0 and AG1 are saturated | Fewer stores would help. | !wider
1:	movq	%rax, (%rdi)
	movq	%rax, 64(%rdi)
	movq	%rax, 128(%rdi)
	movq	%rax, 192(%rdi)
	decq	%rcx
	jne	1b
### zen5-charted: induction variable+taken branch: independent sums
# says: induction variable (dec (line 5)) and the taken branch | Unrolling relieves both
1:	leaq	1(%rax), %rbx
	leaq	2(%rax), %rcx
	leaq	3(%rax), %rdx
	leaq	4(%rax), %rsi
	decq	%r8
	jne	1b
### skylake: serialisation: cpuid
# says: cpuid 100 (line 1) | Fences and serialising instructions wait | !Locked
1:	cpuid
	decl	%esi
	jne	1b
### skylake: microcode: pause
# says: Microcoded or serialising instructions take 140.00 | pause 140.00 (line 1)
1:	pause
	decl	%ecx
	jnz	1b
### skylake: prefix scan: each partial sum is stored, gcc -O2
# says: vaddsd (line 1) waits | vmovsd (line 3) uses each partial result | Combine a few elements first | round differently | !Split the accumulator
1:	vaddsd	(%rax), %xmm0, %xmm0
	addq	$8, %rax
	vmovsd	%xmm0, -8(%rax)
	cmpq	%rdx, %rax
	jne	1b
### zen5-charted: prefix scan: each partial sum is stored, legacy SSE
# says: addsd (line 1) waits | movsd (line 3) uses each partial result | !Split the accumulator
1:	addsd	(%rax), %xmm0
	addq	$8, %rax
	movsd	%xmm0, -8(%rax)
	cmpq	%rdx, %rax
	jne	1b
### neoverse-v2: prefix scan: each partial sum is stored, AArch64
# says: fadd (line 2) waits | str (line 3) uses each partial result | !Split the accumulator
.L67:	ldr	d1, [x0]
	fadd	d0, d0, d1
	str	d0, [x0], 8
	cmp	x0, x1
	bne	.L67
### sapphirerapids: prefix scan+reduction: Adler-32, clang unrolled
# says: Tied limits, 4.00 | the prefix scan (add 1 (line 2) | the reduction (add 1 (line 3) | partial results combined before each step of the chain and several accumulators | !round
1:	movzbl	(%rdi,%r9), %ecx
	addl	%edx, %ecx
	addl	%ecx, %eax
	movzbl	1(%rdi,%r9), %edx
	addl	%ecx, %edx
	addl	%edx, %eax
	movzbl	2(%rdi,%r9), %ecx
	addl	%edx, %ecx
	addl	%ecx, %eax
	movzbl	3(%rdi,%r9), %edx
	addl	%ecx, %edx
	addl	%edx, %eax
	addq	$4, %r9
	cmpq	%r9, %rsi
	jne	1b
### znver4: reduction: an accumulator that is stored each time, gcc -O2 without restrict
# says: Split the accumulator: 3 accumulators | movsd (line 3) stores the accumulator to one address in every iteration: store it once after the loop (a local variable, restrict)
1:	addsd	(%rsi), %xmm0
	addq	$8, %rsi
	movsd	%xmm0, (%rdi)
	cmpq	%rsi, %rax
	jne	1b
### neoverse-v2: reduction: conditional increments
# says: cinc (line 3) waits | Split the accumulator: 2 accumulators | !round
.L146:	ldrb	w1, [x3], 1
	cmp	w1, w2
	cinc	x0, x0, eq
	cmp	x4, x3
	bne	.L146
### sapphirerapids: reduction: clang's unrolled dot product, chained
# says: vfmadd132sd 4 (line 2), vfmadd231sd 4 (line 4), vfmadd132sd 4 (line 6) wait | 6 accumulators in an unrolled loop | ports 2, 3 and A
1:	vmovsd	(%rdi,%rcx,8), %xmm1
	vfmadd132sd	(%rsi,%rcx,8), %xmm0, %xmm1
	vmovsd	8(%rdi,%rcx,8), %xmm0
	vfmadd231sd	8(%rsi,%rcx,8), %xmm0, %xmm1
	vmovsd	16(%rdi,%rcx,8), %xmm0
	vfmadd132sd	16(%rsi,%rcx,8), %xmm1, %xmm0
	addq	$3, %rcx
	cmpq	%rcx, %rdx
	jne	1b
### znver4: front end+reduction: sum of integers, gcc -O2
# says: Tied limits, 1.00 | the front end (µop cache) and the reduction (add (line 1)) | use several accumulators in an unrolled loop
1:	addl	(%rdi), %eax
	addq	$4, %rdi
	cmpq	%rdx, %rdi
	jne	1b
### znver4: recurrence: djb2, x * 33 by shift and addition
# says: shl 1 (line 3), add 1 (line 4), add 1 (line 5) | Combine two steps | mispredicted branches on loaded data: jnz (line 8) | !rounded
1:	movl	%eax, %ecx
	addq	$1, %rdi
	sall	$5, %ecx
	addl	%ecx, %eax
	addl	%edx, %eax
	movzbl	(%rdi), %edx
	testb	%dl, %dl
	jne	1b
### neoverse-v2: recurrence: djb2, AArch64
# says: add 2 (line 1), add 1 (line 2) | Combine two steps
.L24:	add	w0, w0, w0, lsl 5
	add	w0, w1, w0
	ldrb	w1, [x2, 1]!
	cbnz	w1, .L24
### skylake: recurrence: squares, not affine
# says: cannot be split | !two steps
1:	imulq	%rax, %rax
	addq	%rsi, %rax
	decq	%rdx
	jne	1b
### skylake: recurrence: greatest common divisor, 64 bits
# says: idiv 42 (line 3) | A 32-bit idiv takes 26 cycles instead of 42 | the divider, 24.00 cycles | !does not change
1:	movq	%rdx, %rcx
	cqto
	idivq	%rcx
	movq	%rcx, %rax
	testq	%rdx, %rdx
	jne	1b
### neoverse-v2: recurrence: carries of a long addition, AArch64
# says: adds 1 (line 5), cinc 1 (line 8) | needs the carry of the previous step | !Split
.L230:	ldr	x7, [x2, x5, lsl 3]
	ldr	x4, [x1, x5, lsl 3]
	adds	x4, x4, x7
	cset	x7, cs
	adds	x4, x4, x6
	str	x4, [x0, x5, lsl 3]
	add	x5, x5, 1
	cinc	x6, x7, cs
	cmp	x3, x5
	bne	.L230
### skylake: through memory: two words loaded of which one was stored
# says: Store forwarding fails: vmovq (line 1) loads bytes of which vmovq (line 3) stored only a part | Load the stored value in one piece | !Locked
1:	vmovq	(%rdi), %xmm0
	vpshufd	$225, %xmm0, %xmm0
	vmovq	%xmm0, (%rdi)
	addq	$4, %rdi
	cmpq	%rdi, %rcx
	jne	1b
### neoverse-v2: through memory: two words loaded of which one was stored, AArch64
# says: Store forwarding fails: ldp (line 1) loads bytes of which stp (line 2) stored only a part | !Locked
.L260:	ldp	w1, w2, [x0, -4]
	stp	w2, w1, [x0, -4]
	add	x0, x0, 4
	cmp	x0, x3
	bne	.L260
### sapphirerapids: pointer chase: tree without a branch, clang
# says: cmp 6 (line 1), setle 1 (line 3), movzx 1 (line 4), mov 5 (line 5) | instead of the comparison in the address
1:	cmpl	%esi, 16(%rax)
	je	2f
	setle	%cl
	movzbl	%cl, %ecx
	movq	(%rax,%rcx,8), %rax
	testq	%rax, %rax
	jne	1b
2:
### skylake: divider: remainders by an invariant
# says: The divider is busy | divisor of div (line 3) does not change in the loop: multiply by its reciprocal (a constant, or libdivide)
1:	movl	(%rsi,%r8,4), %eax
	xorl	%edx, %edx
	divl	%r9d
	movl	%edx, (%rdi,%r8,4)
	incq	%r8
	cmpq	%r8, %rcx
	jne	1b
### neoverse-v2: ports: remainders by an invariant, AArch64
# says: Port M0 is saturated | udiv 5.00 (line 2) | divisor of udiv (line 2) does not change
.L92:	ldr	w6, [x1, x4, lsl 2]
	udiv	w5, w6, w2
	msub	w5, w5, w2, w6
	str	w5, [x0, x4, lsl 2]
	add	x4, x4, 1
	cmp	x3, x4
	bne	.L92
### skylake: ports+issue width: triad, scalar, gcc -O2
# says: Tied limits, 1.50 | ports 2 and 3 (vmovsd 1.00 (line 1) | issue width (6 µops, 4 per cycle) | use fewer loads and stores and fewer instructions, or wider vectors.
1:	vmovsd	(%rdx,%rax,8), %xmm1
	vfmadd213sd	(%rsi,%rax,8), %xmm0, %xmm1
	vmovsd	%xmm1, (%rdi,%rax,8)
	incq	%rax
	cmpq	%rax, %rcx
	jne	1b
### alderlake-p: loads and stores: three stores to one line and one to another
# says: Stores take 3.00 cycles per iteration: 3 cache-line writes at 1 per cycle.
1:	movq	%rdx, (%rdi)
	movq	%rdx, 8(%rdi)
	movq	%rdx, 16(%rdi)
	movq	%rdx, (%rsi)
	decq	%rcx
	jne	1b
### znver4: loads and stores: partition with a branch
# says: Stores take 2.00 cycles per iteration: 2 cache-line writes at 1 per cycle. Consecutive stores to one cache line can share a write. | mispredicted branches on loaded data: jnl (line 3) | Fewer accesses would help. | !wider
1:	movl	(%rdx), %ecx
	cmpl	%r9d, %ecx
	jge	2f
	leaq	(%rdi,%rax,4), %rsi
	addq	$1, %rax
	movl	(%rsi), %r10d
	movl	%ecx, (%rsi)
	movl	%r10d, (%rdx)
2:	addq	$4, %rdx
	cmpq	%r8, %rdx
	jne	1b
### skylake: front end: a jump on a 32-byte boundary
# says: Front end, predecoding: 2.00 | because of jnz (line 8) at 0x21 | -Wa,-mbranches-within-32B-boundaries | issue width, 1.25 cycles
	.p2align 5
	.nops	17
1:	xorl	%edx, %edx
	popcntq	(%rdi), %rdx
	addq	$8, %rdi
	addl	%edx, %eax
	cmpq	%rcx, %rdi
	jne	1b
### neoverse-v2: ports: a sliding sum with register moves
# says: Ports V0, V1, V2 and V3 are saturated for 1.50 | fmov 1.00 (line 3)
.L173:	fadd	s0, s3, s1
	ldr	s2, [x2, x1, lsl 2]
	fmov	s3, s1
	fmov	s1, s2
	fadd	s0, s0, s2
	fmul	s0, s0, s4
	str	s0, [x0, x1, lsl 2]
	add	x1, x1, 1
	cmp	x1, x4
	bne	.L173
### skylake: recurrence: x87 sums and products
# says: fmul 4 (line 1), fadd 3 (line 2) | cannot be split
1:	fmull	(%rdi)
	faddl	(%rsi)
	addq	$8, %rdi
	addq	$8, %rsi
	cmpq	%rdi, %rcx
	jne	1b
### skylake: serialisation: a fence each time
# says: lfence 4 (line 1) | Fences and serialising instructions | !Locked
1:	lfence
	addq	$1, %rax
	decq	%rcx
	jne	1b
### haswell: false dependency: lzcnt
# says: lzcnt 3 (line 1) | old value of its destination
1:	lzcntq	(%rdi), %rax
	addq	%rax, %rdx
	addq	$8, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### skylake: partial register: a byte merged into its register
# says: mov 1 (line 1), imul 3 (line 2) | mov (line 1) writes only 8 bits of its register | movzx instead, or zeroing the register (xor) first | !False
1:	movb	(%rdi), %al
	imull	$31, %eax, %eax
	addq	$1, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### sapphirerapids: select chain: position of the largest
# says: mov 5 (line 1), cmp 1 (line 2), cmovnle 1 (line 3) | Run several searches in one loop | cache misses of loads whose addresses are loaded: mov (line 1)
1:	movl	(%rdi,%rdx,4), %ecx
	cmpl	%ecx, (%rdi,%rax,4)
	cmovg	%rax, %rdx
	incq	%rax
	cmpq	%rax, %rsi
	jne	1b
### skylake: recurrence: tridiagonal system, gfortran
# says: mulsd 4 (line 5), subsd 4 (line 8), divsd 13 (line 9) | cannot be split | !two steps
1:	movsd	(%rsi,%rax), %xmm1
	movapd	%xmm1, %xmm3
	mulsd	-8(%rcx,%rax), %xmm3
	movsd	(%rdx,%rax), %xmm2
	mulsd	%xmm0, %xmm1
	subsd	%xmm3, %xmm2
	movsd	(%r8,%rax), %xmm0
	subsd	%xmm1, %xmm0
	divsd	%xmm2, %xmm0
	movsd	%xmm0, (%r8,%rax)
	addq	$8, %rax
	cmpq	%r9, %rax
	jne	1b
### zen5-charted: ports: multiplications of a pixel, gcc -O1
# says: Ports ALU0-5 are saturated | fitted mean | wider vectors
1:	movzbl	(%r9,%rax), %edx
	movzbl	(%r10,%rax), %esi
	imull	%ecx, %edx
	imull	%r11d, %esi
	addl	%esi, %edx
	movb	%dh, (%rdi,%rax)
	addq	$1, %rax
	cmpq	%rax, %r8
	jne	1b
### sapphirerapids: select chain: Collatz's steps, rustc
# says: lea 2 (line 2), cmovnz | Interleave independent data | !minimum | !the comparison
1:	movl	%edi, %ecx
	leaq	(%rdi,%rdi,2), %rdx
	incq	%rdx
	shrq	%rdi
	testb	$1, %cl
	cmovneq	%rdx, %rdi
	incl	%eax
	cmpq	$1, %rdi
	jne	1b
### sapphirerapids: issue width+taken branch: length of a string, gcc -O1
# says: issue width (4 µops, 6 per cycle) and the taken branch | Unrolling relieves both | mispredicted branches on loaded data
1:	incq	%rax
	cmpb	$0, (%rdi,%rax)
	jne	1b
### golden-cove-charted: recurrence: digits of a number, gcc -O2
# says: lea 2 (line 2), lea 2 (line 5) | Combine two steps, x * a * a | mispredicted branches on loaded data: jnbe (line 8) | !rounded
1:	subl	$48, %eax
	leaq	(%rdx,%rdx,4), %rdx
	addq	$1, %rdi
	cltq
	leaq	(%rax,%rdx,2), %rdx
	movzbl	(%rdi), %eax
	cmpb	$47, %al
	ja	1b
### golden-cove-charted: issue width: two additions of words with a carry kept in registers, gcc -O2
# says: 16 µops per iteration | Next limit: the recurrence, 2.00 cycles | (folded loads, unrolling) | !wider
1:	movq	(%rbp,%rax,8), %r8
	movq	(%rdx,%rax,8), %r10
	xorl	%r9d, %r9d
	xorl	%r11d, %r11d
	movq	%r9, %rdi
	movq	%r8, %rsi
	addq	%r10, %rsi
	adcq	%r11, %rdi
	xorl	%r13d, %r13d
	addq	%r14, %rsi
	adcq	%r13, %rdi
	movq	%rsi, (%rbx,%rax,8)
	addq	$1, %rax
	movq	%rdi, %r14
	cmpq	%rax, %rcx
	jne	1b
### zen5-charted: recurrence: a carry that leaves the flag, clang -O1
# says: setb 1 (line 3), adc 1 (line 5) | Each step needs the carry | Unroll the loop and keep the carry in the carry flag between additions
1:	xorl	%eax, %eax
	addq	(%rsi,%r8,8), %r9
	setb	%al
	addq	(%rdx,%r8,8), %r9
	adcq	$0, %rax
	movq	%r9, (%rdi,%r8,8)
	incq	%r8
	movq	%rax, %r9
	cmpq	%r8, %rcx
	jne	1b
### skylake: ports+issue width+recurrence: carries in the flag, unrolled
# says: Tied limits, 4.00 | the recurrence (adc 1 (line 2), adc 1 (line 5) | interleaved independent data. | !wider
1:	movq	(%rsi), %r8
	adcq	(%rdx), %r8
	movq	%r8, (%rdi)
	movq	8(%rsi), %r9
	adcq	8(%rdx), %r9
	movq	%r9, 8(%rdi)
	movq	16(%rsi), %r8
	adcq	16(%rdx), %r8
	movq	%r8, 16(%rdi)
	movq	24(%rsi), %r9
	adcq	24(%rdx), %r9
	movq	%r9, 24(%rdi)
	leaq	32(%rsi), %rsi
	leaq	32(%rdx), %rdx
	leaq	32(%rdi), %rdi
	decq	%rcx
	jne	1b
### sapphirerapids: pointer chase: merge of two sorted arrays, clang -O1
# says: mov 5 (line 1), cmp 1 (line 5), setle 1 (line 7), lea 2 (line 10) | The address of each load depends on | instead of the comparison in the address | Several independent chains in one loop would | !instead of links
1:	movl	(%rsi), %r8d
	movl	(%rdx), %eax
	xorl	%r10d, %r10d
	xorl	%r11d, %r11d
	cmpl	%eax, %r8d
	setg	%r10b
	setle	%r11b
	cmovlel	%r8d, %eax
	movl	%eax, (%rdi,%r9,4)
	leaq	(%rsi,%r11,4), %rsi
	leaq	(%rdx,%r10,4), %rdx
	incq	%r9
	cmpq	%r9, %rcx
	jne	1b
### golden-cove-charted: pointer chase: CRC-32 by four tables
# says: Chain of table look-ups of 10.00 | The index of each look-up depends on the result of the previous one | Several independent inputs in one loop | !links
1:	xorl	(%rdi), %eax
	addq	$4, %rdi
	movl	%eax, %esi
	movzbl	%al, %edx
	movl	%eax, %r8d
	movzbl	%ah, %eax
	shrl	$16, %esi
	movl	%eax, %eax
	shrl	$24, %r8d
	movl	3072(%rcx,%rdx,4), %edx
	movzbl	%sil, %esi
	xorl	(%rcx,%r8,4), %edx
	xorl	2048(%rcx,%rax,4), %edx
	movl	%edx, %eax
	xorl	1024(%rcx,%rsi,4), %eax
	cmpq	%rdi, %r9
	jne	1b
### sapphirerapids: pointer chase: links that are indices
# says: The index of each load is the result of the previous load | Several independent chains in one loop would | !instead of links
1:	movslq	(%rdi,%rax,4), %rax
	incl	%ecx
	testl	%eax, %eax
	jns	1b
### golden-cove-charted: pointer chase: records of their own length
# says: movzx 6 (line 1), add 1 (line 2) | The address of each load depends on | !instead of links | mispredicted branches on loaded data: jnbe (line 4)
1:	movzwl	2(%rdi), %eax
	addq	%rax, %rdi
	cmpq	%rdi, %rsi
	ja	1b
### golden-cove-charted: pointer chase: links relative to themselves
# says: add 6 (line 1) | The address of each load is the result of the previous load | Arrays instead of links
1:	addq	(%rdi), %rdi
	decq	%rcx
	jne	1b
### neoverse-v2: pointer chase: list with a prefetch, AArch64
# says: ldp 4 (line 1) | The address of each load | Arrays instead of links
.L1:	ldp	x1, x3, [x0]
	prfm	pldl1keep, [x1]
	add	x4, x4, x3
	mov	x0, x1
	cbnz	x0, .L1
### neoverse-v2: induction variable: copy of a string, AArch64
# says: ldrb (line 1) steps the variable once per iteration | not an accumulator | mispredicted branches on loaded data: cbnz (line 3) | !Split
.L1:	ldrb	w8, [x1], #1
	strb	w8, [x0], #1
	cbnz	w8, .L1
### neoverse-v2: issue width+prefix scan: running sum, clang -O2, AArch64
# says: issue width (4 µops for ports S0, S1, S2 and S3, 4 per cycle) and the prefix scan (add (line 3)) | !the reduction
.L1:	ldr	w9, [x1], #4
	subs	x2, x2, #1
	add	w8, w9, w8
	str	w8, [x0], #4
	b.ne	.L1
### neoverse-v2: reduction: sum whose accumulator changes its register, AArch64
# says: add 1 (line 2), add 1 (line 3) wait for the accumulator | 3 accumulators in an unrolled loop | !round
.L1:	ldp	x3, x4, [x1], #16
	add	x5, x0, x3
	add	x0, x5, x4
	cmp	x1, x2
	b.ne	.L1
### neoverse-n1: reduction: floating-point sum over two registers by turns, AArch64
# says: fadd 2 (line 2), fadd 2 (line 3) wait for the accumulator | Split the accumulator: 4 accumulators | round differently
.L1:	ldp	d2, d3, [x1], #16
	fadd	d1, d0, d2
	fadd	d0, d1, d3
	cmp	x1, x2
	b.ne	.L1
### neoverse-v2: reduction: bytes added up in wider lanes, AArch64
# says: uaddw 2 (line 2), uaddw2 2 (line 3) wait for the accumulator | Split the accumulator | !round
.L1:	ldr	q1, [x0], #16
	uaddw	v0.8h, v0.8h, v1.8b
	uaddw2	v0.8h, v0.8h, v1.16b
	subs	x2, x2, #16
	b.ne	.L1
### neoverse-v2: reduction: dot product, SVE
# says: fmla (line 3) waits for the accumulator | Split the accumulator: 2 accumulators
.L1:	ld1w	{ z1.s }, p0/z, [x0, x3, lsl #2]
	ld1w	{ z2.s }, p0/z, [x1, x3, lsl #2]
	fmla	z0.s, p0/m, z1.s, z2.s
	incw	x3
	whilelo	p0.s, x3, x2
	b.first	.L1
### neoverse-v2: reduction: matrix product by lanes, two accumulators, AArch64
# says: fmla 2 (line 3), fmla 2 (line 5) wait | instead of each of the 2
.L1:	ldr	q2, [x1], #16
	ldr	q3, [x2], #16
	fmla	v0.4s, v2.4s, v3.s[0]
	fmla	v1.4s, v2.4s, v3.s[1]
	fmla	v0.4s, v2.4s, v3.s[2]
	fmla	v1.4s, v2.4s, v3.s[3]
	subs	x3, x3, #1
	b.ne	.L1
### neoverse-v2: ports+recurrence: CRC-32 by instruction, AArch64
# says: port M0 (crc32x 1.00 (line 2)) and the recurrence (crc32x (line 2))
.L1:	ldr	x3, [x1], #8
	crc32x	w0, w0, x3
	subs	x2, x2, #8
	b.ne	.L1
### neoverse-v2: select chain: minimum, AArch64
# says: cmp 1 (line 2), csel 1 (line 3) | Keep the minimum or maximum of several parts of the data
.L1:	ldr	w3, [x1], #4
	cmp	w3, w0
	csel	w0, w3, w0, lt
	cmp	x1, x2
	b.ne	.L1
### neoverse-n1: front end: conversion of integers, AArch64
# says: Front end, decoders: 1.50 cycles | 4 instructions per cycle. Fewer instructions would help. | !first decoder
.L1:	ldr	w4, [x1, x3, lsl 2]
	scvtf	d0, w4
	str	d0, [x0, x3, lsl 3]
	add	x3, x3, 1
	cmp	x2, x3
	bne	.L1
### neoverse-n1: ports: product of a long number and a word, AArch64
# says: Port M is saturated for 6.00 | umulh 3.00 | Fewer operations on these ports would help. | !wider
.L1:	ldr	x6, [x1, x5, lsl 3]
	mul	x4, x2, x6
	umulh	x6, x2, x6
	adds	x4, x4, x0
	cinc	x0, x6, cs
	str	x4, [x7, x5, lsl 3]
	add	x5, x5, 1
	cmp	x3, x5
	bne	.L1
### neoverse-n1: recurrence: a loop with its way out inside, gcc -O2, AArch64
# says: fmul 3 (line 1), fsub 2 (line 9), fadd 2 (line 13) | Assumed: branches predicted correctly. | !data in the first-level cache
.L1:	fmul	d3, d2, d2
	fmul	d5, d4, d4
	fadd	d6, d3, d5
	fcmpe	d6, d7
	bmi	.L2
	fmov	d0, d2
	str	w1, [x0]
	ret
.L2:	fsub	d3, d3, d5
	fadd	d5, d2, d2
	add	w1, w1, 1
	fmadd	d4, d5, d4, d1
	fadd	d2, d3, d0
	cmp	w1, 1000
	bne	.L1
### golden-cove-charted: recurrence: bits packed into a word
# says: shl 1 (line 1), or 1 (line 3) | Each step shifts by a constant and inserts. Combine two steps, (x << 2n) | !multiplies
1:	shlq	$8, %rax
	movzbl	(%rdi), %ecx
	orq	%rcx, %rax
	incq	%rdi
	cmpq	%rdi, %rsi
	jne	1b
### golden-cove-charted: recurrence: bits of a word in reverse, gcc -O2
# says: add 1 (line 2), or 1 (line 5) | shifts by a constant and inserts
1:	movl	%edi, %ecx
	addl	%eax, %eax
	shrl	%edi
	andl	$1, %ecx
	orl	%ecx, %eax
	subl	$1, %edx
	jne	1b
### golden-cove-charted: recurrence: Collatz's odd steps, decided by a branch
# says: lea 2 (line 1) | cannot be split | !two steps
1:	leaq	1(%rdi,%rdi,2), %rdi
	addl	$1, %eax
	cmpq	$1, %rdi
	je	2f
	testb	$1, %dil
	jne	1b
2:
### sapphirerapids: recurrence: points of the Mandelbrot set, gcc -O2
# says: vsubsd 2 (line 1) | cannot be split | Interleave independent data
1:	vsubsd	%xmm4, %xmm2, %xmm2
	vaddsd	%xmm0, %xmm0, %xmm0
	addl	$1, %eax
	vaddsd	%xmm6, %xmm2, %xmm2
	vfmadd132sd	%xmm0, %xmm1, %xmm3
	vmovsd	%xmm2, %xmm2, %xmm0
	cmpl	$1000, %eax
	je	2f
	vmulsd	%xmm0, %xmm0, %xmm2
	vmulsd	%xmm3, %xmm3, %xmm4
	vaddsd	%xmm4, %xmm2, %xmm5
	vcomisd	%xmm5, %xmm7
	ja	1b
2:
### golden-cove-charted: recurrence: carry-less products fold a CRC
# says: vpclmulqdq 3 (line 2), vpxor 1 (line 3), vpxor 1 (line 4) | Interleave independent data
1:	vpclmulqdq	$0x11, %xmm1, %xmm0, %xmm2
	vpclmulqdq	$0x00, %xmm1, %xmm0, %xmm0
	vpxor	(%rdi), %xmm0, %xmm0
	vpxor	%xmm2, %xmm0, %xmm0
	addq	$16, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### zen5-charted: recurrence: rounds of AES, chained
# says: vaesenc 4 (line 1), vaesenc 4 (line 2) | cannot be split | 8 streams
1:	vaesenc	(%rdi), %xmm0, %xmm0
	vaesenc	16(%rdi), %xmm0, %xmm0
	addq	$32, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### zen5-charted: recurrence: Kahan's sum
# says: vsubsd 2 (line 3), vaddsd 2 (line 5), vsubsd 2 (line 6), vsubsd 2 (line 7) | Interleave independent data
1:	vmovsd	(%rdi), %xmm2
	addq	$8, %rdi
	vsubsd	%xmm0, %xmm2, %xmm0
	vmovsd	%xmm1, %xmm1, %xmm2
	vaddsd	%xmm0, %xmm1, %xmm1
	vsubsd	%xmm2, %xmm1, %xmm2
	vsubsd	%xmm0, %xmm2, %xmm0
	cmpq	%rdi, %rax
	jne	1b
### sapphirerapids: reduction: two accumulators of 512 bits
# says: vaddps (line 2) waits for the accumulator | 4 accumulators instead of each of the 2 | then limited by ports 0, 5 and 6
1:	vmovups	(%rdi), %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	64(%rdi), %zmm3
	vaddps	%zmm3, %zmm1, %zmm1
	addq	$128, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### zen5-charted: reduction: sum of the lanes that a mask selects
# says: vaddps (line 3) waits for the accumulator | Split the accumulator: 4 accumulators | !two steps
1:	vmovups	(%rdi), %zmm2
	vcmpltps	%zmm3, %zmm2, %k1
	vaddps	%zmm2, %zmm0, %zmm0{%k1}
	addq	$64, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### zen5-charted: reduction: maximum of bytes, 512 bits
# says: vpmaxub (line 1) waits for the accumulator | !round
1:	vpmaxub	(%rdi), %zmm0, %zmm0
	addq	$64, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### sapphirerapids: reduction: least and greatest, legacy SSE
# says: minss (line 3) waits for the accumulator | 3 accumulators instead of each of the 2
1:	movss	(%rdi,%rax,4), %xmm2
	movaps	%xmm2, %xmm0
	minss	%xmm3, %xmm0
	maxss	%xmm1, %xmm2
	incq	%rax
	movaps	%xmm2, %xmm1
	movaps	%xmm0, %xmm3
	cmpq	%rax, %rsi
	jne	1b
### sapphirerapids: ports+issue width: gather and sum
# says: ports 2, 3 and A (vgatherdps 8.00 (line 4) | fewer loads and fewer instructions. | cache misses of loads whose addresses are loaded: vgatherdps (line 4) | !wider
1:	vmovdqu	(%rsi), %ymm1
	vpcmpeqd	%ymm2, %ymm2, %ymm2
	vxorps	%xmm3, %xmm3, %xmm3
	vgatherdps	%ymm2, (%rdi,%ymm1,4), %ymm3
	vaddps	%ymm3, %ymm0, %ymm0
	addq	$32, %rsi
	cmpq	%rsi, %rdx
	jne	1b
### zen5-charted: issue width: gathers take most of rename
# says: Rename is saturated | 80 µops of vector instructions per iteration (76 of them for vgatherdps), 6 per cycle. | !wider
1:	vxorps	%xmm3, %xmm3, %xmm3
	kxnorw	%k0, %k0, %k1
	vgatherdps	(%rsi,%xmm0,4), %xmm3{%k1}
	vmovups	%xmm3, (%rdi)
	vxorps	%xmm3, %xmm3, %xmm3
	kxnorw	%k0, %k0, %k1
	vgatherdps	(%rsi,%xmm1,4), %xmm3{%k1}
	vmovups	%xmm3, 16(%rdi)
	addq	$256, %rsi
	addq	$32, %rdi
	decq	%rcx
	jne	1b
### golden-cove-charted: issue width+loads and stores: scatter by an index
# says: loads and stores (1 cache-line write, 1 per cycle) | fewer instructions and fewer loads or stores. | !wider
1:	vmovsd	(%rdx,%rax,8), %xmm0
	movslq	(%rsi,%rax,4), %r8
	addq	$1, %rax
	vmovsd	%xmm0, (%rdi,%r8,8)
	cmpq	%rax, %rcx
	jne	1b
### sapphirerapids: loads and stores+taken branch: column of a transpose
# says: loads and stores (1 cache-line write, 1 per cycle) and the taken branch | !wider
1:	movsd	(%rsi,%rax,8), %xmm0
	movsd	%xmm0, (%rdi)
	incq	%rax
	addq	$512, %rdi
	cmpq	%rax, %rdx
	jne	1b
### sapphirerapids: ports: transpose of four by four in registers
# says: Port 5 is saturated for 8.00 | Fewer shuffles
1:	movaps	(%rdi), %xmm0
	movaps	16(%rdi), %xmm1
	movaps	32(%rdi), %xmm2
	movaps	48(%rdi), %xmm3
	movaps	%xmm0, %xmm4
	unpcklps	%xmm1, %xmm4
	unpckhps	%xmm1, %xmm0
	movaps	%xmm2, %xmm5
	unpcklps	%xmm3, %xmm5
	unpckhps	%xmm3, %xmm2
	movaps	%xmm4, %xmm6
	movlhps	%xmm5, %xmm6
	movhlps	%xmm4, %xmm5
	movaps	%xmm0, %xmm7
	movlhps	%xmm2, %xmm7
	movhlps	%xmm0, %xmm2
	movaps	%xmm6, (%rsi)
	movaps	%xmm5, 16(%rsi)
	movaps	%xmm7, 32(%rsi)
	movaps	%xmm2, 48(%rsi)
	addq	$64, %rdi
	addq	$64, %rsi
	cmpq	%rdi, %rdx
	jne	1b
### golden-cove-charted: ports: shuffles have a port that loads use as well
# says: Port 7 is saturated for 3.00 | vmovlhps 1.00 (line 7) | !LD1 | !wider
1:	vmovss	32(%rax), %xmm0
	vinsertps	$0x10, 48(%rax), %xmm0, %xmm1
	addq	$68, %rax
	addq	$80, %rcx
	vmovss	-68(%rax), %xmm0
	vinsertps	$0x10, -52(%rax), %xmm0, %xmm0
	vmovlhps	%xmm1, %xmm0, %xmm0
	vmovups	%xmm0, -80(%rcx)
	cmpq	%rax, %r8
	jne	1b
### zen5-charted: loads and stores: stores of mixed size
# says: Loads and stores take 2.09 cycles | share banks of the first-level cache or cross cache lines
1:	movq	(%rsi,%r8,8), %rax
	movq	%rax, (%rdi)
	movq	%rax, %rcx
	shrq	$3, %rcx
	movl	%ecx, 8(%rdi)
	movq	%rax, %rcx
	shrq	$7, %rcx
	movw	%cx, 12(%rdi)
	shrq	$50, %rax
	movb	%al, 14(%rdi)
	incq	%r8
	addq	$15, %rdi
	cmpq	%r8, %rdx
	jne	1b
### golden-cove-charted: through memory: a sum on the stack during a call
# says: movsd (line 4) loads the value that movsd (line 2) stored, 7.00 cycles | about 2.00 cycles would remain | Called functions are not included
1:	movsd	(%rbx), %xmm0
	movsd	%xmm1, 8(%rsp)
	call	f
	movsd	8(%rsp), %xmm1
	addsd	%xmm0, %xmm1
	addq	$8, %rbx
	cmpq	%rbx, %rbp
	jne	1b
### skylake: through memory: two halves stored, the whole loaded
# says: Store forwarding fails: mov (line 3) loads bytes of which mov (line 2) stored only a part
1:	movl	%eax, (%rdi)
	movl	%edx, 4(%rdi)
	movq	(%rdi), %rax
	addq	%rcx, %rax
	decq	%rsi
	jne	1b
### sapphirerapids: false dependency: root of each element, legacy SSE
# says: sqrtsd (line 1) waits for the old value of its destination, although its result does not depend on it | Zero the register first (xor) | the divider, 6.00 cycles
1:	sqrtsd	(%rdi), %xmm0
	movsd	%xmm0, (%rsi)
	addq	$8, %rdi
	addq	$8, %rsi
	cmpq	%rdi, %rdx
	jne	1b
### zen5-charted: partial register: a word merged into its register
# says: mov (line 1) writes only 16 bits of its register and merges them with the other bits | movzx instead | !False
1:	movw	(%rdi), %ax
	imull	%ecx, %eax
	addq	$2, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### sapphirerapids: ports+taken branch+partial register+reduction: a comparison's byte merged and added
# says: the partial register (setl (line 2)) | a register that is zeroed first or written in full | !the false dependency
1:	cmpl	(%rdi), %ecx
	setl	%al
	addl	%eax, %edx
	addq	$4, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### golden-cove-charted: reduction: padding behind a jump is not executed
# says: add 1 (line 5), sub 1 (line 10) wait | 2 accumulators would take 1.50 cycles or less, then limited by issue width
1:	movl	(%rdi), %eax
	addq	$4, %rdi
	testl	%eax, %eax
	js	3f
	addl	%eax, %edx
	jmp	4f
	nopw	0(%rax,%rax,1)
	nopw	0(%rax,%rax,1)
	nopw	0(%rax,%rax,1)
3:	subl	%eax, %edx
4:	cmpq	%rdi, %rsi
	jne	1b
### sapphirerapids: ports+taken branch: a way out of the loop within it is not executed
# says: Tied limits, 1.00 | ports 0 and 6 (cmp 1.00 (line 2), cmp 1.00 (line 9)) | !imul
1:	movl	(%rdi), %eax
	cmpl	%eax, %ecx
	jne	3f
	movq	%rdi, %rax
	imulq	%rax, %rax
	imulq	%rax, %rax
	ret
3:	addq	$4, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### golden-cove-charted: issue width: branchless partition
# says: 9 µops per iteration | Next limit: the prefix scan, 1.00 cycles | !wider
1:	movl	(%rdi,%rcx,4), %edx
	movl	%edx, (%rsi,%rax,4)
	xorl	%r9d, %r9d
	cmpl	%r8d, %edx
	setl	%r9b
	addq	%r9, %rax
	incq	%rcx
	cmpq	%r10, %rcx
	jne	1b
### zen5-charted: select chain: minimum of integers
# says: cmp 1 (line 2), cmovl 2 (line 3) | Keep the minimum or maximum of several parts of the data
1:	movl	(%rdi), %ecx
	cmpl	%eax, %ecx
	cmovl	%ecx, %eax
	addq	$4, %rdi
	cmpq	%rdi, %rsi
	jne	1b
### sapphirerapids: ports: a variable shift that keeps flags
# says: Ports 0 and 6 are saturated for 2.00 | could be shlx | mispredicted branches on loaded data: jnz (line 9)
1:	movzbl	(%rdi,%rax), %r8d
	movl	%r8d, %edx
	andl	$127, %edx
	shlq	%cl, %rdx
	orq	%rdx, %r9
	addq	$7, %rcx
	incq	%rax
	testb	$-128, %r8b
	jne	1b
### skylake: recurrence: a carry that is merged into a byte and is read from the flag, gcc -O2
# says: movzx 1 (line 3), add 1 (line 6), setb 1 (line 8), or 1 (line 10) | Each step needs the carry | !zeroing
1:	movq	(%r10,%rdx), %rcx
	xorl	%edi, %edi
	movzbl	%al, %eax
	addq	(%rsi,%rdx), %rcx
	setc	%dil
	addq	%rcx, %rax
	movq	%rax, (%r9,%rdx)
	setc	%al
	addq	$8, %rdx
	orl	%edi, %eax
	cmpq	%rdx, %r8
	jne	1b
### skylake: prefix scan: position of a minimum, gcc -O2
# says: comiss (line 2) compares with each partial result | For each of several parts of the data | !add the previous result
1:	movss	(%rdi,%rax,4), %xmm1
	comiss	%xmm1, %xmm0
	minss	%xmm0, %xmm1
	cmova	%eax, %edx
	addq	$1, %rax
	movaps	%xmm1, %xmm0
	cmpq	%rax, %rsi
	jne	1b
### skylake: prefix scan: running minima that are stored
# says: movss (line 3) uses each partial result | then each with the previous result | !add the previous
1:	minss	(%rdi,%rax,4), %xmm0
	addq	$1, %rax
	movss	%xmm0, (%rsi,%rax,4)
	cmpq	%rax, %rdx
	jne	1b
### skylake: front end+select chain: a conditional sum, gcc -O2
# says: a selected addend instead of a selected sum
1:	movslq	(%rdi), %rax
	movq	%rax, %rsi
	addq	%rcx, %rax
	cmpl	%esi, %edx
	cmovg	%rax, %rcx
	addq	$4, %rdi
	cmpq	%rdi, %r8
	jne	1b
### neoverse-v2: select chain: a conditional sum, AArch64, gcc -O2
# says: Select the addend instead of the sum
.L3:	ldr	w1, [x3], 4
	cmp	w2, w1
	add	x1, x0, w1, sxtw
	csel	x0, x1, x0, gt
	cmp	x4, x3
	bne	.L3
### neoverse-v2: recurrence: linear congruential generator by madd
# says: madd 2 (line 2) | multiplies by a constant and adds. Combine two steps | !Split
.L3:	add	x2, x2, 1
	madd	x0, x0, x4, x3
	cmp	x1, x2
	bne	.L3
### znver4: through memory: increments of one place, which the processor renames
# says: 4.00 cycles per iteration in all. This processor renames such memory | !Keep the value in a register
1:	incl	(%rdi)
	incl	(%rdi)
	incl	(%rdi)
	incl	(%rdi)
	addl	$-4, %esi
	jne	1b
### znver4: ports: widened sums in registers of 512 bits
# says: Fewer operations on these ports would help. | !wider vectors
1:	vpmovsxdq	32(%rdi,%rsi), %zmm5
	vpmovsxdq	(%rdi,%rsi), %zmm4
	vpaddq	%zmm5, %zmm1, %zmm1
	vpaddq	%zmm4, %zmm0, %zmm0
	addq	$64, %rsi
	cmpq	%rsi, %rax
	jne	1b
### skylake: issue width: a copy to another stride, whose load has no operation to join
# says: Fewer instructions (unrolling) would help | !folded
1:	movsd	(%rsi), %xmm0
	addq	$8, %rsi
	addq	$8192, %rdi
	movsd	%xmm0, -8192(%rdi)
	cmpq	%rax, %rsi
	jne	1b
### skylake: front end: a call that ends at a boundary, whose result is no chain
# says: Without the called functions: Front end | because of call (line 10) | (-Wa,-malign-branch-boundary=32,-malign-branch=call) | !recurrence
	nop
	nop
	nop
	nop
	nop
	nop
	nop
1:	movabsq	$0x123456789abc, %rdi
	movabsq	$0x123456789abc, %rsi
	call	f
	cltq
	cltq
	subq	$1, %rbx
	jne	1b
### zen5-charted: ports+divider: moves to vector registers, which block a pipe that is no divider
# says: use fewer operations on these ports. | !divi
1:	vmovd	%r14d, %xmm1
	vmovd	%r15d, %xmm2
	addq	$4, %rbx
	cmpq	%rbx, %rbp
	jne	1b
### zen5-charted: microcode: square roots, longer than their ports
# says: Divisions or square roots take 4.50 cycles per iteration, longer than their ports are busy | !Microcoded
1:	vmovss	(%rdi), %xmm1
	vsqrtss	%xmm1, %xmm1, %xmm0
	vmovss	%xmm0, (%rdi)
	addq	$4, %rdi
	cmpq	%rdi, %rbx
	jne	1b
### zen5-charted: through memory+taken branch: a counter in memory, which the processor renames
# says: use interleaved independent data in an unrolled loop | !a register
1:	movl	(%rdi), %eax
	addl	$1, %edx
	addl	$1, %eax
	movl	%eax, (%rdi)
	cmpl	%edx, %esi
	jne	1b
### skylake-avx512: microcode: a gather, longer than its ports
# says: Slow vector instructions take 5.00 cycles per iteration, longer than their ports are busy | vgatherdps 5.00 (line 3) | !Microcoded
1:	vmovdqu	(%rsi), %ymm2
	vmovaps	%ymm3, %ymm4
	vgatherdps	%ymm4, (%rdi,%ymm2,4), %ymm1
	vaddps	%ymm1, %ymm0, %ymm0
	addq	$32, %rsi
	cmpq	%rsi, %rdx
	jne	1b
### neoverse-n1: recurrence: decimal digits by madd, clang -O3
# says: madd 2 (line 2), sub 1 (line 3) | multiplies by a constant and adds. Combine two steps
.L3:	ldrb	w10, [x8], #1
	madd	w0, w0, w9, w10
	sub	w0, w0, #48
	cmp	x8, x11
	b.ne	.L3
### neoverse-n1: reduction: sum of widened words, clang -O3
# says: saddw (line 2) | Split the accumulator | !cannot be split
.L3:	ldr	d1, [x0], #8
	saddw	v0.2d, v0.2d, v1.2s
	cmp	x0, x1
	b.ne	.L3
