/* A run of inference. Threads improve a population of genomes, and callers observe and control it.
 * memetic: every individual is annealed from a random start. Then pairs are recombined, form by
 * form after their ports are aligned. The child is annealed from a lower temperature, and replaces
 * the worst individual if it is better. Congruent forms are first annealed as classes
 * (infer/classes.h). If individuals differ in unmeasured experiments, a consensus is fitted at the
 * end (infer/consensus.h). pmevo: the algorithm of the paper (infer/pmevo.h). Experiments may join
 * a memetic run (evolve_join), which converts its mappings and continues. The caller supplies the
 * threads, and each calls evolve_worker. All other functions may be called from any thread at any
 * time. */
#ifndef PORTOLAN_INFER_EVOLVE_H
#define PORTOLAN_INFER_EVOLVE_H

#include "infer/anneal.h"

enum evolve_algorithm { EVOLVE_MEMETIC, EVOLVE_PMEVO };
enum evolve_migration { MIGRATION_RING, MIGRATION_RANDOM, MIGRATION_NONE };
enum evolve_state { EVOLVE_RUNNING, EVOLVE_PAUSED, EVOLVE_DONE, EVOLVE_STOPPED };
extern const char *const evolve_state_names[];

#define EVOLVE_POPULATION 8   /* default number of individuals of the memetic algorithm */

/* Origin of the number of ports. If assumed, the number is the largest one tried, because mappings
 * with more ports also predict unmeasured experiments better after a short search. */
enum ports_known {
    PORTS_FOUND,         /* determined by the search, or given */
    PORTS_NO_TIME,       /* assumed, because there was too little time to determine it */
    PORTS_UNEXPLAINED,   /* assumed, because no number explains the measurements */
};

struct evolve_options {
    enum evolve_algorithm algorithm;
    /* Number of ports. 0: trials find the smallest number from 4 to 12 that explains the
     * measurements equally well; the number is 12 if the time is too short or no number explains
     * the errors. */
    unsigned ports;
    /* issue slots per cycle; 0: no limit; NaN: the measured width (evolve_measured_width) */
    double width;
    /* whether the width was measured, before the run or from the initial experiments; later
     * experiments may then change it */
    bool width_measured;
    /* number of individuals; 0: 1,000 with pmevo; with memetic EVOLVE_POPULATION, or fewer (at
     * least 4) if time is short */
    unsigned population;
    /* whether @population is the number per island; if not, it is the total over all ranks */
    bool population_each;
    /* Limit of generations. 0: none. With memetic, a generation has as many children as
     * individuals. */
    unsigned generations;
    double seconds;              /* time limit in seconds; 0: none */
    /* lowest D_avg before the run was resumed, if the experiments are the same; NaN: not resumed */
    double reached;
    /* clock_seconds at the start, including the caller's preparation; NaN: at the creation of the
     * run */
    double begun;
    /* origin of the number of ports of a resumed run's mappings */
    enum ports_known ports_known;
    uint64_t seed;
    unsigned threads;            /* number of threads that will call evolve_worker */
    /* prices that suit measurements with a remaining mean error of 2 %; @price_scale adapts them to
     * other errors */
    struct anneal_prices prices;
    /* factor of prices and temperatures; NaN: computed from the errors that remain after a first
     * search (pilot) */
    double price_scale;
    /* memetic: whether to search classes of congruent forms first, then all forms */
    bool congruence;
    /* memetic: whether to fit a consensus in the last part of the time if near-optimal mappings
     * differ in unmeasured experiments */
    bool consensus;
    /* memetic: whether experiments may join the run, which then continues even when all individuals
     * are equal (set by evolve_run_new) */
    bool live;
    double volume_weight;        /* pmevo: weight of V relative to D_avg */
    bool tolerant;               /* pmevo: whether to deviate from the paper like the authors'
                                  * program */
    /* memetic, on several ranks (work/islands.h): destination of each rank's best mapping */
    enum evolve_migration migration;
    /* seconds between migrations; 0: a thirtieth of the time, but at most 30 seconds and such that
     * there are at least two migrations */
    double migration_seconds;
};
/* defaults of `evolve start` */
#define EVOLVE_UOP_PRICE 1
#define EVOLVE_VOLUME_PRICE 0.005
#define EVOLVE_USAGE_PRICE 0.03
#define EVOLVE_VOLUME_WEIGHT 1
void evolve_defaults(struct evolve_options *o);

