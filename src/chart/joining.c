/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/joining.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "chart/saturate.h"
#include "throughput/columns.h"

/* Union of port sets of the other µops, and the number of µops within its ports */
struct joiner_union {
    portset ports;
    /* @mass: number of µops within the ports. @before: @mass without the set that is currently
     * added. */
    double mass, before;
};

struct joiner_row {
    /* @first: index of the first union in @parts; this union is empty. @parts: number of unions. */
    size_t first, parts;
    double most;             /* cycles of the other forms */
    double slots, slot;      /* as in struct joining_row, @slot for all executions of the form */
    struct residual_limit limits;
};

#define LANES 8              /* rows of a group, which are evaluated in vectors */

/* Values of LANES rows. Lanes without a row are 0 and cost nothing. */
struct joiner_group {
    /* @cycles: measured. @noise: reciprocal of the noise. @by, @limit: limit of the cost if the
     * time exceeds the port bound. */
    double cycles[LANES], noise[LANES], by[LANES], limit[LANES];
    double mass[LANES];      /* number of µops of the other forms */
    double own[LANES];       /* number of executions of the form */
    double issue[LANES];     /* cycles for the issue slots of all forms, including this form */
    double first[LANES];     /* cycles with the first µops of the form */
    /* result of known_cost: cycles without the union of both sets; -1: that union has no effect */
    double open[LANES];
};

struct joiner {
    VEC(struct joiner_union) parts;
    struct joiner_row *rows;
    struct joiner_group *groups;
    size_t count;
    double *second;          /* per second set and row: cycles with one µop per execution on that
                              * set */
    double *bounds;          /* per second set: lower bound of the cost */
    portset *sets;           /* candidate port sets of the second µops */
    portset set;             /* port set of the first µops (joining_first) */
    unsigned uops, slots;    /* @slots: slots of the form in @groups; UINT_MAX: none */
    /* Order in which groups are evaluated. Groups with a high cost are first, to reject bad guesses
     * early. */
    size_t *order;
    size_t rows_most;        /* maximum number of rows, a multiple of LANES */
    double deviation_most;
    double inverse[PORTS_MAX + 1];
};

struct joiner *joining_new(size_t rows, size_t seconds)
{
    struct joiner *j = mem_zero(1, sizeof *j);
    const size_t groups = rows / LANES + 1;

    j->rows_most = groups * LANES;
    j->rows = mem_alloc(j->rows_most * sizeof *j->rows);
    j->groups = mem_alloc(groups * sizeof *j->groups);
    j->order = mem_zero(groups, sizeof *j->order);
    j->second = mem_zero(j->rows_most * seconds + 1, sizeof *j->second);
    j->bounds = mem_alloc((seconds + 1) * sizeof *j->bounds);
    j->sets = mem_alloc((seconds + 1) * sizeof *j->sets);
    for (unsigned n = 1; n <= PORTS_MAX; n++)
        j->inverse[n] = 1.0 / n;
    return j;
}

void joining_free(struct joiner *j)
{
    if (!j)
        return;
    vec_done(&j->parts);
    free(j->rows);
    free(j->groups);
    free(j->order);
    free(j->second);
    free(j->bounds);
    free(j->sets);
    free(j);
}

void joining_begin(struct joiner *j, double deviation_most)
{
    j->parts.count = j->count = 0;
    j->deviation_most = deviation_most;
    j->slots = UINT_MAX;
}

/* Adds a union. If it already exists, keeps the larger number of µops. */
static void add_part(struct joiner *j, size_t first, struct joiner_union part)
{
    for (size_t i = first; i < j->parts.count; i++)
        if (j->parts.items[i].ports == part.ports) {
            j->parts.items[i].mass = fmax(j->parts.items[i].mass, part.mass);
            return;
        }
    vec_push(&j->parts, part);
}

