/* Candidate usage of one form, and its cost against the form's measurements. */
#ifndef PORTOLAN_CHART_GUESS_H
#define PORTOLAN_CHART_GUESS_H

#include "chart/saturate.h"

#define GUESS_SETS 12

struct guess {
    struct { uint16_t set, count; } uops[GUESS_SETS];   /* sets of the lattice */
    unsigned n;
    unsigned slots;
    double pipe;             /* cycles that it holds a blocking pipe of its own; 0: none */
    double cost;             /* of guess_cost */
};

/* One time of the form with @count times saturator @beside (SIZE_MAX: alone). */
struct sight {
    size_t beside;
    uint32_t count;
    double cycles;
};

struct sights {
    const struct lattice *lattice;
    const struct saturators *saturators;
    VEC(struct sight) list;
    float *rows;             /* of list: the saturator under the form */
    /* of list: the time that costs guesses most comes first, so that bad ones are rejected soon */
    size_t *order;
    size_t row_count;
    /* most times of the judged usage may be late (chart/slow_pairs.h), so late times count
     * little */
    bool late_known;
};
/* Judges guesses by the same sights. One thread at a time, since the order changes with each; costs
 * do not, except for rounding. Adds a time. */
void sights_add(struct sights *s, struct sight sight);
void sights_done(struct sights *s);
/* The ports that saturators of its times keep busy. */
portset sights_ports(const struct sights *s);

void guess_row(const struct guess *g, const struct lattice *lattice, float *row);
/* Predicted cycles with @count times @s. @row: guess_row. */
double guess_cycles(const struct guess *g, const float *row, const struct lattice *lattice,
                    const struct saturator *s, uint32_t count);
/* Sum of squared deviations in units of the noise, each up to a limit, and a price for each µop and
 * slot. Sums above @limit are not completed. @worst (may be NULL): the largest relative deviation,
 * only of late times where most are late; where times may be late, except one of twenty that is
 * longer still. */
double guess_cost(const struct guess *g, const struct sights *s, double limit, double *worst);
/* Factor by which time number @at, under load, is late by more than noise: measured / predicted; 0:
 * it is not late. */
double guess_excess(const struct guess *g, const struct sights *s, size_t at);
bool guess_equal(const struct guess *a, const struct guess *b);
uint64_t guess_uops(const struct guess *g);
/* Whether it has µops of a set no port of which is among those @tested. */
bool guess_assumes(const struct guess *g, const struct lattice *lattice, portset tested);

/* The guess that @s suggest one by one: sets with few ports first. */
void guess_begin(const struct sights *s, struct guess *out);
/* The best usage whose µops all have one port set; the time alone gives their number. */
void guess_single(const struct sights *s, struct guess *out);
/* Changes @g by one µop at a time while its cost falls. */
void guess_improve(struct guess *g, const struct sights *s);
/* Guesses one change away from @g: calls @each with every one, cost not filled. */
void guess_neighbours(const struct guess *g, const struct lattice *lattice,
                      void (*each)(void *state, const struct guess *other), void *state);

#endif
