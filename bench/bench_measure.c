/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the measurement protocol with one 10 ms run timed by the wall clock. Prints the
 * differences of single passes, confirmed pairs of passes and the 10 ms run from the median of
 * eight passes, and the experiments per second. A busy process runs on another CPU concurrently.
 * Then prints the cost of a form without waits, and the errors under load by own processes.
 *
 *     bench_measure [EXPERIMENTS] [SEED]
 *
 * EXPERIMENTS 0 prints only the cost and the loads. */
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "isa/cpu.h"
#include "measure/cpu_source.h"
#include "measure/runner.h"
#include "measure_cost.h"
#include "toolchain/assemble.h"

#define PASSES 8
#define NAIVE_SECONDS 10e-3
#define LOAD_FORMS 100
#define LOAD_PATIENCE 20.0   /* seconds to wait for a quiet core under each load */

/* Selects general-purpose and AVX2-class forms, a typical start of an inference. */
static bool is_selected(const struct form_row *row)
{
    return strncmp(row->template, "{{evex}}", 8) != 0 && !strstr(row->form, "NT");
}

static pid_t busy_start(int cpu)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    cpu_set_t cpus;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    sched_getaffinity(0, sizeof cpus, &cpus);
    if (CPU_COUNT(&cpus) > 1)
        CPU_CLR((unsigned)cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    for (volatile unsigned long n = 0;; n++)
        ;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, unsigned n)
{
    double sorted[PASSES];
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    return n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

struct set {
    const char *name;
    struct experiment *e;
    size_t n;
    double (*passes)[PASSES];
    double *naive;       /* cycles, computed with the nominal clock frequency */
    double seconds;      /* seconds of all passes */
    double naive_seconds;
};

static void measure_passes(struct source *source, struct set *set)
{
    struct measured got[128];
    struct err err = {0};
    double begun = clock_seconds();

    for (unsigned pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < set->n; i += 128) {
            size_t n = set->n - i < 128 ? set->n - i : 128;
            if (!source->measure(source, set->e + i, n, got, NULL, NULL, &err))
                die("%s", err.what);
            for (size_t k = 0; k < n; k++)
                set->passes[i + k][pass] = got[k].cycles;
        }
    set->seconds = clock_seconds() - begun;
}

/* Measures one run of about 10 ms with the time stamp counter. The median determines the
 * iterations. */
static void measure_naive(struct source *source, const struct forms *forms, struct set *set)
{
    const struct calibration *c = source_cpu_calibration(source);
    struct sandbox *sandbox = source_cpu_sandbox(source);
    struct body *body = mem_alloc(sizeof *body);
    double begun = clock_seconds();

    for (size_t i = 0; i < set->n; i++) {
        struct form_code *codes[4];
        uint32_t counts[4], offset;
        struct err err = {0};
        double cycles = median(set->passes[i], PASSES);
        set->naive[i] = NAN;
        for (unsigned k = 0; k < set->e[i].count; k++) {
            codes[k] = encodings_code(forms_find(forms, set->e[i].terms[k].form), &err);
            counts[k] = set->e[i].terms[k].count;
        }
        sandbox_clear(sandbox);
        if (cycles > 0 &&
            body_make(
                codes, counts, set->e[i].count,
                &(struct body_shape){.instructions = SOURCE_BODY, .load_window = c->load_window},
                body, &err) &&
            sandbox_add(sandbox, body->code, body->length, 1, COUNTER_BODY, &offset)) {
            struct sandbox_item *item = sandbox_items(sandbox);
            *item = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                          .code = PULSE_ITEM,
                                          .offset = offset,
                                          .vectors = sandbox_setup(body),
                                          .samples = 1};
            item->count = (uint64_t)(NAIVE_SECONDS * c->clock_hz / (cycles * body->executions)) + 1;
            if (sandbox_run(sandbox, 1, &c->rules, NULL, NULL, &err) && !item->fault)
                set->naive[i] = (double)item->ticks[0] / (double)item->count / body->executions;
        }
        for (unsigned k = 0; k < set->e[i].count; k++)
            form_code_free(codes[k]);
    }
    set->naive_seconds = clock_seconds() - begun;
    free(body);
}