void joining_add(struct joiner *j, const struct joining_row *row)
{
    struct joiner_row *r = &j->rows[j->count];
    struct joiner_group *g = &j->groups[j->count / LANES];
    const size_t lane = j->count % LANES;

    if (j->count == j->rows_most || row->n > JOINING_SETS)
        BUG("%zu rows and %zu port sets in a row: too many", j->count + 1, row->n);
    *r = (struct joiner_row){.first = j->parts.count,
                             .slots = row->slots,
                             .slot = row->slot * row->own,
                             .limits = row->limits};
    if (!lane) {
        *g = (struct joiner_group){0};
        j->order[j->count / LANES] = j->count / LANES;
    }
    g->cycles[lane] = row->cycles;
    g->noise[lane] = 1 / sight_noise(SIGHT_NOISE, row->cycles);
    g->by[lane] = row->limits.by;
    g->limit[lane] = row->limits.most;
    g->own[lane] = row->own;
    vec_push(&j->parts, (struct joiner_union){0});
    for (size_t i = 0; i < row->n; i++) {
        size_t end = j->parts.count;
        for (size_t k = r->first; k < end; k++)
            j->parts.items[k].before = j->parts.items[k].mass;
        for (size_t k = r->first; k < end; k++) {
            const struct joiner_union of = j->parts.items[k];
            add_part(j, r->first,
                     (struct joiner_union){.ports = of.ports | row->others[i].ports,
                                           .mass = of.before + row->others[i].count});
        }
        g->mass[lane] += row->others[i].count;
    }
    r->parts = j->parts.count - r->first;
    for (size_t k = r->first + 1; k < j->parts.count; k++)
        r->most = fmax(r->most,
                       j->parts.items[k].mass * j->inverse[portset_size(j->parts.items[k].ports)]);
    j->count++;
}

/* Returns the cost of a row whose time deviates by @off, in units of the noise. */
static double price(double off, double predicted, double measured, double deviation_most,
                    struct residual_limit limits)
{
    return residual_rounded(residual_cost(off, predicted, measured, deviation_most, limits));
}

double joining_price(double predicted, double measured, double deviation_most,
                     struct residual_limit limits)
{
    return price((predicted - measured) / sight_noise(SIGHT_NOISE, measured), predicted, measured,
                 deviation_most, limits);
}

static double price_of(const struct joiner *j, size_t at, double predicted)
{
    const struct joiner_group *g = &j->groups[at / LANES];
    const size_t lane = at % LANES;

    return price((predicted - g->cycles[lane]) * g->noise[lane], predicted, g->cycles[lane],
                 j->deviation_most, j->rows[at].limits);
}

/* avoids the call of fmax() */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Returns the port bound of row @at with @mass additional µops on @set: the maximum over the row's
 * unions, each extended by @set. */
static double with_set(const struct joiner *j, size_t at, portset set, double mass)
{
    const struct joiner_union *part = j->parts.items + j->rows[at].first;
    double most = 0;

    for (size_t k = 0; k < j->rows[at].parts; k++)
        most = larger(most, (part[k].mass + mass) * j->inverse[portset_size(part[k].ports | set)]);
    return most;
}

/* Returns the cost of row @at if @predicted exceeds its cycles; otherwise 0. */
static double too_long(const struct joiner *j, size_t at, double predicted)
{
    return predicted > j->groups[at / LANES].cycles[at % LANES] ? price_of(j, at, predicted) : 0;
}

static size_t group_count(const struct joiner *j)
{
    return (j->count + LANES - 1) / LANES;
}

static size_t group_end(const struct joiner *j, size_t group)
{
    return (group + 1) * LANES < j->count ? (group + 1) * LANES : j->count;
}

void joining_seconds(struct joiner *j, const portset *sets, size_t n, double limit)
{
    for (size_t s = 0; s < n; s++) {
        double *cycles = j->second + s * j->rows_most;
        j->sets[s] = sets[s];
        j->bounds[s] = 0;
        for (size_t i = 0; i < j->count && j->bounds[s] <= limit; i++) {
            cycles[i] = with_set(j, i, sets[s], j->groups[i / LANES].own[i % LANES]);
            j->bounds[s] += too_long(j, i, cycles[i]);
        }
    }
}

/* Exchanges the group at position @dearest of the order, which has a high cost, with the group at
 * half this position. */
static void move_forward(struct joiner *j, size_t dearest)
{
    const size_t swap = j->order[dearest / 2];

    j->order[dearest / 2] = j->order[dearest];
    j->order[dearest] = swap;
}

