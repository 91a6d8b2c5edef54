/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/mapping_diff.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/steps.h"

const char *diff_kind_name(enum diff_kind kind)
{
    static const char *const names[DIFF_COUNT] = {"equal", "pipes", "narrower", "wider",
                                                  "ports", "fewer", "more"};
    return names[kind];
}

/* Uses the Hungarian method with potentials, row by row, for cost = -gain. Index 0 is a
 * sentinel. */
void assignment_best(const double *gain, unsigned n, unsigned *column_of)
{
    double row_potential[PORTS_MAX + 1] = {0}, column_potential[PORTS_MAX + 1] = {0};
    unsigned row_of[PORTS_MAX + 1] = {0}, before[PORTS_MAX + 1];

    for (unsigned row = 1; row <= n; row++) {
        double slack[PORTS_MAX + 1];
        bool used[PORTS_MAX + 1] = {false};
        unsigned column = 0;
        row_of[0] = row;
        for (unsigned j = 0; j <= n; j++)
            slack[j] = DBL_MAX;
        do {
            used[column] = true;
            double least = DBL_MAX;
            unsigned from = row_of[column], next = 0;
            for (unsigned j = 1; j <= n; j++) {
                if (used[j])
                    continue;
                double reduced =
                    -gain[(from - 1) * n + j - 1] - row_potential[from] - column_potential[j];
                if (reduced < slack[j]) {
                    slack[j] = reduced;
                    before[j] = column;
                }
                if (slack[j] < least) {
                    least = slack[j];
                    next = j;
                }
            }
            for (unsigned j = 0; j <= n; j++)
                if (used[j]) {
                    row_potential[row_of[j]] += least;
                    column_potential[j] -= least;
                } else {
                    slack[j] -= least;
                }
            column = next;
        } while (row_of[column]);
        while (column) {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    for (unsigned j = 1; j <= n; j++)
        column_of[row_of[j] - 1] = j - 1;
}

/* Computes the load on each port if each µop is distributed evenly over its ports. Stores the loads
 * in @share. */
static void spread(const struct usage *usage, double share[PORTS_MAX])
{
    memset(share, 0, PORTS_MAX * sizeof *share);
    for (unsigned i = 0; i < usage->count; i++)
        for (unsigned p = 0; p < PORTS_MAX; p++)
            if (usage->uops[i].ports >> p & 1)
                share[p] += (double)usage->uops[i].count / portset_size(usage->uops[i].ports);
}

/* Forms of both mappings with the same pair of usages. */
struct usage_pair {
    const struct usage *a, *b;
    double weight;
    double share_a[PORTS_MAX], share_b[PORTS_MAX];   /* load per port */
    double most;                                     /* the larger of the two total loads */
};

struct matching {
    const struct ports *a, *b;
    struct usage_pair *pairs;
    size_t count;
    int to_a[PORTS_MAX];   /* per port of B, the corresponding port of A; -1 if there is none */
};

static int compare_usages(const struct usage *x, const struct usage *y)
{
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (unsigned i = 0; i < x->count; i++) {
        if (x->uops[i].ports != y->uops[i].ports)
            return x->uops[i].ports < y->uops[i].ports ? -1 : 1;
        if (x->uops[i].count != y->uops[i].count)
            return x->uops[i].count < y->uops[i].count ? -1 : 1;
    }
    return 0;
}

ORDER_BY(compare_pairs, struct usage_pair,
         compare_usages(x->a, y->a) ?: compare_usages(x->b, y->b))

/* Collects the pairs of usages. The weight of a pair combines the number of its forms and their
 * frequency in @uses. */
static void collect_pairs(const struct mapping *a, const struct mapping *b, const double *uses,
                          struct matching *m)
{
    double all = 0;
    size_t kept = 0;

    steps_add(mapping_count(a) + mapping_count(b));
    m->pairs = mem_zero(mapping_count(a) + 1, sizeof *m->pairs);
    for (size_t f = 0; f < mapping_count(a); f++) {
        const struct mapping_entry *x = mapping_at(a, f), *y = mapping_find(b, x->form);
        if (!y)
            continue;
        m->pairs[m->count++] =
            (struct usage_pair){.a = &x->usage, .b = &y->usage, .weight = uses ? uses[f] : 0};
        all += uses ? uses[f] : 0;
    }
    for (size_t i = 0; i < m->count; i++)
        m->pairs[i].weight = 1. / (double)m->count + (all > 0 ? m->pairs[i].weight / all : 0);
    qsort(m->pairs, m->count, sizeof *m->pairs, compare_pairs);
    for (size_t i = 0; i < m->count; i++) {
        if (kept && compare_pairs(&m->pairs[kept - 1], &m->pairs[i]) == 0)
            m->pairs[kept - 1].weight += m->pairs[i].weight;
        else
            m->pairs[kept++] = m->pairs[i];
    }
    m->count = kept;
    for (size_t i = 0; i < kept; i++) {
        struct usage_pair *pair = &m->pairs[i];
        double sum_a = 0, sum_b = 0;
        spread(pair->a, pair->share_a);
        spread(pair->b, pair->share_b);
        for (unsigned p = 0; p < PORTS_MAX; p++) {
            sum_a += pair->share_a[p];
            sum_b += pair->share_b[p];
        }
        pair->most = sum_a > sum_b ? sum_a : sum_b;
    }
}

/* Returns the similarity of two usages under the assignment, 0 to 1, plus 1 if they are equal.
 * Ports of B without a partner contribute nothing. */
static double alike(const struct matching *m, const struct usage_pair *pair)
{
    double both = 0;

    for (unsigned j = 0; j < m->b->count; j++) {
        double here = m->to_a[j] < 0 ? 0 : pair->share_a[m->to_a[j]];
        both += here < pair->share_b[j] ? here : pair->share_b[j];
    }
    if (pair->most <= 0)
        return 2;
    return both / pair->most + (both > pair->most * (1 - 1e-9));
}

static double agreement(const struct matching *m)
{
    double sum = 0;

    for (size_t i = 0; i < m->count; i++)
        sum += m->pairs[i].weight * alike(m, &m->pairs[i]);
    return sum;
}

/* Computes the initial assignment, with the largest sum of common loads. A pipe and a port have no
 * common load. */
static void begin_matching(struct matching *m)
{
    unsigned n = m->a->count > m->b->count ? m->a->count : m->b->count, column_of[PORTS_MAX];
    double *gain = mem_zero((size_t)n * n, sizeof *gain);

    for (size_t f = 0; f < m->count; f++)
        for (unsigned i = 0; i < m->a->count; i++)
            for (unsigned j = 0; j < m->b->count; j++) {
                double x = m->pairs[f].share_a[i], y = m->pairs[f].share_b[j];
                bool same_kind = (m->a->pipes >> i & 1) == (m->b->pipes >> j & 1);
                gain[i * n + j] +=
                    same_kind ? m->pairs[f].weight * (x < y ? x : y) / (1 + x + y) : 0;
            }
    assignment_best(gain, n, column_of);
    for (unsigned j = 0; j < PORTS_MAX; j++)
        m->to_a[j] = -1;
    for (unsigned i = 0; i < m->a->count; i++)
        if (column_of[i] < m->b->count && gain[i * n + column_of[i]] > 0)
            m->to_a[column_of[i]] = (int)i;
    free(gain);
}

static bool fits(const struct matching *m, unsigned j, int i)
{
    return i < 0 || (m->b->pipes >> j & 1) == (m->a->pipes >> i & 1);
}

/* Rotates the partners of the ports in @at. Undoes the rotation and returns false unless it is
 * permitted and the mappings agree better. */
static bool turn(struct matching *m, const unsigned *at, unsigned n, double *best)
{
    struct matching before = *m;

    for (unsigned i = 0; i < n; i++) {
        m->to_a[at[i]] = before.to_a[at[(i + 1) % n]];
        if (!fits(m, at[i], m->to_a[at[i]])) {
            *m = before;
            return false;
        }
    }
    double sum = agreement(m);
    if (sum > *best + 1e-9) {
        *best = sum;
        return true;
    }
    *m = before;
    return false;
}

/* Assigns an unused port of A, or exchanges the partners of two or three ports. Returns whether the
 * mappings agree better. */
static bool improve(struct matching *m, double *best)
{
    bool better = false;

    for (unsigned j = 0; j < m->b->count; j++)
        for (int i = 0; i < (int)m->a->count; i++) {
            int before = m->to_a[j];
            bool taken = false;
            for (unsigned k = 0; k < m->b->count; k++)
                taken |= m->to_a[k] == i;
            if (taken || !fits(m, j, i))
                continue;
            m->to_a[j] = i;
            double sum = agreement(m);
            if (sum > *best + 1e-9) {
                *best = sum;
                better = true;
            } else {
                m->to_a[j] = before;
            }
        }
    for (unsigned x = 0; x < m->b->count; x++)
        for (unsigned y = x + 1; y < m->b->count; y++)
            better |= turn(m, (unsigned[]){x, y}, 2, best);
    for (unsigned x = 0; x < m->b->count && !better; x++)
        for (unsigned y = 0; y < m->b->count; y++)
            for (unsigned z = 0; z < m->b->count; z++)
                if (x < y && x < z && y != z)
                    better |= turn(m, (unsigned[]){x, y, z}, 3, best);
    return better;
}

/* Returns the common share of the loads of port @j of B and its partner. Each form contributes
 * according to its weight, independent of its number of µops. Returns NaN if the port has no
 * partner or neither has a load. */
static double agreement_at(const struct matching *m, unsigned j)
{
    double both = 0, either = 0;

    if (m->to_a[j] < 0)
        return NAN;
    for (size_t f = 0; f < m->count; f++) {
        const struct usage_pair *pair = &m->pairs[f];
        double x = pair->share_a[m->to_a[j]], y = pair->share_b[j];
        double weight = pair->most > 0 ? pair->weight / pair->most : 0;
        both += weight * (x < y ? x : y);
        either += weight * (x < y ? y : x);
    }
    return either > 0 ? both / either : NAN;
}

/* Matches ports by the loads of shared forms. */
static void match_by_use(const struct mapping *a, const struct mapping *b, const double *uses,
                         struct mapping_diff *d)
{
    struct matching m = {.a = mapping_ports(a), .b = mapping_ports(b)};

    collect_pairs(a, b, uses, &m);
    begin_matching(&m);
    double best = agreement(&m);
    while (improve(&m, &best))
        ;
    memcpy(d->to_a, m.to_a, sizeof m.to_a);
    for (unsigned j = 0; j < m.b->count; j++)
        d->agrees[j] = agreement_at(&m, j);
    free(m.pairs);
}

/* Sets @to_a by names. Returns whether all port names of one mapping occur in the other, except
 * names of pipes. */
static bool match_by_name(const struct ports *a, const struct ports *b, int to_a[PORTS_MAX])
{
    unsigned lone_a = 0, lone_b = 0;

    for (unsigned j = 0; j < PORTS_MAX; j++)
        to_a[j] = j < b->count ? ports_find(a, b->names[j], strlen(b->names[j])) : -1;
    for (unsigned j = 0; j < b->count; j++)
        lone_b += to_a[j] < 0 && !(b->pipes >> j & 1);
    for (unsigned i = 0; i < a->count; i++)
        lone_a += ports_find(b, a->names[i], strlen(a->names[i])) < 0 && !(a->pipes >> i & 1);
    return !lone_a || !lone_b;
}

static void translate(const struct usage *usage, const int to_a[PORTS_MAX], struct usage *out)
{
    for (unsigned i = 0; i < usage->count; i++) {
        portset set = 0;
        for (unsigned j = 0; j < PORTS_MAX; j++)
            if (usage->uops[i].ports >> j & 1 && to_a[j] >= 0)
                set |= (portset)1 << to_a[j];
        if (set)
            usage_add(out, set, usage->uops[i].count);
    }
}

static void without(const struct usage *usage, portset pipes, struct usage *out)
{
    for (unsigned i = 0; i < usage->count; i++)
        if (!(usage->uops[i].ports & pipes))
            usage_add(out, usage->uops[i].ports, usage->uops[i].count);
}

static uint64_t total(const struct usage *usage)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < usage->count; i++)
        sum += usage->uops[i].count;
    return sum;
}

