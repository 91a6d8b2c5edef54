/* Measures the cost of parts of a loop, with the branch outcomes and addresses that program explain
 * recorded. */
#ifndef PORTOLAN_CMD_BLAME_RECORDED_H
#define PORTOLAN_CMD_BLAME_RECORDED_H

#include "measure/recorded.h"
#include "table/result.h"

/* largest relative difference from the time in the program at which the costs are valid; one cycle
 * more is tolerated */
#define RECORDED_AGREES 0.25

/* A cost: the cycles per iteration that a change saves */
struct recorded_cost {
    double cycles, off; /* @off: uncertainty. NaN: not measured, or too uncertain. */
};

struct recorded_costs {
    /* cycles per iteration of the unchanged loop, and their relative spread; NaN: not measured */
    double cycles, spread;
    double program;            /* cycles per iteration in the program */
    struct recorded_cost near; /* cost of accesses beyond the first-level cache */
    bool huge_pages;           /* whether the program's data, and therefore the data of all runs, is
                                * on pages of 2 MiB */
    /* cost of pages of 4 KiB instead of 2 MiB; NaN: no large pages, or already used */
    struct recorded_cost huge;
    size_t count; /* number of instructions */
    /* costs per instruction: of the instruction itself, of its accesses outside a single line, of
     * its outcomes in unsorted order */
    struct recorded_cost *without, *nearby, *sorted;
};

/* Measures all costs for about @seconds; if @brief is true, not the costs of single instructions.
 * @program: cycles per iteration in the program. @huge: whether the program's data is on pages of 2
 * MiB. Returns false with err. The caller always frees @out with recorded_costs_done. */
bool recorded_costs_measure(struct sandbox *s, const struct recording *r, double program, bool huge,
                            bool brief, double seconds, struct recorded_costs *out,
                            struct err *err);
void recorded_costs_done(struct recorded_costs *c);
/* Returns whether the time in the sandbox agrees with the time in the program. */
bool recorded_costs_agree(const struct recorded_costs *c);
/* Adds the costs to the result: sentences, values and a table. */
void recorded_costs_show(const struct recorded_costs *c, const struct recording *r,
                         struct result *result);

#endif
