/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Page faults of allocations, by hand and compared with the C library's allocator in a child
 * process, which is this program with the number of a case as argument. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "program/heap.h"
#include "../support/support.h"

#define CASES 88
#define STEPS 60
#define ARRAYS 12
#define LIVE 50
#define EVENTS 8192
#define NOISE 24.0 /* page faults of the C library and of the process's start */

typedef VEC(struct heap_event) event_list;

static uint32_t take(event_list *events, double size, uint32_t of)
{
    vec_push(events, ((struct heap_event){.size = size, .of = of, .block = HEAP_NONE}));
    return (uint32_t)events->count - 1;
}

/* Makes the events of case @number: temporaries of every step, growing buffers, or arrays allocated
 * and freed in any order. */
static void make(unsigned number, event_list *events)
{
    struct rng rng;
    const unsigned kind = number % 4;

    rng_seed(&rng, number);
    const double size = exp2(10 + 0.5 * (number / 4 % 22));
    if (kind == 0)
        for (unsigned step = 0; step < STEPS; step++) {
            uint32_t at[ARRAYS];
            const unsigned count = 1 + number % ARRAYS;
            for (unsigned i = 0; i < count; i++)
                at[i] = take(events, size * (1 + i % 3), HEAP_NONE);
            for (unsigned i = 0; i < count; i++)
                take(events, 0, at[i]);
        }
    if (kind == 1)
        for (unsigned step = 0; step < STEPS / 6; step++) {
            uint32_t at = take(events, 64, HEAP_NONE);
            for (double bytes = 128; bytes < 16 * size; bytes *= 2)
                at = take(events, bytes, at);
            take(events, 0, at);
        }
    uint32_t live[LIVE];
    unsigned count = 0;
    for (unsigned i = 0; kind > 1 && i < 10 * STEPS; i++) {
        const bool more = count == 0 || (count < LIVE && rng_below(&rng, 2));
        if (more) {
            live[count++] =
                take(events, ceil(size * (kind == 2 ? 1 : rng_unit(&rng))) + 1, HEAP_NONE);
            continue;
        }
        const unsigned which = (unsigned)rng_below(&rng, count);
        take(events, 0, live[which]);
        live[which] = live[--count];
    }
}

static long faults_now(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_minflt;
}

/* Prints the number of page faults that case @number causes with the C library's allocator. Returns
 * 1 if memory is missing. */
static int replay(unsigned number)
{
    /* Static, so that the heap has only the replay's blocks. */
    static struct heap_event room[EVENTS];
    static char *at[EVENTS];
    event_list events = {room, 0, EVENTS};

    make(number, &events);
    const long before = faults_now();
    for (size_t i = 0; i < events.count; i++) {
        const struct heap_event *e = &events.items[i];
        char *old = e->of == HEAP_NONE ? NULL : at[e->of];
        if (!(e->size > 0)) {
            free(old);
            continue;
        }
        at[i] = realloc(old, (size_t)e->size);
        if (!at[i])
            return 1;
        memset(at[i], 1, (size_t)e->size);
    }
    printf("%ld\n", faults_now() - before);
    return 0;
}

static double sum_of(const event_list *events, bool returns)
{
    double *faults = mem_alloc((events->count + 1) * sizeof *faults), sum = 0;

    heap_faults(events->items, events->count, returns, faults);
    for (size_t i = 0; i < events->count; i++)
        sum += faults[i];
    free(faults);
    return sum;
}

static const char *own_path;

static void test_against_the_library(void **state)
{
    static const struct child_limits limits = {.cpu_seconds = 60,
                                               .memory = (size_t)8 << 30,
                                               .file_size = 4096,
                                               .wall_seconds = 120,
                                               .output = 4096};
    double off = 0, all = 0;

#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* The allocator is not glibc's. */
#endif
    for (unsigned number = 0; number < CASES; number++) {
        event_list events = {0};
        struct child_result result;
        struct err err = {0};
        char text[16];
        snprintf(text, sizeof text, "%u", number);
        const char *argv[] = {own_path, text, NULL};
        make(number, &events);
        assert_true(child_run(argv, "/", NULL, 0, &limits, &result, &err));
        assert_true(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0);
        const double truth = strtod(str_text(&result.output), NULL), sum = sum_of(&events, true);
        if (fabs(sum - truth) > NOISE + 0.1 * truth)
            fail_msg("case %u: %g page faults, the library has %g", number, sum, truth);
        off += fmax(0, fabs(sum - truth) - NOISE);
        all += truth;
        child_result_done(&result);
        vec_done(&events);
    }
    assert_true(off < 0.02 * all);
}

/* Every step allocates and frees two arrays of 800,000 bytes. The first two are mapped. Later the
 * heap grows by both in every step, and shrinks again. */
static void test_temporaries(void **state)
{
    event_list events = {0};
    double faults[12];

    for (int step = 0; step < 3; step++) {
        uint32_t a = take(&events, 800000, HEAP_NONE), b = take(&events, 800000, HEAP_NONE);
        take(&events, 0, a);
        take(&events, 0, b);
    }
    heap_faults(events.items, events.count, true, faults);
    assert_true(faults[0] == 196 && faults[1] == 196 && faults[2] == 0 && faults[3] == 0);
    assert_true(faults[4] + faults[5] == 391); /* 1,600,032 bytes */
    /* The top of the heap retains 128 KiB. */
    assert_true(faults[8] + faults[9] > 350 && faults[8] + faults[9] < 391);
    heap_faults(events.items, events.count, false, faults);
    assert_true(faults[0] + faults[1] == 391 && faults[4] + faults[5] + faults[8] + faults[9] == 0);
    vec_done(&events);
}

/* Small blocks are never returned to the system. Invalid events have no effect: frees of freed or
 * unknown blocks, and impossible sizes. */
static void test_small(void **state)
{
    event_list events = {0};

    for (int step = 0; step < 100; step++)
        take(&events, 0, take(&events, 1000, HEAP_NONE));
    assert_true(sum_of(&events, true) == 1);
    take(&events, 0, 0); /* This block was freed. */
    take(&events, 0, HEAP_NONE);
    take(&events, 0, 100000);
    take(&events, INFINITY, HEAP_NONE);
    take(&events, NAN, HEAP_NONE);
    assert_true(sum_of(&events, true) == 1);
    vec_done(&events);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_temporaries),
                                       cmocka_unit_test(test_small),
                                       cmocka_unit_test(test_against_the_library)};

    if (argc > 1)
        return replay((unsigned)strtoul(argv[1], NULL, 10));
    own_path = "/proc/self/exe";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
