/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/calls.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "program/native.h"

#define TRIES 12
#define CALLS 2000
#define STEPS 20000
#define STEP_CYCLES 4.0      /* a 64-bit multiplication, 3, and an exclusive or, 1 */

static double sqrt_of(double x) { return sqrt(x); }
static double pow_of(double x) { return pow(x, 1.3); }
static double atan2_of(double x) { return atan2(x, 1.5); }
static double fmod_of(double x) { return fmod(x, 0.7); }
static double expf_of(double x) { return (double)expf((float)x); }
static double logf_of(double x) { return (double)logf((float)x); }
static double sinf_of(double x) { return (double)sinf((float)x); }
static double cosf_of(double x) { return (double)cosf((float)x); }
static double powf_of(double x) { return (double)powf((float)x, 1.3f); }

static const struct { const char *name; double (*call)(double x); } functions[] = {
    {"exp", exp}, {"log", log}, {"sin", sin}, {"cos", cos}, {"tan", tan}, {"pow", pow_of}, {"sqrt", sqrt_of}, {"exp2", exp2}, {"log2", log2}, {"log10", log10},
    {"atan", atan}, {"atan2", atan2_of}, {"asin", asin}, {"acos", acos}, {"sinh", sinh}, {"cosh", cosh}, {"tanh", tanh}, {"erf", erf}, {"erfc", erfc}, {"cbrt", cbrt},
    {"fmod", fmod_of}, {"expm1", expm1}, {"log1p", log1p}, {"expf", expf_of}, {"logf", logf_of}, {"sinf", sinf_of}, {"cosf", cosf_of}, {"powf", powf_of}};

/* Cycles per second from a chain of known latency. */
static double clock_now(void)
{
    static volatile uint64_t seed = 0x9e3779b97f4a7c15u;
    uint64_t x = seed, y = seed | 1, z = seed >> 3;
    double start = clock_seconds();

    for (int i = 0; i < STEPS; i++)
        x = (x * y) ^ z;
    double seconds = clock_seconds() - start;
    seed = x;
    return STEPS * STEP_CYCLES / seconds;
}

static double seconds_of(double (*call)(double x))
{
    static volatile double sink;
    double sum = 0, start = clock_seconds();

    for (int i = 0; i < CALLS; i++)
        sum += call(0.1 + 0.8 * i / CALLS);
    sink = sum;
    (void)sink;
    return (clock_seconds() - start) / CALLS;
}

/* What function number @f takes, measured now, and what it had of the core. */
static struct call_cost measure(struct call_costs *costs, size_t f)
{
    double least = INFINITY, nops = 0;

    for (int i = 0; i < TRIES && !costs->count; i++)
        costs->clock_hz = fmax(costs->clock_hz, clock_now());
    for (int i = 0; i < TRIES; i++) {
        least = fmin(least, seconds_of(functions[f].call));
        nops = fmax(nops, native_nops());
    }
    return (struct call_cost){functions[f].name, least * costs->clock_hz, nops};
}

static const struct call_cost *find(struct call_costs *costs, const char *name)
{
    for (unsigned i = 0; i < costs->count; i++)
        if (strcmp(costs->list[i].name, name) == 0)
            return &costs->list[i];
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        if (strcmp(functions[f].name, name) == 0) {
            costs->list[costs->count] = measure(costs, f);
            return &costs->list[costs->count++];
        }
    return NULL;
}

double call_cost_of(struct call_costs *costs, const char *name)
{
    const struct call_cost *found = find(costs, name);
    return found ? found->cycles : NAN;
}

double call_cost_beside(struct call_costs *costs, const char *name, double issued)
{
    const struct call_cost *found = find(costs, name);
    return found ? found->cycles * (found->nops > 0 && issued > 0 ? found->nops / issued : 1) : NAN;
}
