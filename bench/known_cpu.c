/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "known_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "infer/generate.h"

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

struct experiments *known_pairs(const struct mapping *truth, double noise, bool weighted)
{
    struct measured_known cpu = {.m = truth, .noise = noise};
    struct experiments *t = experiments_new();
    size_t n = mapping_count(truth);
    uint32_t *forms = mem_alloc((n + 1) * sizeof *forms);
    struct err err = {0};

    rng_seed(&cpu.rng, 3);
    for (size_t f = 0; f < n; f++)
        forms[f] = names_add(&t->forms, mapping_at(truth, f)->form);
    generate_singletons(t, forms, n);
    if (weighted)   /* Adds pairs weighted by the cycles of each single form. */
        measure_known(t, &cpu, &err);
    generate_pairs(t, forms, n);
    measure_known(t, &cpu, &err);
    free(forms);
    return t;
}

struct mapping *some_forms(const struct machine *machine, size_t count, unsigned most_ports,
                           uint32_t most_uops)
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
            total += entry->usage.uops[i].ports >> ports.count ? most_uops + 1
                                                               : entry->usage.uops[i].count;
        if (total > 0 && total <= most_uops && entry->usage.count <= GENE_UOPS)
            mapping_set(m, entry);
    }
    return m;
}
