/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/mapping.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/lock.h"
#include "base/shortage.h"
#include "base/vec.h"

struct mapping {
    struct ports ports;
    double issue_width;         /* issue slots per cycle; 0: no issue bound */
    VEC(struct mapping_entry) entries;
    struct index index;         /* index by form of the entries that are not in @rows */
    struct mapping_rows rows;   /* storage of borrowed entries; zero if there are none */
    /* Per entry of @rows: whether it was decoded. An entry is decoded at its first use, because a
     * loop needs few of the thousands of entries. */
    atomic_bool *filled;
    _Atomic(void *) derived;    /* block that mapping_derived returns, or NULL */
};

struct mapping *mapping_new(const struct ports *ports)
{
    struct mapping *m = mem_zero(1, sizeof *m);
    m->ports = *ports;
    return m;
}

static bool within(const void *part, const void *start, size_t size)
{
    return (uintptr_t)part - (uintptr_t)start < size;
}

static void entry_done(struct mapping *m, struct mapping_entry *entry)
{
    if (!within(entry->form, m->rows.texts, m->rows.texts_size))
        free(entry->form);
    if (!within(entry->source, m->rows.texts, m->rows.texts_size))
        free(entry->source);
    if (!within(entry->usage.uops, m->rows.uops, m->rows.uop_count * sizeof *m->rows.uops))
        usage_done(&entry->usage);
}

static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;

/* Returns the entry at @index, which must be valid. Any thread, while no thread changes the
 * mapping. */
static struct mapping_entry *entry_at(const struct mapping *m, size_t index)
{
    struct mapping_entry *entry = &m->entries.items[index];

    if (index >= m->rows.count || atomic_load_explicit(&m->filled[index], memory_order_acquire))
        return entry;
    const struct mapping_row *row = &m->rows.rows[index];
    struct uop *uops = row->uop_count ? (struct uop *)&m->rows.uops[row->uops] : NULL;
    lock_take(&filling);
    if (!atomic_load_explicit(&m->filled[index], memory_order_relaxed)) {
        *entry = (struct mapping_entry){(char *)&m->rows.texts[row->form],
                                        {uops, row->uop_count},
                                        m->rows.latencies[row->latency],
                                        row->micro_ops,
                                        (char *)&m->rows.texts[row->source]};
        atomic_store_explicit(&m->filled[index], true, memory_order_release);
    }
    lock_give(&filling);
    return entry;
}

void mapping_free(struct mapping *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->entries.count; i++)
        if (i >= m->rows.count || atomic_load_explicit(&m->filled[i], memory_order_relaxed))
            entry_done(m, &m->entries.items[i]);
    vec_done(&m->entries);
    index_done(&m->index);
    free(m->filled);
    free(m->derived);
    free(m);
}

struct mapping *mapping_of_rows(const struct ports *ports, const struct mapping_rows *rows)
{
    struct mapping *m = mapping_new(ports);

    m->entries.items = mem_try_zero(rows->count, sizeof *m->entries.items);
    m->filled = mem_try_zero(rows->count, sizeof *m->filled);
    if (!m->entries.items || !m->filled) {
        mapping_free(m);
        return NULL;
    }
    m->rows = *rows;
    m->entries.count = m->entries.capacity = rows->count;
    return m;
}

/* Returns the hash of a stored form. The hash has no seed, because every process must compute the
 * same value. A seed is not needed, because attackers do not choose the names. */
static uint64_t hash_row(const char *form)
{
    return hash_fixed(HASH_START, form, strlen(form));
}

void mapping_index_rows(const struct mapping *m, struct index *out)
{
    for (size_t i = 0; i < m->entries.count; i++)
        index_add(out, hash_row(entry_at(m, i)->form), (uint32_t)i);
}

/* Returns whether entry @index of the borrowed rows was replaced. */
static bool is_replaced(const struct mapping *m, size_t index)
{
    return atomic_load_explicit(&m->filled[index], memory_order_acquire) &&
           !within(m->entries.items[index].form, m->rows.texts, m->rows.texts_size);
}

bool mapping_shares(const struct mapping *a, const struct mapping *b, size_t index)
{
    return a->rows.rows == b->rows.rows && index < a->rows.count && !is_replaced(a, index) &&
           !is_replaced(b, index);
}

struct mapping *mapping_copy(const struct mapping *m)
{
    struct mapping *copy = m->rows.count ? mapping_of_rows(&m->ports, &m->rows) : NULL;
    /* number of entries that both mappings borrow */
    const size_t lent = copy ? m->rows.count : 0;

    copy = copy ? copy : mapping_new(&m->ports);
    copy->issue_width = m->issue_width;
    for (size_t i = 0; i < m->entries.count; i++)
        if (i >= lent || is_replaced(m, i))
            mapping_set(copy, entry_at(m, i));
    return copy;
}

const struct ports *mapping_ports(const struct mapping *m)
{
    return &m->ports;
}

double mapping_issue_width(const struct mapping *m)
{
    return m->issue_width;
}

void mapping_set_issue_width(struct mapping *m, double width)
{
    m->issue_width = width;
}

size_t mapping_count(const struct mapping *m)
{
    return m->entries.count;
}

const struct mapping_entry *mapping_at(const struct mapping *m, size_t index)
{
    if (index >= m->entries.count)
        BUG("mapping entry %zu of %zu", index, m->entries.count);
    return entry_at(m, index);
}

static bool is_form(const void *mapping, uint32_t item, const void *form)
{
    return strcmp(entry_at(mapping, item)->form, form) == 0;
}

