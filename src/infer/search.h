/* Local search over one genome: moves on usages, accepted by simulated annealing, with every sum kept incrementally. A move on a form
 * evaluates only the experiments with that form, and stops at the first sign that it will be refused. */
#ifndef PORTOLAN_INFER_SEARCH_H
#define PORTOLAN_INFER_SEARCH_H

#include "base/rng.h"
#include "infer/score.h"

/* What is minimised: sum of weighted relative errors + uop * distinct µops + volume * V + usage * code length, where the code length
 * of the usages is that of a Chinese restaurant process: a form that shares its usage with n others costs -ln n, one with a usage
 * of its own costs new_usage + new_uop per µop. In units of one experiment missed by 100 %. */
struct search_prices {
    double uop, volume, usage;
    double new_usage, new_uop;
};

enum search_move {
    MOVE_COPY, MOVE_COPY_LIKE, MOVE_TOGGLE, MOVE_REPLACE, MOVE_COUNT, MOVE_ADD, MOVE_DROP, MOVE_RANDOM, MOVE_SHIFT, MOVE_SWAP, MOVE_SLOTS,
    MOVE_CLASS, MOVE_SET, MOVE_SPLIT, MOVE_KINDS
};
extern const char *const search_move_names[MOVE_KINDS];

struct search_stats {
    uint64_t tried[MOVE_KINDS], accepted[MOVE_KINDS];
    uint64_t evaluations;   /* of single experiments */
};

struct search;

/* A searcher of one thread over @p, which must outlive it. */
struct search *search_new(const struct problem *p, unsigned ports, unsigned width, const struct search_prices *prices, uint64_t seed);
void search_free(struct search *s);
/* Starts from a copy of @g, of the same shape. */
void search_load(struct search *s, const struct genome *g);
/* A random genome: each form one µop, of a size and number that fit its cycles alone. */
void search_random(struct search *s);
/* @moves moves at @temperature (in the unit of the cost). */
void search_run(struct search *s, uint64_t moves, double temperature);
/* Changes the prices; the genome stays. */
void search_set_prices(struct search *s, const struct search_prices *prices);
/* The genome, with d_avg and cost as of now. Valid until the next call. */
const struct genome *search_genome(struct search *s);
double search_cost(const struct search *s);
double search_d_avg(const struct search *s);
const struct search_stats *search_stats(const struct search *s);
struct rng *search_rng(struct search *s);
/* Full recomputation: the sums kept are compared with it in tests. */
double search_recompute(struct search *s);

#endif
