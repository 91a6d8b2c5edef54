/* State of forms that are placed, and the experiments of one form */
#ifndef PORTOLAN_CHART_PLACING_H
#define PORTOLAN_CHART_PLACING_H

#include "base/rng.h"
#include "chart/guess.h"
#include "chart/saturator_level.h"
#include "chart/usage_pool.h"

#define FIRST_ASKED 3        /* number of experiments per form in the first round */
#define OTHERS_MOST 12       /* maximum number of alternatives stored per form */

/* A requested experiment whose result is not evaluated yet */
struct asked {
    size_t saturator, row;
    uint32_t count;
};

struct placing {
    const struct place_form *form;
    enum vectors vectors;
    struct sights sights;
    VEC(struct asked) asked;
    bool *used;                  /* per level: whether it was requested */
    struct guess guess;
    /* largest relative error of a time that does not exceed the guess's port bound */
    double worst;
    bool explained;              /* whether the times do not contradict the guess */
    bool sought;                 /* whether the guess is the result of a search */
    bool done, all;
    /* Whether the form is compared with peers, instead of a search for its usage. The form waits
     * for the measurements of peer @leader (NULL: none). */
    bool compared;
    const struct placing *leader;
    unsigned waited, peer_checks;   /* @waited: number of peers for which the form has waited.
                                     * @peer_checks: number of random experiments that compared the
                                     * form with its peer. */
    /* number of rounds in which no guess explained all times of the form */
    unsigned failed;
    unsigned checked;            /* number of rounds of random experiments */
    struct guess checked_guess;       /* guess when the last random experiments were requested */
    bool hidden;
    struct guess rival;
    /* Sum of the weights of the alternatives. The guess has weight 1. */
    double rivals;
    /* alternatives that explain the times about as well as the guess, best first */
    struct guess others[OTHERS_MOST];
    unsigned other_count;
    int pipe;                    /* index of the blocking pipe that the form uses; -1: none */
    /* whether @chosen has the experiments that decide between the guess and its alternatives */
    bool considered;
    size_t chosen[FIRST_ASKED];
    size_t chosen_count;
};

struct placer {
    struct lab *lab;
    const struct mapping *mapping;
    struct lattice *lattice;
    struct saturators saturators;
    struct usage_pool pool;      /* usages accepted so far */
    uint32_t *form_of;           /* index in the lab's table of each form of the mapping */
    struct placing *forms;
    size_t n;
    struct rng rng;
};

/* Returns saturator level @number for form @f. */
struct saturator_level placing_level(const struct placer *p, const struct placing *f,
                                     size_t number);
/* Returns whether the experiment with level @number is possible and was not requested. */
bool placing_available(const struct placer *p, const struct placing *f, size_t number);
void placing_ask(struct placer *p, struct placing *f, size_t number);
/* Stores the cost and the evidence of the guess for all times of @f. */
void placing_judge(struct placing *f);
/* Adds an alternative. If the list is full, drops the alternative with the highest cost. */
void placing_add_other(struct placing *f, const struct guess *g);

#endif
