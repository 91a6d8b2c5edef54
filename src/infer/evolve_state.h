/* Internal state of a run, which the files evolve*.c share */
#ifndef PORTOLAN_INFER_EVOLVE_STATE_H
#define PORTOLAN_INFER_EVOLVE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "infer/evolve.h"
#include "infer/classes.h"

#define PORTS_FEWEST 4              /* smallest number of ports that is tried */
#define PORTS_MOST 12

/* State of a thread, as last published */
struct live {
    bool busy;
    double d_avg, cost;
    uint64_t volume, distinct;
    struct anneal_stats stats;   /* statistics of the current search */
};

/* Problem with which a run continues after all its threads have stopped */
struct joined_problem {
    struct problem *p;
    struct classes *classes;
    /* per form of @p: form of the previous problem whose usage it copies; computed once all threads
     * have stopped */
    uint32_t *from;
};

struct evolve {
    pthread_mutex_t lock;
    pthread_cond_t change;
    atomic_bool stop, pause;
    /* The lock protects this and the following members. @p, @classes and @joined do not change
     * while a thread uses them. */
    struct problem *p;               /* the current problem (counted reference) */
    /* next: problem to which threads will switch; joined: problem of the last join; NULL: none */
    struct joined_problem *next, *joined;
    /* initial problem, on which the least error so far is measured (counted reference) */
    struct problem *first;
    /* per form of @first: its index in @p; NULL: @p is @first, or lacks a form of it */
    uint32_t *first_at;
    /* @joins: number of joins. @waiting: number of threads that are not using @p. */
    unsigned joins, waiting;
    bool meeting;                    /* whether a thread converts the run's state */
    double round_from;               /* seconds at which the remaining time was last planned */
    size_t round_experiments, round_forms;   /* number of experiments and of forms at that time */
    /* problem that is searched first, once prepared; NULL: only @p is searched */
    struct classes *classes;
    enum { EVOLVE_RAW, EVOLVE_PREPARING, EVOLVE_PREPARED } preparation;
    struct evolve_options o;
    enum evolve_state state;
    unsigned ports;                  /* number of ports; 0 until determined */
    enum ports_known ports_known;
    double width;
    double scale;                    /* factor of prices and temperatures; NaN until determined */
    bool piloting;                   /* whether a thread runs the pilot */
    struct genome *trials[PORTS_MOST + 1];   /* per number of ports: best mapping */
    /* per number of ports: whether its trial was a long annealing, and its mapping is not yet an
     * individual */
    bool tried_long[PORTS_MOST + 1];
    unsigned race[PORTS_MOST + 1], racing;   /* candidate numbers of ports, and their number */
    unsigned race_next, race_done, race_round;
    /* largest cost at which fewer ports are as good as the best number after the long trials */
    double ports_cost;
    struct genome **population;      /* finished individuals, best first */
    size_t finished, fresh_begun, children_begun, children_done, target;
    unsigned busy;                  /* number of workers making an individual */
    /* initial genome of new individuals; NULL: a random one */
    struct genome *from;
    struct genome *best;
    /* whether an individual was annealed to its end, in this or an earlier run */
    bool cooled;
    /* whether the best genome is a result of the classes, whose cost is unknown */
    bool best_expanded;
    enum { CONSENSUS_UNASKED, CONSENSUS_ASKING, CONSENSUS_NONE, CONSENSUS_SOUGHT } consensus;
    /* inner run, whose lock may be taken while this run's lock is held; NULL: none */
    struct evolve *inner;
    double consensus_from;           /* seconds at the start of the inner run */
    /* consensus, if it replaces the best genome; NULL: none */
    struct genome *agreed;
    /* mean relative distances of consensus and best genome from the mean of the good mappings on
     * unmeasured experiments */
    double unseen_agreed, unseen_best;
    struct live *live;
    struct anneal_stats stats;       /* statistics of finished searches */
    unsigned generation, workers;
    double started, paused_at, paused_for, ended;
    VEC(struct evolve_sample) samples;
    double last_sample;
    double reached;       /* smallest D_avg on @first so far; INFINITY before the first value */
};

/* A thread of a run, with its poll */
struct watcher {
    void (*poll)(void *);
    void *state;
    double last;
    /* whether a poll is running */
    bool polling;
};

/* Calls the poll if it is due. Call it without the lock. */
void evolve_watch(struct watcher *w);
/* The functions below are called under the lock unless noted. */

/* Waits until another thread changes the run. Releases the lock during the wait. */
void evolve_wait_change(struct evolve *e, struct watcher *w);
/* Waits like evolve_wait_change, in a thread that does not use the problem. The problem may change
 * during the wait. */
void evolve_wait_others(struct evolve *e, struct watcher *w);
/* Blocks, if experiments wait to join, until all threads have stopped using the problem and the
 * run's state is converted. Returns false if no experiments wait, or if the run must end first. */
