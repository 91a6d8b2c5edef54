/* Loads that read a store of the same code, from traced runs, at the machine's instructions. They
 * become links of the analysis if the code alone does not show them, as where an address is
 * recomputed in every iteration (clang -O0). */
#ifndef PORTOLAN_PROGRAM_FORWARDS_H
#define PORTOLAN_PROGRAM_FORWARDS_H

#include "analysis/addresses.h"
#include "program/code.h"

/* Of a load: the instruction of the same unit that stored it, and how often that was executed
 * between. */
struct insn_forward {
    uint32_t store;                /* FORWARD_NONE: not known */
    uint32_t age;
};
#define FORWARD_NONE UINT32_MAX

struct code_forwards {
    struct insn_forward **units;   /* per unit and instruction; units without code have NULL */
    VEC(struct forward) links;     /* in the newest sequence */
};

/* Of all units at @run, traced or predicted. References and instructions of a block are matched by
 * their order; a block with different numbers of both has none. code_forwards_done frees. Any
 * thread. */
void code_forwards_find(const struct program_code *c, const struct program_run *run,
                        struct code_forwards *out);
void code_forwards_done(const struct program_code *c, struct code_forwards *f);

/* An instruction of a sequence that repeats: of the code, or, as a call, of a library's function in
 * its place. */
struct walked { uint32_t unit, insn; bool call; };
/* The links within @sequence; borrowed from @f until the next call. */
struct known_forwards code_forwards_link(struct code_forwards *f, const struct walked *sequence,
                                         size_t count);

#endif
