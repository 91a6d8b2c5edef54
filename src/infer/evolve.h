/* A run of inference: threads improve a population of genomes; callers watch and steer.
 * memetic: every individual is annealed from a random start. Then pairs are recombined, form by
 * form after aligning their ports; the child is annealed from a lower temperature and replaces the
 * worst individual if it is better. Congruent forms are annealed as classes first
 * (infer/classes.h). If individuals disagree on unmeasured experiments, a consensus is fitted at
 * the end (infer/consensus.h).
 * pmevo: the algorithm of the paper (infer/pmevo.h).
 * Experiments may join a memetic run (evolve_join): its mappings are carried over and improved
 * further. The threads are the caller's: each calls evolve_worker. All other functions may be
 * called from any thread at any time. */
#ifndef PORTOLAN_INFER_EVOLVE_H
#define PORTOLAN_INFER_EVOLVE_H

#include "infer/anneal.h"

enum evolve_algorithm { EVOLVE_MEMETIC, EVOLVE_PMEVO };
enum evolve_migration { MIGRATION_RING, MIGRATION_RANDOM, MIGRATION_NONE };
enum evolve_state { EVOLVE_RUNNING, EVOLVE_PAUSED, EVOLVE_DONE, EVOLVE_STOPPED };
extern const char *const evolve_state_names[];

#define EVOLVE_POPULATION 8   /* individuals of the memetic algorithm */

/* Origin of the number of ports. An assumed one is the largest tried: with more ports, short
 * searches also explain more unmeasured experiments. */
enum ports_known {
    PORTS_FOUND,         /* or given */
    PORTS_NO_TIME,       /* assumed: too little time to determine it */
    PORTS_UNEXPLAINED,   /* assumed: no number explains the measurements */
};

struct evolve_options {
    enum evolve_algorithm algorithm;
    /* 0: the fewest of 4 to 12 that explain the measurements as well as any, by trials; 12 if time
     * is too short or no number explains the errors */
    unsigned ports;
    /* issue slots per cycle; 0: none; NaN: as measured (evolve_measured_width) */
    double width;
    /* the width is from measurements (given, or the initial experiments); later ones may change
     * it */
    bool width_measured;
    /* 0: pmevo 1000; memetic EVOLVE_POPULATION, at least 4 if time is short */
    unsigned population;
    bool population_each;        /* population is per island, not shared by ranks */
    /* 0: no limit. memetic: rounds of as many children as individuals */
    unsigned generations;
    double seconds;              /* 0: no limit */
    /* least D_avg so far, of a resumed run with the same experiments; NaN: none */
    double reached;
    /* start by clock_seconds, including the caller's preparation; NaN: creation of the run */
    double begun;
    enum ports_known ports_known;   /* of the resumed run's mappings */
    uint64_t seed;
    unsigned threads;            /* number that will call evolve_worker */
    struct anneal_prices prices; /* for unexplained errors of 2 % */
    /* factor of prices and temperatures; NaN: the root of the errors that a pilot leaves */
    double price_scale;
    /* memetic: first searches classes of congruent forms, then all */
    bool congruence;
    /* memetic: fits a consensus in the last part of the time if near-optimal mappings disagree on
     * unmeasured experiments */
    bool consensus;
    double volume_weight;        /* pmevo: weight of V relative to D_avg */
    bool tolerant;               /* pmevo: with the deviations of the authors' program */
    /* memetic, on several ranks (work/islands.h): destination of each rank's best mapping */
    enum evolve_migration migration;
    /* seconds between migrations; 0: a thirtieth of the time, at least two migrations and at most
     * 30 seconds */
    double migration_seconds;
};
/* Defaults of `evolve start`. */
#define EVOLVE_UOP_PRICE 1
#define EVOLVE_VOLUME_PRICE 0.005
#define EVOLVE_USAGE_PRICE 0.03
#define EVOLVE_VOLUME_WEIGHT 1
void evolve_defaults(struct evolve_options *o);

struct evolve_status {
    enum evolve_state state;
    unsigned generation, population, ports;
    enum ports_known ports_known;
    double width, scale;         /* scale: NaN while it is sought */
    /* of the best genome, which evolve_best gives; NaN before there is one. While ports is 0 it is
     * the best of the trials. From then on the error only rises when experiments join, or where at
     * the end a consensus takes the best's place */
    double d_avg, cost;
    /* the best is a consensus (infer/consensus.h); then error and distinct µops of the best
     * individual, and mean relative distances of both from the mean of the good mappings on
     * unmeasured experiments */
    bool agreed;
    double d_single, unseen_agreed, unseen_single;
    uint64_t distinct_single;
    /* least D_avg of the best so far, over the experiments that the run began with; NaN before
     * there is one. It never rises, but starts anew when the number of ports is chosen first
     * (ports): what it was before is of trials */
    double d_reached;
    size_t reached_of;           /* number of the initial experiments */
    uint64_t reached_print;      /* their fingerprint */
    uint64_t volume, distinct;
    uint64_t evaluations;        /* of single experiments */
    double seconds;              /* running time without pauses */
    double rate;                 /* evaluations per second */
    struct anneal_stats stats;
    double seconds_left;         /* until the time limit; NaN: none, or ended */
    size_t forms, experiments;   /* of the current problem */
    unsigned joined;             /* number of joins */
    bool joining;                /* joined experiments are not used yet */
    /* "annealing starting point 3 of 8"; at the end, the last phase */
    char phase[80];
    const char *meaning;         /* description of that phase, without full stop */
};

/* A point of the curves: current best, median and worst individual; d_reached as in the status.
 * After a join all except that are NaN once, since errors on other experiments are not
 * comparable. */
