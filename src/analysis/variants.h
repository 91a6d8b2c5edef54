/* A loop with one change: an instruction removed or replaced by a nop, a dependence cut. The loop
 * and its variants are run and predicted alike; the saved time is the cost of the part. Registers
 * stay live. Readers of a removed instruction's result read a register that is never written, so
 * that no new dependence arises. On a chain around the loop they read the instruction's source, so
 * that the chain continues. Any thread. */
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
    struct insn *insns;       /* NULL: it cannot be made, for @reason */
    size_t count;
    const char *reason;
    bool copies;              /* moves of registers were put in, which take a slot each */
};

void variant_done(struct variant *v);
/* Instruction @at left out. */
void variant_without(const struct insn *insns, size_t count, size_t at, struct variant *out);
/* A nop of its length in its place. */
void variant_nop(const struct insn *insns, size_t count, size_t at, struct variant *out);
/* The reader reads another register, or memory elsewhere. */
void variant_cut(const struct insn *insns, size_t count, const struct dependence *cut,
                 struct variant *out);

/* The dependences through general and vector registers and through memory, by reader; those that
 * the stack's own instructions have by the stack pointer are left out. The caller frees. */
struct dependence *dependences_of(const struct insn *insns, size_t count, size_t *found);

/* Appends the carrier of @d: "xmm0", "memory". */
void dependence_through(enum isa isa, const struct dependence *d, struct str *out);

#endif
