/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cycles per iteration from timed blocks whose counter advances in coarse steps: 10 ns on Zen,
 * whatever the clock of the core. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "insitu/budget.h"
#include "insitu/insitu.h"
#include "insitu/maps.h"
#include "insitu/others.h"
#include "../support/support.h"

#define BLOCKS 2000
#define ITERATIONS 4000

/* A counter of which only multiples of @step are visible, and a core. */
struct coarse {
    double step, ticks_per_cycle, overhead, at;
    struct rng rng;
};

/* Returns the counter after @cycles, and the overhead of reading it if @reads. */
static uint64_t pass(struct coarse *c, double cycles, bool reads)
{
    c->at += cycles * c->ticks_per_cycle + (reads ? c->overhead : 0);
    return (uint64_t)(floor(c->at / c->step) * c->step);
}

/* Adds blocks of a loop of @each cycles to @x. */
static void run(struct coarse *c, double each, struct insitu *x)
{
    uint32_t before = 0;

    for (int i = 0; i <= BLOCKS; i++) {
        const uint64_t start = pass(c, 100 * rng_unit(&c->rng), false);
        const uint64_t end = pass(c, STAMP_CYCLES, true);
        const uint32_t after = (uint32_t)(end - start);
        const uint64_t stop = pass(c, each * ITERATIONS, false);
        if (i)
            vec_push(&x->placed.timed, ((struct timed_block){.ticks = stop - end,
                                                             .kind = BLOCK_COPY,
                                                             .clock = {before, after},
                                                             .iterations = ITERATIONS}));
        before = after;
    }
}

/* All steps of counters and clocks of cores give the same cycles. */
static void test_coarse_counter(void **state)
{
    static const double steps[] = {1, 2, 21, 36}, clocks[] = {3.0, 3.7, 4.1, 5.5};
    static const double loops[] = {1.5, 4, 16.25};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (size_t k = 0; k < sizeof clocks / sizeof *clocks; k++)
            for (size_t l = 0; l < sizeof loops / sizeof *loops; l++) {
                /* a counter of 10 ns, except for the first two steps */
                struct coarse c = {.step = steps[i],
                                   .ticks_per_cycle = (steps[i] > 2 ? steps[i] / 10 : 2.1) /
                                                      clocks[k],
                                   .overhead = 30};
                struct insitu x = {.ticks_per_cycle = c.ticks_per_cycle,
                                   .ticks_per_chain = c.overhead,
                                   .ticks_per_visit = NAN};
                bool alone;
                rng_seed(&c.rng, 7 + l);
                run(&c, loops[l], &x);
                const double cycles = insitu_cycles(&x, INSITU_TYPICAL, &alone);
                if (fabs(cycles - loops[l]) > 0.004 * loops[l])
                    fail_msg("steps of %g ticks, %g GHz: %.3f cycles instead of %.3f", steps[i],
                             clocks[k], cycles, loops[l]);
                vec_done(&x.placed.timed);
            }
}

/* Blocks with a change of the clock, or an interruption, do not count. */
static void test_disturbed_blocks(void **state)
{
    struct coarse c = {.step = 21, .ticks_per_cycle = 0.5, .overhead = 30};
    struct insitu x = {.ticks_per_cycle = 0.5, .ticks_per_chain = 30, .ticks_per_visit = NAN};
    bool alone;

    rng_seed(&c.rng, 3);
    run(&c, 4, &x);
    for (size_t i = 0; i < x.placed.timed.count; i += 5)
        x.placed.timed.items[i].ticks *= 3;
    for (size_t i = 1; i < x.placed.timed.count; i += 5)
        x.placed.timed.items[i].clock[1] *= 2;
    assert_true(fabs(insitu_cycles(&x, INSITU_TYPICAL, &alone) - 4) < 0.02);
    vec_done(&x.placed.timed);
}

/* Data may make a loop slow for some blocks in a row. They count, and a single slow block between
 * fast ones does not. */
static void test_slow_data(void **state)
{
    struct insitu x = {.ticks_per_cycle = 1, .ticks_per_chain = 0, .ticks_per_visit = NAN};
    bool alone;

    for (uint64_t i = 0; i < 1000; i++)
        vec_push(&x.placed.timed,
                 ((struct timed_block){.ticks = i / 5 % 2 ? 80000 : 4000,
                                       .clock = {STAMP_CYCLES, STAMP_CYCLES},
                                       .iterations = 1000}));
    assert_true(fabs(insitu_cycles(&x, INSITU_TYPICAL, &alone) - 42) < 0.01);
    for (size_t i = 0; i < x.placed.timed.count; i++)
        x.placed.timed.items[i].ticks = i % 20 == 7 ? 80000 : 4000;
    assert_true(fabs(insitu_cycles(&x, INSITU_TYPICAL, &alone) - 4) < 0.01);
    vec_done(&x.placed.timed);
}