struct evolve_sample {
    double seconds;
    unsigned generation;
    double d_reached, d_best, d_median, d_worst, v_best, v_median, v_worst, rate;
    bool trial; /* of a number of ports, before one was chosen */
};
struct evolve_point {
    double d_avg;
    uint64_t distinct, volume;
};

struct evolve;

/* Estimates the issue width: the rate, in forms per cycle, of most of the fastest experiments,
 * rounded if nearly an integer (3.91 for four slots minus the measuring loop); the highest,
 * rounded, if few agree. @before (0: none) if all are much slower. */
double evolve_measured_width(const struct problem *p, double before);
/* Creates a run, which holds @p. @from: none (NULL, @count 0); one genome as start of all
 * individuals; or several of one shape, the population of an earlier run. NULL with err for an
 * invalid option. */
struct evolve *evolve_new(struct problem *p, const struct evolve_options *o,
                          struct genome *const *from, size_t count, struct err *err);
void evolve_free(struct evolve *e);
/* Works as thread @index (0 .. threads - 1) until the run ends. Thread 0 calls @poll (may be NULL)
 * several times per second without locks, for progress and checkpoints. */
void evolve_worker(struct evolve *e, unsigned index, void (*poll)(void *), void *poll_state);

void evolve_pause(struct evolve *e, bool on);
/* Ends the workers soon; if no annealing has completed, the last one quenches the best for at most
 * a fifth of a second. */
void evolve_stop(struct evolve *e);
/* Stops the run, since no worker could be started. */
void evolve_abandon(struct evolve *e);
/* Returns whether evolve_stop was called, during the run or after it. */
bool evolve_stop_requested(struct evolve *e);
/* Sets seconds, generations, uop-price, volume-price, usage-price, or volume-weight. False with err
 * for another name or an invalid value. */
bool evolve_set(struct evolve *e, const char *name, double value, struct err *err);

/* Continues the run with @take_p. Forms keep usages by name; a new form starts with that of the
 * form with the nearest cycles alone. With twice the experiments of the individuals' start, or an
 * eighth more forms, the rest of the time is planned as for a new run with these individuals, and a
 * number of ports that was not given is determined again. The threads switch at their next step; a
 * pending problem is replaced. Takes some time (congruence of forms). memetic only, and no genomes
 * of other runs may follow (evolve_immigrate). */
void evolve_join(struct evolve *e, struct problem *take_p);

/* Adds a genome of another run on the same problem: evaluated with this run's prices, and kept if
 * good enough. Before the number of ports is chosen it counts as a trial; later, one with another
 * number is ignored. False when it was not used. memetic only. */
bool evolve_immigrate(struct evolve *e, const struct genome *g);
/* Sets the number of ports to @g's, and @g as the first individual; drops those with other ports.
 * memetic only. */
void evolve_settle(struct evolve *e, const struct genome *g);
/* Adds searches made elsewhere to the run's counts. */
void evolve_credit(struct evolve *e, const struct anneal_stats *stats);

void evolve_get_status(struct evolve *e, struct evolve_status *out);
/* The same, unless a thread of the run holds its lock right now: false. */
bool evolve_try_status(struct evolve *e, struct evolve_status *out);
/* Whether the error of the best has risen from the least one so far, by as much as is shown, since
 * the user changed a usage. */
bool evolve_status_rose(const struct evolve_status *t);
/* Copies up to @limit of the newest samples, oldest first; returns how many. */
size_t evolve_get_samples(struct evolve *e, struct evolve_sample *out, size_t limit);
/* At most @limit of all samples, oldest first, evenly chosen, the newest among them. */
size_t evolve_spread_samples(struct evolve *e, struct evolve_sample *out, size_t limit);
/* The least error so far in per cent, as curves show it; NaN of a trial. Few experiments that a run
 * began with may be explained wholly, and a logarithmic axis has no room for nothing. */
double evolve_sample_drawn(const struct evolve_sample *at, bool joined);
/* Individuals on the Pareto front of D_avg, distinct µops and volume. */
size_t evolve_get_front(struct evolve *e, struct evolve_point *out, size_t limit);
/* Numbers of ports tried so far, fewest first; returns how many. */
struct evolve_trial {
    unsigned ports;
    double d_avg;                /* of the best mapping with this number */
};
size_t evolve_get_trials(struct evolve *e, struct evolve_trial *out, size_t limit);
/* Copies the best genome, at the end the consensus if any; NULL before the first. @over (may be
 * NULL) gets its problem, held. */
struct genome *evolve_best(struct evolve *e, struct problem **over);
/* Copies the best as evolve_best, followed by up to @limit other finished individuals of its shape,
 * least cost first; none before the first. The caller frees each and the array. @over as above. */
struct genome **evolve_leaders(struct evolve *e, size_t limit, size_t *count,
                               struct problem **over);
/* As evolve_leaders with one row per individual, and one for a consensus. */
struct genome **evolve_population(struct evolve *e, size_t *count, struct problem **over);
/* The same without a consensus: the mapping of least error first. */
struct genome **evolve_singles(struct evolve *e, size_t *count, struct problem **over);
/* Makes @g, which the user has changed, the best and an individual, whatever its error. A search
 * that continues replaces it only by a better one. False if @g has other forms or ports than the
 * run now. */
bool evolve_edit(struct evolve *e, const struct genome *g);
/* The prices in force: the options', scaled. */
struct anneal_prices evolve_prices(struct evolve *e);
/* Returns the current problem, held: the caller calls problem_free. */
struct problem *evolve_problem(struct evolve *e);
void evolve_get_options(struct evolve *e, struct evolve_options *out);

#endif
