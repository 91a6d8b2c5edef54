/* A loop of two vectors at a time, by macros of the preprocessor. */
#define SRC %rsi
#define DST %rdi
#define ENTRY(name) .globl name; name:
#if defined(__x86_64__)
# define STEP(n) vmovupd n(SRC), %ymm##n
#endif
	.text
ENTRY(copy)
1:
	vmovupd	(SRC), %ymm0	/* the first */
	vmovupd	32(SRC), %ymm1
#ifdef NEVER
	garbage
#endif
	vmovupd	%ymm0, (DST)
	vmovupd	%ymm1, 32(DST)
	add	$64, SRC
	add	$64, DST
	dec	%rdx
	jnz	1b
	ret
