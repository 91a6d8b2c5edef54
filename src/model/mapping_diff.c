/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/mapping_diff.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *diff_kind_name(enum diff_kind kind)
{
    static const char *const names[DIFF_COUNT] = {"equal", "pipes", "narrower", "wider",
                                                  "ports", "fewer", "more"};
    return names[kind];
}

/* Hungarian method with potentials, row by row, on cost = -gain. Index 0 is a sentinel. */
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

/* Load of each port when a µop is spread evenly over its ports. */
static void spread(const struct usage *usage, double share[PORTS_MAX])
{
    memset(share, 0, PORTS_MAX * sizeof *share);
    for (unsigned i = 0; i < usage->count; i++)
        for (unsigned p = 0; p < PORTS_MAX; p++)
            if (usage->uops[i].ports >> p & 1)
                share[p] += (double)usage->uops[i].count / portset_size(usage->uops[i].ports);
}

/* Agreement of port i of A with port j of B over the shared forms; pipes with ports gain
 * nothing. */
static void match_by_use(const struct mapping *a, const struct mapping *b, int to_a[PORTS_MAX])
{
    const struct ports *pa = mapping_ports(a), *pb = mapping_ports(b);
    unsigned n = pa->count > pb->count ? pa->count : pb->count, column_of[PORTS_MAX];
    double *gain = mem_zero((size_t)n * n, sizeof *gain), share_a[PORTS_MAX], share_b[PORTS_MAX];

    for (size_t f = 0; f < mapping_count(a); f++) {
        const struct mapping_entry *x = mapping_at(a, f), *y = mapping_find(b, x->form);
        if (!y)
            continue;
        spread(&x->usage, share_a);
        spread(&y->usage, share_b);
        for (unsigned i = 0; i < pa->count; i++)
            for (unsigned j = 0; j < pb->count; j++) {
                double both = share_a[i] < share_b[j] ? share_a[i] : share_b[j];
                bool alike = (pa->pipes >> i & 1) == (pb->pipes >> j & 1);
                gain[i * n + j] += alike ? both / (1 + share_a[i] + share_b[j]) : 0;
            }
    }
    assignment_best(gain, n, column_of);
    for (unsigned j = 0; j < PORTS_MAX; j++)
        to_a[j] = -1;
    for (unsigned i = 0; i < pa->count; i++)
        if (column_of[i] < pb->count && gain[i * n + column_of[i]] > 0)
            to_a[column_of[i]] = (int)i;
    free(gain);
}

/* True when every port of the mapping with fewer ports has its name in the other. Pipes may lack a
 * partner. */
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

/* True when the µops of @small can be paired with those of @large, each within its partner's ports.
 * Pairing the smallest sets first with the smallest that holds them is enough for the nested sets
 * that processors have. */
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
                                      bool by_name)
{
    struct mapping_diff *d = mem_zero(1, sizeof *d);
    size_t capacity = 0;

    if (!by_name || !match_by_name(mapping_ports(a), mapping_ports(b), d->to_a)) {
        match_by_use(a, b, d->to_a);
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
