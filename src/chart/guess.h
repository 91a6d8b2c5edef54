/* A candidate usage of one form, and its cost given the form's measurements */
#ifndef PORTOLAN_CHART_GUESS_H
#define PORTOLAN_CHART_GUESS_H

#include "chart/saturate.h"

#define GUESS_SETS 12

struct guess {
    /* @set: index of a port set in the lattice. @count: number of µops on this set. */
    struct { uint16_t set, count; } uops[GUESS_SETS];
    unsigned n;
    unsigned slots;
    double pipe;             /* cycles for which the form's own blocking pipe is busy; 0: no pipe */
    double cost;             /* cost from guess_cost */
};

/* A measured time of the form with @count executions of @saturator, or SIZE_MAX if
 * the form ran in isolation. */
struct sight {
    size_t saturator;
    uint32_t count;
    double cycles;
};

struct sights {
    const struct lattice *lattice;
    const struct saturators *saturators;
    VEC(struct sight) list;
    /* Order in which times are evaluated. Times with a high cost are first, to reject bad guesses
     * early. */
    size_t *order;
};
/* Adds a time. Only one thread at a time may use a struct sights, because guess_cost changes the
 * order of the times. */
void sights_add(struct sights *s, struct sight sight);
void sights_done(struct sights *s);
/* Returns the ports that the saturators in the times of @s keep busy. */
portset sights_ports(const struct sights *s);

void guess_row(const struct guess *g, const struct lattice *lattice, float *row);
/* Returns the predicted cycles of the guess with @count executions of @s. @s NULL: the guess in
 * isolation. @row: result of guess_row. */
double guess_cycles(const struct guess *g, const float *row, const struct lattice *lattice,
                    const struct saturator *s, uint32_t count);
/* Returns the cost of the times (chart/residual.h) plus a price for µops, port sets, slots and
 * the pipe. Stops when the sum exceeds @limit. Stores the evidence of the times in @seen (may be
 * NULL). */
double guess_cost(const struct guess *g, const struct sights *s, double limit,
                  struct times_seen *seen);
bool guess_equal(const struct guess *a, const struct guess *b);
uint64_t guess_uops(const struct guess *g);
/* Appends the µops of @g to @out, without a blocking pipe. */
void guess_usage(const struct guess *g, const struct lattice *lattice, struct usage *out);
/* Returns whether the guess has µops on a port set without a port in @tested. */
bool guess_assumes(const struct guess *g, const struct lattice *lattice, portset tested);

/* Constructs a guess from the times of @s, starting with saturators of few ports. */
void guess_begin(const struct sights *s, struct guess *out);
/* Finds the best usage with all µops on one port set. The form's time in isolation determines the
 * number of µops. */
void guess_single(const struct sights *s, struct guess *out);
/* Replaces @g with its best neighbour until no neighbour costs less, at most 60 times. */
void guess_improve(struct guess *g, const struct sights *s);
struct guess_search {
    const struct sights *sights;
    /* largest cost of a guess that is passed to @found, which may lower the limit */
    double limit;
    void (*found)(struct guess_search *search, const struct guess *other);
    void *state;
};
/* Passes to the search, with their costs, all guesses that differ from @g by one change and cost at
 * most search->limit. */
void guess_neighbours(const struct guess *g, struct guess_search *search);

#endif