struct evolve_status {
    enum evolve_state state;
    unsigned generation, population, ports;
    enum ports_known ports_known;
    double width, scale;         /* scale: factor of prices and temperatures; NaN until
                                  * determined */
    /* D_avg and cost of the best genome, as evolve_best returns it; NaN before the first genome.
     * The cost is also NaN while the genome is a result of the classes. While @ports is 0, the
     * genome is the best of the trials. Later, the error rises only if experiments join, or if the
     * genome changes by a user's edit or by the consensus after the run. */
    double d_avg, cost;
    /* Whether the best genome is a consensus (infer/consensus.h). If so, d_single and
     * distinct_single are the error and the number of distinct µops of the best individual.
     * unseen_agreed and unseen_single are distances of the consensus and of the best individual
     * from the mean of the good mappings. They are mean relative distances on unmeasured
     * experiments. */
    bool agreed;
    double d_single, unseen_agreed, unseen_single;
    uint64_t distinct_single;
    /* Least D_avg until now on the initial experiments; NaN before the first mapping. It rises only
     * when the number of ports is chosen, because the previous values belong to trials. */
    double d_reached;
    size_t reached_of;           /* number of experiments at the start of the run */
    uint64_t reached_print;      /* fingerprint of the initial experiments */
    uint64_t volume, distinct;
    uint64_t evaluations;        /* number of evaluated experiments */
    double seconds;              /* running time, without pauses */
    double rate;                 /* evaluations per second */
    struct anneal_stats stats;
    double seconds_left;         /* seconds until the limit; NaN if there is no limit, and at the
                                  * end */
    size_t forms, experiments;   /* number of forms and of experiments in the current problem */
    unsigned joined;             /* number of times that experiments joined the run */
    bool joining;                /* whether experiments have joined the run but are not used yet */
    /* phase, such as "annealing starting point 3 of 8"; after the end, the last phase */
    char phase[80];
    const char *meaning;         /* description of the phase, without a full stop */
};

/* A point of the curves: current best, median and worst individual, and d_reached as in the status.
 * A join adds one point with all errors NaN except d_reached, because errors on different
 * experiments are not comparable. */
struct evolve_sample {
    double seconds;
    unsigned generation;
    double d_reached, d_best, d_median, d_worst, v_best, v_median, v_worst, rate;
    bool trial; /* whether the point is of a trial, before the number of ports was chosen */
};
struct evolve_point {
    double d_avg;
    uint64_t distinct, volume;
};

struct evolve;

/* Estimates the issue width from the rates of the fastest experiments, in forms per cycle. It is
 * the rate on which most of them agree, rounded if nearly an integer (3.91 for four slots minus the
 * measuring loop). If few agree, it is the highest rate, rounded. Returns @before (0: none) if all
 * experiments are much slower than @before allows. */
double evolve_measured_width(const struct problem *p, double before);
/* Creates a run, which holds a reference to @p. @from has @count genomes of one shape: none (NULL),
 * the start of all individuals, or the population of an earlier run. Returns NULL with err for an
 * invalid option, or if memory is exhausted. */
struct evolve *evolve_new(struct problem *p, const struct evolve_options *o,
                          struct genome *const *from, size_t count, struct err *err);
void evolve_free(struct evolve *e);
/* Works as thread @index (0 .. threads - 1) until the run ends. Thread 0 calls @poll (may be NULL)
 * several times per second without locks, for progress and checkpoints. */
void evolve_worker(struct evolve *e, unsigned index, void (*poll)(void *), void *poll_state);

void evolve_pause(struct evolve *e, bool on);
/* Makes the workers end soon. If no annealing has completed, the last worker first anneals the best
 * genome for at most a fifth of a second. */
void evolve_stop(struct evolve *e);
/* Stops a run whose workers could not be started. */
void evolve_abandon(struct evolve *e);
/* Returns whether evolve_stop was called, during the run or after it. */
bool evolve_stop_requested(struct evolve *e);
/* Sets the option @name to @value: seconds, generations, uop-price, volume-price, usage-price or
 * volume-weight. Returns false with err for another name or an invalid value. */
bool evolve_set(struct evolve *e, const char *name, double value, struct err *err);

