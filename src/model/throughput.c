/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/throughput.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "model/enumerate.h"

static const struct engine *engine_for_this_cpu(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return &engine_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return &engine_avx2;
#endif
    return &engine_portable;
}

struct throughput *throughput_new(unsigned ports)
{
    struct throughput *t = aligned_alloc(64, (sizeof *t + 63) / 64 * 64);
    if (!t)
        die("out of memory (%zu bytes)", sizeof *t);
    t->ports = ports;
    t->engine = engine_for_this_cpu();
    return t;
}

void throughput_free(struct throughput *t)
{
    free(t);
}

bool throughput_use_engine(struct throughput *t, const char *name)
{
#if defined(__x86_64__)
    const struct engine *best = engine_for_this_cpu();
    if (strcmp(name, "avx512") == 0 && best == &engine_avx512)
        t->engine = &engine_avx512;
    else if (strcmp(name, "avx2") == 0 && best != &engine_portable)
        t->engine = &engine_avx2;
    else
#endif
    if (strcmp(name, "portable") == 0)
        t->engine = &engine_portable;
    else
        return false;
    return true;
}

/* Adds @mass to the @n distinct ones of @merged; returns the new number. */
static inline size_t merge_one(struct mass *merged, size_t n, portset ports, uint32_t count)
{
    for (size_t k = 0; k < n; k++)
        if (merged[k].ports == ports) {
            merged[k].count += count;
            return n;
        }
    if (n == FLOW_SETS)
        BUG("more than %d distinct port sets in one experiment", FLOW_SETS);
    merged[n] = (struct mass){ports, count};
    return n + 1;
}

static double by_flow(struct throughput *t, size_t n, portset *bottleneck)
{
    struct flow *f = &t->flow;

    f->sets = (unsigned)n;
    f->ports = t->ports;
    for (size_t i = 0; i < n; i++) {
        f->set[i] = t->merged[i].ports;
        f->mass[i] = t->merged[i].count;
    }
    flow_solve(f);
    if (bottleneck)
        *bottleneck = flow_tight_maximal(f);
    return (double)f->numerator / (double)f->denominator;
}

/* Renumbers the ports in @used to 0, 1, ... in the n merged masses. */
static void compress(struct mass *masses, size_t n, portset used)
{
    for (size_t i = 0; i < n; i++) {
        portset packed = 0;
        unsigned to = 0;
        for (portset rest = used; rest; rest &= rest - 1, to++)
            if (masses[i].ports & rest & -rest)
                packed |= (portset)1 << to;
        masses[i].ports = packed;
    }
}

/* Picks the cheaper exact method for t->merged, n > 0 distinct sets. Costs in vector operations, measured. */
static double evaluate_merged(struct throughput *t, size_t n, uint64_t total)
{
    portset used = 0;

    if (total > ENUMERATE_MASS_MAX)
        return by_flow(t, n, NULL);
    if (n <= 6)
        return t->engine->recover(t->engine->subsets(t, t->merged, n), t->ports);
    for (size_t i = 0; i < n; i++)
        used |= t->merged[i].ports;
    unsigned size = portset_size(used), high = size > 4 ? size - 4 : 0;
    double subset_cost = n <= SUBSETS_MAX ? 3.0 * (double)(1u << (n - 4)) : 1e9;
    double zeta_cost = size <= ZETA_PORTS_MAX ? (double)(1u << high) * (2.0 + high / 2.0) + 3.0 * (double)n : 1e9;
    if (subset_cost > 20000 && zeta_cost > 20000)
        return by_flow(t, n, NULL);
    if (subset_cost <= zeta_cost)
        return t->engine->recover(t->engine->subsets(t, t->merged, n), t->ports);
    if (used & (used + 1))
        compress(t->merged, n, used);
    return t->engine->recover(t->engine->zeta(t, t->merged, n, size), size);
}

double throughput_of_masses(struct throughput *t, const struct mass *masses, size_t n)
{
    size_t distinct = 0;
    uint64_t total = 0;

    for (size_t i = 0; i < n; i++) {
        distinct = merge_one(t->merged, distinct, masses[i].ports, masses[i].count);
        total += masses[i].count;
    }
    return n ? evaluate_merged(t, distinct, total) : 0;
}

