/* Machine code for running a kernel: rejection, copies of the body, and the loop counter. Pure; on
 * any computer for either instruction set. */
#ifndef PORTOLAN_MEASURE_KERNEL_CODE_H
#define PORTOLAN_MEASURE_KERNEL_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"

#define KERNEL_APART 32
/* Copies whose branches are separated: as many as even the smallest branch predictor handles at
 * full speed for one thread. With 60 copies, a Golden Cove takes 1.0 or 2.1 cycles each. */
#define KERNEL_APART_COPIES 30
#define KERNEL_APART_GAIN 0.95   /* largest ratio of times per copy (separated / adjacent) with
                                  * which separated copies are used */

/* Criterion for the number of copies of a kernel. */
enum kernel_copies {
    KERNEL_CACHED,    /* few enough that a µop cache holds them, if it holds one */
    /* so many that they exceed the µop cache, but not the first-level instruction cache (short
     * instructions) */
    KERNEL_DECODED,
};

/* Returns why the kernel is rejected; NULL if it may run on this CPU. *@at (may be NULL): number of
 * the instruction concerned, from 1; 0: all. */
const char *kernel_refused(const struct insn *insns, size_t count, unsigned *at);
/* Like kernel_refused, but does not depend on this CPU. */
const char *kernel_refused_anywhere(const struct insn *insns, size_t count, unsigned *at);
/* Writes one copy to @out + @at, which will run at address @offset of the sandbox's code area.
 * Branches lead to the next instruction, relative operands to accessible memory. Returns the
 * length. */
size_t kernel_emit(const struct insn *insns, size_t count, uint32_t offset, uint8_t *out,
                   size_t at);
/* Writes one instruction. A relative operand accesses data slot @slot. Returns the length. */
size_t kernel_emit_one(const struct insn *in, unsigned slot, uint32_t offset, uint8_t *out,
                       size_t at);
/* Returns the distance between copies. If the closing branches of adjacent copies were nearer than
 * KERNEL_APART bytes, it is the distance that separates them by as much; otherwise @length, the
 * length of one copy. Branch predictors handle one taken branch per cycle only if branches are so
 * far apart. */
size_t kernel_apart(const struct insn *insns, size_t count, size_t length);
/* Writes @bytes of nops at @at, where a copy ends, and makes its closing branch skip them. Returns
 * @bytes. */
size_t kernel_fill(const struct insn *insns, size_t count, uint8_t *out, size_t at, size_t bytes);
/* Writes @copies of the kernel, at distances of @stride bytes (length of a copy, or kernel_apart),
 * for address @offset of the code area. Returns their length, or 0 if the bytes decode to other
 * instructions. @out needs 16 additional bytes per copy. */
size_t kernel_copies_emit(const struct insn *insns, size_t count, unsigned copies, size_t stride,
                          uint32_t offset, uint8_t *out);
/* Returns whether @code decodes to complete copies of @insns, in order and with equal lengths, and
 * nothing else. Each branch must lead to the next instruction or over the nops of kernel_fill. */
bool kernel_emitted(const struct insn *insns, size_t count, const uint8_t *code, size_t length);
/* Chooses the loop counter (enum sandbox_counter). x86-64 counts in memory. AArch64 counts in a
 * general register that the kernel does not use; COUNTER_BODY if it uses all. */
unsigned kernel_counter(const struct insn *insns, size_t count);

#endif
