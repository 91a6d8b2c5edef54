	.file	"own.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	triad
	.type	triad, @function
triad:
.LFB0:
	.cfi_startproc
	test	r8, r8
	je	.L23
	lea	rax, -1[r8]
	cmp	rax, 2
	jbe	.L8
	mov	r9, r8
	xor	eax, eax
	shr	r9, 2
	sal	r9, 5
	.p2align 4,,10
	.p2align 3
.L4:
	vmovupd	ymm0, YMMWORD PTR [rdx+rax]
	vmovupd	ymm1, YMMWORD PTR [rsi+rax]
	vfmadd132pd	ymm0, ymm1, YMMWORD PTR [rcx+rax]
	vmovupd	YMMWORD PTR [rdi+rax], ymm0
	add	rax, 32
	cmp	rax, r9
	jne	.L4
	test	r8b, 3
	je	.L22
	mov	rax, r8
	and	rax, -4
	vzeroupper
.L3:
	sub	r8, rax
	cmp	r8, 1
	je	.L6
	vmovupd	xmm0, XMMWORD PTR [rdx+rax*8]
	vmovupd	xmm3, XMMWORD PTR [rsi+rax*8]
	vfmadd132pd	xmm0, xmm3, XMMWORD PTR [rcx+rax*8]
	vmovupd	XMMWORD PTR [rdi+rax*8], xmm0
	test	r8b, 1
	je	.L23
	and	r8, -2
	add	rax, r8
.L6:
	vmovsd	xmm0, QWORD PTR [rdx+rax*8]
	vmovsd	xmm2, QWORD PTR [rsi+rax*8]
	vfmadd132sd	xmm0, xmm2, QWORD PTR [rcx+rax*8]
	vmovsd	QWORD PTR [rdi+rax*8], xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L22:
	vzeroupper
.L23:
	ret
.L8:
	xor	eax, eax
	jmp	.L3
	.cfi_endproc
.LFE0:
	.size	triad, .-triad
	.p2align 4
	.globl	product
	.type	product, @function
product:
.LFB1:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	push	r15
	push	r14
	push	r13
	push	r12
	push	rbx
	and	rsp, -32
	sub	rsp, 8
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	mov	QWORD PTR -48[rsp], rsi
	test	ecx, ecx
	jle	.L63
	mov	rbx, rsi
	movsx	rax, ecx
	mov	r15d, ecx
	xor	r14d, r14d
	mov	QWORD PTR -8[rsp], rbx
	lea	ebx, [rcx+rcx]
	mov	r8d, r15d
	xor	r11d, r11d
	mov	DWORD PTR -64[rsp], ebx
	movsx	rbx, ebx
	and	r8d, -4
	lea	rsi, 0[0+rax*8]
	mov	QWORD PTR -80[rsp], rbx
	lea	ebx, -1[rcx]
	shr	ecx, 2
	sal	rcx, 5
	mov	DWORD PTR -12[rsp], ebx
	mov	r9, rcx
	mov	ecx, r15d
	mov	DWORD PTR -92[rsp], r8d
	shr	ecx, 3
	mov	QWORD PTR [rsp], 0
	sal	rcx, 6
	mov	QWORD PTR -88[rsp], r9
	mov	QWORD PTR -56[rsp], rcx
	mov	QWORD PTR -24[rsp], rax
	mov	rax, rdi
.L27:
	xor	r10d, r10d
	cmp	r15d, 2
	jle	.L42
	mov	r12, QWORD PTR -8[rsp]
	xor	ebx, ebx
	cmp	DWORD PTR -12[rsp], 6
	mov	r13d, r15d
	mov	QWORD PTR -40[rsp], rax
	mov	rax, QWORD PTR -56[rsp]
	mov	DWORD PTR -32[rsp], 0
	vmovsd	xmm4, QWORD PTR [r12]
	mov	DWORD PTR -16[rsp], 1
	mov	DWORD PTR -60[rsp], r11d
	mov	QWORD PTR -72[rsp], rsi
	jbe	.L45
.L66:
	movsx	rcx, r13d
	mov	rsi, QWORD PTR -40[rsp]
	vbroadcastsd	ymm2, QWORD PTR 8[r12]
	lea	r9, [rdx+rbx*8]
	lea	r8, [rdx+rcx*8]
	vbroadcastsd	ymm3, xmm4
	xor	ecx, ecx
	.p2align 4,,10
	.p2align 3
.L40:
	vmovupd	ymm1, YMMWORD PTR [r9+rcx]
	vmovupd	ymm0, YMMWORD PTR 32[r9+rcx]
	add	rsi, 64
	vfmadd213pd	ymm1, ymm3, YMMWORD PTR -64[rsi]
	vfmadd213pd	ymm0, ymm3, YMMWORD PTR -32[rsi]
	vfmadd231pd	ymm1, ymm2, YMMWORD PTR [r8+rcx]
	vfmadd231pd	ymm0, ymm2, YMMWORD PTR 32[r8+rcx]
	add	rcx, 64
	vmovupd	YMMWORD PTR -64[rsi], ymm1
	vmovupd	YMMWORD PTR -32[rsi], ymm0
	cmp	rax, rcx
	jne	.L40
	mov	ecx, r15d
	and	ecx, -8
	mov	esi, ecx
	cmp	r15d, ecx
	je	.L28
.L39:
	