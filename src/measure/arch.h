/* Processor-dependent part of measuring: generated machine code, and the entry to and exit from
 * foreign code with all registers set. Only the arch files contain system call instructions.
 * arch_x86_64.c and arch_aarch64.c are both compiled, but only the host's has contents. Internal to
 * measure/. */
#ifndef PORTOLAN_MEASURE_ARCH_H
#define PORTOLAN_MEASURE_ARCH_H

#include "isa/a64/body.h"
#include "isa/body.h"

/* Number of physical pages to which the pages of a kernel are mapped in rotation. Together they fit
 * in a first-level cache. */
#define SANDBOX_REAL_PAGES 8

/* Registers and pages after measured code ran (x86-64 only) */
struct sandbox_state {
    uint64_t general[32];             /* general registers, indexed by number */
    /* vector registers, lowest word first; 0 if the set-up has no vectors */
    uint64_t vectors[32][8];
    uint64_t masks[8];
    /* addresses of the first pages mapped for the code */
    uint64_t pages[SANDBOX_REAL_PAGES];
};

/* Values for the entry code. The number that begins a member's comment is its byte offset in the
 * entry code's assembler text. Static assertions check the offsets. */
struct sandbox_frame {
    uint64_t phase;         /* 0: target of the jump at the end of the last iteration */
    uint64_t counter;       /* 8: loop counter in memory (x86-64) */
    uint64_t stack;         /* 16: stack pointer of the child's own code */
    uint64_t target;        /* 24: address of the loop */
    uint64_t warm, count;   /* 32, 40: number of warm-up iterations and of timed iterations */
    uint64_t start, end;    /* 48, 56: time stamps before and after the timed part */
    uint32_t vectors;       /* 64: set-up of vector registers for the code */
    /* 68: index of the counter register; 0 on x86-64, where the counter is in memory */
    uint32_t counter_register;
    uint32_t control;       /* 72: value of mxcsr or fpcr */
    /* 76: on x86-64, whether vzeroupper is needed at the end; on AArch64, whether z29 to z31 have
     * addresses and zeros */
    uint32_t clean;
    uint64_t general[32];   /* 80: values of general registers; on AArch64 the last one is sp */
    uint64_t masks;         /* 336: values of x86-64 mask registers */
    uint64_t passes;        /* 344: number of passes of the timed part, at least 1 */
    /* 352: values[i] is the first word of vector register i (at most 2,048 bits wide) */
    uint64_t values[64];
    struct sandbox_frame *self;  /* 864: address of this frame */
    uint64_t keeps;         /* 872: whether the final registers are stored in @state (x86-64) */
    struct sandbox_state state;  /* 880: registers after the code ran */
};

/* Layout of the area. Code, thread-local words, memory and stack are contiguous, because code
 * addresses its data relative to the instruction pointer. */
#if defined(__aarch64__)
#define AREA_PART 0x40000     /* number of bytes per part of the area; a page may have 64 KiB */
#else
#define AREA_PART 0x10000
#endif
#define AREA_CODE ((size_t)8 << 20)
#define AREA_LOCAL (AREA_CODE + AREA_PART)   /* x86-64: base of fs, read-only */
#define AREA_LOADS (AREA_LOCAL + AREA_PART)
#define AREA_STORES (AREA_LOADS + AREA_PART)
#define AREA_STACK (AREA_STORES + AREA_PART)
#define AREA_STACK_SIZE AREA_PART
#define AREA_SIZE (AREA_STACK + AREA_STACK_SIZE + AREA_PART)
/* Only the middle pages of each part are mapped. The others are guard pages. */
#define AREA_PAGES_AT (AREA_PART / 4)
#define AREA_PAGES (AREA_PART / 4)

/* Runs frame->target with frame->warm iterations, then with frame->count. Sets all registers before
 * each of the two runs, and stores time stamps around the second run. Returns 0, or the argument of
 * sandbox_escape. */
