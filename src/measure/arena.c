/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/arena.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "measure/baseline.h"
#include "measure/sandbox.h"

#define CLOCK_LONG 402
#define CLOCK_SHORT 2
#define CLOCK_SAMPLES 4
#define PROBE_COUNT 100
#define CONTENDED 1.25            /* ratio of a probe's time to its least time under contention */
#define FREE_SHARE 0.75           /* largest share of the free memory that an arena may use */
#define MIB 1048576.0

uint64_t memory_available(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "re");

    while (file && fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %llu", &kib) != 1)
        ;
    if (file)
        fclose(file);
    return kib << 10;
}

bool arena_fits(double bytes, uint64_t available, const char *todo, struct err *err)
{
    return !available || bytes <= FREE_SHARE * (double)available ||
           err_set(err, ERR_LIMIT, todo,
                   "arrays of %.0f MiB need more than three quarters of the %.0f MiB that are free",
                   bytes / MIB, (double)available / MIB);
}

/* Measures the ticks of @count repetitions of @code: the least of several runs. Stores the ticks in
 * *@least. Returns false with err on failure. */
static bool least_ticks(struct sandbox *s, enum pulse_code code, unsigned count, double *least,
                        struct err *err)
{
    struct sandbox_item *item = sandbox_items(s);

    *item = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                  .code = code,
                                  .kernel = true,
                                  .warm = 2,
                                  .count = count,
                                  .samples = CLOCK_SAMPLES};
    if (!sandbox_run(s, 1, NULL, NULL, NULL, err))
        return false;
    if (item->fault)
        return err_set(err, ERR_LIMIT,
                       "run the command again", "the code that measures the clock failed: %s",
                       sandbox_fault_text(item->fault));
    *least = INFINITY;
    for (unsigned i = 0; i < CLOCK_SAMPLES; i++)
        *least = fmin(*least, (double)item->ticks[i]);
    return true;
}

/* Returns the cycles of the probe on an idle core, according to the stored speed of this CPU; 0:
 * unknown. */
static double probe_idle(void)
{
    struct baseline known;

    baseline_recall(&known);
    return known.nops > 0 && !known.doubtful ? PROBE_COUNT * SANDBOX_PROBE_LENGTH / known.nops : 0;
}

bool arena_clock(struct sandbox *s, struct arena_state *a, struct err *err)
{
    double ticks, probe;

    if (!(a->clock_least > 0) &&
        !least_ticks(s, PULSE_CHAIN, CLOCK_SHORT, &a->clock_least, err))
        return false;
    if (!least_ticks(s, PULSE_CHAIN, CLOCK_LONG, &ticks, err) ||
        !least_ticks(s, PULSE_PROBE, PROBE_COUNT, &probe, err))
        return false;
    a->clock = SANDBOX_CHAIN_LENGTH * (double)(CLOCK_LONG - CLOCK_SHORT) / (ticks - a->clock_least);
    a->clock_at = clock_seconds();
    a->probe = probe * a->clock;
    if (!(a->probe_least > 0))
        a->probe_least = probe_idle();
    if (a->clock > 0 && (a->probe < a->probe_least || !(a->probe_least > 0)))
        a->probe_least = a->probe;
    return a->clock > 0 || err_set(err, ERR_LIMIT, "repeat the command when the computer is idle",
                                   "the clock frequency cannot be measured");
}

bool arena_contended(const struct arena_state *a)
{
    return a->probe > CONTENDED * a->probe_least;
}
