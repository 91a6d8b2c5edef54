/* Variants of a loop with one change: an instruction removed or replaced by a nop, or a dependence
 * cut. Loop and variants are run and predicted in the same way; the saved time is the cost of the
 * part. Readers of a removed result read a register that is never written. If the instruction is on
 * a loop-carried chain they read its source, so that the chain remains. Any thread. */
#ifndef PORTOLAN_ANALYSIS_VARIANTS_H
#define PORTOLAN_ANALYSIS_VARIANTS_H

#include "base/str.h"
#include "isa/insn.h"

/* The instruction @to reads the result of @from, @distance iterations earlier. */
struct dependence {
    uint32_t from, to, distance;
    uint8_t reg;              /* through which register; REG_NONE: through memory */
};

struct variant {
    struct insn *insns;       /* NULL: not possible, for @reason */
    size_t count;
    const char *reason;
    bool copies;              /* register moves were inserted, which take a slot each */
};

void variant_done(struct variant *v);
/* Removes instruction @at. */
void variant_without(const struct insn *insns, size_t count, size_t at, struct variant *out);
/* Replaces it by a nop of the same length. */
void variant_nop(const struct insn *insns, size_t count, size_t at, struct variant *out);
/* Makes the reader read another register, or other memory. */
void variant_cut(const struct insn *insns, size_t count, const struct dependence *cut,
                 struct variant *out);

/* Lists dependences through general registers, vector registers and memory, by reader. Implicit
 * ones of the stack pointer are omitted. The caller frees. */
struct dependence *dependences_of(const struct insn *insns, size_t count, size_t *found);

/* Appends the carrier of @d: "xmm0", "memory". */
void dependence_through(enum isa isa, const struct dependence *d, struct str *out);

#endif
