/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stage_mapping.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "throughput/predict.h"

static void find_alone(struct stage_mapping *s, const struct experiments *t)
{
    for (size_t i = 0; i < mapping_count(s->mapping); i++)
        s->alone[i] = NAN;
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct flat_term *only = experiments_terms(t, i);
        if (t->rows.items[i].count != 1 || only->count != 1 || !experiments_measured(t, i))
            continue;
        const size_t at = mapping_index(s->mapping, t->forms.items[only->form]);
        if (at < mapping_count(s->mapping))
            s->alone[at] = t->rows.items[i].cycles;
    }
}

static void predict_alone(struct stage_mapping *s)
{
    struct experiments *t = experiments_new();

    for (size_t i = 0; i < mapping_count(s->mapping); i++) {
        const uint32_t form = names_add(&t->forms, mapping_at(s->mapping, i)->form);
        experiments_add(t, (struct flat_term[]){{form, 1}}, 1);
    }
    throughput_predict(s->mapping, t, s->predicted);
    experiments_free(t);
}

static portset ports_of(const struct mapping_entry *entry)
{
    portset ports = 0;

    for (unsigned i = 0; i < entry->usage.count; i++)
        ports |= entry->usage.uops[i].ports;
    return ports;
}

/* Sets s->changes to the ports that each form uses in only one of the two mappings. Does nothing if
 * the mappings have different numbers of ports, whose ports are not comparable. */
static void mark_changes(struct stage_mapping *s, const struct mapping *before)
{
    if (mapping_ports(before)->count != mapping_ports(s->mapping)->count)
        return;
    for (size_t i = 0; i < mapping_count(s->mapping); i++) {
        const struct mapping_entry *is = mapping_at(s->mapping, i),
                                   *was = mapping_find(before, is->form);
        s->changes[i] = ports_of(is) ^ (was ? ports_of(was) : 0);
        s->changed += (size_t)portset_size(s->changes[i]);
    }
}

struct stage_mapping *stage_mapping_new(const struct mapping *m, const struct experiments *t,
                                        const struct stage_mapping *before)
{
    static _Atomic uint64_t last;
    struct stage_mapping *s = mem_zero(1, sizeof *s);
    const size_t count = mapping_count(m);

    s->serial = atomic_fetch_add(&last, 1) + 1;
    s->mapping = mapping_copy(m);
    s->alone = mem_alloc((count + 1) * sizeof *s->alone);
    s->predicted = mem_alloc((count + 1) * sizeof *s->predicted);
    s->changes = mem_zero(count + 1, sizeof *s->changes);
    find_alone(s, t);
    predict_alone(s);
    if (before)
        mark_changes(s, before->mapping);
    return s;
}

struct stage_mapping *stage_mapping_hold(struct stage_mapping *s)
{
    atomic_fetch_add(&s->holders, 1);
    return s;
}

void stage_mapping_free(struct stage_mapping *s)
{
    if (!s || atomic_fetch_sub(&s->holders, 1) > 0)
        return;
    mapping_free(s->mapping);
    free(s->alone);
    free(s->predicted);
    free(s->changes);
    free(s);
}
