/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linked with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/rng.h"
#include "throughput/engine.h"
#include "throughput/throughput.h"
#include "tui/mainloop.h"
#include "../support/support.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static size_t allocations;
static pid_t self;   /* process id of this process; 0 if children may allocate */

static void count_allocation(void)
{
    allocations++;
    if (self && getpid() != self)
        _exit(99);
}

void *__wrap_malloc(size_t size)
{
    count_allocation();
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    count_allocation();
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    count_allocation();
    return __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    count_allocation();
    return __real_aligned_alloc(alignment, size);
}

#define MOST 200

/* The wrappers work, because they count the allocations of a workspace. */
static void test_counting(void **state)
{
    size_t before = allocations;
    throughput_free(throughput_new(4));
    assert_int_equal(allocations, before + 1);
    assert_true(sizeof(struct throughput) < 1u << 20);
}

static void test_masses(void **state)
{
    struct rng rng;
    rng_seed(&rng, 1);
    for (unsigned ports = 2; ports <= 32; ports += 5) {
        struct throughput *t = throughput_new(ports);
        for (size_t n = 1; n <= MOST; n = n * 2 + 1) {
            struct mass masses[MOST];
            portset bottleneck;
            for (size_t i = 0; i < n; i++)
                masses[i] = (struct mass){1 + (portset)rng_below(&rng, (1ull << ports) - 1),
                                          1 + (uint32_t)rng_below(&rng, 9)};
            size_t before = allocations;
            double cycles = throughput_of_masses(t, masses, n);
            assert_true(cycles > 0);
            assert_true(throughput_bottleneck(t, masses, n, &bottleneck) == cycles);
            for (unsigned method = 0; method < METHOD_COUNT; method++) {
                double again = throughput_by(t, method, masses, n);
                assert_true(isnan(again) || again == cycles);
            }
            assert_int_equal(allocations, before);
        }
        throughput_free(t);
    }
}

/* The child that becomes the user's editor allocates nothing. Another thread may hold the
 * allocator's lock at the fork, which would cause a deadlock. */
static void test_editor(void **state)
{
    struct err err = {0};

    setenv("VISUAL", "test -n", 1);
    self = getpid();
    assert_true(editor_run("x", 0, &err));
    assert_true(editor_run("x", 3, &err));
    setenv("VISUAL", "false", 1);
    assert_false(editor_run("x", 0, &err));
    self = 0;
}

/* A file name that looks like an option or a command of an editor is passed as an absolute path,
 * and never to a shell. */
static void test_editor_argument(void **state)
{
    static const char *const names[] = {
        "+:silent !touch acted", "-c :!touch acted", "--cmd", "@acted",
        "$(touch acted)",        "; touch acted",    "a b"};
    struct err err = {0};
    char here[4096], *there;

    there = getcwd(here, sizeof here);
    assert_non_null(there);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        /* sh -c 'script' NAME: the last word is the argument of the editor. */
        setenv("EXPECTED_DIRECTORY", here, 1);
        setenv("EXPECTED_NAME", names[i], 1);
        setenv("VISUAL",
               "sh -c 'test \"$1\" = \"$EXPECTED_DIRECTORY/$EXPECTED_NAME\" -a $# = 1' sh", 1);
        assert_true(editor_run(names[i], 0, &err));
        setenv("VISUAL", "sh -c 'test \"$1\" = \"$EXPECTED_NAME\"' sh", 1);
        assert_false(editor_run(names[i], 0, &err));
    }
    assert_int_equal(access("acted", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counting),
                                       cmocka_unit_test(test_masses), cmocka_unit_test(test_editor),
                                       cmocka_unit_test(test_editor_argument)};
    return cmocka_run_group_tests_name("no_allocation", tests, NULL, NULL);
}
