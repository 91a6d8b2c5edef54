/* Processor-dependent part of measuring: generated machine code, entry to and exit from foreign
 * code with all registers set, and the only place with system calls. arch_x86_64.c and
 * arch_aarch64.c are both compiled, each empty on the other processor. Internal to measure/. */
#ifndef PORTOLAN_MEASURE_ARCH_H
#define PORTOLAN_MEASURE_ARCH_H

#include "isa/a64/body.h"
#include "isa/body.h"

/* memory pages used in rotation for the pages that kernels map: as many as a first-level cache
 * holds */
#define SANDBOX_REAL_PAGES 8

/* Registers and pages after measured code. x86-64. */
struct sandbox_state {
    uint64_t general[32];             /* by number */
    /* lowest word first; 0 where the set-up has no vectors */
    uint64_t vectors[32][8];
    uint64_t masks[8];
    /* first of the page addresses mapped for it */
    uint64_t pages[SANDBOX_REAL_PAGES];
};

/* Values for the entry code in assembler, which uses these offsets as numbers; the compiler checks
 * them. */
struct sandbox_frame {
    uint64_t phase;         /* 0: target of the jump at the end of a loop */
    uint64_t counter;       /* 8: loop counter in memory (x86-64) */
    uint64_t stack;         /* 16: the child's own stack pointer */
    uint64_t target;        /* 24: the loop */
    uint64_t warm, count;   /* 32, 40 */
    uint64_t start, end;    /* 48, 56: time stamps */
    uint32_t vectors;       /* 64 */
    uint32_t counter_register;   /* 68: its number; x86-64: 0: in memory */
    uint32_t control;       /* 72: mxcsr, fpcr */
    /* 76: x86-64: vzeroupper at the end; AArch64: z29 to z31 are addresses and zeros */
    uint32_t clean;
    uint64_t general[32];   /* 80: AArch64: sp is the last */
    uint64_t masks;         /* 336: x86-64 mask registers */
    uint64_t passes;        /* 344: of the timed part, at least 1 */
    /* 352: vector register i begins at values[i]; the widest has 2,048 bits */
    uint64_t values[64];
    struct sandbox_frame *self;  /* 864 */
    uint64_t keeps;         /* 872: stores the final registers to @state (x86-64) */
    struct sandbox_state state;  /* 880 */
};

/* Layout of the area: code, thread-local words, memory and stack are contiguous, so that code
 * addresses its data relative to itself. */
#if defined(__aarch64__)
#define AREA_PART 0x40000     /* pages may have 64 KiB */
#else
#define AREA_PART 0x10000
#endif
#define AREA_CODE ((size_t)8 << 20)
#define AREA_LOCAL (AREA_CODE + AREA_PART)   /* x86-64: base of fs; read-only */
#define AREA_LOADS (AREA_LOCAL + AREA_PART)
#define AREA_STORES (AREA_LOADS + AREA_PART)
#define AREA_STACK (AREA_STORES + AREA_PART)
#define AREA_STACK_SIZE AREA_PART
#define AREA_SIZE (AREA_STACK + AREA_STACK_SIZE + AREA_PART)
/* Only pages in the middle of each part are mapped; the others are guards. */
#define AREA_PAGES_AT (AREA_PART / 4)
#define AREA_PAGES (AREA_PART / 4)

/* Runs frame->target with frame->warm iterations, then with frame->count, with all registers set
 * before each; takes time stamps around the second. Returns 0, or the argument of
 * sandbox_escape. */
unsigned sandbox_enter(struct sandbox_frame *frame);
/* Called by the signal handler to leave foreign code at any point; sandbox_enter returns @fault. */
void sandbox_escape(unsigned fault) __attribute__((noreturn));
/* Makes a system call without libc; the kernel permits them only from sandbox_syscall_site.
 * Negative: -errno. */
long sandbox_syscall(long number, long a, long b, long c, long d, long e, long f);
extern const char sandbox_syscall_site[], sandbox_sigreturn[], sandbox_sigreturn_site[];
/* Continues as @go(@given) on the stack that ends at @stack, 16-byte aligned; @go never returns. */
void arch_continue(void *stack, void (*go)(void *given), void *given) __attribute__((noreturn));
/* Sets the thread register that measured code cannot access to @frame; on x86-64 also the one that
 * it can use, to @local. libc is unusable afterwards. */
void arch_thread_set(struct sandbox_frame *frame, void *local);
/* Returns @frame after that call; and libc's thread pointer before it. */
struct sandbox_frame *arch_frame(void);
void *arch_thread(void);

/* Instruction sequences that use the registers of bodies: a dependent addition; a dependent
 * multiplication; a nop; two independent additions; five independent comparisons and a nop; the
 * first and a further link of a chain of slow operations, empty where cores have a single
 * thread. */
struct arch_code { uint8_t bytes[24]; uint8_t length; };
extern const struct arch_code arch_chain, arch_second_chain, arch_nop, arch_pair, arch_ports,
    arch_room_begin, arch_room_link;

/* Bytes before the first instruction of a loop, longest loop for its branch, and the counter
 * register of bodies. */
#if defined(__aarch64__)
#define ARCH_RSEQ_SIGNATURE 0xd428bc00u   /* for restartable sequences, as libc registers them */
#define ARCH_BEGIN_LENGTH 8
#define ARCH_LOOP_LIMIT (1024 * 1024 - 256)
#define ARCH_COUNTER A64_COUNTER
#define ARCH_CANARY_COUNTER (COUNTER_REGISTER + 28)
#else
#define ARCH_RSEQ_SIGNATURE 0x53053053u
#define ARCH_BEGIN_LENGTH 0
#define ARCH_LOOP_LIMIT AREA_CODE
#define ARCH_COUNTER BODY_COUNTER
#define ARCH_CANARY_COUNTER COUNTER_MEMORY
#endif
/* Writes the values that entry must still set to @at of the code area @code. Returns their length,
 * ARCH_BEGIN_LENGTH. */
size_t arch_loop_begin(uint8_t *code, size_t at);
/* Writes the loop end at @end: decrements, branches to @start, and finally jumps through
 * frame->phase. Returns its length, at most 32. @counter: enum sandbox_counter. */
size_t arch_loop_end(uint8_t *code, size_t start, size_t end, unsigned counter);
/* Writes a load at @offset bytes of the loads' window, general of 8 bytes or vector of 16; returns
 * its length, at most 8. */
size_t arch_load(uint8_t *out, bool vector, unsigned offset);

/* Vector set-up that code of @body needs on this CPU; and that of the chains and probes. */
unsigned arch_setup(const struct body *body);
unsigned arch_setup_plain(const struct sandbox_frame *frame);
/* Sets the constant members; those for kernels except general registers; and the registers of
 * bodies, with the pointer for loads @loads_at bytes further on. */
void arch_frame_begin(struct sandbox_frame *frame);
void arch_frame_kernel(struct sandbox_frame *frame);
void arch_frame_fill(struct sandbox_frame *frame, const uint8_t *area, size_t loads_at);
/* Address of the instruction that raised the signal with @context. */
uint64_t arch_fault_code(const void *context);
/* Makes new instructions visible to the calling processor. */
void arch_code_changed(uint8_t *code, size_t length);
/* Returns whether frame->keeps is supported. */
bool arch_has_states(void);
/* Advice on measuring on this kind of processor; NULL: none. */
const char *arch_remark(void);

#endif
