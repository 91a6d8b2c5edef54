/* Costs of calls of mathematical library functions, measured on this CPU, because the library's
 * code is not instrumented */
#ifndef PORTOLAN_PROGRAM_CALLS_H
#define PORTOLAN_PROGRAM_CALLS_H

#include "base/vec.h"

#define CALL_FUNCTIONS 32

/* A supported library function */
struct call_function {
    const char *name;
    /* wrapper that calls the function; arguments after the first have typical values */
    double (*call)(double x);
    void (*address)(void);
};
/* Returns the function named @name, or NULL if it is unsupported. */
const struct call_function *call_function_find(const char *name);

struct call_cost { const char *name; double cycles; };

/* Costs by function name. The caller initialises the struct to zero. */
struct call_costs {
    struct call_cost list[CALL_FUNCTIONS];
    unsigned count;
};

/* Measurements of library functions during a run of a program that calls them. The caller
 * initialises the struct to zero. */
struct call_readings {
    struct { unsigned function; VEC(double) seconds; } list[CALL_FUNCTIONS];
    unsigned count;
};

/* Requests measurements of function @name if it is supported. */
void call_readings_want(struct call_readings *r, const char *name);
/* Adds a measurement of each requested function. One thread at a time. */
void call_readings_add(struct call_readings *r);
/* Computes costs in cycles at @clock_hz. Omits functions without measurements. Frees the
 * measurements, but keeps the requests. */
void call_readings_judge(struct call_readings *r, double clock_hz, struct call_costs *out);

/* Returns the cycles of one call; NaN for an unsupported function. The first request for a function
 * measures it with typical arguments, at intervals over 25 milliseconds. Does not scale the result
 * by the share of the core, because these functions mostly wait for their own dependence chains. On
 * a Golden Cove, exp takes 20 cycles without load on the core's other thread. It takes 20 to 30
 * cycles if that thread leaves 45 or 75 % of the slots. One thread at a time. */
double call_cost_of(struct call_costs *costs, const char *name);

#endif
