/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>

/* A loop of @lines with @times accesses. The fact is the cycles per access, or with @rate the
 * accesses per cycle. */
struct plain_loop {
    const char *key, *unit, *lines;
    unsigned times;
    bool rate;
    const char *why;
};
static const struct plain_loop loops[] = {
    /* the first loop, because later facts require load_latency */
    {"load_latency", "cycles", "ldr x0, [x0]", 4, false, "a chain of loads"},
    {"store_forward", "cycles", "str x8, [x1]\nldr x8, [x1]", 2, false,
     "a chain of stores and loads of a general register"},
    {"store_forward_vector", "cycles", "str q8, [x1]\nldr q8, [x1]", 2, false,
     "a chain of stores and loads of a vector"},
    {"loads_per_cycle", "loads/cycle", "ldr x8, [x1]\nldr x9, [x1, #8]", 12, true,
     "a loop of loads"},
    {"stores_per_cycle", "stores/cycle", "str x8, [x1]\nstr x8, [x1, #8]", 12, true,
     "a loop of stores to one line"},
};
#define LOOPS (sizeof loops / sizeof *loops)

/* facts that the models use but that no loop determines */
static const char *const untold[] = {"eliminate", "fuse_any", "taken_branches",
                                     "load_latency_scalar", "load_latency_wide"};

static void conclude(struct probes *p, const struct plain_loop *loop, double cycles)
{
    const double each = cycles / loop->times;

    if (loop->rate)
        probe_tell_rate(p, loop->key, probe_whole_rate(2 * loop->times, cycles), cycles, loop->unit,
                        loop->why);
    else if (isnan(each))
        probe_tell(p, loop->key, NULL, "", "no stable time, or the assembler rejects the code");
    else if (fabs(each - rint(each)) > PROBE_WITHIN * each)
        probe_tell(p, loop->key, NULL, "", "a chain does not have a whole number of cycles");
    else
        probe_tell_cycles(p, loop->key, each, loop->why);
}

bool plain_facts_find(struct probes *p, struct err *err)
{
    /* Skips the first loop if the chains of forms determined load_latency, because latency rules
     * add to it. */
    size_t first = isnan(machine_number(p->chart->machine, "load_latency")) ? 0 : 1;
    struct str lines = {0};

    for (size_t i = 0; i < LOOPS; i++) {
        str_clear(&lines);
        probe_repeat(loops[i].lines, loops[i].times, &lines);
        probe_add(p, "%s", str_text(&lines));
    }
    str_done(&lines);
    if (!probes_run(p, err))
        return false;
    for (size_t i = first; i < LOOPS; i++)
        conclude(p, &loops[i], probe_time(p, i));
    for (size_t i = 0; i < sizeof untold / sizeof *untold; i++)
        probe_tell(p, untold[i], NULL, "",
                   "no experiment of this instruction set measures the fact");
    return true;
}
