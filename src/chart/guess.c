/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/guess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UOP_PRICE 0.7
#define SLOT_PRICE 0.05
/* minimum cycles in isolation of a form for which a blocking pipe is tried */
#define PIPE_ALONE 1.5
#define PIPE_PRICE 3.0
#define STEPS 60
#define ADDED_MOST 4
/* Largest number of port sets of a guess at which µops are split in two. With more sets, there
 * would be too many splits. */
#define SPLIT_MOST 4
#define GAIN 1e-6

void sights_add(struct sights *s, struct sight sight)
{
    vec_push(&s->list, sight);
    s->order = mem_resize(s->order, s->list.count * sizeof *s->order);
    s->order[s->list.count - 1] = s->list.count - 1;
}

void sights_done(struct sights *s)
{
    vec_done(&s->list);
    free(s->order);
    s->order = NULL;
}

static const struct saturator *sight_saturator(const struct sights *s, const struct sight *one)
{
    return one->saturator == SIZE_MAX ? NULL : &s->saturators->list.items[one->saturator];
}

void guess_row(const struct guess *g, const struct lattice *lattice, float *row)
{
    memset(row, 0, lattice->stride * sizeof *row);
    for (unsigned i = 0; i < g->n; i++)
        lattice_add(lattice, g->uops[i].set, g->uops[i].count, row, row);
}

double guess_cycles(const struct guess *g, const float *row, const struct lattice *lattice,
                    const struct saturator *s, uint32_t count)
{
    return lattice_cycles(lattice, row, s ? s->row : row, s ? (float)count : 0,
                          g->slots + (s ? count * s->slots : 0), g->pipe);
}

portset sights_ports(const struct sights *s)
{
    portset tested = 0;

    for (size_t i = 0; i < s->list.count; i++)
        if (s->list.items[i].saturator != SIZE_MAX)
            tested |= sight_saturator(s, &s->list.items[i])->ports;
    return tested;
}

void guess_usage(const struct guess *g, const struct lattice *lattice, struct usage *out)
{
    for (unsigned i = 0; i < g->n; i++)
        usage_add(out, lattice->sets.items[g->uops[i].set], g->uops[i].count);
}

bool guess_assumes(const struct guess *g, const struct lattice *lattice, portset tested)
{
    bool any = false;

    for (unsigned i = 0; i < g->n; i++)
        any |= !(lattice->sets.items[g->uops[i].set] & tested);
    return any;
}

uint64_t guess_uops(const struct guess *g)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < g->n; i++)
        sum += g->uops[i].count;
    return sum;
}

static void to_front(size_t *order, size_t at)
{
    size_t first = order[at];

    memmove(order + 1, order, at * sizeof *order);
    order[0] = first;
}

static int count_on(const struct guess *g, size_t set)
{
    for (unsigned i = 0; i < g->n; i++)
        if (g->uops[i].set == set)
            return g->uops[i].count;
    return 0;
}

/* Returns the price of @g with @more additional µops. */
static double price(const struct guess *g, unsigned more)
{
    return residual_rounded(UOP_PRICE * log2(1 + (double)(guess_uops(g) + more)) + 0.1 * g->n +
                            SLOT_PRICE * g->slots + (g->pipe > 0 ? PIPE_PRICE : 0));
}

/* Returns the cost of @g as guess_cost does. @row: result of guess_row. */
static double cost_of_row(const struct guess *g, const float *row, const struct sights *s,
                          double limit, struct times_seen *seen)
{
    struct times_seen own = {
        .noise = s->lattice->noise, .above_ports = s->lattice->above_ports, .cost = price(g, 0)};
    /* A guess has no information about causes, so a cause is assumed for all times above the port
     * bound. */
    double dearest = 0, cause_cost = 0;
    size_t i = 0, worst_at = 0;

    for (; i < s->list.count && own.cost <= limit; i++) {
        const size_t at = s->order[i];
        const struct sight *one = &s->list.items[at];
        const double before = own.cost;
        times_add(&own,
                  guess_cycles(g, row, s->lattice, sight_saturator(s, one), one->count),
                  one->cycles, one->saturator == SIZE_MAX, &cause_cost);
        if (own.cost - before > dearest) {
            dearest = own.cost - before;
            worst_at = i;
        }
    }
    if (own.cost > limit && worst_at)
        to_front(s->order, worst_at);
    if (seen)
        *seen = own;
    return own.cost;
}

double guess_cost(const struct guess *g, const struct sights *s, double limit,
                  struct times_seen *seen)
{
    float row[COLUMNS_MOST];

