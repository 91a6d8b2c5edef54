# Loops that no cost of memory was fitted to, for bench/memory.sh; labels: kind and work.
stream_sum4d:
	vaddpd	(%rdi,%rax),%ymm0,%ymm0
	vaddpd	32(%rdi,%rax),%ymm1,%ymm1
	vaddpd	64(%rdi,%rax),%ymm2,%ymm2
	vaddpd	96(%rdi,%rax),%ymm3,%ymm3
	addq	$128,%rax
	jne	stream_sum4d
stream_scale:
	movupd	(%rsi,%rax),%xmm0
	mulpd	%xmm1,%xmm0
	movupd	%xmm0,(%rdi,%rax)
	addq	$16,%rax
	jne	stream_scale
stream_addz:
	vmovupd	(%rsi,%rax),%zmm0
	vaddpd	(%rdx,%rax),%zmm0,%zmm0
	vmovupd	%zmm0,(%rdi,%rax)
	addq	$64,%rax
	jne	stream_addz
stream_triad_s:
	movsd	(%rdx,%rax),%xmm0
	mulsd	%xmm1,%xmm0
	addsd	(%rsi,%rax),%xmm0
	movsd	%xmm0,(%rdi,%rax)
	addq	$8,%rax
	jne	stream_triad_s
stream_dotf:
	vmovups	(%rsi,%rax),%ymm0
	vfmadd231ps	(%rdi,%rax),%ymm0,%ymm1
	vmovups	32(%rsi,%rax),%ymm2
	vfmadd231ps	32(%rdi,%rax),%ymm2,%ymm3
	addq	$64,%rax
	jne	stream_dotf
stream_axpyz:
	vmovupd	(%rsi,%rax),%zmm0
	vfmadd213pd	(%rdi,%rax),%zmm2,%zmm0
	vmovupd	%zmm0,(%rdi,%rax)
	addq	$64,%rax
	jne	stream_axpyz
stream_memset_y:
	vmovups	%ymm0,(%rdi)
	vmovups	%ymm0,32(%rdi)
	vmovups	%ymm0,64(%rdi)
	vmovups	%ymm0,96(%rdi)
	addq	$128,%rdi
	jne	stream_memset_y
stream_cvt:
	cvtdq2pd	(%rsi),%xmm0
	movupd	%xmm0,(%rdi)
	addq	$8,%rsi
	addq	$16,%rdi
	jne	stream_cvt
stream_four_in:
	vmovupd	(%rsi,%rax),%ymm0
	vaddpd	(%rdx,%rax),%ymm0,%ymm0
	vmulpd	(%rcx,%rax),%ymm0,%ymm0
	vsubpd	(%r8,%rax),%ymm0,%ymm0
	vmovupd	%ymm0,(%rdi,%rax)
	addq	$32,%rax
	jne	stream_four_in
stream_twoout:
	vmovupd	(%rsi,%rax),%ymm0
	vaddpd	%ymm1,%ymm0,%ymm2
	vmovupd	%ymm2,(%rdi,%rax)
	vsubpd	%ymm1,%ymm0,%ymm2
	vmovupd	%ymm2,(%rdx,%rax)
	addq	$32,%rax
	jne	stream_twoout
stream_backsum:
	addq	-8(%rdi),%rax
	addq	-16(%rdi),%rbx
	subq	$16,%rdi
	jne	stream_backsum
stream_absf:
	vandps	(%rdi),%ymm1,%ymm0
	vmovups	%ymm0,(%rdi)
	addq	$32,%rdi
	jne	stream_absf
core_horner:
	movsd	(%rsi,%rax),%xmm0
	mulsd	%xmm0,%xmm1
	addsd	%xmm2,%xmm1
	movsd	%xmm1,(%rdi,%rax)
	addq	$8,%rax
	jne	core_horner
core_divs:
	movss	(%rsi,%rax),%xmm0
	divss	(%rdx,%rax),%xmm0
	movss	%xmm0,(%rdi,%rax)
	addq	$4,%rax
	jne	core_divs
core_crc:
	crc32q	(%rdi),%rax
	addq	$8,%rdi
	jne	core_crc
core_popcnt:
	popcntq	(%rdi),%rcx
	addq	%rcx,%rax
	popcntq	8(%rdi),%rdx
	addq	%rdx,%rax
	addq	$16,%rdi
	jne	core_popcnt
nontemporal_ntfill:
	vmovntps	%zmm0,(%rdi)
	addq	$64,%rdi
	jne	nontemporal_ntfill
nontemporal_ntcopy:
	vmovups	(%rsi,%rax),%ymm0
	vmovntps	%ymm0,(%rdi,%rax)
	addq	$32,%rax
	jne	nontemporal_ntcopy
chain_list24:
	movq	(%rax),%rax
	movq	16(%rax),%rdx
	addq	%rdx,%rbx
	jne	chain_list24
chain_chase2:
	movq	(%rax),%rax
	movq	(%rax),%rax
	jne	chain_chase2
stencil_jac2d:
	vmovupd	-8(%rsi,%rax),%ymm0
	vaddpd	8(%rsi,%rax),%ymm0,%ymm0
	vaddpd	-32768(%rsi,%rax),%ymm0,%ymm0
	vaddpd	32768(%rsi,%rax),%ymm0,%ymm0
	vmulpd	%ymm1,%ymm0,%ymm0
	vmovupd	%ymm0,(%rdi,%rax)
	addq	$32,%rax
	jne	stencil_jac2d
stencil_blur3:
	vmovups	(%rsi,%rax),%ymm0
	vaddps	4(%rsi,%rax),%ymm0,%ymm0
	vaddps	8(%rsi,%rax),%ymm0,%ymm0
	vmulps	%ymm1,%ymm0,%ymm0
	vmovups	%ymm0,(%rdi,%rax)
	addq	$32,%rax
	jne	stencil_blur3
random_gather8:
	movl	(%rsi,%rax,4),%ecx
	addq	(%rdi,%rcx,8),%rdx
	addq	$1,%rax
	jne	random_gather8
random_hist:
	movl	(%rsi,%rax,4),%ecx
	incl	(%rdi,%rcx,4)
	addq	$1,%rax
	jne	random_hist
random_scatter:
	movl	(%rsi,%rax,4),%ecx
	movsd	%xmm0,(%rdi,%rcx,8)
	addq	$1,%rax
	jne	random_scatter
random_spmv:
	movl	(%rsi,%rax,4),%ecx
	movsd	(%rdi,%rcx,8),%xmm0
	mulsd	(%rdx,%rax,8),%xmm0
	addsd	%xmm0,%xmm1
	addq	$1,%rax
	jne	random_spmv
stride_stride128:
	movsd	(%rdi),%xmm0
	addsd	%xmm0,%xmm1
	addq	$128,%rdi
	jne	stride_stride128
stride_stride320:
	addq	(%rdi),%rax
	addq	$320,%rdi
	jne	stride_stride320
stride_stride512:
	addq	(%rdi),%rax
	addq	512(%rdi),%rbx
	addq	$1024,%rdi
	jne	stride_stride512
stride_updstride:
	addq	$1,(%rdi)
	addq	$192,%rdi
	jne	stride_updstride
stride_aos48:
	movsd	(%rdi),%xmm0
	addsd	24(%rdi),%xmm0
	movsd	%xmm0,8(%rdi)
	addq	$48,%rdi
	jne	stride_aos48
stride_fields:
	movl	(%rdi),%ecx
	addl	32(%rdi),%ecx
	movl	%ecx,(%rsi)
	addq	$64,%rdi
	addq	$4,%rsi
	jne	stride_fields
