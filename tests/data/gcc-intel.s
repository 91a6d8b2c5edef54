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
	mov	r10d, r15d
	sub	r10d, esi
	lea	r8d, -1[r10]
	cmp	r8d, 2
	jbe	.L29
	mov	r8, QWORD PTR [rsp]
	lea	r9, [rsi+rbx]
	vmovddup	xmm0, xmm4
	lea	r11, [rdx+r9*8]
	movsx	r9, r13d
	add	r8, rsi
	vmovupd	xmm2, XMMWORD PTR [r11]
	add	r9, rsi
	lea	r8, [rdi+r8*8]
	lea	rsi, [rdx+r9*8]
	vfmadd213pd	xmm2, xmm0, XMMWORD PTR [r8]
	vmovupd	xmm7, XMMWORD PTR 16[r8]
	vfmadd132pd	xmm0, xmm7, XMMWORD PTR 16[r11]
	mov	r11d, DWORD PTR -16[rsp]
	lea	r9d, [r11+r14]
	mov	r11, QWORD PTR -48[rsp]
	movsx	r9, r9d
	vmovddup	xmm1, QWORD PTR [r11+r9*8]
	vfmadd231pd	xmm2, xmm1, XMMWORD PTR [rsi]
	vfmadd132pd	xmm1, xmm0, XMMWORD PTR 16[rsi]
	mov	esi, r10d
	and	esi, -4
	add	ecx, esi
	and	r10d, 3
	vmovupd	XMMWORD PTR [r8], xmm2
	vmovupd	XMMWORD PTR 16[r8], xmm1
	je	.L28
.L29:
	mov	r10d, DWORD PTR -32[rsp]
	lea	esi, [r14+rcx]
	lea	r8d, 0[r13+rcx]
	vmovsd	xmm0, QWORD PTR 8[r12]
	movsx	rsi, esi
	movsx	r8, r8d
	lea	r9, [rdi+rsi*8]
	lea	esi, [r10+rcx]
	movsx	rsi, esi
	vmovsd	xmm1, QWORD PTR [rdx+rsi*8]
	vfmadd213sd	xmm1, xmm4, QWORD PTR [r9]
	lea	esi, 1[rcx]
	vfmadd231sd	xmm1, xmm0, QWORD PTR [rdx+r8*8]
	vmovsd	QWORD PTR [r9], xmm1
	cmp	r15d, esi
	jle	.L28
	lea	r8d, [r14+rsi]
	add	ecx, 2
	movsx	r8, r8d
	lea	r9, [rdi+r8*8]
	lea	r8d, [r10+rsi]
	add	esi, r13d
	movsx	r8, r8d
	movsx	rsi, esi
	vmovsd	xmm1, QWORD PTR [rdx+r8*8]
	vfmadd213sd	xmm1, xmm4, QWORD PTR [r9]
	vfmadd231sd	xmm1, xmm0, QWORD PTR [rdx+rsi*8]
	vmovsd	QWORD PTR [r9], xmm1
	cmp	r15d, ecx
	jle	.L28
	lea	esi, [r14+rcx]
	movsx	rsi, esi
	lea	r8, [rdi+rsi*8]
	lea	esi, [r10+rcx]
	add	ecx, r13d
	movsx	rsi, esi
	vmovsd	xmm7, QWORD PTR [r8]
	movsx	rcx, ecx
	vfmadd132sd	xmm4, xmm7, QWORD PTR [rdx+rsi*8]
	vfmadd132sd	xmm0, xmm4, QWORD PTR [rdx+rcx*8]
	vmovsd	QWORD PTR [r8], xmm0
.L28:
	mov	esi, DWORD PTR -16[rsp]
	add	r12, 16
	lea	ecx, 2[rsi]
	mov	esi, DWORD PTR -64[rsp]
	add	DWORD PTR -32[rsp], esi
	add	r13d, esi
	mov	rsi, QWORD PTR -80[rsp]
	add	rbx, rsi
	mov	esi, DWORD PTR -12[rsp]
	cmp	ecx, esi
	jge	.L65
	cmp	DWORD PTR -12[rsp], 6
	vmovsd	xmm4, QWORD PTR [r12]
	mov	DWORD PTR -16[rsp], ecx
	ja	.L66
.L45:
	xor	esi, esi
	xor	ecx, ecx
	jmp	.L39
.L65:
	mov	r10d, DWORD PTR -16[rsp]
	mov	r11d, DWORD PTR -60[rsp]
	mov	rsi, QWORD PTR -72[rsp]
	mov	rax, QWORD PTR -40[rsp]
	add	r10d, 1
.L42:
	movsx	r13, r10d
	imul	r10d, r15d
	mov	QWORD PTR -32[rsp], rsi
	mov	r8d, DWORD PTR -92[rsp]
	mov	DWORD PTR -16[rsp], r11d
	mov	r11, QWORD PTR -88[rsp]
	movsx	r12, r10d
	.p2align 4,,10
	.p2align 3