double throughput_bottleneck(struct throughput *t, const struct mass *masses, size_t n, portset *bottleneck)
{
    size_t distinct = 0;

    *bottleneck = 0;
    for (size_t i = 0; i < n; i++)
        distinct = merge_one(t->merged, distinct, masses[i].ports, masses[i].count);
    return n ? by_flow(t, distinct, bottleneck) : 0;
}

double throughput_terms(struct throughput *t, const struct flat_mapping *m, const struct flat_term *terms, size_t n)
{
    size_t distinct = 0;
    uint64_t total = 0;

    for (size_t i = 0; i < n; i++)
        for (uint32_t j = m->start[terms[i].form]; j < m->start[terms[i].form + 1]; j++) {
            uint32_t count = m->masses[j].count * terms[i].count;
            distinct = merge_one(t->merged, distinct, m->masses[j].ports, count);
            total += count;
        }
    return distinct ? evaluate_merged(t, distinct, total) : 0;
}

void throughput_batch(struct throughput *t, const struct flat_mapping *m, const struct flat_experiments *e, double *cycles)
{
    t->engine->batch(t, m, e, cycles);
}

void throughput_across(struct throughput *t, const struct flat_mapping *const *maps, size_t n, const struct flat_term *terms,
                       size_t n_terms, double *cycles)
{
    for (size_t i = 0; i < n; i++)
        cycles[i] = throughput_terms(t, maps[i], terms, n_terms);
}

struct flat_mapping *flat_mapping_new(const struct mapping *m)
{
    struct flat_mapping *flat = mem_zero(1, sizeof *flat);
    VEC(struct mass) masses = {0};

    flat->ports = mapping_ports(m)->count;
    flat->forms = mapping_count(m);
    flat->start = mem_alloc((flat->forms + 1) * sizeof *flat->start);
    for (size_t i = 0; i < flat->forms; i++) {
        const struct usage *usage = &mapping_at(m, i)->usage;
        flat->start[i] = (uint32_t)masses.count;
        for (unsigned k = 0; k < usage->count; k++)
            vec_push(&masses, ((struct mass){usage->uops[k].ports, usage->uops[k].count}));
    }
    flat->start[flat->forms] = (uint32_t)masses.count;
    flat->masses = masses.items;
    return flat;
}

void flat_mapping_free(struct flat_mapping *m)
{
    if (!m)
        return;
    free(m->start);
    free(m->masses);
    free(m);
}

struct flat_experiments *flat_experiments_new(const struct mapping *m, const struct experiment *e, size_t n, struct err *err)
{
    struct flat_experiments *flat = mem_zero(1, sizeof *flat);
    VEC(struct flat_term) terms = {0};

    flat->count = n;
    flat->start = mem_alloc((n + 1) * sizeof *flat->start);
    for (size_t i = 0; i < n; i++) {
        flat->start[i] = (uint32_t)terms.count;
        for (unsigned k = 0; k < e[i].count; k++) {
            size_t form = mapping_index(m, e[i].terms[k].form);
            if (form == SIZE_MAX) {
                err_set(err, ERR_DATA, "add it to the mapping or leave the experiment out",
                        "the mapping does not know the form %s", e[i].terms[k].form);
                vec_done(&terms);
                flat_experiments_free(flat);
                return NULL;
            }
            vec_push(&terms, ((struct flat_term){(uint32_t)form, e[i].terms[k].count}));
        }
    }
    flat->start[n] = (uint32_t)terms.count;
    flat->terms = terms.items;
    return flat;
}

void flat_experiments_free(struct flat_experiments *e)
{
    if (!e)
        return;
    free(e->start);
    free(e->terms);
    free(e);
}

double throughput_of(const struct mapping *m, const struct experiment *e, struct str *unknown)
{
    VEC(struct mass) masses = {0};

    for (unsigned i = 0; i < e->count; i++) {
        const struct mapping_entry *entry = mapping_find(m, e->terms[i].form);
        if (!entry && unknown)
            str_addf(unknown, "%s\n", e->terms[i].form);
        for (unsigned k = 0; entry && k < entry->usage.count; k++)
            vec_push(&masses, ((struct mass){entry->usage.uops[k].ports, entry->usage.uops[k].count * e->terms[i].count}));
    }
    struct throughput *t = throughput_new(mapping_ports(m)->count);
    double cycles = throughput_of_masses(t, masses.items, masses.count);
    throughput_free(t);
    vec_done(&masses);
    return cycles;
}
