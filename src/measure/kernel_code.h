/* Machine code of a kernel: rejection, copies of the body, and the loop counter. Pure. Each
 * function works for both instruction sets on any computer. */
#ifndef PORTOLAN_MEASURE_KERNEL_CODE_H
#define PORTOLAN_MEASURE_KERNEL_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"

#define KERNEL_APART 32
/* Number of copies whose branches are separated. The smallest known branch predictor predicts 30
 * branches of one thread at full speed. On a Golden Cove core, each of 60 copies takes either 1.0
 * or 2.1 cycles. */
#define KERNEL_APART_COPIES 30
#define KERNEL_APART_GAIN 0.95   /* largest ratio of times per copy (separated / adjacent) at which
                                  * separated copies are used */

/* Criterion for the number of copies of a kernel */
enum kernel_copies {
    KERNEL_CACHED,    /* few enough copies for the µop cache, if a single copy fits in it */
    /* enough copies, of short instructions, to exceed the µop cache but not the first-level
     * instruction cache */
    KERNEL_DECODED,
};

/* Returns the reason why the kernel is rejected; NULL if it may run on this CPU. Sets *@at (may be
 * NULL) to the position of the rejected instruction from 1, or to 0 for the whole kernel. */
const char *kernel_refused(const struct insn *insns, size_t count, unsigned *at);
/* Returns the reason why the kernel is rejected on every CPU, like kernel_refused. NULL: it may run
 * on some CPU. */
const char *kernel_refused_anywhere(const struct insn *insns, size_t count, unsigned *at);
/* Writes one copy to @out + @at, which will run at address @offset of the sandbox's code area.
 * Branches lead to the next instruction. Relative operands refer to accessible memory. Returns the
 * length. */
size_t kernel_emit(const struct insn *insns, size_t count, uint32_t offset, uint8_t *out,
                   size_t at);
/* Writes one instruction. A relative operand accesses data slot @slot. Returns the length. */
size_t kernel_emit_one(const struct insn *in, unsigned slot, uint32_t offset, uint8_t *out,
                       size_t at);
/* Returns the distance between copies. Branch predictors handle one taken branch per cycle only if
 * closing branches are at least KERNEL_APART bytes apart. If adjacent copies of @length bytes
 * satisfy this, returns @length. */
size_t kernel_apart(const struct insn *insns, size_t count, size_t length);
/* Writes @bytes of nops at @at, the end of a copy, and makes the copy's closing branch skip them.
 * Returns @bytes. */
size_t kernel_fill(const struct insn *insns, size_t count, uint8_t *out, size_t at, size_t bytes);
/* Writes @copies of the kernel, at distances of @stride bytes (length of a copy, or kernel_apart),
 * for address @offset of the code area. @out needs 16 additional bytes per copy. Returns the total
 * length; 0 if the bytes decode to other instructions. */
size_t kernel_copies_emit(const struct insn *insns, size_t count, unsigned copies, size_t stride,
                          uint32_t offset, uint8_t *out);
/* Returns whether @code decodes exactly to complete copies of @insns, in order and with equal
 * lengths. Each branch must lead to the next instruction or over the nops of kernel_fill. */
bool kernel_emitted(const struct insn *insns, size_t count, const uint8_t *code, size_t length);
/* Chooses the loop counter (enum sandbox_counter): a general register that the kernel does not use.
 * If the kernel uses all of them, it is COUNTER_MEMORY on x86-64, and COUNTER_BODY on AArch64,
 * which has no counter in memory. */
unsigned kernel_counter(const struct insn *insns, size_t count);

#endif
