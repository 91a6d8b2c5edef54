/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "io/cpus.h"
#include "io/machine_file.h"
#include "model/facts.h"

/* largest relative difference at which rounds agree */
#define CLUSTER_WIDTH 0.005
#define CLUSTER_LEAST 4       /* minimum number of rounds that must agree */
/* smallest ratio of a round's rate to another rate at which the round is as fast: the known rate,
 * or the rate of the agreeing rounds */
#define AS_FAST 0.985
/* Smallest share of the expected nops per cycle on an idle core. Measured: 5.58 of 6 on Golden
 * Cove, 3.9 of 4 on Skylake. */
#define OF_EXPECTED 0.9
#define TRUSTED_SHARE 0.5     /* minimum share of agreeing rounds if no baseline is known */
#define BETTER 1.003

enum baseline_column { NOPS, PORTS, LOAD_WINDOW, DOUBTFUL, DAY, ROOM };
static const struct kept_file file = {
    "baseline.csv",
    {"nops_per_cycle", "ports_per_cycle", "load_window", "doubtful", "date", "room_per_cycle"}};

struct baseline_look baseline_look(double *cycles, size_t n)
{
    struct baseline_look look = {0, 0};
    size_t needed = n / 16 > CLUSTER_LEAST ? n / 16 : CLUSTER_LEAST;

    qsort(cycles, n, sizeof *cycles, compare_doubles);
    for (size_t i = 0; i + needed <= n && !(look.rate > 0); i++)
        if (cycles[i] > 0 && cycles[i + needed - 1] <= cycles[i] * (1 + CLUSTER_WIDTH))
            look.rate = 1 / cycles[i + needed / 2];
    for (size_t i = 0; i < n && look.rate > 0; i++)
        look.share += (cycles[i] > 0 && 1 / cycles[i] >= AS_FAST * look.rate) / (double)n;
    return look;
}

enum baseline_verdict baseline_judge(const struct baseline *known, const struct baseline_look *nops,
                                     const struct baseline_look *ports, double expected)
{
    if (known->nops > 0 && !known->doubtful)
        return nops->rate >= AS_FAST * known->nops ? BASELINE_QUIET : BASELINE_BUSY;
    if (!(nops->rate > 0))
        return BASELINE_DOUBTFUL;
    if (expected > 0)
        return nops->rate >= OF_EXPECTED * expected ? BASELINE_QUIET : BASELINE_DOUBTFUL;
    bool most = nops->share >= TRUSTED_SHARE && ports->share >= TRUSTED_SHARE;
    return most && nops->rate >= AS_FAST * known->nops && ports->rate >= AS_FAST * known->ports
               ? BASELINE_QUIET
               : BASELINE_DOUBTFUL;
}

bool baseline_better(const struct baseline *known, const struct baseline *seen)
{
    if (!(known->nops > 0) || (known->doubtful && !seen->doubtful))
        return seen->nops > 0;
    if (seen->doubtful && !known->doubtful)
        return false;
    return seen->nops > BETTER * known->nops || seen->ports > BETTER * known->ports ||
           seen->room > BETTER * known->room || (!known->load_window && seen->load_window);
}

/* Returns the issue slots per cycle according to the machine's facts; NaN: unknown. Sets *@nops to
 * the nops per slot. */
static double width_by_facts(double *nops)
{
    struct err err = {0};
    struct cpu_native native;
    double width = NAN;

    if (!cpu_native_find(&native, &err))
        return NAN;
    struct machine *m = machine_load_shipped(native.machine, &err);
    if (m) {
        width = fact_number(m, "issue_width");
        *nops = fact_switch(m, "fuse_nop") ? 2 : 1;
    }
    machine_free(m);
    cpu_native_done(&native);
    return width > 0 ? width : NAN;
}

double baseline_width(void)
{
    double nops;
    return width_by_facts(&nops);
}

double baseline_expected(void)
{
    double nops = 1, width = width_by_facts(&nops);
    return width * nops;
}

void baseline_recall(struct baseline *out)
{
    struct kept_rows kept;

    *out = (struct baseline){0};
    kept_read(&file, &kept);
    if (kept.rows.count) {
        double nops = strtod(kept_field(&kept, 0, NOPS), NULL),
               ports = strtod(kept_field(&kept, 0, PORTS), NULL),
               window = strtod(kept_field(&kept, 0, LOAD_WINDOW), NULL),
               room = strtod(kept_field(&kept, 0, ROOM), NULL);
        if (nops > 0 && nops < 1000 && ports > 0 && ports < 1000) {
            out->nops = nops;
            out->ports = ports;
            out->room = room > 0 && room < 1000 ? room : 0;
            out->load_window = window >= 64 && window <= 65536 ? (unsigned)window : 0;
            out->doubtful = strcmp(kept_field(&kept, 0, DOUBTFUL), "yes") == 0;
            snprintf(out->day, sizeof out->day, "%s", kept_field(&kept, 0, DAY));
        }
    }
    kept_done(&kept);
}

void baseline_remember(struct baseline *b)
{
    struct kept_writer w;
    char nops[32], ports[32], window[32], room[32];

    kept_today(b->day);
    snprintf(nops, sizeof nops, "%.4f", b->nops);
    snprintf(ports, sizeof ports, "%.4f", b->ports);
    snprintf(window, sizeof window, "%u", b->load_window);
    snprintf(room, sizeof room, "%.4f", b->room);
    kept_replace(&w, &file, NULL);
    kept_add(&w, (const char *[KEPT_COLUMNS]){[NOPS] = nops,
                                              [PORTS] = ports,
                                              [LOAD_WINDOW] = window,
                                              [DOUBTFUL] = b->doubtful ? "yes" : "no",
                                              [DAY] = b->day,
                                              [ROOM] = room});
    kept_write(&w, "the idle baseline");
}