.L37:
	mov	rbx, QWORD PTR -8[rsp]
	cmp	DWORD PTR -12[rsp], 2
	vmovsd	xmm0, QWORD PTR [rbx+r13*8]
	jbe	.L44
	lea	rsi, [rdx+r12*8]
	vbroadcastsd	ymm2, xmm0
	xor	ecx, ecx
	.p2align 4,,10
	.p2align 3
.L33:
	vmovupd	ymm1, YMMWORD PTR [rsi+rcx]
	vfmadd213pd	ymm1, ymm2, YMMWORD PTR [rax+rcx]
	vmovupd	YMMWORD PTR [rax+rcx], ymm1
	add	rcx, 32
	cmp	rcx, r11
	jne	.L33
	cmp	r15d, r8d
	je	.L34
	mov	esi, r8d
	mov	ecx, r8d
.L32:
	mov	r9d, r15d
	sub	r9d, esi
	cmp	r9d, 1
	je	.L35
	mov	rbx, QWORD PTR [rsp]
	vmovddup	xmm1, xmm0
	add	rbx, rsi
	add	rsi, r12
	lea	rbx, [rdi+rbx*8]
	vmovupd	xmm6, XMMWORD PTR [rbx]
	vfmadd132pd	xmm1, xmm6, XMMWORD PTR [rdx+rsi*8]
	vmovupd	XMMWORD PTR [rbx], xmm1
	test	r9b, 1
	je	.L34
	and	r9d, -2
	add	ecx, r9d
.L35:
	lea	esi, [r14+rcx]
	add	ecx, r10d
	movsx	rsi, esi
	movsx	rcx, ecx
	lea	rsi, [rdi+rsi*8]
	vmovsd	xmm5, QWORD PTR [rsi]
	vfmadd132sd	xmm0, xmm5, QWORD PTR [rdx+rcx*8]
	vmovsd	QWORD PTR [rsi], xmm0
.L34:
	mov	rbx, QWORD PTR -24[rsp]
	add	r13, 1
	add	r10d, r15d
	add	r12, rbx
	cmp	r15d, r13d
	jg	.L37
	mov	r11d, DWORD PTR -16[rsp]
	mov	rsi, QWORD PTR -32[rsp]
	add	r14d, r15d
	add	QWORD PTR -8[rsp], rsi
	add	r11d, 1
	add	QWORD PTR [rsp], rbx
	add	rax, rsi
	cmp	r15d, r11d
	jne	.L27
	vzeroupper
.L63:
	lea	rsp, -40[rbp]
	pop	rbx
	pop	r12
	pop	r13
	pop	r14
	pop	r15
	pop	rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L44:
	.cfi_restore_state
	xor	esi, esi
	xor	ecx, ecx
	jmp	.L32
	.cfi_endproc
.LFE1:
	.size	product, .-product
	.p2align 4
	.globl	length
	.type	length, @function
length:
.LFB2:
	.cfi_startproc
	cmp	BYTE PTR [rdi], 0
	je	.L69
	sub	rsp, 8
	.cfi_def_cfa_offset 16
	add	rdi, 1
	call	strlen@PLT
	add	rsp, 8
	.cfi_def_cfa_offset 8
	add	eax, 1
	ret
	.p2align 4,,10
	.p2align 3
.L69:
	xor	eax, eax
	ret
	.cfi_endproc
.LFE2:
	.size	length, .-length
	.p2align 4
	.globl	apply
	.type	apply, @function
apply:
.LFB3:
	.cfi_startproc
	push	r13
	.cfi_def_cfa_offset 16
	.cfi_offset 13, -16
	push	r12
	.cfi_def_cfa_offset 24
	.cfi_offset 12, -24
	push	rbp
	.cfi_def_cfa_offset 32
	.cfi_offset 6, -32
	push	rbx
	.cfi_def_cfa_offset 40
	.cfi_offset 3, -40
	sub	rsp, 8
	.cfi_def_cfa_offset 48
	test	esi, esi
	jle	.L77
	mov	r13, rdi
	mov	r12d, esi
	xor	ebx, ebx
	xor	ebp, ebp
	.p2align 4,,10
	.p2align 3
.L76:
	mov	edi, ebx
	add	ebx, 1
	call	r13
	add	ebp, eax
	cmp	r12d, ebx
	jne	.L76
	add	rsp, 8
	.cfi_remember_state
	.cfi_def_cfa_offset 40
	mov	eax, ebp
	pop	rbx
	.cfi_def_cfa_offset 32
	pop	rbp
	.cfi_def_cfa_offset 24
	pop	r12
	.cfi_def_cfa_offset 16
	pop	r13
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L77:
	.cfi_restore_state
	add	rsp, 8
	.cfi_def_cfa_offset 40
	xor	ebp, ebp
	pop	rbx
	.cfi_def_cfa_offset 32
	mov	eax, ebp
	pop	rbp
	.cfi_def_cfa_offset 24
	pop	r12
	.cfi_def_cfa_offset 16
	pop	r13
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE3:
	.size	apply, .-apply
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
