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

/* Cycles of one call; NaN for a function that is not known. Measures it when it is asked for the first time, over typical arguments, now and then for 25
 * milliseconds. It is not reckoned by the slots that others leave: such functions wait for their own chains more than for them (on a Golden Cove, exp takes 20 cycles alone, and 20 to 30
 * beside a neighbour whether that leaves 45 or 75 % of the slots). One thread at a time. */
double call_cost_of(struct call_costs *costs, const char *name);

#endif
