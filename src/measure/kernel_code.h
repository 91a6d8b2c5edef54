/* Machine code of a kernel for running: rejected kernels, copies of the body, position of the
 * counter. Pure, for both instruction sets on any computer. */
#ifndef PORTOLAN_MEASURE_KERNEL_CODE_H
#define PORTOLAN_MEASURE_KERNEL_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"

#define KERNEL_APART 32
/* spaced copies: the fastest branch predictor certainly holds this number of one thread; with 60 a
 * Golden Cove takes 1.0 or 2.1 cycles each */
#define KERNEL_APART_COPIES 30
#define KERNEL_APART_GAIN 0.95   /* relative time per copy from which on they are kept apart */

/* Number of consecutive copies of a kernel. */
enum kernel_copies {
    KERNEL_CACHED,    /* few enough for a µop cache, if one copy fits */
    /* bytes that exceed the µop cache for short instructions, but fit the first-level instruction
     * cache */
    KERNEL_DECODED,
};

/* Returns why the kernel is refused; NULL when it may run on this CPU. *@at (may be NULL): the
 * 1-based instruction concerned; 0: all. */
const char *kernel_refused(const struct insn *insns, size_t count, unsigned *at);
/* The same, independent of this CPU. */
const char *kernel_refused_anywhere(const struct insn *insns, size_t count, unsigned *at);
/* Writes one copy to @out + @at, for @offset of the sandbox's code area: branches go to the next
 * instruction, relative addresses to accessible places. Returns its length. */
size_t kernel_emit(const struct insn *insns, size_t count, uint32_t offset, uint8_t *out,
                   size_t at);
/* Writes one instruction, with its relative operand, if any, at @slot. Returns its length. */
size_t kernel_emit_one(const struct insn *in, unsigned slot, uint32_t offset, uint8_t *out,
                       size_t at);
/* Bytes between copies that keep taken branches apart, if the closing branch of @insns would be
 * within KERNEL_APART bytes of the next copy's; else @length, that of one copy. Branch predictors
 * handle one taken branch per cycle only at that distance. */
size_t kernel_apart(const struct insn *insns, size_t count, size_t length);
/* Makes the closing branch of the copy that ends at @at skip @bytes of nops, which are written.
 * Returns @bytes. */
size_t kernel_fill(const struct insn *insns, size_t count, uint8_t *out, size_t at, size_t bytes);
/* Writes @copies of the kernel, each @stride bytes (its length or kernel_apart), to stand at
 * @offset of the code area. Returns their length; 0: they decode to something else. @out has room
 * for 16 bytes more each. */
size_t kernel_copies_emit(const struct insn *insns, size_t count, unsigned copies, size_t stride,
                          uint32_t offset, uint8_t *out);
/* Verifies emitted code: @code decodes to complete copies of @insns only, in order, with equal
 * lengths; each branch goes to the next instruction or over the nops of kernel_fill. */
bool kernel_emitted(const struct insn *insns, size_t count, const uint8_t *code, size_t length);
/* Chooses enum sandbox_counter: x86-64 counts in memory, AArch64 in a general register unused by
 * the kernel; COUNTER_BODY when there is none. */
unsigned kernel_counter(const struct insn *insns, size_t count);

#endif
