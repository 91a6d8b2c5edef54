/* What calls of the mathematical library cost, measured on this CPU: their code is not the program's and cannot be traced. */
#ifndef PORTOLAN_PROGRAM_CALLS_H
#define PORTOLAN_PROGRAM_CALLS_H

#include <stdbool.h>

struct call_cost {
    const char *name;
    double cycles;
};

struct call_costs {
    double clock_hz;               /* core clock while measuring */
    struct call_cost list[32];
    unsigned count;
};

/* Takes about 20 ms: the least of several runs of each function over typical arguments. Any thread. */
void call_costs_measure(struct call_costs *out);
/* Cycles of one call; NaN for a function not among them. */
double call_cost_of(const struct call_costs *costs, const char *name);

#endif
