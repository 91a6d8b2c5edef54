/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribution of a deviation to a part of a program and a term, for inputs made by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program/blamed.h"
#include "../support/support.h"

/* Returns a loop of 10^9 iterations at 1 GHz, so one cycle per iteration takes one second. The
 * program takes 10 s. */
static struct blamed_part loop_part(double core, double predicted, double measured, double alone)
{
    return (struct blamed_part){.name = (char *)(uintptr_t) "main:3 loop",
                                .repeats = true,
                                .executions = 1e9,
                                .clock_hz = 1e9,
                                .predicted = predicted,
                                .measured = measured,
                                .off = 0.1,
                                .core = core,
                                .alone = alone,
                                .bottleneck = BOUND_PORTS,
                                .term = ""};
}

static void expect_term(struct blamed_part part, const char *term, const char *said)
{
    char *sentence = blamed_judge(&part, 1, 10, 10 + part.predicted - part.measured, 0);
    assert_string_equal(part.term, term);
    if (!strstr(sentence, said))
        fail_msg("\"%s\" lacks \"%s\"", sentence, said);
    free(sentence);
}

static void test_terms(void **state)
{
    struct blamed_part part;

    expect_term(loop_part(4, 4, 4.2, 4), "agrees", "The prediction agrees with the program");
    expect_term(loop_part(4, 4, 6, 6), "ports",
                "ports to blame; 6.00 cycles per iteration measured outside the program, predicted 4.00, in the "
                "program 6.00");
    part = loop_part(4, 4, 6, 5.5);
    part.bottleneck = BOUND_DEPENDENCIES;
    expect_term(part, "chain", "chain to blame");
    /* Measured alone, the loop takes the predicted time, so the surrounding program causes the
     * difference. */
    part = loop_part(4, 5, 8, 4);
    part.misses = 1;
    expect_term(part, "misses", "misses to blame");
    part.near = true; /* Data that fit in the first level cannot miss. */
    expect_term(part, "not explained", "not explained by the model");
    part.near = false;
    part.branches = 2.5;
    expect_term(part, "branch misses", "branch misses to blame");
    expect_term(loop_part(4, 4, 6, 4), "not explained", "not explained by the model");
    part = loop_part(4, 9, 5, 4);
    part.misses = 5;
    expect_term(part, "misses", "misses predicted too high");
    part = loop_part(4, 7, 4, 4);
    part.ends = 3;
    expect_term(part, "branch misses", "branch misses predicted too high");
    expect_term(loop_part(8, 8, 5, NAN), "ports", "ports");
    expect_term(loop_part(4, 4, 6, NAN), "not distinguished",
                "the loop could not be measured outside the program");
}

/* Wrong counts explain deviations that no model can explain, and are reported first. */
static void test_counts(void **state)
{
    struct blamed_part part = loop_part(4, 4, 8, 4), parts[] = {loop_part(4, 4, 7, 7), part};

    part.counts = -4;
    expect_term(part, "counts", "counts to blame");
    part.counts = 4; /* There are too many executions instead of too few. */
    expect_term(part, "not explained", "not explained");
    part = loop_part(4, 9, 5, 4);
    part.counts = 3.5;
    expect_term(part, "counts", "counts to blame");
    parts[1].counts = -4;
    char *sentence = blamed_judge(parts, 2, 10, 3, 0);
    assert_non_null(strstr(sentence, "counts to blame"));
    free(sentence);
    /* A block with 100 predicted and 150 counted executions: a factor of 1.5. */
    double predicted[] = {100}, counted[] = {150};
    struct program_run run = {.counts = predicted}, truth = {.counts = counted};
    uint32_t path[] = {0};
    struct code_part list[] = {{.blocks = {.items = path, .count = 1}}};
    struct code_parts of = {{.items = list, .count = 1}};
    part = loop_part(4, 4, 6, 4);
    blamed_part_count(&part, &of, &run, &truth);
    assert_true(part.counts == -2);
}

static void test_pages(void **state)
{
    struct blamed_system s = {1.5, 0.5, 1000, 300};

    assert_true(blamed_pages(&s, 2, 1.5));
    assert_false(blamed_pages(&s, 3, 1.5)); /* Most of the difference has another cause. */
    s.predicted = 1.45;
    assert_false(blamed_pages(&s, 2, 2)); /* Measured and predicted times agree. */
}

