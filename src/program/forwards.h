/* Store forwarding between machine instructions, observed in traced runs. Runs also show pairs of
 * stores and loads whose addresses cannot be compared in the code. Each iteration computes these
 * addresses again (clang -O0). */
#ifndef PORTOLAN_PROGRAM_FORWARDS_H
#define PORTOLAN_PROGRAM_FORWARDS_H

#include "analysis/addresses.h"
#include "program/code.h"

/* The store that wrote the value of a load in the same unit */
struct insn_forward {
    uint32_t store;                /* index of the store's instruction; FORWARD_NONE: unknown */
    uint32_t age;                  /* number of further executions of the store before the load */
};
#define FORWARD_NONE UINT32_MAX

struct code_forwards {
    /* per unit: one entry per instruction; NULL for units without code */
    struct insn_forward **units;
    VEC(struct forward) links;     /* result of the last code_forwards_link */
    /* per reference: index of its instruction in the unit; FORWARD_NONE: unknown */
    uint32_t *insn_of;
};

/* Finds the store that each load reads at @run, traced or predicted. Matches the references of a
 * block with its memory instructions in order, but only if there are equally many of both.
 * code_forwards_done frees @out. */
void code_forwards_find(const struct program_code *c, const struct program_run *run,
                        struct code_forwards *out);
void code_forwards_done(const struct program_code *c, struct code_forwards *f);

/* An instruction of a repeating sequence. @call: whether it is an instruction of a library
 * function, in place of the call. */
struct walked { uint32_t unit, insn; bool call; };
/* Returns the pairs of stores and loads within @sequence. @f owns them until the next call. */
struct known_forwards code_forwards_link(struct code_forwards *f, const struct walked *sequence,
                                         size_t count);

#endif
