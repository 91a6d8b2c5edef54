/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/cpu_source.h"
#include "measure_cost.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "measure/runner.h"
#include "model/experiments.h"

#define BATCH 64
#define ROUNDS 20
#define WRONG 0.03
#define AGREE 0.01
#define ANYTHING 1e9          /* a tolerance that accepts every reading */

/* A simulated core without other load and with one tick per cycle. It counts the runs. */
struct quiet_core { double cycles[PULSE_ITEM + 1], now; unsigned runs; };

static uint64_t quiet_run(void *self, enum pulse_code code, uint64_t warm, uint64_t count,
                          unsigned *fault)
{
    struct quiet_core *q = self;
    double ticks = (double)count * q->cycles[code];

    *fault = 0;
    q->runs++;
    q->now += ticks + (double)warm * q->cycles[code];
    return (uint64_t)ticks;
}

static uint64_t quiet_now(void *self)
{
    return (uint64_t)((struct quiet_core *)self)->now;
}

static void quiet_rest(void *self)
{
    (void)self;
}

static void count_runs(void)
{
    const double microsecond = 3000;
    const struct window_rules rules = {.chain_cycles = 100,
                                       .second_cycles = 300,
                                       .probe_cycles = 36,
                                       .ports_cycles = 34,
                                       .chain_tolerance = 0.003,
                                       .probe_tolerance = 0.02,
                                       .agreement = 0.004,
                                       .chain_ticks = 10 * microsecond,
                                       .probe_ticks = 5 * microsecond,
                                       .item_ticks = 20 * microsecond,
                                       .patience = 1e5 * microsecond};
    struct quiet_core q = {.cycles = {100, 300, 36, 34, 90, 200}};
    const struct pulse pulse = {quiet_run, quiet_now, quiet_rest, &q};
    struct window_wait wait = window_wait_begin(&pulse, rules.patience);
    struct window_result r;
    /* The former protocol had three windows: chain, probe, three runs after a warm-up of an eighth
     * each, second chain, probe. */
    double before =
        3 * (2 * rules.chain_ticks + 2 * rules.probe_ticks + 3 * 1.125 * rules.item_ticks);

    window_measure(&pulse, &rules, &wait, false, 0, INFINITY, &r);
    printf("a form on a quiet core, simulated: %u runs, %.0f us; with one probe and windows begun "
           "anew 24 runs, %.0f us: ratio %.3f\n",
           q.runs, q.now / microsecond, before / microsecond, q.now / before);
}

static double own_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Prepares the bodies of all forms as items and returns their number. */
static unsigned prepare(struct sandbox *s, const struct calibration *c, const struct forms *forms,
                        const struct form_row *const *rows, size_t n, struct body *body)
{
    unsigned count = 0;

    sandbox_clear(s);
    for (size_t i = 0; i < n && i < BATCH; i++) {
        struct experiment e = {0};
        struct err err = {0};
        uint32_t offset;
        experiment_add(&e, rows[i]->form, 1);
        if (source_code(
                forms, &e,
                &(struct body_shape){.instructions = SOURCE_BODY, .load_window = c->load_window},
                body, &err) &&
            sandbox_add(s, body->code, body->length, 1, COUNTER_BODY, &offset))
            sandbox_items(s)[count++] = (struct sandbox_item){
                .code = PULSE_ITEM, .offset = offset, .vectors = sandbox_setup(body)};
        experiment_done(&e);
    }
    return count;
}

void measure_cost(struct source *source, const struct forms *forms,
                  const struct form_row *const *rows, size_t n)
{
    struct sandbox *s = source_cpu_sandbox(source);
    const struct calibration *c = source_cpu_calibration(source);
    struct window_rules rules = c->rules;
    struct body *body = mem_alloc(sizeof *body);
    double least = INFINITY, least_own = INFINITY;
    unsigned count = 0;

    count_runs();
    rules.room_cycles = 0;
    rules.probe_tolerance = rules.chain_tolerance = ANYTHING;
    rules.agreement = 0.99;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct err err = {0};
        double begun = clock_seconds(), own = own_seconds();
        count = prepare(s, c, forms, rows, n, body);
        least_own = fmin(least_own, own_seconds() - own);
        begun = clock_seconds();
        if (!sandbox_run(s, count, &rules, NULL, NULL, &err))
            die("%s", err.what);
        least = fmin(least, clock_seconds() - begun);
    }
    printf("here, where nothing waits (least of %d): %.0f us a form and pass in the sandbox, %.0f "
           "us of this program's time to make its code\n",
           ROUNDS, 1e6 * least / fmax(1, count), 1e6 * least_own / fmax(1, count));
    free(body);
}

