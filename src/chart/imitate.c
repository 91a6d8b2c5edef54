/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/imitate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/chain_cycles.h"
#include "base/mem.h"
#include "base/rng.h"
#include "hunt/explain.h"
#include "measure/source.h"
#include "throughput/predict.h"

struct imitation {
    const struct machine *machine;
    struct mapping *mapping;    /* mapping of the simulated CPU, including its issue width */
    struct model *model;        /* model that simulates the CPU cycle by cycle */
    double noise;
    struct rng rng;
    struct chart_cpu cpu;
};

/* Returns @cycles with noise. If i->noise is a number, the result is at least @cycles, and rarely
 * much larger. Otherwise the noise has the distribution that was observed on a real CPU. */
static double noisy(struct imitation *i, double cycles)
{
    if (isnan(i->noise))
        return cycles * (1 + observed_deviation(rng_unit(&i->rng)));
    return cycles * (1 + i->noise * rng_unit(&i->rng) * rng_unit(&i->rng));
}

static size_t latencies_of(void *state, const struct form_code *code,
                           struct latency out[CHAINS_MAX], struct err *err)
{
    struct imitation *imitation = state;
    struct chain chains[CHAINS_MAX];
    size_t n = chain_list(code, chains);

    (void)err;
    for (size_t i = 0; i < n; i++) {
        double cycles = chain_cycles(imitation->machine, code, &chains[i]);
        out[i] =
            (struct latency){.chain = chains[i], .cycles = noisy(imitation, cycles), .spread = 0};
        snprintf(out[i].state, sizeof out[i].state,
                 isnan(cycles) ? "unknown to the simulated CPU" : "ok");
    }
    return n;
}

static bool times_of(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                     struct err *err)
{
    struct imitation *imitation = state;

    (void)err;
    for (size_t i = 0; i < n; i++) {
        const struct chart_block *b = &blocks[i];
        cycles[i] = noisy(
            imitation, b->copies == KERNEL_DECODED
                           ? model_cycles_as(imitation->model, b->insns, b->count, SHAPE_UNROLLED)
                           : model_cycles_of(imitation->model, b->insns, b->count));
    }
    return true;
}

struct imitation *imitation_new(const struct machine *m, double noise, uint64_t seed)
{
    struct imitation *i = mem_zero(1, sizeof *i);
    double width = machine_number(m, "issue_width");

    i->mapping = mapping_copy(m->mapping);
    if (width > 0) {
        for (size_t k = 0; k < mapping_count(m->mapping); k++) {
            struct mapping_entry entry = *mapping_at(m->mapping, k);
            entry.micro_ops = machine_slots(m, &entry);
            mapping_set(i->mapping, &entry);
        }
        mapping_set_issue_width(i->mapping, width);
    }
    i->machine = m;
    i->model = model_new(m, true);
    i->noise = noise;
    rng_seed(&i->rng, seed);
    i->cpu =
        (struct chart_cpu){source_simulated(i->mapping, noise, seed), latencies_of, times_of, i};
    return i;
}

void imitation_free(struct imitation *i)
{
    if (!i)
        return;
    source_free(i->cpu.source);
    model_free(i->model);
    mapping_free(i->mapping);
    free(i);
}

const struct chart_cpu *imitation_cpu(struct imitation *i)
{
    return &i->cpu;
}

const struct mapping *imitation_truth(const struct imitation *i)
{
    return i->mapping;
}