/* Returns whether each µop of @small can be paired with a µop of @large that has all its ports.
 * Pairs the smallest sets first, which is sufficient for the nested sets of real processors. */
static bool within(const struct usage *small, const struct usage *large)
{
    struct usage left = {0};
    bool ok = true;

    usage_copy(&left, large);
    for (unsigned size = 1; size <= PORTS_MAX; size++)
        for (unsigned i = 0; i < small->count; i++) {
            if (portset_size(small->uops[i].ports) != size)
                continue;
            for (uint32_t n = 0; n < small->uops[i].count && ok; n++) {
                struct uop *best = NULL;
                for (unsigned k = 0; k < left.count; k++)
                    if (left.uops[k].count && !(small->uops[i].ports & ~left.uops[k].ports) &&
                        (!best || portset_size(left.uops[k].ports) < portset_size(best->ports)))
                        best = &left.uops[k];
                if (best)
                    best->count--;
                ok = best != NULL;
            }
        }
    usage_done(&left);
    return ok;
}

static enum diff_kind compare(const struct usage *a, const struct usage *b, portset pipes)
{
    struct usage x = {0}, y = {0};
    enum diff_kind kind;

    without(a, pipes, &x);
    without(b, pipes, &y);
    if (usage_equal(a, b))
        kind = DIFF_NONE;
    else if (usage_equal(&x, &y))
        kind = DIFF_PIPES;
    else if (total(&x) != total(&y))
        kind = total(&x) < total(&y) ? DIFF_FEWER : DIFF_MORE;
    else
        kind = within(&x, &y) ? DIFF_NARROWER : within(&y, &x) ? DIFF_WIDER : DIFF_PORTS;
    usage_done(&x);
    usage_done(&y);
    return kind;
}

