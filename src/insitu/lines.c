/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/lines.h"

#include <math.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/mem.h"
#include "model/facts.h"

#define ITERATIONS_LEAST 500u  /* minimum number of evaluated iterations for a rate */
/* minimum number of new lines per iteration of a load whose lines are not in the first-level
 * cache */
#define NEW_LEAST 0.003
/* Expected number of common lines at which a recording has none with a probability of 5 %. */
#define NONE_COMMON 3.0

struct recent {
    VEC(uint64_t) lines;
    struct index by_line;
};

struct access_step {
    uint64_t last;
    int64_t by;
};

struct new_line {
    uint64_t line;
    uint32_t at;
};

/* Counters over all recordings */
struct line_counts {
    struct access_step *steps;     /* per instruction: last address and stride */
    /* per instruction: number of new lines in the current recording */
    size_t *lines;
    /* per instruction: sum and sum of squares of @lines over the recordings */
    double *sums, *squares;
    VEC(struct new_line) all;
    size_t touched;
};

static bool same_line(const void *items, uint32_t item, const void *key)
{
    return ((const uint64_t *)items)[item] == *(const uint64_t *)key;
}

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
                         struct line_counts *f, struct loop_lines *out)
{
    struct recent recent = {{0}, {0}};
    struct access_step *steps = f->steps;

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
        if (fresh) {
            vec_push(&f->all, ((struct new_line){address / bytes, id}));
            f->lines[id]++;
            f->touched += judged;
        }
        if (!judged || !(x->region->list.items[id].insn->traits & INSN_LOAD))
            continue;
        struct load_lines *l = load_of(out, id);
        l->executed++;
        l->fresh += fresh && !regular;
        l->streamed += fresh && regular;
    }
    for (size_t i = 0; i < x->region->list.count; i++) {
        f->sums[i] += (double)f->lines[i];
        f->squares[i] += (double)f->lines[i] * (double)f->lines[i];
        f->lines[i] = 0;
    }
    vec_done(&recent.lines);
    index_done(&recent.by_line);
}

static int by_access(const void *a, const void *b)
{
    const struct new_line *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at)
                          : (x->line > y->line) - (x->line < y->line);
}

/* Estimates how many lines each load accesses in the program. Two recordings of n and m out of N
 * lines have n m / N lines in common (Lincoln and Petersen). Sums over all pairs of recordings are
 * used. */
static void find_footprints(struct line_counts *f, struct loop_lines *out)
{
    double *common = mem_zero(out->list.count + 1, sizeof *common);
    double *distinct = mem_zero(out->list.count + 1, sizeof *distinct);

    if (f->all.count)
        qsort(f->all.items, f->all.count, sizeof *f->all.items, by_access);
    for (size_t i = 0, next; i < f->all.count; i = next) {
        next = i + 1;
        while (next < f->all.count && !by_access(&f->all.items[i], &f->all.items[next]))
            next++;
        for (size_t k = 0; k < out->list.count; k++)
            if (out->list.items[k].at == f->all.items[i].at) {
                common[k] += (double)(next - i) * (double)(next - i - 1) / 2;
                distinct[k]++;
            }
    }
    for (size_t k = 0; k < out->list.count; k++) {
        struct load_lines *l = &out->list.items[k];
        double pairs = (f->sums[l->at] * f->sums[l->at] - f->squares[l->at]) / 2,
               each = (double)(l->fresh + l->streamed) / (double)out->iterations;
        l->at_least = common[k] < 1;
        l->footprint =
            pairs > 0 ? fmax(pairs / (l->at_least ? NONE_COMMON : common[k]), distinct[k]) : NAN;
        l->distance = each > 0 ? l->footprint * fmax(out->touched / each, 1) : NAN;
    }
    free(common);
    free(distinct);
}

void lines_find(const struct placed *x, unsigned bytes, struct loop_lines *out)
{
    size_t count = x->region->list.count + 1;
    struct line_counts f = {.steps = mem_zero(count, sizeof *f.steps),
                       .lines = mem_zero(count, sizeof *f.lines),
                       .sums = mem_zero(count, sizeof *f.sums),
                       .squares = mem_zero(count, sizeof *f.squares)};
    double fresh = 0, streamed = 0;

    *out = (struct loop_lines){.fresh = NAN, .streamed = NAN};
    for (size_t i = 0; i < x->stretches.count; i++)
        read_stretch(x, &x->stretches.items[i], bytes, &f, out);
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, by_fresh);
    for (size_t i = 0; i < out->list.count; i++) {
        fresh += (double)out->list.items[i].fresh;
        streamed += (double)out->list.items[i].streamed;
    }
    if (out->iterations >= ITERATIONS_LEAST) {
        out->fresh = fresh / (double)out->iterations;
        out->streamed = streamed / (double)out->iterations;
        out->touched = (double)f.touched / (double)out->iterations;
        find_footprints(&f, out);
    }
    free(f.steps);
    free(f.lines);
    free(f.sums);
    free(f.squares);
    vec_done(&f.all);
}

double lines_all(const struct loop_lines *l, bool *at_least)
{
    double sum = 0;

    *at_least = false;
    for (size_t i = 0; i < l->list.count; i++) {
        const struct load_lines *load = &l->list.items[i];
        double each = (double)(load->fresh + load->streamed) / (double)l->iterations;
        if (each < NEW_LEAST)   /* Skips a load whose lines remain in the first-level cache. */
            continue;
        sum += load->footprint;
        *at_least |= load->at_least;
    }
    return sum;
}

bool lines_levels(const struct machine *m, unsigned bytes, struct cache_levels *out)
{
    if (!m)
        return false;
    const double clock = fact_number(m, "clock"),
                 far = bytes / fact_number(m, "memory_bandwidth") * clock;
    *out = (struct cache_levels){
        .l1 = fact_number(m, "l1_bytes") / bytes,
        .l2 = fact_number(m, "l2_bytes") / bytes,
        .l3 = fact_number(m, "l3_bytes") / bytes,
        .latency = {fact_number(m, "l2_latency"), fact_number(m, "l3_latency"),
                    fact_number(m, "memory_latency") * clock},
        .stream = {fact_number(m, "l2_line_cycles"),
                   fmin(fact_number(m, "l3_line_cycles"), far), far}};
    for (int i = 0; i < CACHE_LEVELS; i++)
        if (!(out->latency[i] > 0) || !(out->stream[i] > 0))
            return false;
    return out->l1 > 0 && out->l2 > 0 && out->l3 > 0;
}

bool lines_from(const struct load_lines *l, const struct cache_levels *c, double out[CACHE_LEVELS])
{
    double d = l->distance;

    /* The reuse distance is needed, because the hit rate of a cache is its size divided by that
     * distance. */
    if (isnan(d) || (l->at_least && d < c->l3))
        return false;
    double first = fmin(c->l1 / d, 1), second = fmin(c->l2 / d, 1), third = fmin(c->l3 / d, 1);
    out[CACHE_L2] = fmax(second - first, 0);
    out[CACHE_L3] = fmax(third - fmax(first, second), 0);
    out[CACHE_MEMORY] = 1 - fmax(third, fmax(first, second));
    return true;
}

double lines_weight(const struct load_lines *l, const struct cache_levels *c)
{
    double share[CACHE_LEVELS], sum = 0;

    if (!lines_from(l, c, share))
        return NAN;
    for (int i = 0; i < CACHE_LEVELS; i++)
        sum += share[i] * ((double)l->fresh * c->latency[i] + (double)l->streamed * c->stream[i]);
    return sum;
}

void lines_done(struct loop_lines *l)
{
    vec_done(&l->list);
}