/* Timings are samples of the program's time. Half of the time is spent in a phase of 2 cycles per
 * iteration, which therefore has most of the iterations, and half in a phase of 18. */
static void test_phases(void **state)
{
    struct insitu x = {.ticks_per_cycle = 1, .ticks_per_chain = 0, .ticks_per_visit = NAN};
    const double cycles[2] = {2, 18}, time = 1e6;
    double iterations = 0, all;
    bool alone;

    for (uint32_t i = 0; i < 400; i++)
        vec_push(&x.placed.timed,
                 ((struct timed_block){.ticks = i / 20 % 2 ? 18000 : 2000,
                                       .clock = {STAMP_CYCLES, STAMP_CYCLES},
                                       .iterations = 1000,
                                       .batch = i / 20}));
    for (int phase = 0; phase < 2; phase++)
        iterations += time / cycles[phase];
    all = 2 * time / iterations;
    assert_true(fabs(insitu_cycles(&x, INSITU_TYPICAL, &alone) - all) < 0.01);
    vec_done(&x.placed.timed);
}

/* The longest blocks are those in which the thread waited for its CPU. Blocks that waited do not
 * count. */
static void test_waits(void **state)
{
    struct insitu x = {.ticks_per_cycle = 1, .ticks_per_chain = 0, .ticks_per_visit = NAN};
    size_t waited = 0;
    bool alone;

    for (uint64_t i = 0; i < 100; i++)
        vec_push(&x.placed.timed,
                 ((struct timed_block){.ticks = i >= 50 && i % 10 == 1 ? 1000000 : 4000,
                                       .clock = {STAMP_CYCLES, STAMP_CYCLES},
                                       .iterations = 1000}));
    placed_mark_waited(x.placed.timed.items, x.placed.timed.count, 5);
    for (size_t i = 0; i < x.placed.timed.count; i++) {
        waited += x.placed.timed.items[i].waited;
        assert_int_equal(x.placed.timed.items[i].waited, x.placed.timed.items[i].ticks > 4000);
    }
    assert_int_equal(waited, 5);
    assert_true(fabs(insitu_cycles(&x, INSITU_TYPICAL, &alone) - 4) < 0.01);
    placed_mark_waited(x.placed.timed.items, x.placed.timed.count, 1000);   /* all */
    assert_true(isnan(insitu_cycles(&x, INSITU_TYPICAL, &alone)));
    vec_done(&x.placed.timed);
}

/* Adds @count blocks, of which three of @every take @slow cycles per iteration
 * and the others 4. Returns the result with and without other processes. */
static void with_slow(struct insitu *x, uint64_t count, uint64_t every, uint64_t slow,
                      double cycles[2])
{
    bool alone;

    x->placed.timed.count = 0;
    for (uint64_t i = 0; i < count; i++)
        vec_push(&x->placed.timed,
                 ((struct timed_block){.ticks = 1000 * (i % every < 3 ? slow : 4),
                                       .clock = {STAMP_CYCLES, STAMP_CYCLES},
                                       .iterations = 1000}));
    for (int busy = 0; busy < 2; busy++) {
        x->others = busy;
        cycles[busy] = insitu_cycles(x, INSITU_TYPICAL, &alone);
    }
}

/* On a busy host, moderately slow blocks are disturbed. Very slow ones are due to the data. On a
 * quiet host, both count. */
static void test_busy_host(void **state)
{
    struct insitu x = {.ticks_per_cycle = 1, .ticks_per_chain = 0, .ticks_per_visit = NAN};
    double cycles[2];

    with_slow(&x, 1200, 6, 8, cycles);
    assert_true(fabs(cycles[0] - 6) < 0.02);
    assert_true(fabs(cycles[1] - 4) < 1e-9);
    assert_int_equal(insitu_disturbed(&x), 450);
    x.others = NAN;
    assert_false(insitu_busy(&x));
    assert_int_equal(insitu_disturbed(&x), 0);
    with_slow(&x, 1200, 6, 80, cycles);
    assert_true(fabs(cycles[0] - 42) < 0.2 && cycles[0] == cycles[1]);
    vec_done(&x.placed.timed);
}

