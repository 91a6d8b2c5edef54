/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/joining.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "chart/saturate.h"

/* Union of port sets of the other µops, and the number of µops within its ports */
struct joiner_union {
    portset ports;
    /* @mass: number of µops within the ports. @before: this number without the set that is being
     * added. */
    double mass, before;
};

struct joiner_row {
    /* @first: index of the first union in @parts; it is empty. @parts: number of unions. */
    size_t first, parts;
    double most, mass;       /* cycles and number of µops of the other forms */
    double own, slots, slot, cycles, noise;   /* @noise: reciprocal of the noise */
    struct residual_limit late;
};

struct joiner {
    VEC(struct joiner_union) parts;
    struct joiner_row *rows;
    size_t count;
    double *first;           /* per row: cycles with the first µops of the form */
    double *second;          /* per second set and row: cycles with one µop per execution on that
                              * set */
    double *bounds;          /* per second set: lower bound of the cost */
    portset *sets;           /* candidate port sets of the second µops */
    portset set;             /* port set of the first µops (joining_first) */
    unsigned uops;
    /* Order in which rows are evaluated. Rows with a high cost are first, to reject bad guesses
     * early. */
    size_t *order;
    size_t rows_most;
    double deviation_most;
    double inverse[PORTS_MAX + 1];
};

struct joiner *joining_new(size_t rows, size_t seconds)
{
    struct joiner *j = mem_zero(1, sizeof *j);

    j->rows_most = rows;
    j->rows = mem_alloc((rows + 1) * sizeof *j->rows);
    j->first = mem_alloc((rows + 1) * sizeof *j->first);
    j->order = mem_zero(rows + 1, sizeof *j->order);
    j->second = mem_alloc((rows * seconds + 1) * sizeof *j->second);
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
    free(j->first);
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

    if (j->count == j->rows_most || row->n > JOINING_SETS)
        BUG("%zu rows and %zu port sets in a row: too many", j->count + 1, row->n);
    *r = (struct joiner_row){.first = j->parts.count,
                             .own = row->own,
                             .slots = row->slots,
                             .slot = row->slot * row->own,
                             .cycles = row->cycles,
                             .late = row->late,
                             .noise = 1 / sight_noise(SIGHT_NOISE, row->cycles)};
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
        r->mass += row->others[i].count;
    }
    r->parts = j->parts.count - r->first;
    for (size_t k = r->first + 1; k < j->parts.count; k++)
        r->most = fmax(r->most,
                       j->parts.items[k].mass * j->inverse[portset_size(j->parts.items[k].ports)]);
    j->order[j->count] = j->count;
    j->count++;
}

/* Returns the cost of a row whose time deviates by @off, in units of the noise. */
static double price(double off, double predicted, double measured, double deviation_most,
                    struct residual_limit late)
{
    return residual_rounded(residual_cost(off, predicted, measured, deviation_most, late));
}

double joining_price(double predicted, double measured, double deviation_most,
                     struct residual_limit late)
{
    return price((predicted - measured) / sight_noise(SIGHT_NOISE, measured), predicted, measured,
                 deviation_most, late);
}

static double price_of(const struct joiner *j, const struct joiner_row *r, double predicted)
{
    return price((predicted - r->cycles) * r->noise, predicted, r->cycles, j->deviation_most,
                 r->late);
}

/* Returns the larger number. fmax() would be a call. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Returns the cycles of row @r with @mass additional µops on @set, from the unions that contain
 * @set. */
static double with_set(const struct joiner *j, const struct joiner_row *r, portset set, double mass)
{
    const struct joiner_union *part = j->parts.items + r->first;
    double most = 0;

    for (size_t k = 0; k < r->parts; k++)
        most = larger(most, (part[k].mass + mass) * j->inverse[portset_size(part[k].ports | set)]);
    return most;
}

static double too_long(const struct joiner *j, const struct joiner_row *r, double predicted)
{
    return predicted > r->cycles ? price_of(j, r, predicted) : 0;
}

void joining_seconds(struct joiner *j, const portset *sets, size_t n)
{
    for (size_t s = 0; s < n; s++) {
        double *cycles = j->second + s * j->rows_most;
        j->sets[s] = sets[s];
        j->bounds[s] = 0;
        for (size_t i = 0; i < j->count; i++) {
            cycles[i] = with_set(j, &j->rows[i], sets[s], j->rows[i].own);
            j->bounds[s] += too_long(j, &j->rows[i], cycles[i]);
        }
    }
}

/* Moves the row at position @dearest of the order, which has a high cost, halfway to the front. */
static void move_forward(struct joiner *j, size_t dearest)
{
    const size_t swap = j->order[dearest / 2];

    j->order[dearest / 2] = j->order[dearest];
    j->order[dearest] = swap;
}

double joining_first(struct joiner *j, portset set, unsigned count, double limit)
{
    double bound = 0, most = 0;
    size_t dearest = 0;

    j->set = set;
    j->uops = count;
    for (size_t i = 0; i < j->count && bound <= limit; i++) {
        const size_t at = j->order[i];
        const struct joiner_row *r = &j->rows[at];
        j->first[at] = larger(r->most, count ? with_set(j, r, set, r->own * count) : 0);
        const double price = too_long(j, r, j->first[at]);
        bound += price;
        if (price > most) {
            most = price;
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

double joining_cost(struct joiner *j, size_t second, unsigned slots, double limit)
{
    const double *with = second == JOINING_NONE ? NULL : j->second + second * j->rows_most;
    portset both = with ? j->set | j->sets[second] : 0;
    double cost = 0, most = 0, inverse = j->inverse[portset_size(both)];
    size_t dearest = 0;

    for (size_t i = 0; i < j->count && cost <= limit; i++) {
        const struct joiner_row *r = &j->rows[j->order[i]];
        double cycles = larger(j->first[j->order[i]], r->slots + r->slot * slots),
               mass = r->own * (j->uops + 1);
        if (with) {
            cycles = larger(cycles, with[j->order[i]]);
            /* The union of both sets has at most r->mass + mass µops, and at least the ports of
             * both sets. */
            if ((r->mass + mass) * inverse > cycles)
                cycles = larger(cycles, with_set(j, r, both, mass));
        }
        double price = price_of(j, r, cycles);
        cost += price;
        if (price > most) {
            most = price;
            dearest = i;
        }
    }
    move_forward(j, dearest);
    return cost > limit ? INFINITY : cost;
}
