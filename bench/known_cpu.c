/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "known_cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "infer/generate.h"
#include "model/metrics.h"
#include "throughput/predict.h"

#define UNSEEN 2000

double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void fail(const struct err *err)
{
    char text[2048];
    fprintf(stderr, "bench: %s\n", err_text(err, text, sizeof text));
    exit(1);
}

bool known_cpu_measure(struct experiments *t, void *state, struct err *err)
{
    struct simulated *s = state;
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles);
    (void)err;
    throughput_predict(s->m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (isnan(t->rows.items[i].cycles))
            experiments_set(t, i, cycles[i] * (1 + s->noise * (2 * rng_unit(&s->rng) - 1)), NAN, 1, NULL);
    free(cycles);
    return true;
}

struct mapping *some_forms(const struct machine *machine, size_t count, unsigned most_ports, uint32_t most_uops)
{
    struct ports ports = *mapping_ports(machine->mapping);
    size_t all = mapping_count(machine->mapping);
    struct rng rng;

    ports.count = ports.count < most_ports ? ports.count : most_ports;
    ports.pipes &= (portset)((1u << ports.count) - 1);
    struct mapping *m = mapping_new(&ports);
    rng_seed(&rng, 12);
    for (size_t tries = 0; mapping_count(m) < count && tries < 100 * count; tries++) {
        const struct mapping_entry *entry = mapping_at(machine->mapping, rng_below(&rng, all));
        uint32_t total = 0;
        for (unsigned i = 0; i < entry->usage.count; i++)
            total += entry->usage.uops[i].ports >> ports.count ? most_uops + 1 : entry->usage.uops[i].count;
        if (total > 0 && total <= most_uops && entry->usage.count <= GENE_UOPS)
            mapping_set(m, entry);
    }
    return m;
}

double unseen(const struct mapping *truth, const struct mapping *found)
{
    struct experiments *t = experiments_new();
    uint32_t *forms = mem_alloc((mapping_count(truth) + 1) * sizeof *forms);
    struct rng rng;

    rng_seed(&rng, 77);
    for (size_t f = 0; f < mapping_count(truth); f++)
        forms[f] = names_add(&t->forms, mapping_at(truth, f)->form);
    generate_random(t, forms, mapping_count(truth), UNSEEN, 5, &rng);
    double *a = mem_alloc(2 * t->rows.count * sizeof *a), *b = a + t->rows.count;
    throughput_predict(truth, t, a);
    throughput_predict(found, t, b);
    double error = metrics_mape(b, a, t->rows.count);
    free(a);
    free(forms);
    experiments_free(t);
    return error;
}
