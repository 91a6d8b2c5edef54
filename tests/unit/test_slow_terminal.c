/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pastes over a slow terminal, in pieces with pauses anywhere. No text is lost, and none becomes
 * keys. Time is not checked, because the pauses exceed any wait for the end of a key's sequence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../support/support.h"
#include "../support/terminal.h"
#include "base/clock.h"
#include "tui/input.h"

static struct terminal terminal;

static int open_workbench(void **state)
{
    char *argv[] = {getenv("PORTOLAN"), (char *)source_path("tests/data/triad.s"), NULL};

    setenv("HOME", work_path(""), 1);
    setenv("XDG_STATE_HOME", work_path("state"), 1);
    setenv("TERM", "xterm-256color", 1);
    assert_non_null(argv[0]);
    assert_true(terminal_open(&terminal, argv, 120, 40));
    assert_true(terminal_await(&terminal, "LAB 3"));
    str_clear(&terminal.recent);
    return 0;
}

static int close_workbench(void **state)
{
    terminal_close(&terminal);
    return 0;
}

static void type(const char *bytes, size_t length)
{
    assert_true(terminal_type(&terminal, bytes, length));
}

static void see(const char *text)
{
    if (!terminal_await(&terminal, text))
        fail_msg("not seen: %s", text);
}

/* Types nothing for @seconds. */
static void pause_for(double seconds)
{
    const double until = clock_wall() + seconds;

    while (clock_wall() < until)
        terminal_read(&terminal, 10);
}

/* Each byte arrives separately, and later than the timeout after Esc. */
static void test_byte_after_byte(void **state)
{
    static const char paste[] = "\033[200~ popcntq %rax, %rbx\r\033[201~";

    for (size_t i = 0; paste[i]; i++) {
        type(&paste[i], 1);
        pause_for(0.06);
    }
    see("POPCNT (R64, R64)");
}

/* The second half arrives after the workbench has shown that it waits for the rest of the paste.
 * Keys after the paste are keys. */
static void test_pause_within_the_text(void **state)
{
    static const char first[] = "\033[200~ popcntq %rax, %rbx\r f", second[] = "rndint\r\033[201~j";

    type(first, strlen(first));
    see("22 bytes pasted so far");
    type(second, strlen(second));
    see("popcntq");
    see("frndint");
    see("2/2");
}

/* A terminal that never sends the end mark. Ctrl-C accepts the received text. */
static void test_end_that_never_comes(void **state)
{
    static const char begin[] = "\033[200~ popcntq %rax, %rbx\r";

    type(begin, strlen(begin));
    see("bytes pasted so far");
    type("\003", 1);
    see("POPCNT (R64, R64)");
}

/* A paste with a pause at the prompt. A single line is inserted, several lines become a loop. */
static void test_pause_at_the_prompt(void **state)
{
    static const char first[] = ":\033[200~kernel hex 48", second[] = "0fafc3\033[201~\r",
                      third[] = ":\033[200~ popcntq %rax, %rbx\r f", fourth[] = "rndint\r\033[201~";

    type(first, strlen(first));
    see("13 bytes pasted so far");
    type(second, strlen(second));
    see("imul rax, rbx");
    type(third, strlen(third));
    see("22 bytes pasted so far");
    type(fourth, strlen(fourth));
    see("frndint");
}

/* Two pastes in one read. The second begins where the first ends, and is complete. So is a paste
 * immediately after a key. Keys after a paste take effect immediately, on a slow host before the
 * pasted loop is loaded. test_cuts_anywhere shows that keys after a paste remain keys. */
static void test_one_right_behind_the_other(void **state)
{
    static const char pastes[] =
        "\033[200~ popcntq %rax, %rbx\r\033[201~\033[200~ frobnicate %rax\r\033[201~",
                      paste[] = "\033\033[200~ nop\r nop\r nop\r\033[201~",
                      keys[] = "\033OB\033OB\014";

    type(pastes, strlen(pastes));
    see("no such instruction: `frobnicate %rax'");
    type(paste, strlen(paste));
    see("nop");
    type(keys, strlen(keys));
    see("3/3");
}

