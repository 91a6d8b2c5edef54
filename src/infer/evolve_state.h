/* The inside of a run, shared by evolve.c (interface), evolve_memetic.c (the algorithm),
 * evolve_consensus.c (its end) and evolve_join.c (later experiments). */
#ifndef PORTOLAN_INFER_EVOLVE_STATE_H
#define PORTOLAN_INFER_EVOLVE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "infer/evolve.h"
#include "infer/classes.h"

#define PORTS_FEWEST 4              /* of the numbers tried when they are not given */
#define PORTS_MOST 12

/* Activity of a thread, as last published. */
struct live {
    bool busy;
    double d_avg, cost;
    uint64_t volume, distinct;
    struct anneal_stats stats;   /* of the current search */
};

/* Problem that a run continues with once all its threads have met. */
struct joined_problem {
    struct problem *p;
    struct classes *classes;
    /* per form of p: the form whose usage it gets, of the problem before; made when they have
     * met */
    uint32_t *from;
};

struct evolve {
    pthread_mutex_t lock;
    pthread_cond_t change;
    atomic_bool stop, pause;
    /* All below under the lock, but that p, classes and joined stay as they are while a thread
     * works. */
    struct problem *p;               /* held */
    /* that wait for the threads, and the source of genomes of p; NULL: none */
    struct joined_problem *next, *joined;
    /* held: the initial problem, which measures the best so far */
    struct problem *first;
    /* per form of first, that of p; NULL: p is first, or has not all of them */
    uint32_t *first_at;
    /* number of switches; threads that do not use p */
    unsigned joins, waiting;
    bool meeting;                    /* a thread carries the run over */
    double round_from;               /* seconds at which the remaining time was last planned */
    size_t round_experiments, round_forms;   /* that there were then */
    /* the problem that is searched first, once prepared; NULL: only p */
    struct classes *classes;
    enum { EVOLVE_RAW, EVOLVE_PREPARING, EVOLVE_PREPARED } preparation;
    struct evolve_options o;
    enum evolve_state state;
    unsigned ports;                  /* 0 while they are sought */
    enum ports_known ports_known;
    double width;
    double scale;                    /* of prices and temperatures; NaN while it is sought */
    bool piloting;                   /* a thread is at the pilot */
    struct genome *trials[PORTS_MOST + 1];   /* the best by number of ports */
    /* by a long annealing, of which there is no individual yet */
    bool tried_long[PORTS_MOST + 1];
    unsigned race[PORTS_MOST + 1], racing;   /* numbers of ports still in question */
    unsigned race_next, race_done, race_round;
    /* at which fewer ports explain as well as the best number after the long trials */
    double ports_cost;
    struct genome **population;      /* finished individuals, best first */
    size_t finished, fresh_begun, children_begun, children_done, target;
    unsigned busy;                  /* workers that make an individual now */
    /* start of fresh individuals; NULL: random */
    struct genome *from;
    struct genome *best;
    bool cooled;                     /* an individual was annealed to its end, here or before */
    /* it is the classes' result unchanged: its cost is unknown */
    bool best_expanded;
    enum { CONSENSUS_UNASKED, CONSENSUS_ASKING, CONSENSUS_NONE, CONSENSUS_SOUGHT } consensus;
    /* the run for it, whose lock may be taken under this one's; NULL: none */
    struct evolve *inner;
    double consensus_from;           /* seconds at which it began */
    /* result, if it replaces the best; NULL: none */
    struct genome *agreed;
    /* how far that and the best are, on average, from the mean of the good mappings on experiments
     * that were not measured: relative */
    double unseen_agreed, unseen_best;
    struct live *live;
    struct anneal_stats stats;       /* of finished searches */
    unsigned generation, workers;
    double started, paused_at, paused_for, ended;
    VEC(struct evolve_sample) samples;
    double last_sample;
    double reached;       /* least D_avg of the best so far, over first; INFINITY: none yet */
};

/* A thread of a run, and its work. */
struct watcher {
    void (*poll)(void *);
    void *state;
    double last;
    /* the poll may take as long as its interval */
    bool polling;
};

/* Calls the poll when it is time; without the lock. */
void evolve_watch(struct watcher *w);
/* All below under the lock. */
/* Lets others change the condition that this thread waits for; releases the lock meanwhile. */
void evolve_wait_change(struct evolve *e, struct watcher *w);
/* The same for a thread that does not use the problem, which may be another afterwards. */
void evolve_wait_others(struct evolve *e, struct watcher *w);
/* If more experiments wait: blocks without using the problem until all threads do, and the run is
 * carried over. False when the run is to end first. */
