/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "infer/generate.h"
#include "known.h"
#include "support.h"

struct mapping *known(unsigned forms)
{
    static const char *const usages[] = {"1*p01", "1*p0123", "1*p2", "1*p01+1*p3",
                                         "2*p23", "4*p0",    "1*p3"};
    struct ports ports = {0};
    struct err err;
    char name[16];

    for (int i = 0; i < 4; i++)
        ports_add(&ports, (const char[]){(char)('0' + i), 0}, &err);
    struct mapping *m = mapping_new(&ports);
    for (unsigned f = 0; f < forms; f++) {
        snprintf(name, sizeof name, "F%u", f);
        struct mapping_entry entry = {.form = name, .latency = NAN};
        assert_true(usage_parse(usages[f % 7], &ports, &entry.usage, &err));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

/* Returns single forms, pairs if @pairs, and @count random experiments of @size forms, with their
 * times on @m. */
static struct experiments *measured_of(const struct mapping *m, double noise, bool pairs,
                                       size_t count, size_t size)
{
    struct experiments *t = experiments_new();
    struct measured_known cpu = {m, noise, {{0}}};
    struct err err = {0};
    struct rng rng;
    uint32_t forms[64];
    size_t n = mapping_count(m);

    rng_seed(&cpu.rng, 3);
    rng_seed(&rng, 4);
    for (size_t f = 0; f < n; f++)
        forms[f] = names_add(&t->forms, mapping_at(m, f)->form);
    generate_singletons(t, forms, n);
    if (pairs)
        generate_pairs(t, forms, n);
    generate_random(t, forms, n, count, size, &rng);
    assert_true(measure_known(t, &cpu, &err));
    return t;
}

struct experiments *measured(const struct mapping *m, double noise, size_t triples)
{
    return measured_of(m, noise, true, triples, 3);
}

struct experiments *measured_sparsely(const struct mapping *m, double noise, size_t fives)
{
    return measured_of(m, noise, false, fives, 5);
}

static void take_times(struct known_bed *b, struct mapping *take_truth, struct experiments *take_t)
{
    struct err err = {0};

    *b = (struct known_bed){take_truth, take_t, problem_new(take_t, NULL, &err)};
    assert_non_null(b->p);
}

void known_set_up(struct known_bed *b, unsigned forms, double noise, size_t triples)
{
    struct mapping *truth = known(forms);
    take_times(b, truth, measured(truth, noise, triples));
}

void known_set_up_sparse(struct known_bed *b, unsigned forms, double noise, size_t fives)
{
    struct mapping *truth = known(forms);
    take_times(b, truth, measured_sparsely(truth, noise, fives));
}

void known_tear_down(struct known_bed *b)
{
    problem_free(b->p);
    experiments_free(b->t);
    mapping_free(b->truth);
}

struct evolve_options known_options(void)
{
    struct evolve_options o;

    evolve_defaults(&o);
    o.ports = 4;
    o.width = 0;
    o.population = 4;
    o.generations = 1;
    o.price_scale = 0.1;
    return o;
}
