/* What calls of the mathematical library cost, measured on this CPU: their code is not the program's and cannot be traced. */
#ifndef PORTOLAN_PROGRAM_CALLS_H
#define PORTOLAN_PROGRAM_CALLS_H

#include <stdbool.h>

struct call_cost { const char *name; double cycles; };

/* Those that were asked for; all zero at first. */
struct call_costs {
    struct call_cost list[32];
    unsigned count;
};

/* Cycles of one call; NaN for a function that is not known. Measures it when it is asked for the first time, over typical arguments, for about two milliseconds. It is the
 * same whatever others leave of the core: such functions wait for their own chains more than for slots (on a Golden Cove, exp takes 29 cycles with 45 % of the slots, 28 with 75). One thread at a time. */
double call_cost_of(struct call_costs *costs, const char *name);

#endif
