/* A kernel's instructions as they are run: what is refused, the copies of its body, where its loop
 * counts. Pure, for both instruction sets on any computer. */
#ifndef PORTOLAN_MEASURE_KERNEL_CODE_H
#define PORTOLAN_MEASURE_KERNEL_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"

#define KERNEL_APART 32
/* of them, kept apart: the quickest branch predictor surely holds this number of one thread; with
 * 60 a Golden Cove takes 1.0 or 2.1 cycles each */
#define KERNEL_APART_COPIES 30
#define KERNEL_APART_GAIN 0.95   /* relative time per copy from which on they are kept apart */

/* Number of copies of a kernel that run in sequence. */
enum kernel_copies {
    KERNEL_CACHED,    /* few enough that a µop cache holds them, if one copy fits into it */
    /* so many bytes that they exceed the µop cache if their instructions are short, but fit the
     * first-level instruction cache */
    KERNEL_DECODED,
};

/* Why the kernel is refused without running it; NULL when it may be run on this CPU. *@at (may be
 * NULL): the instruction that the reason is about, 1-based; 0: all of them. */
const char *kernel_refused(const struct insn *insns, size_t count, unsigned *at);
/* The same, independent of this CPU. */
const char *kernel_refused_anywhere(const struct insn *insns, size_t count, unsigned *at);
/* Writes one copy at @out + @at, all of whose code will stand at @offset of the sandbox's code
 * area: branches lead to the next instruction, addresses relative to the instruction to places that
 * may be touched. Returns its length. */
size_t kernel_emit(const struct insn *insns, size_t count, uint32_t offset, uint8_t *out,
                   size_t at);
/* The same for one instruction, whose operand relative to the code, if any, is @slot. Returns its
 * length. */
size_t kernel_emit_one(const struct insn *in, unsigned slot, uint32_t offset, uint8_t *out,
                       size_t at);
/* Bytes from one copy to the next that keep taken branches apart, if the closing branch of @insns
 * would lie within KERNEL_APART bytes of the next copy's; else @length, that of one copy. Branch
 * predictors find one taken branch per cycle only at that distance. */
size_t kernel_apart(const struct insn *insns, size_t count, size_t length);
/* Lets the closing branch of the copy that ends at @at lead over @bytes of nops, which are written.
 * Returns @bytes. */
size_t kernel_fill(const struct insn *insns, size_t count, uint8_t *out, size_t at, size_t bytes);
/* Writes @copies of the kernel, each @stride bytes (its length or kernel_apart), to stand at
 * @offset of the code area. Returns their length; 0: they decode to something else. @out has room
 * for 16 bytes more each. */
size_t kernel_copies_emit(const struct insn *insns, size_t count, unsigned copies, size_t stride,
                          uint32_t offset, uint8_t *out);
/* True when @code decodes to whole copies of @insns and nothing else: the same instructions in the
 * same order with the same lengths, each branch leading to the instruction after it, or over the
 * nops of kernel_fill. This checks the emitted code, not the input. */
bool kernel_emitted(const struct insn *insns, size_t count, const uint8_t *code, size_t length);
/* enum sandbox_counter: x86-64 counts in memory, AArch64 in a general register that the kernel
 * leaves alone; COUNTER_BODY when there is none. */
unsigned kernel_counter(const struct insn *insns, size_t count);

#endif
