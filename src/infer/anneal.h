/* Local search on one genome. Simulated annealing moves on usages, and updates the sums
 * incrementally. A move on a form evaluates only the experiments with that form, and stops when
 * its rejection is certain. */
#ifndef PORTOLAN_INFER_ANNEAL_H
#define PORTOLAN_INFER_ANNEAL_H

#include "base/rng.h"
#include "infer/genome.h"

/* Coefficients of the objective: sum of weighted relative errors + uop * distinct µops + volume *
 * V (PMEvo's volume) + usage * code length. The code length is that of a hierarchical Chinese
 * restaurant process with one table per dish (Teh, Jordan, Beal and Blei, JASA 2006): one
 * restaurant per kind of form (problem_form_kind), with a common base. A form costs -ln n if n
 * other forms of its kind have its usage. It costs other_kind - ln k if only forms of k other kinds
 * have its usage. With a new usage it costs new_usage + new_uop per µop. One unit of cost is one
 * experiment with an error of 100 %. */
struct anneal_prices {
    double uop, volume, usage;
    double new_usage, new_uop, other_kind;
};

enum anneal_move {
    MOVE_COPY,
    MOVE_COPY_LIKE,
    MOVE_TOGGLE,
    MOVE_REPLACE,
    MOVE_COUNT,
    MOVE_ADD,
    MOVE_DROP,
    MOVE_RANDOM,
    MOVE_SHIFT,
    MOVE_SWAP,
    MOVE_SLOTS,
    MOVE_SCALE,
    MOVE_CLASS,
    MOVE_SET,
    MOVE_SPLIT,
    MOVE_KINDS
};
extern const char *const anneal_move_names[MOVE_KINDS];

struct anneal_stats {
    uint64_t tried[MOVE_KINDS], accepted[MOVE_KINDS];
    uint64_t evaluations;   /* number of evaluated experiments */
};

struct annealer;

/* Creates an annealer for @p, which must outlive it. One thread. */
struct annealer *anneal_new(const struct problem *p, unsigned ports, double width,
                            const struct anneal_prices *prices, uint64_t seed);
void anneal_free(struct annealer *s);
/* Starts from a copy of @g, which has the same shape. */
void anneal_load(struct annealer *s, const struct genome *g);
/* Starts from a random genome with one µop per form. The µop's count and number of ports match
 * the form's cycles in isolation. */
void anneal_random(struct annealer *s);
/* Makes @moves moves at @temperature (in units of the cost), or fewer if cancelled. */
void anneal_run(struct annealer *s, uint64_t moves, double temperature);
/* Changes the prices without changing the genome. */
void anneal_set_prices(struct annealer *s, const struct anneal_prices *prices);
/* Returns the genome with current d_avg and cost, valid until the next call. */
const struct genome *anneal_genome(struct annealer *s);
double anneal_cost(const struct annealer *s);
double anneal_d_avg(const struct annealer *s);
const struct anneal_stats *anneal_stats(const struct annealer *s);
struct rng *anneal_rng(struct annealer *s);

#endif
