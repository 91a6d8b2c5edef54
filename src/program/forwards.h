/* Store forwarding observed in traced runs, by machine instruction. Adds links that the code alone
 * does not show, where an address is recomputed in every iteration (clang -O0). */
#ifndef PORTOLAN_PROGRAM_FORWARDS_H
#define PORTOLAN_PROGRAM_FORWARDS_H

#include "analysis/addresses.h"
#include "program/code.h"

/* For a load: the instruction of the same unit that stored its value, and executions of that store
 * in between. */
struct insn_forward {
    uint32_t store;                /* FORWARD_NONE: unknown */
    uint32_t age;
};
#define FORWARD_NONE UINT32_MAX

struct code_forwards {
    struct insn_forward **units;   /* per unit and instruction; NULL for units without code */
    VEC(struct forward) links;     /* of the last call of code_forwards_link */
};

/* Finds the links of all units at @run, traced or predicted. Matches references and instructions of
 * a block in order; blocks with different numbers are skipped. code_forwards_done frees. */
void code_forwards_find(const struct program_code *c, const struct program_run *run,
                        struct code_forwards *out);
void code_forwards_done(const struct program_code *c, struct code_forwards *f);

/* An instruction of a repeating sequence: of the program, or of a library function in place of its
 * call. */
struct walked { uint32_t unit, insn; bool call; };
/* Returns the links within @sequence, borrowed from @f until the next call. */
struct known_forwards code_forwards_link(struct code_forwards *f, const struct walked *sequence,
                                         size_t count);

#endif
