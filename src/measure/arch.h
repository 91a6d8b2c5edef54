/* What measuring has of the processor's own: machine code that it makes itself, the way in and out
 * of foreign code with all registers set, the one place that makes system calls. arch_x86_64.c and
 * arch_aarch64.c are both in the library, each empty on the other's processor. Internal to
 * measure/. */
#ifndef PORTOLAN_MEASURE_ARCH_H
#define PORTOLAN_MEASURE_ARCH_H

#include "isa/a64/body.h"
#include "isa/body.h"

/* pages of memory behind those that kernels map, in turn: what a first-level cache holds */
#define SANDBOX_REAL_PAGES 8

/* State that measured code leaves. x86-64. */
struct sandbox_state {
    uint64_t general[32];             /* by number */
    /* the lowest word first; 0 where the set-up has none */
    uint64_t vectors[32][8];
    uint64_t masks[8];
    /* addresses of those that were mapped for it, the first of them */
    uint64_t pages[SANDBOX_REAL_PAGES];
};

/* Values for the entry code in assembler: offsets are numbers there, checked by the compiler. */
struct sandbox_frame {
    uint64_t phase;         /* 0: where a loop jumps at its end */
    uint64_t counter;       /* 8: loop counter in memory (x86-64) */
    uint64_t stack;         /* 16: the child's own stack pointer */
    uint64_t target;        /* 24: the loop */
    uint64_t warm, count;   /* 32, 40 */
    uint64_t start, end;    /* 48, 56: time stamps */
    uint32_t vectors;       /* 64 */
    uint32_t counter_register;   /* 68: its number; x86-64: 0: in memory */
    uint32_t control;       /* 72: mxcsr, fpcr */
    /* 76: x86-64: vzeroupper at the end; AArch64: z29 to z31 hold addresses and zeros */
    uint32_t clean;
    uint64_t general[32];   /* 80: AArch64: sp is the last */
    uint64_t masks;         /* 336: of x86-64's mask registers */
    uint64_t passes;        /* 344: of the timed part, at least 1 */
    /* 352: vector register i begins at values[i]; the widest has 2,048 bits */
    uint64_t values[64];
    struct sandbox_frame *self;  /* 864 */
    uint64_t keeps;         /* 872: what the registers hold in the end goes to @state (x86-64) */
    struct sandbox_state state;  /* 880 */
};

/* Where things lie: code, thread-local words, memory and stack in one stretch, so that code reaches
 * its data relative to itself. */
#if defined(__aarch64__)
#define AREA_PART 0x40000     /* pages may have 64 KiB */
#else
#define AREA_PART 0x10000
#endif
#define AREA_CODE ((size_t)8 << 20)
#define AREA_LOCAL (AREA_CODE + AREA_PART)   /* x86-64: where fs leads; only read */
#define AREA_LOADS (AREA_LOCAL + AREA_PART)
#define AREA_STORES (AREA_LOADS + AREA_PART)
#define AREA_STACK (AREA_STORES + AREA_PART)
#define AREA_STACK_SIZE AREA_PART
#define AREA_SIZE (AREA_STACK + AREA_STACK_SIZE + AREA_PART)
/* Pages in the middle of each part are there, the others guard. */
#define AREA_PAGES_AT (AREA_PART / 4)
#define AREA_PAGES (AREA_PART / 4)

/* Runs frame->target with frame->warm iterations, then with frame->count, with all registers set
 * before each, and stamps the second. Returns 0, or the argument of sandbox_escape. */
unsigned sandbox_enter(struct sandbox_frame *frame);
/* Signal handler's way out: leaves the foreign code wherever it stands; sandbox_enter returns
 * @fault. */
void sandbox_escape(unsigned fault) __attribute__((noreturn));
/* A system call without libc; the kernel lets only the address sandbox_syscall_site make them.
 * Negative: -errno. */
long sandbox_syscall(long number, long a, long b, long c, long d, long e, long f);
extern const char sandbox_syscall_site[], sandbox_sigreturn[], sandbox_sigreturn_site[];
/* Continues as @go(@given) on the stack that ends at @stack, aligned to 16 bytes; @go never
 * returns. */
void arch_continue(void *stack, void (*go)(void *given), void *given) __attribute__((noreturn));
/* Has the thread register that measured code cannot read or change lead to @frame; on x86-64 the
 * other one, which it can use, to @local. libc is not usable any more. */
void arch_thread_set(struct sandbox_frame *frame, void *local);
/* Where that leads, from then on; and where libc's thread pointer leads, before. */
struct sandbox_frame *arch_frame(void);
void *arch_thread(void);

/* Instructions that stand in bodies' registers: one dependent addition, one dependent
 * multiplication, a nop, two additions that wait for nothing, five comparisons and a nop, which
 * wait for nothing either; the beginning and a link of a chain of slow operations, of no length
 * where no two threads share a core. */
struct arch_code { uint8_t bytes[24]; uint8_t length; };
extern const struct arch_code arch_chain, arch_second_chain, arch_nop, arch_pair, arch_ports,
    arch_room_begin, arch_room_link;

/* Bytes that a loop needs before its first instruction, how long it can be for its branch, and the
 * register in which the loops of bodies count. */
#if defined(__aarch64__)
#define ARCH_RSEQ_SIGNATURE 0xd428bc00u   /* of restartable sequences, as libc registers them */
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
/* Writes the values that entry still has to set at @at of the code area @code. Returns how many,
 * ARCH_BEGIN_LENGTH. */
size_t arch_loop_begin(uint8_t *code, size_t at);
/* Writes at @end what counts down, branches back to @start and at last jumps through frame->phase;
 * returns its length, at most 32. @counter: enum sandbox_counter. */
size_t arch_loop_end(uint8_t *code, size_t start, size_t end, unsigned counter);
/* A load at @offset bytes of the loads' window, general of 8 bytes or vector of 16; returns its
 * length, at most 8. */
size_t arch_load(uint8_t *out, bool vector, unsigned offset);

/* Set-up that code of @body needs on this CPU; what the chains and the probe need. */
unsigned arch_setup(const struct body *body);
unsigned arch_setup_plain(const struct sandbox_frame *frame);
/* What stays the same in every run; what kernels have besides their general registers; the
 * registers of bodies, the pointer to loads @loads_at bytes further on. */
void arch_frame_begin(struct sandbox_frame *frame);
void arch_frame_kernel(struct sandbox_frame *frame);
void arch_frame_fill(struct sandbox_frame *frame, const uint8_t *area, size_t loads_at);
/* Address of the instruction that raised the signal with @context. */
uint64_t arch_fault_code(const void *context);
/* Has the processor that calls see the new instructions. */
void arch_code_changed(uint8_t *code, size_t length);
/* Whether frame->keeps is heeded. */
bool arch_has_states(void);
/* Advice on measuring on this kind of processor; NULL: none. */
const char *arch_remark(void);

#endif