double joining_first(struct joiner *j, portset set, unsigned count, double limit)
{
    const size_t groups = group_count(j);
    double bound = 0, most = 0;
    size_t dearest = 0;

    j->set = set;
    j->uops = count;
    for (size_t i = 0; i < groups && bound <= limit; i++) {
        struct joiner_group *g = &j->groups[j->order[i]];
        double sum = 0;
        for (size_t at = j->order[i] * LANES; at < group_end(j, j->order[i]); at++) {
            const size_t lane = at % LANES;
            g->first[lane] =
                larger(j->rows[at].most, count ? with_set(j, at, set, g->own[lane] * count) : 0);
            sum += too_long(j, at, g->first[lane]);
        }
        bound += sum;
        if (sum > most) {
            most = sum;
            dearest = i;
        }
    }
    move_forward(j, dearest);
    return bound;
}

double joining_bound(const struct joiner *j, size_t second)
{
    return j->bounds[second];
}

static void set_slots(struct joiner *j, unsigned slots)
{
    for (size_t at = 0; at < j->count && slots != j->slots; at++)
        j->groups[at / LANES].issue[at % LANES] = j->rows[at].slots + j->rows[at].slot * slots;
    j->slots = slots;
}

/* Returns the cost of the rows without µops on the union of both sets. A row whose cost the union
 * may lower counts as 0. @with: cycles with the second µop. @inverse: reciprocal of the union's
 * size; 0: no second µop. Returns a value above @limit if the cost exceeds it. */
FOR_WIDE_VECTORS
static double known_cost(struct joiner *j, const double *with, double inverse, double limit)
{
    const size_t groups = group_count(j);
    const double deviation_most = j->deviation_most, uops = j->uops + 1;
    double cost = 0, most = 0;
    size_t dearest = 0;

    for (size_t i = 0; i < groups && cost <= limit; i++) {
        struct joiner_group *g = &j->groups[j->order[i]];
        const double *second = with ? with + j->order[i] * LANES : g->first;
        double prices[LANES], open[LANES];
        for (size_t k = 0; k < LANES; k++) {
            double cycles = g->first[k] > g->issue[k] ? g->first[k] : g->issue[k];
            cycles = second[k] > cycles ? second[k] : cycles;
            const double off = (cycles - g->cycles[k]) * g->noise[k], square = off * off,
                         by = g->by[k] * cycles,
                         above = g->cycles[k] <= by ? g->limit[k] : deviation_most,
                         top = g->cycles[k] > cycles ? above : deviation_most,
                         cut = square < top ? square : top,
                         sum = (g->mass[k] + g->own[k] * uops) * inverse,
                         kept = cycles < g->cycles[k] ? 0 : residual_rounded(cut);
            /* The union of both sets has at most these µops, and at least the ports of both
             * sets. */
            open[k] = sum > cycles ? cycles : -1;
            prices[k] = sum > cycles ? kept : residual_rounded(cut);
        }
        memcpy(g->open, open, sizeof open);
        for (size_t half = LANES / 2; half; half /= 2)
            for (size_t k = 0; k < half; k++)
                prices[k] += prices[k + half];
        cost += prices[0];
        if (prices[0] > most) {
            most = prices[0];
            dearest = i;
        }
    }
    move_forward(j, dearest);
    return cost;
}

double joining_cost(struct joiner *j, size_t second, unsigned slots, double limit)
{
    const double *with = second == JOINING_NONE ? NULL : j->second + second * j->rows_most;
    const portset both = with ? j->set | j->sets[second] : 0;

    set_slots(j, slots);
    double cost = known_cost(j, with, j->inverse[portset_size(both)], limit);
    for (size_t at = 0; with && at < j->count && cost <= limit; at++) {
        const struct joiner_group *g = &j->groups[at / LANES];
        const size_t lane = at % LANES;
        if (g->open[lane] < 0)
            continue;
        const double known = g->open[lane],
                     cycles = larger(known, with_set(j, at, both, g->own[lane] * (j->uops + 1)));
        cost += price_of(j, at, cycles) - (known < g->cycles[lane] ? 0 : price_of(j, at, known));
    }
    return cost > limit ? INFINITY : cost;
}
