/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a program and which term is to blame, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program/blamed.h"

/* A loop of 10^9 iterations at 1 GHz: a cycle more is a second more. Of 10 s in all. */
static struct blamed_part loop_part(double core, double predicted, double measured, double alone)
{
    return (struct blamed_part){.name = (char *)(uintptr_t)"main:3 loop", .repeats = true, .executions = 1e9, .clock_hz = 1e9, .predicted = predicted, .measured = measured, .off = 0.1, .core = core,
                                .alone = alone, .bottleneck = BOUND_PORTS, .term = ""};
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

    (void)state;
    expect_term(loop_part(4, 4, 4.2, 4), "agrees", "prediction and program agree");
    expect_term(loop_part(4, 4, 6, 6), "ports", "ports to blame; alone it takes 6.00 cycles per iteration, predicted 4.00, in the program 6.00");
    part = loop_part(4, 4, 6, 5.5);
    part.bottleneck = BOUND_DEPENDENCIES;
    expect_term(part, "chain", "chain to blame");
    /* Alone as predicted: the rest is what the program adds. */
    part = loop_part(4, 5, 8, 4);
    part.misses = 1;
    expect_term(part, "misses", "misses to blame");
    part.branches = 2.5;
    expect_term(part, "branch misses", "branch misses to blame");
    expect_term(loop_part(4, 4, 6, 4), "not explained", "not explained by what is modelled");
    part = loop_part(4, 9, 5, 4);
    part.misses = 5;
    expect_term(part, "misses", "misses predicted too high");
    part = loop_part(4, 7, 4, 4);
    part.ends = 3;
    expect_term(part, "branch misses", "branch misses predicted too high");
    expect_term(loop_part(8, 8, 5, NAN), "ports", "ports");
    expect_term(loop_part(4, 4, 6, NAN), "not told apart", "it could not be measured alone");
}

static void test_order(void **state)
{
    struct blamed_part parts[] = {loop_part(1, 1, 1.1, NAN), loop_part(1, 1, 3, NAN), loop_part(4, 4, 3, NAN)};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        parts[i].part = i;
    blamed_parts_sort(parts, 3);
    assert_int_equal(parts[0].part, 1);
    assert_int_equal(parts[1].part, 2);
    assert_int_equal(parts[2].part, 0);
    char *sentence = blamed_judge(parts, 3, 10, 7, 4);
    assert_non_null(strstr(sentence, "4.0000 s, is spent in libraries"));
    free(sentence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terms), cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
