/* Variants of a loop with one change: an instruction removed or replaced by a nop, or a dependence
 * cut. The variant's cycles, measured or predicted, show the cost of the changed part. Readers of
 * a removed result read a register that the loop never writes. On a loop-carried chain, the
 * readers read a source of the removed instruction, so the chain remains. Any thread. */
#ifndef PORTOLAN_ANALYSIS_VARIANTS_H
#define PORTOLAN_ANALYSIS_VARIANTS_H

#include "base/str.h"
#include "isa/insn.h"

/* A dependence: instruction @to reads the result of @from, @distance iterations earlier */
struct dependence {
    uint32_t from, to, distance;
    uint8_t reg;              /* register of the value; REG_NONE: memory */
};

struct variant {
    struct insn *insns;       /* instructions; NULL: the variant is impossible for the reason in
                               * @reason */
    size_t count;
    const char *reason;
    bool copies;              /* whether register moves were inserted, each of which takes a
                               * slot */
};

void variant_done(struct variant *v);
/* Makes the loop without instruction @at. */
void variant_without(const struct insn *insns, size_t count, size_t at, struct variant *out);
/* Makes the loop with a nop of the same length in place of instruction @at. */
void variant_nop(const struct insn *insns, size_t count, size_t at, struct variant *out);
/* Makes the loop in which the reader of @cut reads another register or another address. */
void variant_cut(const struct insn *insns, size_t count, const struct dependence *cut,
                 struct variant *out);

/* Lists the dependences through memory, then those through general and vector registers, each
 * sorted by reader. Omits the stack pointer as an implicit operand and in addresses. The caller
 * frees the list. Sets *@found to their number. */
struct dependence *dependences_of(const struct insn *insns, size_t count, size_t *found);

/* Appends the register or memory of @d: "xmm0", "memory". */
void dependence_through(enum isa isa, const struct dependence *d, struct str *out);

#endif