double mapping_entry_confidence(const struct mapping_entry *entry)
{
    static const char word[] = "confidence ";
    const char *at = strstr(entry->source, word);

    return at ? strtod(at + strlen(word), NULL) : NAN;
}

bool source_is_estimate(const char *source)
{
    static const char word[] = "estimate";

    return strncmp(source, word, strlen(word)) == 0 ||
           strstr(source, "experiments are not explained");
}

size_t mapping_index(const struct mapping *m, const char *form)
{
    const struct index rows = {(struct index_slot *)m->rows.slots, m->rows.slot_count,
                               m->rows.count};
    uint32_t index =
        rows.slot_count ? index_find(&rows, hash_row(form), is_form, m, form) : INDEX_NONE;

    if (index == INDEX_NONE && m->index.slot_count)
        index = index_find(&m->index, hash_text(form), is_form, m, form);
    return index == INDEX_NONE ? SIZE_MAX : index;
}

const struct mapping_entry *mapping_find(const struct mapping *m, const char *form)
{
    size_t index = mapping_index(m, form);
    return index == SIZE_MAX ? NULL : entry_at(m, index);
}

/* Allocates space for another entry. Returns false if out of memory. The thread's command then
 * fails. */
static bool make_room(struct mapping *m)
{
    for (unsigned tries = 0; !vec_room(&m->entries) || !index_try_reserve(&m->index); tries++) {
        size_t bytes = m->entries.count * sizeof *m->entries.items;
        if (shortage_lose(bytes))
            return false;
        mem_again(bytes, tries);
    }
    return true;
}

const void *mapping_derived(const struct mapping *m)
{
    return atomic_load_explicit(&((struct mapping *)m)->derived, memory_order_acquire);
}

const void *mapping_keep_derived(const struct mapping *m, void *take_block)
{
    void *kept = NULL;

    if (atomic_compare_exchange_strong(&((struct mapping *)m)->derived, &kept, take_block))
        return take_block;
    free(take_block);
    return kept;
}

void mapping_drop_derived(struct mapping *m)
{
    free(atomic_exchange(&m->derived, NULL));
}

void mapping_set(struct mapping *m, const struct mapping_entry *entry)
{
    size_t index = mapping_index(m, entry->form);
    if (index == SIZE_MAX && !make_room(m))
        return;
    struct mapping_entry fresh = {
        .form = mem_strdup(entry->form),
        .latency = entry->latency,
        .micro_ops = entry->micro_ops,
        .source = mem_strdup(entry->source ? entry->source : ""),
    };
    usage_copy(&fresh.usage, &entry->usage);

    mapping_drop_derived(m);
    if (index != SIZE_MAX) {
        entry_done(m, entry_at(m, index));
        m->entries.items[index] = fresh;
    } else {
        vec_push(&m->entries, fresh);
        index_add(&m->index, hash_text(fresh.form), (uint32_t)m->entries.count - 1);
    }
}

bool mapping_equal(const struct mapping *a, const struct mapping *b)
{
    if (!ports_equal(&a->ports, &b->ports) || a->issue_width != b->issue_width ||
        a->entries.count != b->entries.count)
        return false;
    for (size_t i = 0; i < a->entries.count; i++) {
        const struct mapping_entry *x = entry_at(a, i), *y = mapping_find(b, x->form);
        if (!y || !usage_equal(&x->usage, &y->usage))
            return false;
        if (isnan(x->latency) != isnan(y->latency) ||
            (!isnan(x->latency) && x->latency != y->latency))
            return false;
    }
    return true;
}

size_t mapping_distinct_uops(const struct mapping *m)
{
    VEC(portset) sets = {0};
    size_t distinct = 0;

    for (size_t i = 0; i < m->entries.count; i++)
        for (unsigned j = 0; j < entry_at(m, i)->usage.count; j++)
            vec_push(&sets, entry_at(m, i)->usage.uops[j].ports);
    if (sets.count)
        qsort(sets.items, sets.count, sizeof *sets.items, compare_uint32);
    for (size_t i = 0; i < sets.count; i++)
        distinct += i == 0 || sets.items[i] != sets.items[i - 1];
    vec_done(&sets);
    return distinct;
}

uint64_t mapping_volume(const struct mapping *m)
{
    uint64_t volume = 0;
    for (size_t i = 0; i < m->entries.count; i++)
        volume += usage_volume(&entry_at(m, i)->usage);
    return volume;
}

bool mapping_check(const struct mapping *m, struct err *err)
{
    portset sets[PORTSETS_MAX];
    unsigned count = 0;

    for (size_t i = 0; i < m->entries.count; i++)
        for (unsigned j = 0; j < entry_at(m, i)->usage.count; j++) {
            portset set = entry_at(m, i)->usage.uops[j].ports;
            unsigned k = 0;
            while (k < count && sets[k] != set)
                k++;
            if (k == PORTSETS_MAX)
                return err_set(err, ERR_LIMIT, NULL,
                               "the usages have more than %d distinct port sets", PORTSETS_MAX);
            sets[k] = set;
            count += k == count;
        }
    return true;
}

void mapping_entry_print(const struct mapping *m, const struct mapping_entry *entry,
                         struct str *out)
{
    if (entry->usage.count)
        usage_print(&entry->usage, &m->ports, out);
    else
        str_add(out, "no port");
    if (!isnan(entry->latency))
        str_addf(out, ", latency %g", entry->latency);
}
