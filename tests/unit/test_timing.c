/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With PORTOLAN_TIMING, the workbench records the times of every key and frame, and the summary
 * agrees with them. Times are not checked. make bench-screen shows them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../support/support.h"
#include "../support/terminal.h"
#include "base/csv.h"

/* Presses @key once and waits until @text appears. */
static void press(struct terminal *t, const char *key, const char *text)
{
    str_clear(&t->recent);
    assert_true(terminal_type(t, key, strlen(key)));
    if (!terminal_await(t, text))
        fail_msg("not seen after %s: %s", key, text);
}

static void test_keys_and_frames(void **state)
{
    struct terminal t;
    struct err err = {0};
    char file[4096];
    char *argv[] = {getenv("PORTOLAN"), (char *)source_path("tests/data/triad.s"), NULL};

    snprintf(file, sizeof file, "%s", work_path("times.csv"));
    setenv("PORTOLAN_TIMING", file, 1);
    setenv("HOME", work_path(""), 1);
    setenv("XDG_STATE_HOME", work_path("state"), 1);
    setenv("TERM", "xterm-256color", 1);
    assert_non_null(argv[0]);
    assert_true(terminal_open(&t, argv, 120, 40));
    assert_true(terminal_await(&t, "LAB 3"));
    press(&t, "\014", "\033[2J");
    press(&t, "?", "all keys");
    press(&t, "\014", "\033[2J");
    assert_true(terminal_type(&t, "Q", 1));
    assert_true(terminal_await_end(&t));
    assert_int_equal(t.status, 0);
    assert_non_null(strstr(str_text(&t.recent), "input to screen: "));
    assert_non_null(strstr(str_text(&t.recent), "first screen after "));
    assert_non_null(strstr(str_text(&t.recent), "to the terminal: "));
    const char *turn =
        strstr(str_text(&t.recent), "CPU time per main loop pass: ");
    assert_non_null(turn);
    turn = strstr(turn, ", longest ");
    assert_non_null(turn);

    struct csv_table *table = csv_table_read(file, &err);
    assert_non_null(table);
    assert_true(table->count >= 4);
    double before = 0, bytes = 0, longest = 0;
    size_t answered = 0;
    for (size_t i = 0; i < table->count; i++) {
        double draws = strtod(table->rows[i][1], NULL), drawn = strtod(table->rows[i][2], NULL);
        assert_true(draws >= before && drawn >= draws);
        if (table->rows[i][0][0]) {
            double key = strtod(table->rows[i][0], NULL);
            assert_true(key > 0 && key <= draws);
            answered++;
        }
        bytes += strtod(table->rows[i][3], NULL);
        /* A turn that ended in a frame took some time. */
        const double took = strtod(table->rows[i][4], NULL);
        assert_true(took > 0 || i == 0 || i + 1 == table->count);
        longest = took > longest ? took : longest;
        before = drawn;
    }
    assert_true(answered >= 3);
    assert_true(longest > 0 &&
                fabs(strtod(turn + strlen(", longest "), NULL) - 1e3 * longest) <= 0.051);
    assert_true(bytes == 0 || bytes > 3 * 1000);   /* 0 if unknown on this system. */
    csv_table_free(table);
    terminal_close(&t);
}

static void test_a_file_that_cannot_be_written(void **state)
{
    struct terminal t;
    char *argv[] = {getenv("PORTOLAN"), NULL};

    setenv("PORTOLAN_TIMING", "/nosuch/times.csv", 1);

    assert_true(terminal_open(&t, argv, 80, 24));
    assert_true(terminal_await_end(&t));
    assert_true(WIFEXITED(t.status) && WEXITSTATUS(t.status) == 1);
    assert_non_null(strstr(str_text(&t.recent), "/nosuch/times.csv"));
    terminal_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys_and_frames),
                                       cmocka_unit_test(test_a_file_that_cannot_be_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