/* A block of visits has about 4000 iterations, and takes at most 0.5 ms with the time between its
 * visits, unless a single visit takes longer. */
static void test_visit_periods(void **state)
{
    static const struct {
        uint64_t ticks, leaves, period;
    } visits[] = {{40000, 40, 40}, {40000, 400, 400}, {40000, 4, 4}, {4000000, 40, 10},
                  {4000000, 400, 100}, {400000000, 40, 1}, {40000, 0, 1}};
    struct insitu x = {.copies.times[COPY_TIME] = 8};

    assert_int_equal(insitu_period(&x, COPY_VISIT, 2e9), 1);
    assert_int_equal(insitu_period(&x, COPY_TIME, 2e9), 250);
    for (size_t i = 0; i < sizeof visits / sizeof *visits; i++) {
        vec_push(&x.placed.timed, ((struct timed_block){.ticks = visits[i].ticks,
                                                        .leaves = visits[i].leaves,
                                                        .kind = BLOCK_VISITS,
                                                        .iterations = 4000}));
        assert_int_equal(insitu_period(&x, COPY_VISIT, 2e9), visits[i].period);
        /* A pass of all copies has 8 iterations. */
        assert_int_equal(insitu_period(&x, COPY_TIME, 2e9), visits[i].ticks <= 1000000 ? 501
                                                            : visits[i].ticks < 100000000 ? 125
                                                                                          : 16);
        x.placed.timed.count = 0;
    }
    vec_done(&x.placed.timed);
}

/* Adds blocks of 1000 iterations with @leaves exits and @away ticks outside. */
static void add_visits(struct insitu *x, enum block_kind kind, uint64_t ticks, uint64_t leaves,
                       uint64_t away)
{
    for (uint64_t i = 0; i < 100; i++)
        vec_push(&x->placed.timed, ((struct timed_block){.ticks = ticks,
                                                         .leaves = leaves,
                                                         .kind = kind,
                                                         .away = away,
                                                         .clock = {STAMP_CYCLES, STAMP_CYCLES},
                                                         .iterations = 1000,
                                                         .batch = kind}));
}

/* An inner loop of 3 cycles, with 5 iterations per visit and 2 cycles per iteration for the outer
 * loop, runs for 250 iterations before 1000 cycles outside of both. The stamp of an exit takes 30.
 * A nest that exits after 50 iterations is too short. If the copy with stamped exits takes 7 cycles
 * longer per iteration, this difference is subtracted. */
static void test_nest(void **state)
{
    struct insitu x = {.ticks_per_cycle = 1, .ticks_per_chain = 0, .ticks_per_visit = 30,
                       .moments = 3};
    bool alone;

    assert_false(insitu_useful(&x, COPY_NEST));   /* No visits were timed. */
    add_visits(&x, BLOCK_COPY, 9000, 200, 0);
    add_visits(&x, BLOCK_VISITS, 9000 + 200 * 30, 200, 6000);
    assert_true(insitu_short(&x));
    assert_false(insitu_useful(&x, COPY_VISIT));
    assert_true(insitu_useful(&x, COPY_NEST) && !insitu_nest(&x));
    assert_true(fabs(insitu_cycles(&x, INSITU_TYPICAL, &alone) - 9) < 1e-9 && !alone);
    add_visits(&x, BLOCK_NEST, 9000 + 4 * 30, 4, 4000);
    assert_true(insitu_useful(&x, COPY_NEST) && insitu_nest(&x));
    assert_true(fabs(insitu_cycles(&x, INSITU_TYPICAL, &alone) - 5) < 1e-9 && !alone);
    assert_true(fabs(insitu_cycles_whole(&x) - 5) < 1e-9);
    assert_true(fabs(insitu_trip(&x) - 5) < 1e-9);
    x.placed.timed.count = 100;   /* The stamps take as long as the visits. */
    add_visits(&x, BLOCK_VISITS, 200 * 30, 200, 10);
    assert_true(insitu_short(&x) && insitu_useful(&x, COPY_NEST));
    x.placed.timed.count = 100;
    add_visits(&x, BLOCK_VISITS, 9000 + 200 * 30, 200, 6000);
    x.region.calls = x.region.unresumed = 1;
    assert_false(insitu_useful(&x, COPY_NEST));
    x.region.unresumed = 0;
    x.placed.timed.count = 200;
    add_visits(&x, BLOCK_NEST, 9000 + 20 * 30, 20, 4000);
    assert_false(insitu_useful(&x, COPY_NEST) || insitu_nest(&x));
    assert_true(fabs(insitu_cycles(&x, INSITU_TYPICAL, &alone) - 9) < 1e-9);
    x.region.each_away = true;
    x.placed.timed.count = 200;
    add_visits(&x, BLOCK_NEST, 9000 + 7000 + 30, 1, 4000);
    assert_true(insitu_useful(&x, COPY_NEST) && insitu_nest(&x));
    assert_true(fabs(insitu_cycles(&x, INSITU_TYPICAL, &alone) - 5) < 1e-9 && !alone);
    assert_true(fabs(insitu_cycles(&x, 0.1, &alone) - 5) < 1e-9);
    vec_done(&x.placed.timed);
}

