/* Candidate usage of one form, and its cost for the form's measurements. */
#ifndef PORTOLAN_CHART_GUESS_H
#define PORTOLAN_CHART_GUESS_H

#include "chart/saturate.h"

#define GUESS_SETS 12

struct guess {
    /* index into the lattice's sets, and number of µops */
    struct { uint16_t set, count; } uops[GUESS_SETS];
    unsigned n;
    unsigned slots;
    double pipe;             /* cycles for which the form's own blocking pipe is busy; 0: no pipe */
    double cost;             /* cost from guess_cost */
};

/* A measured time of the form with @count times saturator @beside (SIZE_MAX: alone). */
struct sight {
    size_t beside;
    uint32_t count;
    double cycles;
};

struct sights {
    const struct lattice *lattice;
    const struct saturators *saturators;
    VEC(struct sight) list;
    /* per time: µops of the saturator, summed for each column of the lattice */
    float *rows;
    /* order of the times by cost: the most expensive first, which rejects bad guesses early */
    size_t *order;
    size_t row_count;
    /* Most times may exceed the port bound because of slow pairs (chart/slow_pairs.h). Times above
     * the bound then cost little. */
    bool late_known;
};
/* Adds a time. Only one thread may use a struct sights at a time, because guess_cost reorders it.
 * The order changes costs only by rounding. */
void sights_add(struct sights *s, struct sight sight);
void sights_done(struct sights *s);
/* Returns the ports that the saturators of its times keep busy. */
portset sights_ports(const struct sights *s);

void guess_row(const struct guess *g, const struct lattice *lattice, float *row);
/* Returns the predicted cycles with @count times @s. @row: from guess_row. */
double guess_cycles(const struct guess *g, const float *row, const struct lattice *lattice,
                    const struct saturator *s, uint32_t count);
/* Returns the sum of squared deviations in units of the noise, each limited, plus a price per µop
 * and slot. Stops once the sum exceeds @limit. @worst (may be NULL): largest relative deviation. If
 * most times exceed the port bound only those count. If times may exceed the bound, one in twenty
 * is ignored. */
double guess_cost(const struct guess *g, const struct sights *s, double limit, double *worst);
/* Returns measured / predicted of time @at with a saturator if it exceeds the prediction by more
 * than noise; else 0. */
double guess_excess(const struct guess *g, const struct sights *s, size_t at);
bool guess_equal(const struct guess *a, const struct guess *b);
uint64_t guess_uops(const struct guess *g);
/* Appends its µops, without the blocking pipe, to @out. */
void guess_usage(const struct guess *g, const struct lattice *lattice, struct usage *out);
/* Returns whether the guess has µops on a set with no port in @tested. */
bool guess_assumes(const struct guess *g, const struct lattice *lattice, portset tested);

/* Builds a guess from the times of @s, starting with sets of few ports. */
void guess_begin(const struct sights *s, struct guess *out);
/* Returns the best usage with all µops on one port set. The time alone determines their number. */
void guess_single(const struct sights *s, struct guess *out);
/* Changes @g by one µop at a time while that lowers its cost. */
void guess_improve(struct guess *g, const struct sights *s);
/* Calls @each for all guesses one change away from @g, without computing their costs. */
void guess_neighbours(const struct guess *g, const struct lattice *lattice,
                      void (*each)(void *state, const struct guess *other), void *state);

#endif