    guess_row(g, s->lattice, row);
    return cost_of_row(g, row, s, limit, seen);
}

bool guess_equal(const struct guess *a, const struct guess *b)
{
    if (a->n != b->n || a->slots != b->slots || a->pipe != b->pipe)
        return false;
    for (unsigned i = 0; i < a->n; i++) {
        bool found = false;
        for (unsigned k = 0; k < b->n && !found; k++)
            found = a->uops[i].set == b->uops[k].set && a->uops[i].count == b->uops[k].count;
        if (!found)
            return false;
    }
    return true;
}

/* Adds @by µops to port set @set; a negative @by removes µops. Returns false if the set has too
 * few µops, or the guess too many sets. */
static bool change(struct guess *g, size_t set, int by)
{
    for (unsigned i = 0; i < g->n; i++)
        if (g->uops[i].set == set) {
            int count = g->uops[i].count + by;
            if (count < 0 || count > UINT16_MAX)
                return false;
            g->uops[i].count = (uint16_t)count;
            if (!count)
                g->uops[i] = g->uops[--g->n];
            return true;
        }
    if (by < 0 || g->n == GUESS_SETS)
        return false;
    g->uops[g->n].set = (uint16_t)set;
    g->uops[g->n++].count = (uint16_t)by;
    return true;
}

static const struct sight *alone(const struct sights *s)
{
    for (size_t i = 0; i < s->list.count; i++)
        if (s->list.items[i].saturator == SIZE_MAX)
            return &s->list.items[i];
    return NULL;
}

void guess_begin(const struct sights *s, struct guess *out)
{
    const struct lattice *lattice = s->lattice;
    float row[COLUMNS_MOST];
    const struct sight *own = alone(s);

    *out = (struct guess){0};
    for (unsigned size = 1; size <= PORTS_MAX; size++)
        for (size_t i = 0; i < s->list.count; i++) {
            const struct sight *one = &s->list.items[i];
            const struct saturator *by = sight_saturator(s, one);
            if (!by || !by->ports || portset_size(by->ports) != size)
                continue;
            /* The time determines the number of µops within the saturator's ports. Assigns the µops
             * that the guess lacks to the largest port set within these ports. */
            size_t set = lattice->sets.count, column = 0;
            for (size_t k = 0; k < lattice->sets.count; k++)
                if ((lattice->sets.items[k] & ~by->ports) == 0 &&
                    (set == lattice->sets.count ||
                     portset_size(lattice->sets.items[k]) > portset_size(lattice->sets.items[set])))
                    set = k;
            while (column < lattice->columns && lattice->column[column] != by->ports)
                column++;
            if (set == lattice->sets.count || column == lattice->columns)
                continue;
            guess_row(out, lattice, row);
            double mass = one->cycles * size - one->count * by->row[column] - row[column];
            if (mass > 0.5)
                change(out, set, (int)fmin(rint(mass), 10000));
        }
    for (size_t i = 0; i < s->list.count; i++) {
        const struct sight *one = &s->list.items[i];
        const struct saturator *by = sight_saturator(s, one);
        if (by && !by->ports)
            out->slots =
                (unsigned)fmax(1, rint(one->cycles * lattice->width - one->count * by->slots));
    }
    if (!out->slots)
        out->slots = own ? (unsigned)fmin((double)guess_uops(out),
                                          floor(own->cycles * 1.01 * lattice->width))
                         : 1;
    out->slots = out->slots ? out->slots : 1;
    out->cost = guess_cost(out, s, INFINITY, NULL);
}

static void take_better(struct guess_search *search, const struct guess *other)
{
    struct guess *best = search->state;

    if (other->cost < best->cost - GAIN)
        *best = *other;
    search->limit = best->cost;
}

static void try_guess(const struct sights *s, const struct guess *other, struct guess *best)
{
    struct guess g = *other;

    g.cost = guess_cost(&g, s, best->cost, NULL);
    take_better(&(struct guess_search){.state = best}, &g);
}

void guess_single(const struct sights *s, struct guess *out)
{
    const struct sight *own = alone(s);

    *out = (struct guess){.slots = 1};
    out->cost = guess_cost(out, s, INFINITY, NULL);
    for (size_t set = 0; own && set < s->lattice->sets.count; set++) {
        struct guess g = {.slots = 1};
        double count = rint(own->cycles * portset_size(s->lattice->sets.items[set]));
        if (count < 1 || count > 1000 || !change(&g, set, (int)count))
            continue;
        g.slots = (unsigned)fmax(1, fmin(count, floor(own->cycles * 1.01 * s->lattice->width)));
        try_guess(s, &g, out);
    }
}

