/* A run of inference: threads improve a population of genomes; callers watch and steer.
 *
 * memetic: every individual is annealed from a random start. Then pairs are recombined, form by
 * form after aligning their ports; the child is annealed from a lower temperature and replaces the
 * worst individual if it is better. Congruent forms are annealed as classes first
 * (infer/classes.h), then as single forms. If the individuals disagree on what was not measured,
 * one mapping is fitted to the mean of their predictions at the end (infer/consensus.h). pmevo: the
 * algorithm of the paper (infer/pmevo.h).
 *
 * More experiments may join during a memetic run (evolve_join): its mappings are carried over to
 * them, and improved further.
 *
 * The threads are the caller's: each calls evolve_worker. Everything else may be called from any
 * thread at any time. */
#ifndef PORTOLAN_INFER_EVOLVE_H
#define PORTOLAN_INFER_EVOLVE_H

#include "infer/anneal.h"

enum evolve_algorithm { EVOLVE_MEMETIC, EVOLVE_PMEVO };
enum evolve_migration { MIGRATION_RING, MIGRATION_RANDOM, MIGRATION_NONE };
enum evolve_state { EVOLVE_RUNNING, EVOLVE_PAUSED, EVOLVE_DONE, EVOLVE_STOPPED };
extern const char *const evolve_state_names[];

#define EVOLVE_POPULATION 8   /* individuals of the memetic algorithm */

/* Source of the number of ports. Assumed ones are the largest number tried: with more, short
 * searches explain more of what was not measured. */
enum ports_known {
    PORTS_FOUND,         /* or given */
    PORTS_NO_TIME,       /* assumed: the time does not suffice to determine the number */
    PORTS_UNEXPLAINED,   /* assumed: no number of them explains the measurements */
};

struct evolve_options {
    enum evolve_algorithm algorithm;
    /* 0: the fewest of 4 to 12 that explain the measurements as well as any, by trials; 12 if the
     * time does not suffice for these, or no number of ports explains the errors */
    unsigned ports;
    /* issue slots per cycle; 0: no such bound; NaN: as measured (evolve_measured_width) */
    double width;
    /* the width was measured (given, or by the initial experiments); later experiments may change
     * it */
    bool width_measured;
    /* 0: pmevo 1000; memetic EVOLVE_POPULATION, fewer if time is short, but 4 at least */
    unsigned population;
    bool population_each;        /* it is that of each island, which several ranks do not share */
    /* 0: no limit. memetic: rounds of as many children as there are individuals */
    unsigned generations;
    double seconds;              /* 0: no limit */
    /* least D_avg so far, of a run that resumes with the same experiments; NaN: none */
    double reached;
    /* start by clock_seconds, which may include the caller's preparation; NaN: when the run is
     * made */
    double begun;
    enum ports_known ports_known;   /* that of the mappings which the run resumes from */
    uint64_t seed;
    unsigned threads;            /* that will call evolve_worker */
    struct anneal_prices prices; /* for errors of 2 % that no mapping explains */
    /* prices and temperatures are multiplied by it; NaN: by the root of the errors that a pilot
     * leaves */
    double price_scale;
    /* memetic: search classes of congruent forms first, then expand and search all; false: all from
     * the start */
    bool congruence;
    /* memetic: if near-optimal mappings disagree on what was not measured, the last part of the
     * time fits one to their mean predictions */
    bool consensus;
    double volume_weight;        /* pmevo: weight of V relative to D_avg */
    bool tolerant;               /* pmevo: the authors' program's departures from the paper */
    /* memetic, on several ranks (work/islands.h): whom each sends its best mapping */
    enum evolve_migration migration;
    /* how often; 0: every thirtieth of the time, at least twice and at most every 30 seconds */
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
    /* of the best genome, which evolve_best gives; NaN before there is one. The error only rises
     * when the number of ports is chosen, when experiments join, or where at the end a consensus
     * takes the best's place */
    double d_avg, cost;
    /* at the end: it is a consensus (infer/consensus.h); then the error and distinct µops of the
     * best one, and the distance of both from the mean of the good mappings on unmeasured
     * experiments, on average and relative */
    bool agreed;
    double d_single, unseen_agreed, unseen_single;
    uint64_t distinct_single;
    /* least D_avg of the best so far, over the experiments that the run began with: it never rises;
     * NaN before there is one */
    double d_reached;
    size_t reached_of;           /* the number of these, without later ones */
    uint64_t reached_print;      /* their fingerprint */
    uint64_t volume, distinct;
    uint64_t evaluations;        /* of single experiments */
    double seconds;              /* running, pauses left out */
    double rate;                 /* evaluations per second */
    struct anneal_stats stats;
    double seconds_left;         /* of the run's time limit; NaN: it has none, or is over */
    size_t forms, experiments;   /* of the current problem */
    unsigned joined;             /* number of joins */
    bool joining;                /* more joined, and are not used yet */
    /* "annealing starting point 3 of 8"; after the end, where it ended */
    char phase[80];
    const char *meaning;         /* work of that phase, a sentence without its full stop */
};

/* One point of the curves: best, median and worst individual of the moment; d_reached is the
 * status's. Where more experiments joined all but that are NaN once: errors on others do not
 * compare. */
