/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/measurers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"

#define WORTH_IT 16            /* minimum number of experiments for several measurers */
/* number of experiments per piece; smaller pieces cost more starts, and larger pieces balance the
 * measurers worse */
#define PIECE 4
/* success rate below which a measurer gets single experiments */
#define HARDLY_QUIET 0.1
#define LATELY 0.5             /* weight of the last piece in the success rate */
/* patience for a CPU as a share of the patience with a single CPU, because other measurers continue
 * during a wait */
#define PATIENCE 0.2
#define LITTLE_PATIENCE 0.05   /* share of the patience for a measurer whose CPU is rarely idle */
#define ROUNDS 12              /* number of rounds of probes per decision */
/* minimum share of idle probes at which a CPU counts as idle if it is probed alone */
#define MOSTLY 0.5
/* Like MOSTLY, if all CPUs are probed together. Threads of one core never reach this share. */
#define PARTLY 0.25
#define TELLING 3              /* minimum number of rounds with an idle CPU for a decision */
#define JUDGED_AGAIN 60.0      /* seconds until the next decision, because virtual CPUs migrate */
#define TRIED_AGAIN 5.0

struct measurers {
    struct measurer measurers[CORES_MEASURERS];
    struct measurer_cpus shares[CORES_MEASURERS];
    /* number of measurers in use; before they start, their largest number; 1 if only the first
     * measurer runs */
    unsigned count;
    const struct source_threads *threads;
    void *crew;                    /* threads of the measurers; NULL before they start */
    enum measurers_verdict verdict;
    double again;                  /* clock_seconds of the next decision */
    unsigned used;
    /* task of the current call, borrowed */
    const struct measurer_task *given;
    size_t total, next;            /* @total: number of experiments. @next: next experiment to
                                    * measure, protected by the lock. */
    pthread_mutex_t lock;
    atomic_bool stop;
    int failed;                    /* first measurer that failed, or -1; protected by the lock */
    struct err errs[CORES_MEASURERS];
    /* whether the first measurer may use only its share of the CPUs */
    bool narrow;
    int only;                      /* the only measurer that probes its CPU; -1: all probe */
    unsigned looks[CORES_MEASURERS];   /* number of probes that found the measurer's CPU idle */
    /* per measurer: recent share of experiments that did not fail because the core was busy */
    double quiet[CORES_MEASURERS];
};

struct measurers *measurers_new(int cpu, const struct source_threads *threads, struct err *err)
{
    struct measurers *l = mem_zero(1, sizeof *l);

    pthread_mutex_init(&l->lock, NULL);
    l->threads = threads;
    l->count = threads && cpu < 0 ? CORES_MEASURERS : 1;
    l->measurers[0].sandbox = sandbox_new(cpu, err);
    if (l->measurers[0].sandbox)
        return l;
    measurers_free(l);
    return NULL;
}

