/* What calls of the mathematical library cost, measured on this CPU: their code is not the program's and cannot be traced. */
#ifndef PORTOLAN_PROGRAM_CALLS_H
#define PORTOLAN_PROGRAM_CALLS_H

#include <stdbool.h>

struct call_cost {
    const char *name;
    double cycles;
    double nops;                   /* per cycle that others left of the core meanwhile */
};

/* Those that were asked for; all zero at first. */
struct call_costs {
    double clock_hz;               /* core clock when the first was measured */
    struct call_cost list[32];
    unsigned count;
};

/* Cycles of one call; NaN for a function that is not known. Measures it when it is asked for the first time: the least of several runs over typical arguments, about
 * a millisecond. One thread at a time. */
double call_cost_of(struct call_costs *costs, const char *name);
/* The same of a core that issues @issued nops per cycle, when others use a thread of it, too: a call takes what slots it finds. */
double call_cost_beside(struct call_costs *costs, const char *name, double issued);

#endif
