/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/mapping.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct mapping {
    struct ports ports;
    VEC(struct mapping_entry) entries;
    uint32_t *slots;      /* open addressing: entry index + 1, 0 free */
    size_t slot_count;    /* power of two, at least twice the entries */
};

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;   /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

struct mapping *mapping_new(const struct ports *ports)
{
    struct mapping *m = mem_zero(1, sizeof *m);
    m->ports = *ports;
    m->slot_count = 64;
    m->slots = mem_zero(m->slot_count, sizeof *m->slots);
    return m;
}

static void entry_done(struct mapping_entry *entry)
{
    free(entry->form);
    free(entry->source);
    usage_done(&entry->usage);
}

void mapping_free(struct mapping *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->entries.count; i++)
        entry_done(&m->entries.items[i]);
    vec_done(&m->entries);
    free(m->slots);
    free(m);
}

struct mapping *mapping_copy(const struct mapping *m)
{
    struct mapping *copy = mapping_new(&m->ports);
    for (size_t i = 0; i < m->entries.count; i++)
        mapping_set(copy, &m->entries.items[i]);
    return copy;
}

const struct ports *mapping_ports(const struct mapping *m)
{
    return &m->ports;
}

size_t mapping_count(const struct mapping *m)
{
    return m->entries.count;
}

const struct mapping_entry *mapping_at(const struct mapping *m, size_t index)
{
    if (index >= m->entries.count)
        BUG("mapping entry %zu of %zu", index, m->entries.count);
    return &m->entries.items[index];
}

/* The slot that holds @form, or the free one where it belongs. */
static size_t slot_of(const struct mapping *m, const char *form)
{
    size_t at = hash_of(form) & (m->slot_count - 1);
    while (m->slots[at] && strcmp(m->entries.items[m->slots[at] - 1].form, form) != 0)
        at = (at + 1) & (m->slot_count - 1);
    return at;
}

size_t mapping_index(const struct mapping *m, const char *form)
{
    uint32_t slot = m->slots[slot_of(m, form)];
    return slot ? slot - 1 : SIZE_MAX;
}

const struct mapping_entry *mapping_find(const struct mapping *m, const char *form)
{
    size_t index = mapping_index(m, form);
    return index == SIZE_MAX ? NULL : &m->entries.items[index];
}

static void grow_index(struct mapping *m)
{
    free(m->slots);
    m->slot_count *= 2;
    m->slots = mem_zero(m->slot_count, sizeof *m->slots);
    for (size_t i = 0; i < m->entries.count; i++)
        m->slots[slot_of(m, m->entries.items[i].form)] = (uint32_t)i + 1;
}

void mapping_set(struct mapping *m, const struct mapping_entry *entry)
{
    struct mapping_entry fresh = {
        .form = mem_strdup(entry->form),
        .latency = entry->latency,
        .micro_ops = entry->micro_ops,
        .source = mem_strdup(entry->source ? entry->source : ""),
    };
    usage_copy(&fresh.usage, &entry->usage);

    size_t slot = slot_of(m, fresh.form);
    if (m->slots[slot]) {
        struct mapping_entry *old = &m->entries.items[m->slots[slot] - 1];
        entry_done(old);
        *old = fresh;
        return;
    }
    vec_push(&m->entries, fresh);
    m->slots[slot] = (uint32_t)m->entries.count;
    if (m->entries.count * 2 > m->slot_count)
        grow_index(m);
}

bool mapping_equal(const struct mapping *a, const struct mapping *b)
{
    if (!ports_equal(&a->ports, &b->ports) || a->entries.count != b->entries.count)
        return false;
    for (size_t i = 0; i < a->entries.count; i++) {
        const struct mapping_entry *x = &a->entries.items[i], *y = mapping_find(b, x->form);
        if (!y || !usage_equal(&x->usage, &y->usage))
            return false;
        if (isnan(x->latency) != isnan(y->latency) || (!isnan(x->latency) && x->latency != y->latency))
            return false;
    }
    return true;
}

static int compare_sets(const void *a, const void *b)
{
    portset x = *(const portset *)a, y = *(const portset *)b;
    return (x > y) - (x < y);
}

size_t mapping_distinct_uops(const struct mapping *m)
{
    VEC(portset) sets = {0};
    size_t distinct = 0;

    for (size_t i = 0; i < m->entries.count; i++)
        for (unsigned j = 0; j < m->entries.items[i].usage.count; j++)
            vec_push(&sets, m->entries.items[i].usage.uops[j].ports);
    if (sets.count)
        qsort(sets.items, sets.count, sizeof *sets.items, compare_sets);
    for (size_t i = 0; i < sets.count; i++)
        distinct += i == 0 || sets.items[i] != sets.items[i - 1];
    vec_done(&sets);
    return distinct;
}

uint64_t mapping_volume(const struct mapping *m)
{
    uint64_t volume = 0;
    for (size_t i = 0; i < m->entries.count; i++)
        volume += usage_volume(&m->entries.items[i].usage);
    return volume;
}

bool mapping_check(const struct mapping *m, struct err *err)
{
    portset sets[PORTSETS_MAX];
    unsigned count = 0;

    for (size_t i = 0; i < m->entries.count; i++)
        for (unsigned j = 0; j < m->entries.items[i].usage.count; j++) {
            portset set = m->entries.items[i].usage.uops[j].ports;
            unsigned k = 0;
            while (k < count && sets[k] != set)
                k++;
            if (k == PORTSETS_MAX)
                return err_set(err, ERR_LIMIT, NULL, "more than %d distinct port sets", PORTSETS_MAX);
            sets[k] = set;
            count += k == count;
        }
    return true;
}
