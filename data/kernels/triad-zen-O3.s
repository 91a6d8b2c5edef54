# Schönauer vector triad a[i] = b[i] + c[i] * d[i], gcc -O3 -march=znver1 (OSACA paper, table IV): one iteration does two elements.
.L10:
	vmovaps (%r15,%rax), %xmm0
	vmovaps (%r12,%rax), %xmm3
	addl $1, %ecx
	vfmadd132pd 0(%r13,%rax), %xmm3, %xmm0
	vmovaps %xmm0, (%r14,%rax)
	addq $16, %rax
	cmpl %ecx, %r10d
	ja .L10
