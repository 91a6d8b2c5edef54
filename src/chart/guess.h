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

/* One time of the form beside @count times saturator @beside (SIZE_MAX: alone). */
struct sight {
    size_t beside;
    uint32_t count;
    double cycles;
};

struct sights {
    const struct lattice *lattice;
    const struct saturators *saturators;
    VEC(struct sight) list;
    float *rows;             /* of list: what is beside the form */
    /* of list: what cost guesses most comes first, so that bad ones are soon known */
    size_t *order;
    size_t row_count;
    /* that times are late is no news of the usage that is judged (chart/slow_pairs.h): most of them
     * may be */
    bool late_known;
};
/* Guesses may be judged by the same sights on one thread at a time, since the order changes with
 * each; costs do not, but for rounding. Adds a time. */
void sights_add(struct sights *s, struct sight sight);
void sights_done(struct sights *s);
/* The ports that saturators of its times keep busy. */
portset sights_ports(const struct sights *s);

void guess_row(const struct guess *g, const struct lattice *lattice, float *row);
/* Cycles beside @count times @s. @row: guess_row. */
double guess_cycles(const struct guess *g, const float *row, const struct lattice *lattice,
                    const struct saturator *s, uint32_t count);
/* Sum of squared deviations in units of the noise, each up to a limit, and a price for each µop and
 * slot; what passes @limit is not counted to its end. @worst (may be NULL): the largest relative
 * deviation, of late times only where most are late; where times may be late, but for one of twenty
 * that is longer still. */
double guess_cost(const struct guess *g, const struct sights *s, double limit, double *worst);
/* By what time number @at, beside a saturator, is late by more than noise: measured / predicted; 0:
 * it is not. */
double guess_excess(const struct guess *g, const struct sights *s, size_t at);
bool guess_equal(const struct guess *a, const struct guess *b);
uint64_t guess_uops(const struct guess *g);
/* Whether it has µops of a set no port of which is among those @tested. */
bool guess_assumes(const struct guess *g, const struct lattice *lattice, portset tested);

/* The guess that @s suggest one by one: sets with few ports first. */
void guess_begin(const struct sights *s, struct guess *out);
/* The best of those whose µops all have one set, as many as the time alone says. */
void guess_single(const struct sights *s, struct guess *out);
/* Changes @g by one µop at a time as long as its cost falls. */
void guess_improve(struct guess *g, const struct sights *s);
/* Guesses one change away from @g: calls @each with every one, cost not filled. */
void guess_neighbours(const struct guess *g, const struct lattice *lattice,
                      void (*each)(void *state, const struct guess *other), void *state);

#endif