bool evolve_meet(struct evolve *e, struct watcher *w);
/* For each form of @p the one of @before that it takes its usage from: itself, or the one with the
 * nearest cycles alone by ratio. The caller frees. Needs no lock. */
uint32_t *evolve_match(const struct problem *p, const struct problem *before);
/* @take_g of the problem before the last meeting as one of this one's; the caller frees. */
struct genome *evolve_carry(const struct evolve *e, struct genome *take_g);
/* A copy of @g with its errors and cost over @p at @prices; needs no lock. */
struct genome *evolve_judge(const struct problem *p, const struct genome *g, double width,
                            const struct anneal_prices *prices);
void joined_problem_free(struct joined_problem *j);
/* Default number of individuals of a memetic run: as many as converge in its time, between 4 and
 * 8. */
unsigned evolve_individuals(const struct problem *p, const struct evolve_options *o);
/* Whether a run uses the largest number of ports, for lack of time to determine it. Short
 * annealings prefer few ports, which are found sooner, though the same time with more explains
 * more, also of what was not measured. */
bool evolve_assumes_ports(const struct problem *p, const struct evolve_options *o);
/* Seconds that were left when the time was last planned; 0: no limit. */
double evolve_round_seconds(const struct evolve *e);
/* Requests all numbers of ports from @fewest to @most again. */
void evolve_race(struct evolve *e, unsigned fewest, unsigned most);
/* Waits while paused; false when the run is to end. */
bool evolve_go_on(struct evolve *e, struct watcher *w);
/* Seconds of running so far. */
double evolve_elapsed(const struct evolve *e);
/* The prices in force, raised by @times: errors that no mapping explains make every complication
 * look useful, so prices grow with them. At a temperature far above a price that price would have
 * no effect, and there would be as many µops as there are forms. */
struct anneal_prices evolve_prices_at(const struct evolve *e, double times);
/* By how much the prices are multiplied when errors of @d_avg remain. */
double evolve_residual_scale(const struct problem *p, double d_avg);
/* Whether it is time for a point of the curves. */
bool evolve_sample_due(const struct evolve *e);
/* Adds a point to the curves, @now or when it is time. */
void evolve_sample(struct evolve *e, bool now);
/* Takes a copy of @g as the best if its error is no larger than the best's, and no µops were added
 * that cost more than the error that they explain. */
void evolve_note_best(struct evolve *e, const struct genome *g);
/* The best gets its cost by the prices in force. */
void evolve_price_best(struct evolve *e);
/* Marks that published mappings have other ports than later ones; the least error so far stays. */
void evolve_forget_best(struct evolve *e);
/* Needs no lock but that of @sum. */
void evolve_add_stats(struct anneal_stats *sum, const struct anneal_stats *stats);
/* Of all threads, and of the run within. Under the lock. */
struct anneal_stats evolve_stats(const struct evolve *e);
/* Lowers the best so far to @g's error on the initial problem. Takes time once more experiments
 * joined. */
void evolve_reach(struct evolve *e, const struct genome *g);
/* Adds @take_g, in place of the worst when the population is full. */
void evolve_insert(struct evolve *e, struct genome *take_g);

/* Seconds at which the search proper ends; INFINITY without a limit. */
double evolve_search_until(const struct evolve *e);
/* Work of a thread after the search, without using the problem; false when there is no more. */
bool evolve_agree(struct evolve *e, unsigned index, struct watcher *w);
/* The run is over: the consensus is taken if it is expected to be more accurate than the best. */
void evolve_take_agreed(struct evolve *e);
/* Restarts with the individuals; no thread may be running. */
void evolve_forget_consensus(struct evolve *e);

/* Whether @g has the most ports that are tried, and errors that no number of them explains: then it
 * is not known how many there are. */
bool evolve_ports_unexplained(const struct genome *g);
/* The memetic algorithm on thread @index, until it ends; called and returns without the lock. */
void evolve_memetic(struct evolve *e, unsigned index, struct watcher *w);
/* A short annealing of the best, if the run was stopped before any search had cooled: hot states
 * are poor. By the last thread; called and returns under the lock. */
void evolve_quench(struct evolve *e);

#endif