/* Keys that are read after Esc take effect after it, in the order of typing. */
static void test_order_behind_an_escape(void **state)
{
    static const char keys[] = "\033[200~ popcntq %rax, %rbx\r\033[201~\033:view help\r";

    type(keys, strlen(keys));
    see("Help");
}

/* descriptor that the workbench reads */
static int feed;

static int open_feed(void **state)
{
    int ends[2];

    *state = NULL;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    feed = ends[1];
    return 0;
}

static int close_feed(void **state)
{
    input_done();
    close(feed);
    return 0;
}

/* Reads all input. Stores keys in @keys, and the texts of pastes, each in brackets, in @pastes. */
static void take_all(struct str *keys, struct str *pastes)
{
    struct str text = {0};
    const char *bytes;
    bool partly;
    size_t mark;

    while (input_pasting() ? input_paste(&text) : input_waiting(&bytes) || input_fill(0)) {
        if (text.length) {
            str_addf(pastes, "[%s]", str_text(&text));
            str_clear(&text);
        } else if ((mark = input_mark(&partly))) {
            input_take(mark);
            input_paste_begin();
        } else {
            input_waiting(&bytes);
            str_add_char(keys, *bytes);
            input_take(1);
        }
    }
    str_done(&text);
}

/* However the bytes are split, the pastes are the same and no typed key is missing. The first bytes
 * of a split begin mark also count as keys. */
static void test_cuts_anywhere(void **state)
{
    static const char bytes[] = "a\033[200~one\033[20\rtwo\033[201~b\033\033[200~\033[201\033[201~"
                                "\033[2\033[200~x\033[201~c";
    static const char expected[] = "[one\033[20\ntwo][\033[201][x]";

    for (size_t first = 0; first < sizeof bytes; first++)
        for (size_t second = first; second < sizeof bytes; second++) {
            const size_t cuts[] = {0, first, second, sizeof bytes - 1};
            struct str keys = {0}, pastes = {0};
            for (unsigned i = 0; i < 3 && cuts[i] <= cuts[i + 1]; i++) {
                const size_t length = cuts[i + 1] - cuts[i];
                assert_int_equal(write(feed, bytes + cuts[i], length), (ssize_t)length);
                take_all(&keys, &pastes);
            }
            assert_string_equal(str_text(&pastes), expected);
            assert_true(str_text(&keys)[0] == 'a' && keys.data[keys.length - 1] == 'c' &&
                        strchr(keys.data, 'b'));
            str_done(&keys);
            str_done(&pastes);
        }
}

/* Text beyond 32 MiB is dropped up to its end mark, and none of it becomes keys. */
static void test_more_than_fits(void **state)
{
    const size_t most = (size_t)32 << 20;
    char piece[4096];
    struct str text = {0};

    memset(piece, 'q', sizeof piece);
    input_paste_begin();
    for (size_t i = 0; i < most / sizeof piece + 2; i++) {
        assert_int_equal(write(feed, piece, sizeof piece), sizeof piece);
        assert_false(input_paste(&text));
    }
    assert_int_equal(write(feed, PASTE_END, 3), 3);
    assert_false(input_paste(&text));
    assert_int_equal(write(feed, PASTE_END "k", 7), 7);   /* a wrong end mark, then the end */
    assert_true(input_paste(&text));
    assert_true(input_paste_cut());
    assert_int_equal(text.length, most);
    assert_int_equal(text.data[most - 1], 'q');
    const char *bytes;
    assert_int_equal(input_waiting(&bytes), 1);
    assert_int_equal(*bytes, 'k');
    str_done(&text);
}

int main(void)
{
#define PIPE_TEST(function) cmocka_unit_test_setup_teardown(function, open_feed, close_feed)
#define TEST(function) cmocka_unit_test_setup_teardown(function, open_workbench, close_workbench)
    const struct CMUnitTest tests[] = {TEST(test_byte_after_byte),
                                       TEST(test_pause_within_the_text),
                                       TEST(test_end_that_never_comes),
                                       TEST(test_pause_at_the_prompt),
                                       TEST(test_one_right_behind_the_other),
                                       TEST(test_order_behind_an_escape),
                                       PIPE_TEST(test_cuts_anywhere),
                                       PIPE_TEST(test_more_than_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