struct neighbour_pass {
    const struct guess *guess;
    const struct lattice *lattice;
    struct guess_search *search;
    float row[COLUMNS_MOST];   /* result of guess_row for @guess */
};

/* Computes the row of @other from that of @n's guess. Computes only the sums of changed sets
 * again. */
static void neighbour_row(const struct neighbour_pass *n, const struct guess *other, float *row)
{
    const float *from = n->row;

    for (unsigned i = 0; i < other->n; i++) {
        int more = other->uops[i].count - count_on(n->guess, other->uops[i].set);
        if (more) {
            lattice_add(n->lattice, other->uops[i].set, (float)more, from, row);
            from = row;
        }
    }
    for (unsigned i = 0; i < n->guess->n; i++)
        if (!count_on(other, n->guess->uops[i].set)) {
            lattice_add(n->lattice, n->guess->uops[i].set, -(float)n->guess->uops[i].count, from,
                        row);
            from = row;
        }
    if (from == n->row)
        memcpy(row, from, n->lattice->stride * sizeof *row);
}

/* Passes @other to the search of @n if its cost is at most the limit. */
static void pass_neighbour(const struct neighbour_pass *n, struct guess *other)
{
    float row[COLUMNS_MOST];

    neighbour_row(n, other, row);
    other->cost = cost_of_row(other, row, n->search->sights, n->search->limit, NULL);
    if (other->cost <= n->search->limit)
        n->search->found(n->search, other);
}

/* Returns whether the guess of @n exceeds the search's limit with any additional µop. Counts only
 * times that the guess exceeds, because more µops make no experiment faster. */
static bool exceeds(const struct neighbour_pass *n)
{
    const struct sights *s = n->search->sights;
    struct times_seen over = {.noise = n->lattice->noise,
                              .above_ports = n->lattice->above_ports,
                              .cost = price(n->guess, 1)};

    for (size_t i = 0; i < s->list.count && over.cost <= n->search->limit + GAIN; i++) {
        const struct sight *one = &s->list.items[s->order[i]];
        const double says =
            guess_cycles(n->guess, n->row, n->lattice, sight_saturator(s, one), one->count);
        if (says > one->cycles)
            times_add(&over, says, one->cycles, one->saturator == SIZE_MAX, &(double){0});
    }
    return over.cost > n->search->limit + GAIN;
}

/* Passes the guess of @n with @count more µops on set @set. Does nothing if the first measured time
 * alone makes the guess's cost exceed the limit. */
static void pass_addition(const struct neighbour_pass *n, size_t set, int count)
{
    const struct sights *s = n->search->sights;
    struct guess other = *n->guess;

    if (!change(&other, set, count))
        return;
    if (s->list.count) {
        const struct sight *first = &s->list.items[s->order[0]];
        const struct saturator *by = sight_saturator(s, first);
        struct times_seen seen = {.noise = n->lattice->noise,
                                  .above_ports = n->lattice->above_ports,
                                  .cost = price(&other, 0)};
        times_add(&seen,
                  lattice_cycles_more(n->lattice, n->row, set, (float)count, by ? by->row : n->row,
                                      by ? (float)first->count : 0,
                                      other.slots + (by ? first->count * by->slots : 0),
                                      other.pipe),
                  first->cycles, first->saturator == SIZE_MAX, &(double){0});
        if (seen.cost > n->search->limit)
            return;
    }
    pass_neighbour(n, &other);
}

/* Passes, for each set except @without, the guess that has @count more µops on that set than
 * @reduced. @reduced is the guess of @n with fewer µops. */
static void pass_additions(const struct neighbour_pass *n, const struct guess *reduced, int count,
                           size_t without)
{
    struct neighbour_pass from = {reduced, n->lattice, n->search, {0}};

    neighbour_row(n, reduced, from.row);
    for (size_t set = 0; set < n->lattice->sets.count; set++)
        if (set != without)
            pass_addition(&from, set, count);
}

/* Passes the guesses in which two µops of known sets replace one µop of set @set. */
static void pass_splits(const struct neighbour_pass *n, size_t set)
{
    struct guess first;
    struct neighbour_pass from = {&first, n->lattice, n->search, {0}};

    for (size_t a = 0; a < n->lattice->known; a++) {
        first = *n->guess;
        if (a == set || !change(&first, set, -1) || !change(&first, a, 1))
            continue;
        neighbour_row(n, &first, from.row);
        if (exceeds(&from))
            continue;
        for (size_t b = 0; b <= a; b++)
            if (b != set)
                pass_addition(&from, b, 1);
    }
}

