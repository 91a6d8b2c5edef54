/* Internal state of a run, shared by evolve.c (interface), evolve_memetic.c (algorithm),
 * evolve_consensus.c (end) and evolve_join.c (joined experiments). */
#ifndef PORTOLAN_INFER_EVOLVE_STATE_H
#define PORTOLAN_INFER_EVOLVE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "infer/evolve.h"
#include "infer/classes.h"

#define PORTS_FEWEST 4              /* least number of ports tried */
#define PORTS_MOST 12

/* Activity of a thread, as last published. */
struct live {
    bool busy;
    double d_avg, cost;
    uint64_t volume, distinct;
    struct anneal_stats stats;   /* of the current search */
};

/* Problem with which a run continues once all its threads have met. */
struct joined_problem {
    struct problem *p;
    struct classes *classes;
    /* per form of p: form of the previous problem whose usage it gets; computed at the meeting */
    uint32_t *from;
};

struct evolve {
    pthread_mutex_t lock;
    pthread_cond_t change;
    atomic_bool stop, pause;
    /* Everything below is under the lock; p, classes and joined do not change while a thread
     * works. */
    struct problem *p;               /* held */
    /* waiting for the threads, with the source of its genomes; NULL: none */
    struct joined_problem *next, *joined;
    /* held: the initial problem, on which the least error so far is measured */
    struct problem *first;
    /* per form of first, that of p; NULL: p is first, or lacks some */
    uint32_t *first_at;
    /* number of switches; threads that do not use p */
    unsigned joins, waiting;
    bool meeting;                    /* a thread carries the run over */
    double round_from;               /* seconds at which the remaining time was last planned */
    size_t round_experiments, round_forms;   /* experiments and forms at that time */
    /* problem searched first, once prepared; NULL: only p */
    struct classes *classes;
    enum { EVOLVE_RAW, EVOLVE_PREPARING, EVOLVE_PREPARED } preparation;
    struct evolve_options o;
    enum evolve_state state;
    unsigned ports;                  /* 0 until determined */
    enum ports_known ports_known;
    double width;
    double scale;                    /* of prices and temperatures; NaN until determined */
    bool piloting;                   /* a thread runs the pilot */
    struct genome *trials[PORTS_MOST + 1];   /* the best by number of ports */
    /* from a long annealing, and not an individual yet */
    bool tried_long[PORTS_MOST + 1];
    unsigned race[PORTS_MOST + 1], racing;   /* numbers of ports still in question */
    unsigned race_next, race_done, race_round;
    /* cost at which fewer ports explain as well as the best number after the long trials */
    double ports_cost;
    struct genome **population;      /* finished individuals, best first */
    size_t finished, fresh_begun, children_begun, children_done, target;
    unsigned busy;                  /* workers making an individual */
    /* start of fresh individuals; NULL: random */
    struct genome *from;
    struct genome *best;
    bool cooled;                     /* an individual was annealed to its end, here or before */
    /* unchanged result of the classes: its cost is unknown */
    bool best_expanded;
    enum { CONSENSUS_UNASKED, CONSENSUS_ASKING, CONSENSUS_NONE, CONSENSUS_SOUGHT } consensus;
    /* its inner run, whose lock may be taken under this one's; NULL: none */
    struct evolve *inner;
    double consensus_from;           /* seconds at its start */
    /* result, if it replaces the best; NULL: none */
    struct genome *agreed;
    /* mean relative distance of consensus and best from the mean of the good mappings on unmeasured
     * experiments */
    double unseen_agreed, unseen_best;
    struct live *live;
    struct anneal_stats stats;       /* of finished searches */
    unsigned generation, workers;
    double started, paused_at, paused_for, ended;
    VEC(struct evolve_sample) samples;
    double last_sample;
    double reached;       /* least D_avg so far over first; INFINITY: none yet */
};

/* A thread of a run with its poll. */
struct watcher {
    void (*poll)(void *);
    void *state;
    double last;
    /* the poll may take as long as its interval */
    bool polling;
};

/* Calls the poll when due; without the lock. */
void evolve_watch(struct watcher *w);
/* Everything below is under the lock. */
/* Waits for a change by others; releases the lock meanwhile. */
void evolve_wait_change(struct evolve *e, struct watcher *w);
/* As evolve_wait_change, for a thread that does not use the problem; the problem may change. */
void evolve_wait_others(struct evolve *e, struct watcher *w);
/* If experiments wait to join: blocks without using the problem until all threads do, and the run
 * is carried over. False when the run must end first. */
