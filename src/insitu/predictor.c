/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/predictor.h"

#include <math.h>
#include <stdlib.h>

#include "base/index.h"

#define TABLES 6u
#define ENTRIES 16384u         /* entries per table */
#define SURE 2                 /* confidence from which a pattern predicts */
#define CONFIDENCE_MOST 7
#define ITERATIONS_LEAST 500u  /* iterations evaluated for a rate, at least */

static const unsigned lengths[TABLES] = {0, 4, 8, 16, 32, 64};   /* bits of history */

struct predictor_entry {
    uint32_t tag;              /* 0: unused entry */
    int8_t confidence;
    uint64_t value;            /* direction, or target */
};

struct predictor {
    struct predictor_entry *tables[TABLES];
    uint64_t history;
};

static struct predictor_entry *pattern_at(const struct predictor *p, unsigned table, uint32_t at,
                                          uint32_t *tag)
{
    unsigned length = lengths[table];
    uint64_t seen = length == 64 ? p->history : p->history & ((UINT64_C(1) << length) - 1);
    uint64_t hash = hash_bytes(&(uint64_t[]){at, seen}, 16);

    *tag = (uint32_t)(hash >> 32) | 1;
    return &p->tables[table][hash % ENTRIES];
}

/* Predicts branch @at and updates the tables with the outcome @value. Returns whether the
 * prediction was correct. */
static bool learn(struct predictor *p, uint32_t at, uint64_t value, bool indirect)
{
    struct predictor_entry *found[TABLES];
    uint32_t tags[TABLES];
    int provider = -1, longest = 0;   /* table that predicts; longest table with a match */

    for (unsigned i = 0; i < TABLES; i++) {
        found[i] = pattern_at(p, i, at, &tags[i]);
        if (found[i]->tag != tags[i])
            continue;
        longest = (int)i;
        if (!i || found[i]->confidence >= SURE)
            provider = (int)i;
    }
    bool right = provider >= 0 && found[provider]->value == value;
    for (int i = 0; i < (int)TABLES; i++) {
        struct predictor_entry *f = found[i];
        if (f->tag != tags[i]) {
            if (!i || (!right && i <= longest + 2))
                *f = (struct predictor_entry){tags[i], 1, value};
        } else if (f->value == value)
            f->confidence =
                f->confidence < CONFIDENCE_MOST ? (int8_t)(f->confidence + 1) : CONFIDENCE_MOST;
        else if ((f->confidence = (int8_t)(f->confidence - 2)) < 0)
            *f = (struct predictor_entry){tags[i], 1, value};
    }
    p->history =
        indirect ? p->history << 3 | ((value >> 4 ^ value >> 7) & 7) : p->history << 1 | value;
    return right;
}

static void judge(struct predicted_branches *out, uint32_t at, bool right)
{
    size_t i = 0;

    while (i < out->list.count && out->list.items[i].at != at)
        i++;
    if (i == out->list.count)
        vec_push(&out->list, ((struct predicted_branch){.at = at}));
    out->list.items[i].executed++;
    out->list.items[i].missed += !right;
}

static int by_misses(const void *a, const void *b)
{
    const struct predicted_branch *x = a, *y = b;
    return x->missed != y->missed ? (x->missed < y->missed) - (x->missed > y->missed)
                                  : (x->at > y->at) - (x->at < y->at);
}

void predictor_run(const struct placed *x, struct predicted_branches *out)
{
    struct predictor p = {.history = 0};
    size_t missed = 0, begin = x->events.count / 3;

    *out = (struct predicted_branches){.missed = NAN};
    for (unsigned i = 0; i < TABLES; i++)
        p.tables[i] = mem_try_zero(ENTRIES, sizeof **p.tables);
    for (size_t i = 0; i < x->events.count && p.tables[TABLES - 1] && p.tables[0]; i++) {
        unsigned id = (unsigned)(x->events.items[i] >> 48);
        uint64_t value = x->events.items[i] & ((UINT64_C(1) << 48) - 1);
        out->iterations += id == EVENT_PASS && i >= begin;
        if (id >= x->region->list.count || !(x->region->list.items[id].insn->traits & INSN_BRANCH))
            continue;
        bool right = learn(&p, id, value, x->region->list.items[id].indirect);
        if (i >= begin) {
            judge(out, id, right);
            missed += !right;
        }
    }
    for (unsigned i = 0; i < TABLES; i++)
        free(p.tables[i]);
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, by_misses);
    if (out->iterations >= ITERATIONS_LEAST)
        out->missed = (double)missed / (double)out->iterations;
}

void predictor_done(struct predicted_branches *p)
{
    vec_done(&p->list);
}