/* Prints the fractions of the set within 1 % of the median of all passes. */
static void report(const struct set *set, double clock_per_tick)
{
    size_t n = 0, single = 0, singles = 0, confirmed = 0, confirmations = 0, nominal = 0,
           scaled = 0;

    for (size_t i = 0; i < set->n; i++) {
        double values[PASSES];
        unsigned have = 0;
        for (unsigned p = 0; p < PASSES; p++)
            if (set->passes[i][p] > 0)
                values[have++] = set->passes[i][p];
        if (have < PASSES)
            continue;
        n++;
        double truth = median(values, PASSES);
        for (unsigned p = 0; p < PASSES; p++, singles++)
            single += fabs(values[p] - truth) <= 0.01 * truth;
        for (unsigned p = 0; p < PASSES; p += 2) {
            /* Adds passes until two agree, like the runner. */
            double lot[PASSES];
            unsigned count = 0;
            double best = NAN;
            for (unsigned q = 0; q < PASSES && isnan(best); q++) {
                lot[count++] = values[(p + q) % PASSES];
                double copy[PASSES];
                memcpy(copy, lot, sizeof copy);
                best = runner_confirmed(copy, count);
            }
            confirmations++;
            confirmed += fabs(best - truth) <= 0.01 * truth;
        }
        nominal += fabs(set->naive[i] - truth) <= 0.01 * truth;
        scaled += fabs(set->naive[i] * clock_per_tick - truth) <= 0.01 * truth;
    }
    printf("%-11s %5zu of %5zu  one pass %6.2f %%  confirmed %6.2f %%  naive, nominal clock %6.2f "
           "%%  naive, true clock %6.2f %%   %6.0f a second and pass, naive %4.0f\n",
           set->name, n, set->n, 100.0 * (double)single / (double)singles,
           100.0 * (double)confirmed / (double)confirmations, 100.0 * (double)nominal / (double)n,
           100.0 * (double)scaled / (double)n, PASSES * (double)set->n / set->seconds,
           (double)set->n / set->naive_seconds);
}

static void set_alloc(struct set *set, const char *name, size_t n)
{
    *set = (struct set){.name = name,
                        .e = mem_zero(n, sizeof *set->e),
                        .n = n,
                        .passes = mem_zero(n, sizeof *set->passes),
                        .naive = mem_zero(n, sizeof *set->naive)};
}

static void set_done(struct set *set)
{
    for (size_t i = 0; i < set->n; i++)
        experiment_done(&set->e[i]);
    free(set->e);
    free(set->passes);
    free(set->naive);
}

int main(int argc, char **argv)
{
    size_t requested = argc > 1 ? strtoul(argv[1], NULL, 10) : 700, usable = 0;
    struct err err = {0};
    struct rng rng;
    struct set singles, pairs;
    char name[64];

    rng_seed(&rng, argc > 2 ? strtoul(argv[2], NULL, 10) : 1);
    struct forms *forms = forms_load(isa_host(), NULL, &err);
    struct source *source = forms ? source_cpu(forms, -1, 0, NULL, NULL, NULL, &err) : NULL;
    if (!source)
        die("%s", err.what);
    const struct form_row **rows = mem_alloc(forms_count(forms) * sizeof *rows);
    for (size_t i = 0; i < forms_count(forms); i++)
        if (is_selected(forms_at(forms, i)) &&
            !form_measurable(forms_at(forms, i), (char[256]){0}, 256))
            rows[usable++] = forms_at(forms, i);
    for (size_t i = usable; i > 1; i--) {
        size_t k = rng_below(&rng, i);
        const struct form_row *swap = rows[i - 1];
        rows[i - 1] = rows[k];
        rows[k] = swap;
    }
    size_t n = requested < usable ? requested : usable;
    set_alloc(&singles, "singletons", n);
    set_alloc(&pairs, "pairs", n);
    for (size_t i = 0; i < n; i++) {
        experiment_add(&singles.e[i], rows[i]->form, 1);
        for (;;) {
            const struct form_row *other = rows[rng_below(&rng, n)];
            bool sse = strncmp(rows[i]->extension, "SSE", 3) == 0 ||
                       strncmp(rows[i]->extension, "SSSE", 4) == 0,
                 other_sse = strncmp(other->extension, "SSE", 3) == 0 ||
                             strncmp(other->extension, "SSSE", 4) == 0;
            if (other == rows[i] || sse != other_sse)
                continue;
            experiment_add(&pairs.e[i], rows[i]->form, 1);
            experiment_add(&pairs.e[i], other->form, 1 + (uint32_t)rng_below(&rng, 3));
            break;
        }
    }
    const struct calibration *c = source_cpu_calibration(source);
    printf("%s: clock %.3f GHz, time stamps %.3f GHz; %zu forms can be measured of those asked "
           "for; a busy process runs on another CPU\nwithin 1 %% of the median of eight passes:\n",
           cpu_name(name, sizeof name), c->clock_hz / 1e9, c->tick_hz / 1e9, usable);
    if (n) {
        pid_t busy = busy_start(c->cpu);
        measure_passes(source, &singles);
        measure_passes(source, &pairs);
        measure_naive(source, forms, &singles);
        measure_naive(source, forms, &pairs);
        kill(busy, SIGKILL);
        waitpid(busy, NULL, 0);
        report(&singles, c->clock_hz / c->tick_hz);
        report(&pairs, c->clock_hz / c->tick_hz);
    }
    measure_cost(source, forms, rows, usable);
    measure_under_load(source, rows, usable < LOAD_FORMS ? usable : LOAD_FORMS, LOAD_PATIENCE);
    set_done(&singles);
    set_done(&pairs);
    source_free(source);
    free(rows);
    forms_free(forms);
    return 0;
}