void measurers_free(struct measurers *l)
{
    if (!l)
        return;
    for (unsigned i = 0; i < CORES_MEASURERS; i++)
        sandbox_free(l->measurers[i].sandbox);
    if (l->crew)
        l->threads->end(l->crew);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

struct sandbox *measurers_sandbox(struct measurers *l)
{
    return l->measurers[0].sandbox;
}

unsigned measurers_children(const struct measurers *l)
{
    unsigned n = 0;

    for (unsigned i = 0; i < CORES_MEASURERS; i++)
        n += l->measurers[i].sandbox ? sandbox_children(l->measurers[i].sandbox) : 0;
    return n;
}

unsigned measurers_used(const struct measurers *l)
{
    return l->used;
}

size_t measurers_piece(size_t left, double quiet)
{
    const size_t piece = quiet < HARDLY_QUIET ? 1 : PIECE;
    return piece < left ? piece : left;
}

enum measurers_verdict measurers_judge(const struct measurers_looks *rounds, unsigned count,
                                       unsigned measurers)
{
    bool known = false;

    for (unsigned i = 0; i < measurers; i++) {
        unsigned alone = 0, both = 0;
        for (unsigned r = 0; r < count; r++) {
            const bool was_quiet = rounds[r].alone[i] >= MOSTLY * SEEK_LOOKS;
            alone += was_quiet;
            both += was_quiet && rounds[r].together[i] >= PARTLY * SEEK_LOOKS;
        }
        if (alone >= TELLING && !both)
            return MEASURERS_DISTURB;
        known |= alone >= TELLING && 3 * both >= alone;
    }
    return known ? MEASURERS_APART : MEASURERS_UNKNOWN;
}

static bool cpus_keep(const struct measurer_cpus *share)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (size_t i = 0; i < share->count; i++)
        CPU_SET((unsigned)share->cpus[i], &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

/* Records the first failure of a measurer, and stops all other measurers. */
static void ended(struct measurers *l, unsigned member, bool ok)
{
    if (ok)
        return;
    lock_take(&l->lock);
    if (l->failed < 0)
        l->failed = (int)member;
    lock_give(&l->lock);
    atomic_store(&l->stop, true);
}

/* Creates the sandbox of a measurer on its thread, while no measurer measures. */
static void measurer_begin(void *state, unsigned member)
{
    struct measurers *l = state;
    struct measurer *measurer = &l->measurers[member];

    if (member == 0)
        return;
    if (cpus_keep(&l->shares[member]))
        measurer->sandbox = sandbox_new(-1, &l->errs[member]);
    else
        err_set(&l->errs[member], ERR_IO, NULL, "the system does not allow threads to select CPUs");
    if (measurer->sandbox)
        seek_begin(&measurer->seek, measurer->sandbox);
    ended(l, member, measurer->sandbox != NULL);
}

/* Polls for cancellation. Called on the first measurer's thread only. */
static void ask(void *state)
{
    struct measurers *l = state;
    const struct measurer_task *t = l->given;

    if (t->cancelled && t->cancelled(t->state))
        atomic_store(&l->stop, true);
}

static bool stopped(void *state)
{
    return atomic_load(&((struct measurers *)state)->stop);
}

static bool asked(void *state)
{
    ask(state);
    return stopped(state);
}

/* Calls @work on all measurers concurrently. Returns false with the first error, or when cancelled,
 * even if all measurers have completed their work. */
static bool call(struct measurers *l, void (*work)(void *state, unsigned member), struct err *err)
{
    for (unsigned i = 0; i < l->count; i++)
        l->errs[i] = (struct err){0};
    l->failed = -1;
    atomic_store(&l->stop, false);
    l->threads->call(l->crew, work, l, ask);
    if (l->failed >= 0) {
        if (err)
            *err = l->errs[l->failed];
        return false;
    }
    return !stopped(l) || err_set(err, ERR_INTERRUPTED, NULL, "measuring was cancelled");
}

static double share_done(const struct measured *out, size_t from, size_t to)
{
    size_t done = 0;

    for (size_t i = from; i < to; i++)
        done += !out[i].busy;
    return (double)done / (double)(to - from);
}

static void measurer_work(void *state, unsigned member)
{
    struct measurers *l = state;
    struct calibration hasty = *l->given->calibration;
    struct measurer_task t = *l->given;
    bool ok = true;

    t.calibration = &hasty;
    t.cancelled = member ? stopped : asked;
    t.state = l;
    while (ok) {
        /* Polls between pieces, because the sandbox does not poll during a short piece. Only the
         * first measurer's thread may poll. */
        if (member == 0)
            ask(l);
        if (stopped(l))
            return;
        lock_take(&l->lock);
        const size_t from = l->next,
                     to =
                         from +
                         (from < l->total ? measurers_piece(l->total - from, l->quiet[member]) : 0);
        l->next = to;
        lock_give(&l->lock);
        if (from == to)
            return;
        hasty.rules.patience = l->given->calibration->rules.patience *
                               (l->quiet[member] < HARDLY_QUIET ? LITTLE_PATIENCE : PATIENCE);
        ok = measurer_measure(&l->measurers[member], &t, from, to, &l->errs[member]);
        if (ok)
            l->quiet[member] += LATELY * (share_done(t.out, from, to) - l->quiet[member]);
    }
    ended(l, member, ok);
}

static void measurer_look(void *state, unsigned member)
{
    struct measurers *l = state;
    bool outgrown = false;

    l->looks[member] = 0;
    if (l->only < 0 || l->only == (int)member)
        ended(l, member,
              seek_looks(l->measurers[member].sandbox, l->given->calibration, SEEK_LOOKS,
                         &l->looks[member], &outgrown, &l->errs[member]));
}

/* Determines whether CPUs interfere, by probing them alternately together and alone. Keeps the
 * verdict if the result is unclear. */
static bool judge(struct measurers *l, struct err *err)
{
    struct measurers_looks rounds[ROUNDS] = {0};

    for (unsigned r = 0; r < ROUNDS; r++)
        for (l->only = -1; l->only < (int)l->count; l->only++) {
            if (!call(l, measurer_look, err))
                return false;
            for (unsigned i = 0; i < l->count; i++)
                *(l->only < 0 ? &rounds[r].together[i] : &rounds[r].alone[i]) += l->looks[i];
        }
    const enum measurers_verdict now = measurers_judge(rounds, ROUNDS, l->count);
    l->verdict = now == MEASURERS_UNKNOWN ? l->verdict : now;
    l->again = clock_seconds() + (now == MEASURERS_UNKNOWN ? TRIED_AGAIN : JUDGED_AGAIN);
    return true;
}

/* Excludes all measurers except the first from further work. Logs the message of @why, if any. */
static void others_end(struct measurers *l, const struct err *why)
{
    if (why->what[0])
        log_add(LOG_WARN, "measuring on one CPU at a time: %s", why->what);
    l->count = 1;
}

/* Starts all measurers except the first. Returns false if there are no others, or if they cannot
 * start. */
static bool others_begin(struct measurers *l)
{
    struct err err = {0};

    for (unsigned i = 0; i < CORES_MEASURERS; i++)
        l->quiet[i] = 1;
    l->count = sandbox_unfiltered(l->measurers[0].sandbox)
                   ? 1
                   : cores_allowed(sandbox_cpu(l->measurers[0].sandbox), l->shares);
    if (l->count < 2)
        return false;
    l->crew = l->threads->begin(l->count, &err);
    if (l->crew && (call(l, measurer_begin, &err) || err.code == ERR_INTERRUPTED))
        return true;
    others_end(l, &err);
    return false;
}

/* Restricts the first measurer to its share of the CPUs if @narrow is true. Otherwise permits all
 * CPUs. */
static void first_keeps(struct measurers *l, bool narrow)
{
    const struct measurer_cpus *own = &l->shares[0];
    struct measurer *first = &l->measurers[0];
    bool there = !narrow;

    for (size_t i = 0; i < own->count; i++)
        there |= own->cpus[i] == sandbox_cpu(first->sandbox);
    if (!there)
        sandbox_move(first->sandbox, own->cpus[0]);
    if (l->narrow != narrow || !there)
        seek_begin(&first->seek, first->sandbox);
    l->narrow = narrow;
}

/* Measures the experiments with all measurers unless their CPUs interfere. Sets *@done if the
 * measurers measured them. After an error of another measurer, returns true and keeps only the
 * first measurer. Returns false with err on other failures. */
static bool measure_together(struct measurers *l, size_t n, bool *done, struct err *err)
{
    const bool judges = clock_seconds() >= l->again;
    struct err fault = {0};
    cpu_set_t before;

    if ((!judges && l->verdict == MEASURERS_DISTURB) ||
        sched_getaffinity(0, sizeof before, &before) != 0 || !cpus_keep(&l->shares[0]))
        return true;
    first_keeps(l, true);
    bool ok = !judges || judge(l, &fault);
    if (ok && l->verdict != MEASURERS_DISTURB) {
        l->total = n;
        l->next = 0;
        ok = call(l, measurer_work, &fault);
        *done = ok;
    }
    sched_setaffinity(0, sizeof before, &before);
    if (ok)
        return true;
    /* After an error of another measurer, only the first measurer continues. */
    if (l->failed > 0 && fault.code != ERR_INTERRUPTED) {
        others_end(l, &fault);
        return true;
    }
    if (err)
        *err = fault;
    return false;
}

void measurers_begin(struct measurers *l)
{
    seek_begin(&l->measurers[0].seek, l->measurers[0].sandbox);
}

bool measurers_measure(struct measurers *l, const struct measurer_task *t, size_t n,
                       struct err *err)
{
    bool done = false, ok = true;

    l->given = t;
    if (n >= WORTH_IT && l->count > 1 && (l->crew || others_begin(l)))
        ok = measure_together(l, n, &done, err);
    if (n >= WORTH_IT || !l->used)
        l->used = done ? l->count : 1;
    if (!ok || done)
        return ok;
    if (l->narrow)
        first_keeps(l, false);
    return measurer_measure(&l->measurers[0], t, 0, n, err);
}

bool measurers_learn(struct measurers *l, struct calibration *c, struct err *err)
{
    struct seek *first = &l->measurers[0].seek;

    for (unsigned i = 1; i < l->count && l->crew; i++) {
        first->outgrown |= l->measurers[i].seek.outgrown;
        l->measurers[i].seek.outgrown = false;
    }
    return seek_learn(first, l->measurers[0].sandbox, c, err);
}