void guess_neighbours(const struct guess *g, struct guess_search *search)
{
    const struct lattice *lattice = search->sights->lattice;
    struct neighbour_pass n = {g, lattice, search, {0}};
    struct guess other;

    guess_row(g, lattice, n.row);
    /* A single µop may have no visible effect, so also adds larger numbers. */
    for (int by = 1; by <= ADDED_MOST; by *= 2)
        pass_additions(&n, g, by, SIZE_MAX);
    for (unsigned i = 0; i < g->n; i++) {
        const size_t set = g->uops[i].set;
        other = *g;
        change(&other, set, -1);
        pass_neighbour(&n, &other);
        /* Moves one µop to another set, then moves all µops. */
        pass_additions(&n, &other, 1, set);
        if (g->uops[i].count > 1) {
            change(&other, set, 1 - g->uops[i].count);
            pass_additions(&n, &other, g->uops[i].count, set);
        }
        for (unsigned k = i; k < g->n; k++) {
            other = *g;
            if (change(&other, set, -1) && change(&other, g->uops[k].set, -1))
                pass_additions(&n, &other, 1, SIZE_MAX);
        }
        if (g->n <= SPLIT_MOST)
            pass_splits(&n, set);
    }
    /* Replaces two overlapping sets with their intersection and union, and vice versa. Most
     * saturators do not distinguish the two usages. */
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < i; k++) {
            portset a = lattice->sets.items[g->uops[i].set],
                    b = lattice->sets.items[g->uops[k].set];
            size_t inner = lattice_set(lattice, a & b), outer = lattice_set(lattice, a | b);
            other = *g;
            if (inner != SIZE_MAX && outer != SIZE_MAX && (a & b) != a && (a & b) != b &&
                change(&other, g->uops[i].set, -1) && change(&other, g->uops[k].set, -1) &&
                change(&other, inner, 1) && change(&other, outer, 1))
                pass_neighbour(&n, &other);
            if ((a & ~b) && (b & ~a))
                continue;
            size_t within = (a & ~b) ? g->uops[k].set : g->uops[i].set,
                   around = (a & ~b) ? g->uops[i].set : g->uops[k].set;
            for (size_t set = 0; set < lattice->sets.count; set++) {
                portset one = lattice->sets.items[set],
                        two = (lattice->sets.items[around] & ~one) | lattice->sets.items[within];
                size_t rest = lattice_set(lattice, two);
                other = *g;
                if (rest != SIZE_MAX && (lattice->sets.items[within] & ~one) == 0 &&
                    (one & ~lattice->sets.items[around]) == 0 && change(&other, within, -1) &&
                    change(&other, around, -1) && change(&other, set, 1) && change(&other, rest, 1))
                    pass_neighbour(&n, &other);
            }
        }
    /* Replaces all µops of one set with a blocking pipe, and vice versa. */
    for (unsigned i = 0; i < g->n; i++) {
        other = *g;
        other.pipe = g->uops[i].count;
        if (!(g->pipe > 0) && g->uops[i].count > 1 &&
            change(&other, g->uops[i].set, -(int)g->uops[i].count))
            pass_neighbour(&n, &other);
    }
    for (size_t set = 0; set < lattice->sets.count && g->pipe > 0; set++) {
        other = *g;
        other.pipe = 0;
        if (change(&other, set, (int)g->pipe))
            pass_neighbour(&n, &other);
    }
    for (int by = -1; by <= 1; by += 2)
        if ((int)g->slots + by >= 1) {
            other = *g;
            other.slots = (unsigned)((int)g->slots + by);
            pass_neighbour(&n, &other);
        }
}

/* Tries a blocking pipe as the explanation of a long time in isolation. If the guess has a pipe,
 * tries the guess without the pipe. */
static void try_pipe(const struct guess *g, const struct sights *s, struct guess *best)
{
    const struct sight *own = alone(s);
    struct guess other = *g;

    if (!own || (!(g->pipe > 0) && own->cycles < PIPE_ALONE))
        return;
    other.pipe = g->pipe > 0 ? 0 : rint(own->cycles);
    try_guess(s, &other, best);
}

void guess_improve(struct guess *g, const struct sights *s)
{
    g->cost = guess_cost(g, s, INFINITY, NULL);
    for (unsigned step = 0; step < STEPS; step++) {
        struct guess best = *g;
        guess_neighbours(g, &(struct guess_search){s, g->cost, take_better, &best});
        try_pipe(g, s, &best);
        if (guess_equal(&best, g))
            return;
        *g = best;
    }
}