/* Without a measured overhead of stamps, visits are not timed for ever, and neither they nor nests
 * give a time. A loop without exits has no such overhead. */
static void test_unknown_overhead(void **state)
{
    struct insitu x = {.ticks_per_cycle = 1, .ticks_per_chain = 0, .ticks_per_visit = NAN};
    bool alone;

    add_visits(&x, BLOCK_COPY, 9000, 0, 0);
    add_visits(&x, BLOCK_VISITS, 9000, 0, 0);
    assert_false(insitu_short(&x));
    add_visits(&x, BLOCK_VISITS, 90000, 10, 6000);
    assert_true(insitu_short(&x) && insitu_useful(&x, COPY_VISIT));
    x.moments = 3;
    assert_true(!insitu_useful(&x, COPY_VISIT) && insitu_useful(&x, COPY_NEST));
    x.ticks_per_visit = 30;
    assert_true(!insitu_short(&x) && insitu_useful(&x, COPY_VISIT));
    /* COPY_NEST takes longer than COPY_TIME, which was not timed. */
    x.placed.timed.count = 0;
    x.region.each_away = true;
    add_visits(&x, BLOCK_NEST, 16000, 1, 0);
    assert_true(!insitu_nest(&x) && isnan(insitu_cycles(&x, INSITU_TYPICAL, &alone)));
    vec_done(&x.placed.timed);
}

/* Copies are made only if the time that they and the page faults after them may cost is left. */
static void test_budget(void **state)
{
    struct watch_budget b = {.page = 1e-5, .stopped = 0.1};

    assert_true(fabs(budget_left(&b, 1) - BUDGET_SHARE - BUDGET_SECONDS + 0.1) < 1e-9);
    /* Each page in memory may be written after the first copies. */
    const double pages = (double)maps_faults(getpid()).resident;
    assert_true(fabs(budget_copies(&b, getpid()) - 1e-5 * pages) < 5e-3);
    b.moment = 0.01;   /* Half of the time is for copies. */
    b.page = 1;
    assert_true(!budget_moment(&b, getpid(), 1) && budget_moment(&b, getpid(), 2));
    b.page = 1e-5;
    budget_copy(&b, getpid(), 0.02);
    assert_true(b.faults == 0 && budget_lost(&b) < 0.2);   /* Nothing was copied before. */
    assert_true(budget_copies(&b, getpid()) >= 0.02);
    const uint64_t copied = maps_copied(&b.copied);
    budget_copy(&b, getpid(), 0.01);
    assert_true(b.faults >= 1e-5 * (double)copied && b.pages >= 2 * (double)copied);
    /* The lost time is at most 15 % of the remaining time. */
    assert_true(BUDGET_SHARE / (1 - BUDGET_SHARE) <= 0.15);
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The cost of a patch is the median of the measured ones, unless they differ too much. The
 * deviation of the medians of 200 random samples gives the same limit. */
static void test_patch_cost(void **state)
{
    static const struct { double spread; bool known; } cases[] = {{1, true}, {5, true},
                                                                 {200, false}, {1000, false}};
    (void)state;

    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct rng rng;
        double squares = 0, count = 0, last = NAN;
        for (int i = 0; i < 200; i++) {
            struct insitu x = {.seconds = 1};
            double values[101];
            rng_seed(&rng, 1000 * n + (size_t)i);
            for (size_t k = 0; k < 101; k++) {
                values[k] = 3 + cases[n].spread * (rng_unit(&rng) - rng_unit(&rng));
                vec_push(&x.placed.patches, values[k]);
            }
            qsort(values, 101, sizeof *values, by_value);
            squares += (values[50] - 3) * (values[50] - 3);
            last = insitu_patch(&x);
            if (cases[n].known)
                assert_true(last == fmax(values[50], 0));
            count += !isnan(last);
            vec_done(&x.placed.patches);
        }
        assert_true(cases[n].known == (2 * sqrt(squares / 200) < 2.5));
        assert_true(cases[n].known ? count == 200 : count < 2);
    }
}

