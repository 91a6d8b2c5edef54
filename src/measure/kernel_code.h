/* Machine code of a kernel for running: rejection, copies of the body, location of the counter.
 * Pure, for both instruction sets on any computer. */
#ifndef PORTOLAN_MEASURE_KERNEL_CODE_H
#define PORTOLAN_MEASURE_KERNEL_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"

#define KERNEL_APART 32
/* Copies with separated branches: as many branches as the fastest branch predictor certainly holds
 * for one thread. With 60, a Golden Cove takes 1.0 or 2.1 cycles each. */
#define KERNEL_APART_COPIES 30
#define KERNEL_APART_GAIN 0.95   /* ratio of times per copy below which separated copies are used */

/* How many copies of a kernel follow each other. */
enum kernel_copies {
    KERNEL_CACHED,    /* few enough for a µop cache, if one copy fits */
    /* short instructions exceed the µop cache, but fit the first-level instruction cache */
    KERNEL_DECODED,
};

/* Returns why the kernel is rejected; NULL if it may run on this CPU. *@at (may be NULL): 1-based
 * number of the instruction concerned; 0: all. */
const char *kernel_refused(const struct insn *insns, size_t count, unsigned *at);
/* Like kernel_refused, independent of this CPU. */
const char *kernel_refused_anywhere(const struct insn *insns, size_t count, unsigned *at);
/* Writes one copy to @out + @at for address @offset of the sandbox's code area. Its branches lead
 * to the next instruction, its relative addresses to accessible memory. Returns its length. */
size_t kernel_emit(const struct insn *insns, size_t count, uint32_t offset, uint8_t *out,
                   size_t at);
/* Writes one instruction. A relative operand accesses data slot @slot. Returns its length. */
size_t kernel_emit_one(const struct insn *in, unsigned slot, uint32_t offset, uint8_t *out,
                       size_t at);
/* Returns the distance between copies that separates taken branches by KERNEL_APART bytes, if the
 * closing branch of @insns would be nearer to the next copy's; otherwise @length, that of one copy.
 * Only at this distance do branch predictors handle one taken branch per cycle. */
size_t kernel_apart(const struct insn *insns, size_t count, size_t length);
/* Writes @bytes of nops, and makes the closing branch of the copy that ends at @at skip them.
 * Returns @bytes. */
size_t kernel_fill(const struct insn *insns, size_t count, uint8_t *out, size_t at, size_t bytes);
/* Writes @copies of the kernel, with a distance of @stride bytes (its length or kernel_apart), for
 * address @offset of the code area. Returns their length; 0 if they decode differently. @out has
 * room for 16 more bytes per copy. */
size_t kernel_copies_emit(const struct insn *insns, size_t count, unsigned copies, size_t stride,
                          uint32_t offset, uint8_t *out);
/* Verifies that @code decodes to complete copies of @insns only, in order, with equal lengths. Each
 * branch must lead to the next instruction or over the nops of kernel_fill. */
bool kernel_emitted(const struct insn *insns, size_t count, const uint8_t *code, size_t length);
/* Chooses the loop counter (enum sandbox_counter). x86-64 counts in memory, AArch64 in a general
 * register that the kernel does not use; COUNTER_BODY if all are used. */
unsigned kernel_counter(const struct insn *insns, size_t count);

#endif