struct mapping_diff *mapping_diff_new(const struct mapping *a, const struct mapping *b,
                                      bool by_name, const double *uses)
{
    struct mapping_diff *d = mem_zero(1, sizeof *d);
    size_t capacity = 0;
    double equal = 0, all = 0;

    for (unsigned j = 0; j < PORTS_MAX; j++)
        d->agrees[j] = NAN;
    if (!by_name || !match_by_name(mapping_ports(a), mapping_ports(b), d->to_a)) {
        match_by_use(a, b, uses, d);
        d->renamed = true;
    }
    for (size_t i = 0; i < mapping_count(a); i++) {
        struct form_diff f = {.a = mapping_at(a, i)};
        f.b = mapping_find(b, f.a->form);
        if (!f.b) {
            d->only_a++;
            continue;
        }
        d->shared++;
        translate(&f.b->usage, d->to_a, &f.b_usage);
        f.kind = compare(&f.a->usage, &f.b_usage, mapping_ports(a)->pipes);
        d->kinds[f.kind]++;
        all += uses ? uses[i] : 0;
        equal += uses && f.kind == DIFF_NONE ? uses[i] : 0;
        if (f.kind == DIFF_NONE) {
            usage_done(&f.b_usage);
            continue;
        }
        if (d->count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            d->forms = mem_resize(d->forms, capacity * sizeof *d->forms);
        }
        d->forms[d->count++] = f;
    }
    d->only_b = mapping_count(b) - d->shared;
    d->equal_uses = all > 0 ? equal / all : NAN;
    return d;
}

void mapping_diff_free(struct mapping_diff *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->count; i++)
        usage_done(&d->forms[i].b_usage);
    free(d->forms);
    free(d);
}