struct evolve_sample {
    double seconds;
    unsigned generation;
    double d_reached, d_best, d_median, d_worst, v_best, v_median, v_worst, rate;
};
struct evolve_point {
    double d_avg;
    uint64_t distinct, volume;
};

struct evolve;

/* Estimates the issue width: the rate, in forms per cycle, that most of the quickest experiments
 * agree on, rounded if nearly whole (3.91 of four slots if the measuring loop costs some); the
 * highest one, rounded, if few agree. @before (0: none) if all are much slower. */
double evolve_measured_width(const struct problem *p, double before);
/* Holds @p. @from (NULL with @count 0: none): one genome is the start of all individuals; several,
 * all of one shape, are the population of an earlier run, which resumes. NULL with err when an
 * option is out of range. */
struct evolve *evolve_new(struct problem *p, const struct evolve_options *o,
                          struct genome *const *from, size_t count, struct err *err);
void evolve_free(struct evolve *e);
/* Does the work of thread @index (0 .. threads - 1) until the run ends. @poll (may be NULL) is
 * called some times a second by thread 0, with no lock held: for progress and checkpoints. */
void evolve_worker(struct evolve *e, unsigned index, void (*poll)(void *), void *poll_state);

void evolve_pause(struct evolve *e, bool on);
/* The workers end soon; before anything has cooled the last of them cools the best, for a fifth of
 * a second at most. Any thread. */
void evolve_stop(struct evolve *e);
/* No worker could be started for the run: it is stopped. */
void evolve_abandon(struct evolve *e);
/* Whether evolve_stop was called, be the run still on its way or over. */
bool evolve_stop_requested(struct evolve *e);
/* seconds, generations, uop-price, volume-price, usage-price, volume-weight. False with err for
 * another name or a bad value. */
bool evolve_set(struct evolve *e, const char *name, double value, struct err *err);

/* Continues the run over @take_p. Forms keep their usages by name; a new form starts with the usage
 * of the form with the nearest cycles alone. With twice the experiments of the individuals' start,
 * or an eighth more forms, the rest of the time is planned as for a new run with these individuals,
 * and a number of ports that was not given is sought again, including the one found. The threads
 * switch at their next step; a pending problem is replaced. Takes some time (the forms'
 * congruence). memetic only, and no other run's genomes may follow (evolve_immigrate). */
void evolve_join(struct evolve *e, struct problem *take_p);

/* A genome of another run over the same problem: it is evaluated with this run's prices, and
 * becomes one of its individuals if it is good enough. Before the number of ports is chosen it
 * counts as tried; one with another number later is left out. False when it could not be used.
 * memetic only. */
bool evolve_immigrate(struct evolve *e, const struct genome *g);
/* The number of ports is @g's from now on, and @g the first individual; those with other ports are
 * forgotten. memetic only. */
void evolve_settle(struct evolve *e, const struct genome *g);
/* Adds searches made elsewhere to the run's counts. */
void evolve_credit(struct evolve *e, const struct anneal_stats *stats);

void evolve_get_status(struct evolve *e, struct evolve_status *out);
/* Copies up to @limit of the newest samples, oldest first; returns how many. */
size_t evolve_get_samples(struct evolve *e, struct evolve_sample *out, size_t limit);
/* The least error so far in per cent, as curves show it: few experiments that a run began with may
 * be explained wholly, and a logarithmic axis has no room for nothing. */
double evolve_sample_drawn(const struct evolve_sample *at, bool joined);
/* Individuals that no other beats in D_avg, distinct µops and volume at once. */
size_t evolve_get_front(struct evolve *e, struct evolve_point *out, size_t limit);
/* While the number of ports is sought, and after: the numbers tried so far, fewest first; returns
 * how many. */
struct evolve_trial {
    unsigned ports;
    double d_avg;                /* of the best mapping with this number */
};
size_t evolve_get_trials(struct evolve *e, struct evolve_trial *out, size_t limit);
/* A copy of the best genome, at the end the consensus where there is one; NULL before there is one.
 * @over (NULL: not wanted) gets the problem that it is of, held. */
struct genome *evolve_best(struct evolve *e, struct problem **over);
/* Copies of the best as evolve_best gives it, followed by up to @limit other finished
 * individuals of its shape, those of least cost first; none before there is one. The caller frees
 * each and the array. @over as above. */
struct genome **evolve_leaders(struct evolve *e, size_t limit, size_t *count,
                               struct problem **over);
/* The same with one row per individual, and one of a consensus. */
struct genome **evolve_population(struct evolve *e, size_t *count, struct problem **over);
/* Makes @g, which the user has changed, the best and an individual, whatever its error. A search
 * that continues replaces it only by a better one. False if @g has other forms or ports than the
 * run now. */
bool evolve_edit(struct evolve *e, const struct genome *g);
/* From now on the best is the mapping of least error, also of a run that ended with a consensus. */
void evolve_drop_consensus(struct evolve *e);
/* The prices in force: the options', scaled. */
struct anneal_prices evolve_prices(struct evolve *e);
/* The current problem, held: the caller's problem_free. */
struct problem *evolve_problem(struct evolve *e);
void evolve_get_options(struct evolve *e, struct evolve_options *out);

#endif