/* Continues the run with @take_p. Forms retain their usages by name. A new form starts with the
 * usage of the form with the nearest cycles in isolation. Plans the remaining time as for a new
 * run if experiments have doubled since the last planning. Does the same if forms have increased
 * by an eighth. In both cases, also determines the number of ports again unless it was given.
 * The threads switch at their next step, and a pending problem is replaced. The search for
 * congruent forms takes time. Only for memetic. Must not be combined with genomes of other runs
 * (evolve_immigrate). */
void evolve_join(struct evolve *e, struct problem *take_p);

/* Evaluates a genome of another run on the same problem with this run's prices. Adds the genome if
 * it is good enough. Before the number of ports is chosen, the genome is the result of a trial of
 * its number of ports. Later, ignores a genome with another number of ports. Returns false if the
 * genome was not used. A genome with the run's number of ports always counts as used. Only for
 * memetic. */
bool evolve_immigrate(struct evolve *e, const struct genome *g);
/* Sets the number of ports to that of @g, makes @g the first individual, and discards the other
 * individuals. If the number is unchanged, only adds @g. After the end, never changes the number.
 * Only for memetic. */
void evolve_settle(struct evolve *e, const struct genome *g);
/* Adds the searches of another rank to the run's counts. */
void evolve_credit(struct evolve *e, const struct anneal_stats *stats);

void evolve_get_status(struct evolve *e, struct evolve_status *out);
/* Reads the status like evolve_get_status. Returns false, without waiting, if a thread of the run
 * holds the lock. */
bool evolve_try_status(struct evolve *e, struct evolve_status *out);
/* Returns whether the error of the best genome visibly exceeds the least error until now, as after
 * the user changes a usage. Returns false if experiments have joined, or if the best genome is a
 * consensus. */
bool evolve_status_rose(const struct evolve_status *t);
/* Copies up to @limit of the newest samples, oldest first. Returns the number of copied
 * samples. */
size_t evolve_get_samples(struct evolve *e, struct evolve_sample *out, size_t limit);
/* Copies at most @limit of all samples, oldest first, evenly selected, including the newest.
 * Returns their number. */
size_t evolve_spread_samples(struct evolve *e, struct evolve_sample *out, size_t limit);
/* Returns the least error so far in per cent, for curves; NaN for a trial. If experiments have
 * @joined, the result is at least the smallest displayed value, because a logarithmic axis cannot
 * show 0. */
double evolve_sample_drawn(const struct evolve_sample *at, bool joined);
/* Copies at most @limit individuals on the Pareto front of D_avg, distinct µops and volume. Returns
 * their number. */
size_t evolve_get_front(struct evolve *e, struct evolve_point *out, size_t limit);
/* Result of the trial of a number of ports. evolve_get_trials copies the trials so far in ascending
 * order, and returns their number. */
struct evolve_trial {
    unsigned ports;
    double d_avg;                /* mean error of the best mapping with this number */
};
size_t evolve_get_trials(struct evolve *e, struct evolve_trial *out, size_t limit);
/* Returns a copy of the best genome, which may be the consensus after the end; NULL before there
 * is one. Sets *@over (may be NULL) to its problem, with a reference for the caller. */
struct genome *evolve_best(struct evolve *e, struct problem **over);
/* Copies the best genome like evolve_best, and up to @limit other finished individuals of its
 * shape, least cost first. *@count is 0 before there is a best genome. The caller frees each genome
 * and the array. @over: as in evolve_best. */
struct genome **evolve_leaders(struct evolve *e, size_t limit, size_t *count,
                               struct problem **over);
/* Copies all individuals and a consensus, like evolve_leaders. */
struct genome **evolve_population(struct evolve *e, size_t *count, struct problem **over);
/* Copies all individuals like evolve_population, without a consensus. The mapping of least error is
 * first. */
struct genome **evolve_singles(struct evolve *e, size_t *count, struct problem **over);
/* Makes @g, which the user has edited, the best genome and an individual, regardless of its error.
 * Only an individual that is better than @g then replaces it. Returns false if the run has other
 * forms or ports than @g. */
bool evolve_edit(struct evolve *e, const struct genome *g);
/* Returns the current prices: those of the options, scaled. */
struct anneal_prices evolve_prices(struct evolve *e);
/* Returns the current problem with a reference, which problem_free releases. */
struct problem *evolve_problem(struct evolve *e);
void evolve_get_options(struct evolve *e, struct evolve_options *out);

#endif
