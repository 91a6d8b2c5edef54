/* Costs of calls of the mathematical library, measured on this CPU: their code is not the program's
 * and cannot be traced. */
#ifndef PORTOLAN_PROGRAM_CALLS_H
#define PORTOLAN_PROGRAM_CALLS_H

#include "base/vec.h"

#define CALL_FUNCTIONS 32

/* A function that is known. */
struct call_function {
    const char *name;
    double (*call)(double x);     /* calls it, of typical other arguments */
    void (*address)(void);
};
/* NULL when none is called so. Any thread. */
const struct call_function *call_function_find(const char *name);

struct call_cost { const char *name; double cycles; };

/* The requested ones; all zero at first. */
struct call_costs {
    struct call_cost list[CALL_FUNCTIONS];
    unsigned count;
};

/* Readings of functions while a program runs that calls them; all zero at first. */
struct call_readings {
    struct { unsigned function; VEC(double) seconds; } list[CALL_FUNCTIONS];
    unsigned count;
};

/* From now on @name is read as well, if it is a known function. */
void call_readings_want(struct call_readings *r, const char *name);
/* One more reading of each, some 3 microseconds for exp. One thread at a time. */
void call_readings_add(struct call_readings *r);
/* Their costs at @clock_hz, without those that were not read; the readings are freed, the requests
 * stay. */
void call_readings_judge(struct call_readings *r, double clock_hz, struct call_costs *out);

/* Cycles of one call; NaN for an unknown function. Measures it on the first request, over typical
 * arguments, now and then for 25 milliseconds. Not scaled by the slots that others leave: such
 * functions wait mostly for their own chains (on a Golden Cove, exp takes 20 cycles alone, and 20
 * to 30 next to a neighbour that leaves 45 or 75 % of the slots). One thread at a time. */
double call_cost_of(struct call_costs *costs, const char *name);

#endif
