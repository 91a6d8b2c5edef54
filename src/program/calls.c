/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/calls.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compare.h"
#include "program/native_core.h"

#define TRIES 24
#define CALLS 2000
#define PERIOD 1000000       /* nanoseconds between measurements */
#define WARM_CALLS 32
#define READ_CALLS 400        /* number of calls per measurement in call_readings_add */
#define CALL_NONE UINT_MAX

/* Calls through this pointer remain calls. Without the pointer, compilers would replace the call of
 * sqrt with an instruction. */
static double (*volatile real_sqrt)(double x) = sqrt;
static double sqrt_of(double x) { return real_sqrt(x); }
static double pow_of(double x) { return pow(x, 1.3); }
static double atan2_of(double x) { return atan2(x, 1.5); }
static double fmod_of(double x) { return fmod(x, 0.7); }
static double expf_of(double x) { return (double)expf((float)x); }
static double logf_of(double x) { return (double)logf((float)x); }
static double sinf_of(double x) { return (double)sinf((float)x); }
static double cosf_of(double x) { return (double)cosf((float)x); }
static double powf_of(double x) { return (double)powf((float)x, 1.3f); }

#define FUNCTION(name, call) {#name, call, (void (*)(void))(name)}
static const struct call_function functions[] = {
    FUNCTION(exp, exp),      FUNCTION(log, log),      FUNCTION(sin, sin),
    FUNCTION(cos, cos),      FUNCTION(tan, tan),      FUNCTION(pow, pow_of),
    FUNCTION(sqrt, sqrt_of), FUNCTION(exp2, exp2),    FUNCTION(log2, log2),
    FUNCTION(log10, log10),  FUNCTION(atan, atan),    FUNCTION(atan2, atan2_of),
    FUNCTION(asin, asin),    FUNCTION(acos, acos),    FUNCTION(sinh, sinh),
    FUNCTION(cosh, cosh),    FUNCTION(tanh, tanh),    FUNCTION(erf, erf),
    FUNCTION(erfc, erfc),    FUNCTION(cbrt, cbrt),    FUNCTION(fmod, fmod_of),
    FUNCTION(expm1, expm1),  FUNCTION(log1p, log1p),  FUNCTION(expf, expf_of),
    FUNCTION(logf, logf_of), FUNCTION(sinf, sinf_of), FUNCTION(cosf, cosf_of),
    FUNCTION(powf, powf_of)};

/* Returns the mean seconds of a call over @count calls. */
static double seconds_of(double (*call)(double x), int count)
{
    static volatile double sink;
    double sum = 0, start = native_seconds();

    for (int i = 0; i < count; i++)
        sum += call(0.1 + 0.8 * i / count);
    sink = sum;
    (void)sink;
    return (native_seconds() - start) / count;
}

/* Returns the cycles per call of function number @f at the current clock: the mean of the
 * measurements without the highest quarter, which preemption may have delayed. The measurements are
 * spread over time, because the load of the core's other thread varies. */
static struct call_cost measure(size_t f)
{
    const struct timespec period = {0, PERIOD};
    double cycles[TRIES], sum = 0;

    for (int i = 0; i < TRIES; i++) {
        double clock_hz = native_clock();
        cycles[i] = seconds_of(functions[f].call, CALLS) * clock_hz;
        nanosleep(&period, NULL);
    }
    qsort(cycles, TRIES, sizeof *cycles, compare_doubles);
    for (int i = 0; i < TRIES - TRIES / 4; i++)
        sum += cycles[i];
    return (struct call_cost){functions[f].name, sum / (TRIES - TRIES / 4)};
}

/* Returns the index of function @name; CALL_NONE: none. */
static unsigned function_of(const char *name)
{
    for (unsigned f = 0; f < sizeof functions / sizeof *functions; f++)
        if (strcmp(functions[f].name, name) == 0)
            return f;
    return CALL_NONE;
}

const struct call_function *call_function_find(const char *name)
{
    unsigned f = function_of(name);
    return f == CALL_NONE ? NULL : &functions[f];
}

double call_cost_of(struct call_costs *costs, const char *name)
{
    for (unsigned i = 0; i < costs->count; i++)
        if (strcmp(costs->list[i].name, name) == 0)
            return costs->list[i].cycles;
    unsigned f = function_of(name);
    if (f == CALL_NONE)
        return NAN;
    costs->list[costs->count++] = measure(f);
    return costs->list[costs->count - 1].cycles;
}

void call_readings_want(struct call_readings *r, const char *name)
{
    unsigned f = function_of(name);

    for (unsigned i = 0; i < r->count; i++)
        if (r->list[i].function == f)
            return;
    if (f != CALL_NONE)
        r->list[r->count++].function = f;
}

void call_readings_add(struct call_readings *r)
{
    double empty = native_empty() / READ_CALLS;

    for (unsigned i = 0; i < r->count; i++) {
        double (*call)(double x) = functions[r->list[i].function].call;
        seconds_of(call, WARM_CALLS);   /* The first calls load the function's code and tables into
                                         * the caches. */
        vec_push(&r->list[i].seconds, seconds_of(call, READ_CALLS) - empty);
    }
}

void call_readings_judge(struct call_readings *r, double clock_hz, struct call_costs *out)
{
    *out = (struct call_costs){.count = 0};
    for (unsigned i = 0; i < r->count; i++) {
        size_t count = r->list[i].seconds.count;
        if (count)
            out->list[out->count++] =
                (struct call_cost){functions[r->list[i].function].name,
                                   core_mean_of_most(r->list[i].seconds.items, count) * clock_hz};
        vec_done(&r->list[i].seconds);
    }
}