static void test_order(void **state)
{
    struct blamed_part parts[] = {loop_part(1, 1, 1.1, NAN), loop_part(1, 1, 3, NAN),
                                  loop_part(4, 4, 3, NAN)};

    for (size_t i = 0; i < 3; i++)
        parts[i].part = i;
    blamed_parts_sort(parts, 3);
    assert_int_equal(parts[0].part, 1);
    assert_int_equal(parts[1].part, 2);
    assert_int_equal(parts[2].part, 0);
    char *sentence = blamed_judge(parts, 3, 10, 7, 4);
    assert_non_null(strstr(sentence, "4.0000 s, is in libraries"));
    free(sentence);
}

/* Blocks 0 to 2 of function f. Blocks 1 and 2 are a loop's path of 1,000 executions, with one
 * two-way branch that takes the rarer direction 300 times. At 2 GHz 1,000 cycles are 0.5 µs. */
static void test_fill(void **state)
{
    struct program_block blocks[] = {{.line = 7}, {.line = 8, .two_way = true}, {.line = 9}};
    struct program_function function = {.name = (char *)(uintptr_t)"f", .block_count = 3};
    struct program p = {
        .blocks = blocks, .block_count = 3, .functions = &function, .function_count = 1};
    double counts[] = {1, 1000, 1000}, taken[] = {0, 300, 0};
    struct program_run run = {.counts = counts, .taken = taken};
    uint32_t path[] = {1, 2}, before[] = {0};
    struct code_part list[] = {
        {.loop = UINT32_MAX, .executions = 1, .blocks = {.items = before, .count = 1}},
        {.loop = 4, .repeats = true, .executions = 1000, .blocks = {.items = path, .count = 2}}};
    struct code_parts parts = {{.items = list, .count = 2}};
    struct part_time timed = {.block = 1,
                              .loop = 4,
                              .repeats = true,
                              .executions = 1000,
                              .core = 5,
                              .bottleneck = BOUND_DEPENDENCIES,
                              .stream = 600,
                              .latency = 400,
                              .ends = 200,
                              .calls = 100,
                              .cycles = 6300};
    struct program_time time = {.parts = {.items = &timed, .count = 1}};
    struct blamed_part part;

    blamed_part_fill(&part, &p, &run, &parts, 1, &time, 2e9, 16);
    assert_string_equal(part.name, "f:1 loop");
    assert_true(part.part == 1 && part.line == 8 && part.repeats && part.executions == 1000 &&
                part.core == 5 && part.bottleneck == BOUND_DEPENDENCIES && isnan(part.alone));
    assert_float_equal(part.predicted, 3.15e-6, 1e-12);
    assert_float_equal(part.misses, 0.5e-6, 1e-12);
    assert_float_equal(part.ends, 0.1e-6, 1e-12);
    assert_float_equal(part.calls, 0.05e-6, 1e-12);
    /* Mispredicted loop ends are predicted separately. */
    assert_float_equal(part.branches, (300 * 16 - 200) / 2e9, 1e-12);
    /* The deviation equals the largest cost of branch misses, so the cause is branch misses and not
     * cache misses. */
    part.measured = part.predicted + part.branches;
    part.alone = part.core;
    char *sentence = blamed_judge(&part, 1, part.measured, part.predicted, 0);
    assert_string_equal(part.term, "branch misses");
    assert_non_null(strstr(sentence, "f:1 loop takes"));
    free(sentence);
    blamed_part_done(&part);
    /* A branch that always has the same direction costs nothing. The loop's end belongs to no other
     * branch. */
    taken[1] = 1000;
    blamed_part_fill(&part, &p, &run, &parts, 1, &time, 2e9, 16);
    assert_true(part.branches == 0);
    part.measured = part.predicted * 2;
    part.alone = part.core;
    free(blamed_judge(&part, 1, part.measured, part.predicted, 0));
    assert_string_equal(part.term, "misses");
    blamed_part_done(&part);
    /* The code before the loop has no predicted time. */
    blamed_part_fill(&part, &p, &run, &parts, 0, &time, 2e9, 16);
    assert_string_equal(part.name, "f:0");
    assert_true(part.line == 7 && !part.repeats && part.predicted == 0 && part.misses == 0 &&
                part.branches == 0);
    blamed_part_done(&part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terms), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_counts), cmocka_unit_test(test_pages),
                                       cmocka_unit_test(test_fill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
