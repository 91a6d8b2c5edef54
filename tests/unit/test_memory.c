/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory runs out at each large allocation in turn: the command fails with a message, what was there stays, and the next one works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "../support/support.h"

#define ROWS 20000

static size_t countdown;
static bool met;

/* One large allocation fails: number @countdown. */
static bool fails(size_t size)
{
    if (size < MEM_SMALL || met)
        return false;
    met = countdown-- == 0;
    return met;
}

static void test_experiments_load(void **state)
{
    const char *path = work_path("experiments.csv");
    struct str text = {0}, line = {0};
    struct err err = {0};
    struct session s;
    unsigned positions = 0;

    (void)state;
    str_add(&text, "experiment,cycles\nA + B,1\n");
    assert_true(file_write(path, text.data, text.length, &err));
    session_init(&s);
    str_addf(&line, "experiments load %s", path);
    if (!run_line(&s, str_text(&line), NULL, &err))
        fail_msg("%s", err.what);
    for (unsigned i = 0; i < ROWS; i++)
        str_addf(&text, "F%u + G%u,%u\n", i, i, i % 7 + 1);
    assert_true(file_write(path, text.data, text.length, &err));
    for (met = true; met; positions++) {
        countdown = positions;
        met = false;
        err_clear(&err);
        mem_fault = fails;
        bool ok = run_line(&s, str_text(&line), NULL, &err);
        mem_fault = NULL;
        assert_int_equal(ok, !met);
        if (ok)
            break;
        assert_int_equal(err.code, ERR_MEMORY);
        assert_string_equal(err.file, path);
        assert_int_equal(s.document.experiments->rows.count, 1);
        assert_true(run_line(&s, "experiments list", NULL, &err));
    }
    assert_int_equal(s.document.experiments->rows.count, ROWS + 1);
    print_message("%u large allocations failed in turn\n", positions);
    assert_true(positions >= 10);
    session_done(&s);
    str_done(&text);
    str_done(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_experiments_load)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
