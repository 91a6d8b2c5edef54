/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/lines.h"

#include <math.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/mem.h"

#define ITERATIONS_LEAST 500u  /* judged, for a rate */

/* Lines that were touched. */
struct recent {
    VEC(uint64_t) lines;
    struct index by_line;
};

struct access_step {
    uint64_t last;
    int64_t by;
};

static bool same_line(const void *items, uint32_t item, const void *key)
{
    return ((const uint64_t *)items)[item] == *(const uint64_t *)key;
}

/* Whether @line is new. */
static bool touch(struct recent *r, uint64_t line)
{
    uint64_t hash = hash_bytes(&line, sizeof line);

    if (index_find(&r->by_line, hash, same_line, r->lines.items, &line) != INDEX_NONE)
        return false;
    if (!index_try_reserve(&r->by_line))
        return true;
    index_add(&r->by_line, hash, (uint32_t)r->lines.count);
    vec_push(&r->lines, line);
    return true;
}

static struct load_lines *load_of(struct loop_lines *l, uint32_t at)
{
    for (size_t i = 0; i < l->list.count; i++)
        if (l->list.items[i].at == at)
            return &l->list.items[i];
    vec_push(&l->list, ((struct load_lines){.at = at}));
    return &l->list.items[l->list.count - 1];
}

static int by_fresh(const void *a, const void *b)
{
    const struct load_lines *x = a, *y = b;
    return x->fresh != y->fresh ? (x->fresh < y->fresh) - (x->fresh > y->fresh)
                                : (x->at > y->at) - (x->at < y->at);
}

static void read_stretch(const struct placed *x, const struct recorded_stretch *s, unsigned bytes,
                         struct access_step *steps, struct loop_lines *out)
{
    struct recent recent = {{0}, {0}};

    for (size_t i = 0; i < s->count; i++) {
        uint64_t event = x->events.items[s->first + i], address = event & ((UINT64_C(1) << 48) - 1);
        unsigned id = (unsigned)(event >> 48);
        bool judged = i >= s->count / 2;
        out->iterations += id == EVENT_PASS && judged;
        if (id >= x->region->list.count || x->region->list.items[id].insn->traits & INSN_BRANCH)
            continue;
        int64_t by = (int64_t)(address - steps[id].last);
        bool regular = by == steps[id].by, fresh = touch(&recent, address / bytes);
        steps[id] = (struct access_step){address, by};
        if (!judged || !(x->region->list.items[id].insn->traits & INSN_LOAD))
            continue;
        struct load_lines *l = load_of(out, id);
        l->executed++;
        l->fresh += fresh && !regular;
        l->streamed += fresh && regular;
    }
    vec_done(&recent.lines);
    index_done(&recent.by_line);
}

void lines_find(const struct placed *x, unsigned bytes, struct loop_lines *out)
{
    struct access_step *steps = mem_zero(x->region->list.count + 1, sizeof *steps);
    double fresh = 0, streamed = 0;

    *out = (struct loop_lines){.fresh = NAN, .streamed = NAN};
    for (size_t i = 0; i < x->stretches.count; i++)
        read_stretch(x, &x->stretches.items[i], bytes, steps, out);
    free(steps);
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, by_fresh);
    for (size_t i = 0; i < out->list.count; i++) {
        fresh += (double)out->list.items[i].fresh;
        streamed += (double)out->list.items[i].streamed;
    }
    if (out->iterations >= ITERATIONS_LEAST) {
        out->fresh = fresh / (double)out->iterations;
        out->streamed = streamed / (double)out->iterations;
    }
}

void lines_done(struct loop_lines *l)
{
    vec_done(&l->list);
}
