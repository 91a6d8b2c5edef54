/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/derived.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "program/derive.h"
#include "program/words.h"

#define KEPT 8   /* number of inputs with cached counts */

struct kept { double inputs[INPUTS_MAX], *counts, *taken; bool filled; };

struct derived {
    const struct program_runs *runs;
    struct derivation *derivation;
    bool *believed;          /* per function: whether the runs agree with its derived counts */
    struct kept kept[KEPT];
    size_t next;
    pthread_mutex_t lock;
};

/* Walks the code at @inputs. Stores all counts in @out, even those of functions that runs
 * contradict. The counts are NaN if another process made the runs, or if the inputs make no command
 * line. */
static void walk(struct derived *d, const double *inputs, struct kept *out)
{
    const struct invocation how = {.arguments = d->runs->how.arguments};
    const struct program *p = d->runs->program;
    struct words words;
    struct err err = {0};

    memcpy(out->inputs, inputs, d->runs->name_count * sizeof *inputs);
    if (d->runs->started &&
        words_make(d->runs->names, inputs, d->runs->name_count, &how, "/", &words, &err)) {
        derivation_counts(d->derivation, words.list.items, words.list.count, out->counts,
                          out->taken);
        words_done(&words);
        return;
    }
    for (size_t b = 0; b < p->block_count; b++)
        out->counts[b] = out->taken[b] = NAN;
}

static void distrust(struct derived *d, const struct kept *k, const struct program_run *run)
{
    const struct program *p = d->runs->program;

    for (size_t b = 0; b < p->block_count; b++)
        if ((!isnan(k->counts[b]) && k->counts[b] != run->counts[b]) ||
            (!isnan(k->taken[b]) && p->blocks[b].two_way && k->taken[b] != run->taken[b]))
            d->believed[p->blocks[b].function] = false;
}

struct derived *derived_new(const struct program_runs *runs)
{
    const struct program *p = runs->program;
    struct derived *d = mem_zero(1, sizeof *d);

    d->runs = runs;
    d->derivation = derivation_new(p);
    d->believed = mem_zero(p->function_count + 1, sizeof *d->believed);
    pthread_mutex_init(&d->lock, NULL);
    for (size_t f = 0; f < p->function_count; f++)
        d->believed[f] = true;
    for (size_t i = 0; i < KEPT; i++) {
        d->kept[i].counts = mem_zero(p->block_count + 1, sizeof(double));
        d->kept[i].taken = mem_zero(p->block_count + 1, sizeof(double));
    }
    for (size_t r = 0; r < runs->runs.count; r++) {
        walk(d, runs->runs.items[r].inputs, &d->kept[0]);
        distrust(d, &d->kept[0], &runs->runs.items[r]);
    }
    return d;
}

void derived_free(struct derived *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < KEPT; i++) {
        free(d->kept[i].counts);
        free(d->kept[i].taken);
    }
    derivation_free(d->derivation);
    pthread_mutex_destroy(&d->lock);
    free(d->believed);
    free(d);
}

/* Returns the counts at @inputs, cached or computed. The caller must hold the lock of @d. */
static const struct kept *kept_at(struct derived *d, const double *inputs)
{
    for (size_t i = 0; i < KEPT; i++)
        if (d->kept[i].filled &&
            memcmp(d->kept[i].inputs, inputs, d->runs->name_count * sizeof *inputs) == 0)
            return &d->kept[i];
    struct kept *k = &d->kept[d->next];
    d->next = (d->next + 1) % KEPT;
    walk(d, inputs, k);
    k->filled = true;
    return k;
}

double derived_count(struct derived *d, const double *inputs, size_t block)
{
    lock_take(&d->lock);
    const double count = d->believed[d->runs->program->blocks[block].function]
                             ? kept_at(d, inputs)->counts[block]
                             : NAN;
    lock_give(&d->lock);
    return count;
}

void derived_at(struct derived *d, const double *inputs, double *counts, double *taken)
{
    const struct program *p = d->runs->program;

    lock_take(&d->lock);
    const struct kept *k = kept_at(d, inputs);
    for (size_t b = 0; b < p->block_count; b++) {
        const bool believed = d->believed[p->blocks[b].function];
        counts[b] = believed ? k->counts[b] : NAN;
        taken[b] = believed ? k->taken[b] : NAN;
    }
    lock_give(&d->lock);
}

size_t derived_misread(const struct program *p, const struct invocation *how, char *const *names,
                       const double *inputs, size_t count)
{
    const struct invocation words_alone = {.arguments = how->arguments, .defines = how->defines};
    struct derivation *d = NULL;
    double *counts = NULL;
    size_t found = count;

    for (size_t i = 0; found == count && i < count; i++) {
        double one[INPUTS_MAX];
        struct words words;
        struct err err = {0};
        if (inputs[i] >= 0 && inputs[i] == rint(inputs[i]))
            continue;
        for (size_t k = 0; k < count; k++)
            one[k] = k == i ? inputs[k] : floor(fabs(inputs[k]));
        if (!d) {
            d = derivation_new(p);
            counts = mem_alloc(2 * (p->block_count + 1) * sizeof *counts);
        }
        if (words_make(names, one, count, &words_alone, "/", &words, &err)) {
            derivation_counts(d, words.list.items, words.list.count, counts,
                              counts + p->block_count);
            found = derivation_misread(d) ? i : count;
        }
        words_done(&words);
    }
    derivation_free(d);
    free(counts);
    return found;
}
