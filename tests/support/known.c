/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "infer/generate.h"
#include "known.h"

struct mapping *known(unsigned forms)
{
    static const char *const usages[] = {"1*p01", "1*p0123", "1*p2", "1*p01+1*p3", "2*p23", "4*p0", "1*p3"};
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

struct experiments *measured(const struct mapping *m, double noise, size_t triples)
{
    struct experiments *t = experiments_new();
    struct measured_known cpu = {m, noise, {{0}}};
    struct rng rng;
    uint32_t forms[64];
    size_t n = mapping_count(m);

    rng_seed(&cpu.rng, 3);
    rng_seed(&rng, 4);
    for (size_t f = 0; f < n; f++)
        forms[f] = names_add(&t->forms, mapping_at(m, f)->form);
    generate_singletons(t, forms, n);
    generate_pairs(t, forms, n);
    generate_random(t, forms, n, triples, 3, &rng);
    measure_known(t, &cpu, NULL);
    return t;
}