/* Returns the other hardware thread of the core of @cpu, or -1 if unknown. */
static int sibling_of(int cpu)
{
    char path[96], text[64] = "";
    int first = -1, second = -1, other = -1;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *file = fopen(path, "re");
    if (file && fgets(text, sizeof text, file) && sscanf(text, "%d%*[,-]%d", &first, &second) == 2)
        other = first == cpu ? second : first;
    if (file)
        fclose(file);
    return other;
}

/* Starts a process that computes on @cpu until it is killed. */
static pid_t busy_on(int cpu)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    cpu_set_t one;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    CPU_ZERO(&one);
    CPU_SET((unsigned)cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    for (volatile unsigned long k = 0;; k++)
        ;
}

static void take(void *state, size_t index, const struct measured *m)
{
    experiments_set(state, index, m->cycles, m->spread, m->repeats, m->state);
}

static void no_progress(void *state, const struct runner_summary *so_far, size_t total)
{
    (void)state;
    (void)so_far;
    (void)total;
}

static bool never(void *state)
{
    (void)state;
    return false;
}

static struct experiments *measured_table(struct source *source, const struct form_row *const *rows,
                                          size_t n, double patience, struct runner_summary *summary)
{
    struct experiments *t = experiments_new();
    struct err err = {0};

    for (size_t i = 0; i < n; i++) {
        struct experiment e = {0};
        experiment_add(&e, rows[i]->form, 1);
        experiments_add_named(t, &e);
        experiment_done(&e);
    }
    struct experiments *copy = experiments_copy(t, NULL);
    const struct runner_hooks hooks = {
        .cancelled = never, .result = take, .progress = no_progress, .state = t};
    if (!runner_run(source, copy, NULL,
                    &(struct runner_options){.one_length = true, .patience = patience}, &hooks,
                    summary, &err))
        die("%s", err.what);
    experiments_free(copy);
    return t;
}

#define CONDITIONS 3

/* Returns the smallest cycles of row @i on which two conditions agree, or NaN if none do. */
static double agreed(struct experiments *const tables[CONDITIONS], size_t i)
{
    double least = NAN;

    for (unsigned a = 0; a < CONDITIONS; a++)
        for (unsigned b = 0; b < CONDITIONS; b++) {
            if (a == b || !tables[a] || !tables[b] || !experiments_measured(tables[a], i) ||
                !experiments_measured(tables[b], i))
                continue;
            double x = tables[a]->rows.items[i].cycles, y = tables[b]->rows.items[i].cycles;
            if (fabs(x - y) <= AGREE * fmin(x, y))
                least = fmin(least, fmin(x, y));
        }
    return least;
}

void measure_under_load(struct source *source, const struct form_row *const *rows, size_t n,
                        double patience)
{
    static const char *const names[CONDITIONS] = {"no load of ours", "busy process on the same CPU",
                                                  "busy process on its sibling"};
    int cpu = source_cpu_calibration(source)->cpu, on[CONDITIONS] = {-1, cpu, sibling_of(cpu)};
    struct experiments *tables[CONDITIONS] = {NULL};
    struct runner_summary s[CONDITIONS];

    for (unsigned i = 0; i < CONDITIONS; i++) {
        if (i && on[i] < 0)
            continue;
        pid_t busy = i ? busy_on(on[i]) : 0;
        tables[i] = measured_table(source, rows, n, patience, &s[i]);
        if (busy) {
            kill(busy, SIGKILL);
            waitpid(busy, NULL, 0);
        }
    }
    for (unsigned i = 0; i < CONDITIONS; i++) {
        size_t compared = 0, wrong = 0;
        if (!tables[i]) {
            printf("%-29s none on this computer\n", names[i]);
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            double truth = agreed(tables, k);
            if (!experiments_measured(tables[i], k) || !(truth > 0))
                continue;
            compared++;
            wrong += fabs(tables[i]->rows.items[k].cycles / truth - 1) > WRONG;
        }
        printf("%-29s %4zu of %4zu ok, %zu once, %zu contended; time %5.2f of that without; %zu of "
               "%zu comparable ones off by more than 3 %%\n",
               names[i], s[i].done, n, s[i].once, s[i].contended, s[i].seconds / s[0].seconds,
               wrong, compared);
    }
    for (unsigned i = 0; i < CONDITIONS; i++)
        experiments_free(tables[i]);
}
