/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops of thousands of instructions. The work of an analysis grows linearly with the length, and
 * ends soon after it is cancelled. Work is counted in steps (base/steps.h). The test reads no
 * clock. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/str.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "report/report.h"
#include "simulate/simulate.h"
#include "../support/support.h"

#define RATIO 2.5
#define INSNS 10000
/* maximum number of steps after cancelling, because a stage traverses the loop once or twice */
#define SOON (8 * INSNS)

static struct session session;

/* mov [rsp+d],al and mov rbx,[rsp+d], which must wait until the store is in the cache; mov
 * rax,[rax]; add rax,rbx and adc rcx,[rsp+d] */
static const char *const pairs[] = {"888424%02x%02x0000"
                                    "488b9c24%02x%02x0000",
                                    "488b00"
                                    "488b00",
                                    "4801d8"
                                    "48138c24%02x%02x0000"};

static struct kernel *loop_of(const char *pair, size_t count)
{
    struct str hex = {0};
    struct err err = {0};

    for (size_t i = 0; i < count / 2; i++) {
        unsigned low = 8 * i % 256, high = 8 * i / 256 % 64;
        str_addf(&hex, pair, low, high, low, high);
    }
    struct kernel *k = kernel_from_hex(ISA_X86_64, str_text(&hex), &err);
    if (!k)
        fail_msg("%s", err.what);
    str_done(&hex);
    return k;
}

static uint64_t steps_of(const char *pair, size_t count)
{
    struct err err = {0};
    struct kernel *k = loop_of(pair, count);
    uint64_t before = steps_taken;

    analysis_free(analysis_new(k, 0, session_machine(&session, "sapphirerapids", &err)));
    uint64_t taken = steps_taken - before;
    kernel_free(k);
    return taken;
}

static void test_growth(void **state)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint64_t once = steps_of(pairs[i], 2000), twice = steps_of(pairs[i], 4000);
        if (once < 2000 || (double)twice > RATIO * (double)once)
            fail_msg("%s: %llu steps for 2,000 instructions, %llu for 4,000", pairs[i],
                     (unsigned long long)once, (unsigned long long)twice);
    }
}

/* Returns true from the @left-th poll on, and records the step count at that poll. */
struct ending {
    unsigned left;
    uint64_t said;
};

static bool over(void *state)
{
    struct ending *e = state;

    if (e->left && --e->left)
        return false;
    e->said = e->said ? e->said : steps_taken;
    return true;
}

static void analyse(const struct kernel *k, struct machine *m)
{
    struct analysis *a = analysis_new(k, 0, m);
    struct result *result = result_new();

    report_add(k, 0, &a, 1, false, result);
    result_free(result);
    analysis_free(a);
}

static void simulate_it(const struct kernel *k, struct machine *m)
{
    struct simulation sim;
    struct bounds bounds;

    simulate_kernel(k, 0, m, &(struct simulate_options){.timeline = 3}, &sim, &bounds);
    simulation_done(&sim);
}

/* In each stage, the work ends soon after it is cancelled. */
static void test_early_end(void **state)
{
    static void (*const works[])(const struct kernel *k, struct machine *m) = {analyse,
                                                                               simulate_it};
    struct err err = {0};
    struct machine *m = session_machine(&session, "sapphirerapids", &err);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct kernel *k = loop_of(pairs[i], INSNS);
        for (size_t w = 0; w < 2; w++)
            for (unsigned questions = 1; questions <= 17; questions += 4) {
                struct ending ending = {questions, 0};
                struct watch before = watch_begin(over, &ending);
                works[w](k, m);
                watch_restore(before);
                if (questions == 1 && !ending.said)
                    fail_msg("nobody asked");
                if (ending.said && steps_taken - ending.said > SOON)
                    fail_msg("%s: %llu steps after the end of work %zu", pairs[i],
                             (unsigned long long)(steps_taken - ending.said), w);
            }
        kernel_free(k);
    }
}

/* Work with quadratic cost is rejected above a certain length. */
static void test_limits(void **state)
{
    struct err err = {0};
    struct str line = {0};
    str_add(&line, "kernel hex ");
    for (size_t i = 0; i < 501; i++)
        str_add(&line, "4801d8");
    assert_true(command_run(&session, str_text(&line), NULL, &err));
    assert_false(command_run(&session, "kernel blame", NULL, &err));
    if (isa_host() == ISA_X86_64)
        assert_string_equal(err.what,
                            "the loop has 501 instructions; kernel blame accepts at most 500");
    str_done(&line);
}

static int setup(void **state)
{
    session_init(&session);
    return 0;
}

static int teardown(void **state)
{
    session_done(&session);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth),
                                       cmocka_unit_test(test_early_end),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