/* Memory on huge pages is found, whatever the pages of mappings at higher addresses are. */
static void test_huge_pages(void **state)
{
    const size_t bytes = (size_t)8 << 20, huge = (size_t)2 << 20;
    uint64_t addresses[2];

    uint8_t *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(all, MAP_FAILED);
    uint8_t *small = all, *large = all + huge;
    assert_int_equal(madvise(small, huge, MADV_NOHUGEPAGE), 0);
    const bool may = madvise(large, bytes - 2 * huge, MADV_HUGEPAGE) == 0;
    assert_int_equal(madvise(all + bytes - huge, huge, MADV_NOHUGEPAGE), 0);
    memset(all, 1, bytes);
    addresses[0] = (uint64_t)(uintptr_t)small;
    addresses[1] = (uint64_t)(uintptr_t)large;
    assert_true(maps_huge(getpid(), addresses, 1) == 0);
    const double share = maps_huge(getpid(), addresses + 1, 1);
    /* the system may have no huge pages */
    assert_true(share == 0 || (may && share == 1));
    assert_true(maps_huge(getpid(), addresses, 2) == share / 2);
    munmap(all, bytes);
}

/* The busy time of all CPUs excludes idle time and waits for devices. */
static void test_others(void **state)
{
    char text[] = "cpu  100 20 30 5000 400 6 7 8 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
         bad[] = "cpus 1";
    FILE *stat = fmemopen(text, sizeof text - 1, "r"), *no = fmemopen(bad, sizeof bad - 1, "r");

    assert_true(fabs(others_busy(stat, 100) - 1.63) < 1e-12);
    assert_true(isnan(others_busy(no, 100)));
    fclose(stat);
    fclose(no);
    const double before = others_seconds();
    assert_true(isnan(before) || others_seconds() > before - 1);
}

/* Pages that are written while a copy of the process exists count, unlike those accessed for the
 * first time. */
static void test_copied_pages(void **state)
{
    /* The kernel counts resident pages in batches per thread and CPU, which MORE exceeds. */
    enum { PAGES = 8000, WRITTEN = 4000, PAGE = 4096, MORE = 400 };
    const struct maps_faults none = {0};
    int wait[2];
    char end;

    volatile uint8_t *all = mmap(NULL, 2 * PAGES * PAGE, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(all, MAP_FAILED);
    assert_int_equal(madvise((void *)all, 2 * PAGES * PAGE, MADV_NOHUGEPAGE), 0);
    for (unsigned i = 0; i < PAGES; i++)
        all[i * PAGE] = 1;
    assert_int_equal(pipe(wait), 0);
    const pid_t copy = fork();
    if (!copy) {
        close(wait[1]);
        _exit(read(wait[0], &end, 1) < 0);
    }
    assert_true(copy > 0);
    const struct maps_faults then = maps_faults(getpid());
    assert_int_equal(then.pid, getpid());
    for (unsigned i = 0; i < WRITTEN; i++)
        all[i * PAGE] = 2;
    for (unsigned i = PAGES; i < 2 * PAGES; i++)
        all[i * PAGE] = 1;
    assert_in_range(maps_copied(&then), WRITTEN - MORE, WRITTEN + MORE);
    assert_int_equal(maps_copied(&none), 0);
    close(wait[1]);
    assert_int_equal(waitpid(copy, NULL, 0), copy);
    close(wait[0]);
    munmap((void *)all, 2 * PAGES * PAGE);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarse_counter),
        cmocka_unit_test(test_disturbed_blocks),
        cmocka_unit_test(test_slow_data),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_busy_host),
        cmocka_unit_test(test_patch_cost),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_visit_periods),
        cmocka_unit_test(test_nest),
        cmocka_unit_test(test_huge_pages),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_unknown_overhead),
        cmocka_unit_test(test_copied_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