bool evolve_meet(struct evolve *e, struct watcher *w);
/* For each form of @p the form of @before whose usage it takes: itself, or the one with the nearest
 * cycles alone by ratio. The caller frees. Needs no lock. */
uint32_t *evolve_match(const struct problem *p, const struct problem *before);
/* Converts @take_g from the problem before the last meeting; the caller frees. */
struct genome *evolve_carry(const struct evolve *e, struct genome *take_g);
/* Copies @g with errors and cost over @p at @prices; needs no lock. */
struct genome *evolve_judge(const struct problem *p, const struct genome *g, double width,
                            const struct anneal_prices *prices);
void joined_problem_free(struct joined_problem *j);
/* Default number of individuals of a memetic run: as many as converge in its time, 4 to 8. */
unsigned evolve_individuals(const struct problem *p, const struct evolve_options *o);
/* Returns whether a run assumes the largest number of ports for lack of time. Short annealings
 * favour few ports, which converge sooner, though more ports explain more in the same time, also on
 * unmeasured experiments. */
bool evolve_assumes_ports(const struct problem *p, const struct evolve_options *o);
/* Seconds left when the time was last planned; 0: no limit. */
double evolve_round_seconds(const struct evolve *e);
/* Requests trials of all numbers of ports from @fewest to @most again. */
void evolve_race(struct evolve *e, unsigned fewest, unsigned most);
/* Waits while paused; false when the run must end. */
bool evolve_go_on(struct evolve *e, struct watcher *w);
/* Seconds of running so far. */
double evolve_elapsed(const struct evolve *e);
/* Current prices, raised by @times: unexplained errors make every complication look useful, so
 * prices grow with them. At a temperature far above a price it would have no effect, and there
 * would be as many µops as forms. */
struct anneal_prices evolve_prices_at(const struct evolve *e, double times);
/* Factor of the prices when errors of @d_avg remain. */
double evolve_residual_scale(const struct problem *p, double d_avg);
/* Returns whether a point of the curves is due. */
bool evolve_sample_due(const struct evolve *e);
/* Adds a point to the curves, @now or when due. */
void evolve_sample(struct evolve *e, bool now);
/* Copies @g as the best if its error is no larger, and no µops were added that cost more than the
 * error they explain. */
void evolve_note_best(struct evolve *e, const struct genome *g);
/* Computes the best's cost by current prices. */
void evolve_price_best(struct evolve *e);
/* The number of ports is @n from now on: mappings with others, and their errors, were trials. */
void evolve_choose_ports(struct evolve *e, unsigned n);
/* Needs no lock but that of @sum. */
void evolve_add_stats(struct anneal_stats *sum, const struct anneal_stats *stats);
/* Sums over all threads and the inner run. Under the lock. */
struct anneal_stats evolve_stats(const struct evolve *e);
/* Lowers the least error so far to @g's on the initial problem. Takes time after experiments
 * joined. */
void evolve_reach(struct evolve *e, const struct genome *g);
/* Adds @take_g, replacing the worst when the population is full. */
void evolve_insert(struct evolve *e, struct genome *take_g);

/* Seconds at which the search proper ends; INFINITY without a limit. */
double evolve_search_until(const struct evolve *e);
/* Work of a thread after the search, without using the problem; false when none remains. */
bool evolve_agree(struct evolve *e, unsigned index, struct watcher *w);
/* After the run: accepts the consensus if expected to be more accurate than the best. */
void evolve_take_agreed(struct evolve *e);
/* Restarts with the individuals; no thread may be running. */
void evolve_forget_consensus(struct evolve *e);

/* Returns whether @g has the most ports tried, and errors that no number explains: then the number
 * is unknown. */
bool evolve_ports_unexplained(const struct genome *g);
/* Runs the memetic algorithm on thread @index until it ends; called and returns without the
 * lock. */
void evolve_memetic(struct evolve *e, unsigned index, struct watcher *w);
/* Quenches the best if the run was stopped before any search had cooled, since hot states are poor.
 * By the last thread; called and returns under the lock. */
void evolve_quench(struct evolve *e);

#endif
