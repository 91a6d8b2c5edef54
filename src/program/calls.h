/* Costs of calls of the mathematical library, measured on this CPU, since the library is not
 * traced. */
#ifndef PORTOLAN_PROGRAM_CALLS_H
#define PORTOLAN_PROGRAM_CALLS_H

#include "base/vec.h"

#define CALL_FUNCTIONS 32

/* A known library function. */
struct call_function {
    const char *name;
    double (*call)(double x);     /* calls it with typical other arguments */
    void (*address)(void);
};
/* Returns the function, or NULL if unknown. */
const struct call_function *call_function_find(const char *name);

struct call_cost { const char *name; double cycles; };

/* The requested costs; zero-initialised. */
struct call_costs {
    struct call_cost list[CALL_FUNCTIONS];
    unsigned count;
};

/* Measurements of functions during a run of a program that calls them; zero-initialised. */
struct call_readings {
    struct { unsigned function; VEC(double) seconds; } list[CALL_FUNCTIONS];
    unsigned count;
};

/* Requests @name, if it is a known function. */
void call_readings_want(struct call_readings *r, const char *name);
/* Measures each once more, some 3 microseconds for exp. One thread at a time. */
void call_readings_add(struct call_readings *r);
/* Computes costs at @clock_hz, without functions that were not measured. Frees the readings, keeps
 * the requests. */
void call_readings_judge(struct call_readings *r, double clock_hz, struct call_costs *out);

/* Cycles of one call; NaN for an unknown function. Measured on the first request with typical
 * arguments, at intervals over 25 milliseconds. Not scaled by the share of the core: such functions
 * mostly wait for their own chains (on a Golden Cove exp takes 20 cycles alone, and 20 to 30 with a
 * neighbour that leaves 45 or 75 % of the slots). One thread at a time. */
double call_cost_of(struct call_costs *costs, const char *name);

#endif