bool evolve_meet(struct evolve *e, struct watcher *w);
/* Returns, for each form of @p, the form of @before whose usage it copies: the same form or, if it
 * is new, the form whose cycles in isolation are nearest by ratio. The caller frees the result.
 * Needs no lock. */
uint32_t *evolve_match(const struct problem *p, const struct problem *before);
/* Converts @take_g from the problem before the last join. The caller frees the result. */
struct genome *evolve_carry(const struct evolve *e, struct genome *take_g);
/* Returns a copy of @g with its errors on @p and its cost with @prices. The caller frees the copy.
 * Needs no lock. */
struct genome *evolve_judge(const struct problem *p, const struct genome *g, double width,
                            const struct anneal_prices *prices);
void joined_problem_free(struct joined_problem *j);
/* Returns the default number of individuals of a memetic run, 4 to 8: those that converge in its
 * time. */
unsigned evolve_individuals(const struct problem *p, const struct evolve_options *o);
/* Returns whether a run lacks the time to determine the number of ports and assumes the largest.
 * Short annealings favour few ports, which converge sooner. In the same time, however, more ports
 * explain more experiments, including unmeasured ones. */
bool evolve_assumes_ports(const struct problem *p, const struct evolve_options *o);
/* Returns the seconds that were left when the time was last planned; 0: no limit. */
double evolve_round_seconds(const struct evolve *e);
/* Requests trials of all numbers of ports from @fewest to @most again. */
void evolve_race(struct evolve *e, unsigned fewest, unsigned most);
/* Waits while paused. Returns false when the run must end. */
bool evolve_go_on(struct evolve *e, struct watcher *w);
/* Returns the running time so far, in seconds. */
double evolve_elapsed(const struct evolve *e);
/* Returns the current prices, multiplied by @times. With unexplained errors, every additional µop
 * seems to reduce the error, so prices grow with the unexplained errors. Prices far below the
 * temperature would have no effect, and forms would not share µops. */
struct anneal_prices evolve_prices_at(const struct evolve *e, double times);
/* Returns the factor of the prices if errors of @d_avg remain. */
double evolve_residual_scale(const struct problem *p, double d_avg);
/* Returns whether a point of the curves is due. */
bool evolve_sample_due(const struct evolve *e);
/* Adds a point to the curves if one is due, or if @now is true. */
void evolve_sample(struct evolve *e, bool now);
/* Copies @g as the best genome if its error is not larger. Its additional µops must cost no more
 * than the error that they explain. */
void evolve_note_best(struct evolve *e, const struct genome *g);
/* Computes the cost of the best genome with the current prices. */
void evolve_price_best(struct evolve *e);
/* Sets the number of ports to @n. Discards a best genome with another number. Before the first
 * join, also discards the least error, which was that of trials. */
void evolve_choose_ports(struct evolve *e, unsigned n);
/* Adds @stats to @sum. Needs only the lock that protects @sum. */
void evolve_add_stats(struct anneal_stats *sum, const struct anneal_stats *stats);
/* Returns the statistics of all searches of the run and of its inner run. Under the lock. */
struct anneal_stats evolve_stats(const struct evolve *e);
/* Lowers the least error so far to the error of @g on the initial problem if this is smaller. Takes
 * time if experiments have joined. */
void evolve_reach(struct evolve *e, const struct genome *g);
/* Adds @take_g, unless it is outdated or a duplicate. If the population is full, replaces the worst
 * individual, provided that this has a higher cost. */
void evolve_insert(struct evolve *e, struct genome *take_g);

/* Returns the seconds of the run after which the search ends and the consensus begins; INFINITY: no
 * limit. */
double evolve_search_until(const struct evolve *e);
/* Does a thread's work for the consensus after the search. The thread does not use the problem
 * during this work. Returns false if no work remains. */
bool evolve_agree(struct evolve *e, unsigned index, struct watcher *w);
/* Accepts the consensus after the run if it is probably more accurate than the best genome. */
void evolve_take_agreed(struct evolve *e);
/* Discards the consensus and the inner run, which no thread may be using. */
void evolve_forget_consensus(struct evolve *e);

/* Returns whether @g has the largest number of ports that is tried, and errors that no number of
 * ports explains. The number of ports is then unknown. */
bool evolve_ports_unexplained(const struct genome *g);
/* Runs the memetic algorithm on thread @index until it ends. Called and returns without the
 * lock. */
void evolve_memetic(struct evolve *e, unsigned index, struct watcher *w);
/* Improves the best individual by a short annealing. The last thread calls it if the run was
 * stopped before a search had cooled, because hot states have large errors. Called and returns
 * under the lock. */
void evolve_quench(struct evolve *e);

#endif
