/* Candidate usage of one form, and its cost against the form's measurements. */
#ifndef PORTOLAN_CHART_GUESS_H
#define PORTOLAN_CHART_GUESS_H

#include "chart/saturate.h"

#define GUESS_SETS 12

struct guess {
    struct { uint16_t set, count; } uops[GUESS_SETS];   /* indices into the lattice's sets */
    unsigned n;
    unsigned slots;
    double pipe;             /* cycles that it holds its own blocking pipe; 0: none */
    double cost;             /* result of guess_cost */
};

/* A time of the form with @count times saturator @beside (SIZE_MAX: alone). */
struct sight {
    size_t beside;
    uint32_t count;
    double cycles;
};

struct sights {
    const struct lattice *lattice;
    const struct saturators *saturators;
    VEC(struct sight) list;
    float *rows;             /* rows of the list: the saturator's sums */
    /* order in the list: the most expensive time first, so that bad guesses are rejected early */
    size_t *order;
    size_t row_count;
    /* most times of the judged usage may be late (chart/slow_pairs.h), so late times weigh
     * little */
    bool late_known;
};
/* Adds a time. Sights are used by one thread at a time, since guess_cost reorders them; costs do
 * not change, except for rounding. */
void sights_add(struct sights *s, struct sight sight);
void sights_done(struct sights *s);
/* Ports that the saturators of its times keep busy. */
portset sights_ports(const struct sights *s);

void guess_row(const struct guess *g, const struct lattice *lattice, float *row);
/* Predicted cycles with @count times @s. @row: guess_row. */
double guess_cycles(const struct guess *g, const float *row, const struct lattice *lattice,
                    const struct saturator *s, uint32_t count);
/* Sum of squared deviations in units of the noise, each limited, plus a price per µop and slot.
 * Stops once the sum exceeds @limit. @worst (may be NULL): largest relative deviation. If most
 * times are late only late ones count; if times may be late one in twenty longer ones is
 * ignored. */
double guess_cost(const struct guess *g, const struct sights *s, double limit, double *worst);
/* Returns the factor measured / predicted of time @at with a saturator, if it is late by more than
 * noise, else 0. */
double guess_excess(const struct guess *g, const struct sights *s, size_t at);
bool guess_equal(const struct guess *a, const struct guess *b);
uint64_t guess_uops(const struct guess *g);
/* Returns whether it has µops on a set with no port in @tested. */
bool guess_assumes(const struct guess *g, const struct lattice *lattice, portset tested);

/* Builds a guess from each time of @s in turn: sets with few ports first. */
void guess_begin(const struct sights *s, struct guess *out);
/* Returns the best usage with all µops on one port set; the time alone gives their number. */
void guess_single(const struct sights *s, struct guess *out);
/* Changes @g by one µop at a time while its cost falls. */
void guess_improve(struct guess *g, const struct sights *s);
/* Calls @each for all guesses one change away from @g, without costs. */
void guess_neighbours(const struct guess *g, const struct lattice *lattice,
                      void (*each)(void *state, const struct guess *other), void *state);

#endif