unsigned sandbox_enter(struct sandbox_frame *frame);
/* Leaves foreign code at any instruction and makes sandbox_enter return @fault. Called by the
 * signal handler. */
void sandbox_escape(unsigned fault) __attribute__((noreturn));
/* Makes a system call without libc. The kernel permits system calls only from sandbox_syscall_site.
 * Returns -errno on failure. */
long sandbox_syscall(long number, long a, long b, long c, long d, long e, long f);
extern const char sandbox_syscall_site[], sandbox_sigreturn[], sandbox_sigreturn_site[];
/* Switches to the stack that ends at @stack (16-byte aligned) and calls @go(@given), which must not
 * return. */
void arch_continue(void *stack, void (*go)(void *given), void *given) __attribute__((noreturn));
/* Sets the thread register that measured code cannot read to @frame. On x86-64, sets the readable
 * thread register to @local. libc is unusable afterwards. */
void arch_thread_set(struct sandbox_frame *frame, void *local);
/* arch_frame returns the frame set by arch_thread_set. arch_thread returns libc's thread pointer;
 * call it before arch_thread_set. */
struct sandbox_frame *arch_frame(void);
void *arch_thread(void);

/* Instruction sequences that use the registers of bodies, in the order of the declarations below: a
 * dependent addition; a dependent multiplication; a nop; two independent additions; five
 * independent comparisons and a nop; the first link and each further link of a chain of slow
 * operations. The links are empty if the cores of the architecture have one thread each. */
struct arch_code { uint8_t bytes[24]; uint8_t length; };
extern const struct arch_code arch_chain, arch_second_chain, arch_nop, arch_pair, arch_ports,
    arch_room_begin, arch_room_link;

/* Number of bytes before the first instruction of a loop, number of bytes of the largest loop that
 * a branch spans, and counter register of bodies. */
#if defined(__aarch64__)
/* signature of restartable sequences that libc registers */
#define ARCH_RSEQ_SIGNATURE 0xd428bc00u
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
/* Writes code at @at of the code area @code. It sets the registers that the entry code leaves
 * unset. Returns the length, ARCH_BEGIN_LENGTH. */
size_t arch_loop_begin(uint8_t *code, size_t at);
/* Writes the loop end at @end. It decrements the counter, branches to @start, and after the last
 * iteration jumps through frame->phase. @counter is an enum sandbox_counter. Returns its length, at
 * most 32 bytes. */
size_t arch_loop_end(uint8_t *code, size_t start, size_t end, unsigned counter);
/* Writes a load from @offset bytes in the load window: 8 bytes to a general register, or 16 bytes
 * to a vector register. Returns its length, at most 8 bytes. */
size_t arch_load(uint8_t *out, bool vector, unsigned offset);

/* arch_setup returns the vector set-up that the code of @body needs on this CPU. arch_setup_plain
 * returns the set-up for chains and probes. */
unsigned arch_setup(const struct body *body);
unsigned arch_setup_plain(const struct sandbox_frame *frame);
/* arch_frame_begin sets the constant members. arch_frame_kernel sets the members for kernels except
 * general registers. arch_frame_fill sets the registers of bodies, with the load pointer moved by
 * @loads_at bytes. */
void arch_frame_begin(struct sandbox_frame *frame);
void arch_frame_kernel(struct sandbox_frame *frame);
void arch_frame_fill(struct sandbox_frame *frame, const uint8_t *area, size_t loads_at);
/* Returns the address of the instruction that raised the signal with context @context. */
uint64_t arch_fault_code(const void *context);
/* Makes modified instructions visible to the processor that runs the caller. */
void arch_code_changed(uint8_t *code, size_t length);
/* Returns whether this processor's code implements frame->keeps. */
bool arch_has_states(void);
/* Returns advice for measurements with this instruction set; NULL: none. */
const char *arch_remark(void);

#endif
