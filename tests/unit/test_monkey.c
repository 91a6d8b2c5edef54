/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Monkey test of the workbench: random keys, resizes, pastes, clicks and commands, truncated and in
 * any order, on a pseudoterminal. The program must neither crash (sanitizers may report anything)
 * nor hang, and its screen must be updated at the end. Its experiments use simulated processors, so
 * that a run hardly depends on load. MONKEY_KEYS and MONKEY_SEED can be set. `make monkey
 * KEYS=100000` is a long run. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/support.h"
#include "../support/terminal.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"

#define STOPS 600
#define KEYS 3000
#define SEED 1
#define TRY_AGAIN 5.0      /* seconds before possibly lost keys are pressed again */
#define BETWEEN_LOOKS 150  /* approximate number of keys between two checks */
#define PASTE_MOST ((size_t)1 << 16)

struct monkey {
    struct terminal terminal;
    struct rng rng;
    struct str script;        /* actions since the start of the program, for the report */
    VEC(char *) pastes;
    size_t keys, starts, commands, resizes, pasted, looks;
    double longest;           /* seconds of the slowest response */
};

static unsigned below(struct monkey *m, unsigned bound)
{
    return (unsigned)rng_below(&m->rng, bound);
}

static unsigned long number_from(const char *variable, unsigned long fallback)
{
    const char *text = getenv(variable);
    return text && *text ? strtoul(text, NULL, 10) : fallback;
}

/* Adds bytes to the report in C notation. */
static void note(struct monkey *m, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length && i < 400; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= 32 && c < 127 && c != '\\')
            str_add_char(&m->script, (char)c);
        else
            str_addf(&m->script, "\\x%02x", c);
    }
    str_add_char(&m->script, length > 400 ? '~' : ' ');
}

/* Prints the last @most bytes of @text in pieces, because cmocka truncates a message after 1,023
 * bytes. */
static void print_end(const struct str *text, size_t most)
{
    size_t from = text->length > most ? text->length - most : 0;

    for (size_t length; from < text->length; from += length) {
        length = text->length - from < 900 ? text->length - from : 900;
        print_message("%.*s", (int)length, str_text(text) + from);
    }
    print_message("\n");
}

static void report_and_fail(struct monkey *m, const char *what)
{
    print_message("# monkey: %s after %zu keys, seed %lu\n# the last of what it did: ", what,
                  m->keys, number_from("MONKEY_SEED", SEED));
    print_end(&m->script, 6000);
    print_message("# the last that was printed: ");
    print_end(&m->terminal.recent, 16000);   /* Sanitizer reports are long. */
    if (m->terminal.pid && getenv("MONKEY_GDB")) {   /* prints the stacks of a hanging program */
        char line[240];
        snprintf(line, sizeof line,
                 "gdb -p %d -batch -ex 'thread apply all bt 15' 2>/dev/null; grep -E 'State|Sig' "
                 "/proc/%d/status; ps -o pid,stat,wchan,args --ppid %d",
                 (int)m->terminal.pid, (int)m->terminal.pid, (int)m->terminal.pid);
        if (system(line))
            print_message("# %s failed\n", line);
    }
    terminal_close(&m->terminal);
    fail_msg("%s", what);
}

/* Fails unless the program ended as after q, or still runs. */
static void judge_end(struct monkey *m)
{
    if (m->terminal.pid)
        return;
    int status = m->terminal.status;
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
        char what[80];
        snprintf(what, sizeof what, "ended by %s %d", WIFEXITED(status) ? "status" : "signal",
                 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        report_and_fail(m, what);
    }
}

/* Sends keys that leave a prompt and empty any queue, then a key that redraws the whole screen. The
 * sequence that clears the screen is the response. */
static void must_answer(struct monkey *m)
{
    const double begun = clock_wall();

    m->looks++;
    while (m->terminal.pid && clock_wall() < begun + HANG_SECONDS) {
        str_clear(&m->terminal.recent);
        if (!terminal_type(&m->terminal, "\033[201~\003\003", 8))
            break;
        terminal_read(&m->terminal, 50);
        if (terminal_type(&m->terminal, "\014", 1) &&
            terminal_sees(&m->terminal, "\033[2J", TRY_AGAIN)) {
            double took = clock_wall() - begun;
            m->longest = took > m->longest ? took : m->longest;
            return;
        }
    }
    judge_end(m);
    if (m->terminal.pid)
        report_and_fail(m, "a hang: no answer");
}

static void start(struct monkey *m)
{
    char *argv[] = {(char *)getenv("PORTOLAN"), "--threads", "1", NULL};

    terminal_close(&m->terminal);
    str_clear(&m->script);
    m->starts++;
    if (!terminal_open(&m->terminal, argv, 80, 24))
        fail_msg("no terminal can be had");
    if (!terminal_await(&m->terminal, "LAB 3")) {
        judge_end(m);
        report_and_fail(m, "no first screen");
    }
}

static void type(struct monkey *m, const char *bytes, size_t length)
{
    note(m, bytes, length);
    if (!terminal_type(&m->terminal, bytes, length) && m->terminal.pid)
        report_and_fail(m, "takes no more keys");
}

static void type_text(struct monkey *m, const char *text)
{
    type(m, text, strlen(text));
}

/* Presses a key of a view or a common key. Quitting is rare, because otherwise most runs would end
 * early. */
static void press_key(struct monkey *m)
{
    static const char *const sequences[] = {
        "\033[A",
        "\033[B",
        "\033[C",
        "\033[D",
        "\033OA",
        "\033OB",
        "\033OC",
        "\033OD",
        "\033[5~",
        "\033[6~",
        "\033[H",
        "\033[F",
        "\033[3~",
        "\033[2~",
        "\033OP",
        "\033OQ",
        "\033OR",
        "\033OS",
        "\033[15~",
        "\033[17~",
        "\033[18~",
        "\033[19~",
        "\033[20~",
        "\033[Z",
        "\033[1;5D",
        "\033[1;5C",
        "\033[1;2A",
        "\033[200;3~",
        "\033[M !!",
        "\033[M#*0",
        "\033[<0;10;10M",
        "\033[?1;2c",
        "\033[I",
        "\033",
        "\033\033",
        "\033[",
        "\033O",
        "\033[1;",
        "\t",
        "\r",
        "\n",
        " ",
        "\x7f",
        "\b",
        "\x01",
        "\x02",
        "\x04",
        "\x05",
        "\x06",
        "\x0b",
        "\x0c",
        "\x0e",
        "\x0f",
        "\x10",
        "\x12",
        "\x14",
        "\x15",
        "\x17",
        "\x19",
        "\x1a",
        "\x03",
        "\xc3\xa4",
        "\xe2\x86\x92",
        "\xf0\x9f\xa6\x9c",
        "\xff",
        "\xc3",
        "\x80",
    };
    unsigned kind = below(m, 10);
    char c;

    if (kind < 4) {
        type_text(m, sequences[below(m, sizeof sequences / sizeof *sequences)]);
    } else {
        do {
            c = (char)(33 + below(m, 94));
        } while ((c == 'q' || c == 'Q') && below(m, 20));
        type(m, &c, 1);
    }
}

static void click(struct monkey *m)
{
    static const char buttons[] = " `a";   /* button pressed, wheel up and down */
    char report[8];

    snprintf(report, sizeof report, "\033[M%c%c%c", buttons[below(m, 3)], (char)(33 + below(m, 90)),
             (char)(33 + below(m, 60)));
    type(m, report, 6);
}

/* Types a short command without external effects. Occasionally it is truncated, completed or
 * cancelled. */
static void command(struct monkey *m)
{
    static const char *const lines[] = {
        "view kernel",
        "view timeline",
        "view mapping",
        "view experiments",
        "view evolution",
        "view accuracy",
        "view machine",
        "view help",
        "view log",
        "view next",
        "view functions",
        "view program",
        "kernel analyze",
        "kernel analyze --all",
        "kernel simulate",
        "kernel simulate --iterations 30",
        "kernel whatif issue_width=1..8",
        "kernel hex 4801d8480fafd1",
        "kernel show",
        "kernel list",
        "kernel diff 1",
        "kernel use 1",
        "kernel omitted",
        "kernel machines --show",
        "kernel load data/kernels/triad-skl-O3.s",
        "kernel load data/kernels/pi-O1.s",
        "kernel load nosuch.s",
        "kernel report monkey.html",
        "kernel save monkey.s",
        "kernel paste",
        "kernel functions",
        "kernel compile -O1",
        "kernel switch next",
        "kernel edit",
        "kernel reload",
        "set machine skylake",
        "set machine znver4,sapphirerapids,cortex-a72",
        "set machine native",
        "set ascii on",
        "set ascii off",
        "set keep-going on",
        "set threads 1",
        "mapping show ADD",
        "mapping show nosuch",
        "mapping set 'ADD (R64, R64)' 1*p05",
        "mapping use haswell",
        "mapping new 4",
        "mapping diff skylake haswell",
        "mapping save monkey.csv",
        "forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)'",
        "forms list 'ADD*'",
        "experiments generate",
        "experiments generate --singles",
        "experiments generate --triples 50",
        "experiments measure --simulate skylake",
        "experiments pause",
        "experiments resume",
        "experiments list",
        "experiments clear",
        "experiments save monkey-experiments.csv",
        "experiments load monkey-experiments.csv",
        "evolve start --seconds 1",
        "evolve start --ports auto --seconds 2 --checkpoint none",
        "evolve pause",
        "evolve resume",
        "evolve stop",
        "evolve adopt",
        "evolve status",
        "evaluate",
        "congruence",
        "report monkey.html",
        "report monkey.md",
        "plot accuracy monkey.svg",
        "sort cycles",
        "sort cycles,experiment",
        "sort",
        "filter cycles>1",
        "filter form~ADD | cycles>2",
        "filter",
        "filter ((",
        "find add",
        "find --next",
        "find --previous",
        "undo",
        "redo",
        "jobs",
        "job cancel 1",
        "job wait",
        "session save monkey-session",
        "session load monkey-session",
        "session list",
        "session diff monkey-session",
        "export monkey.csv",
        "export monkey.json",
        "help kernel load",
        "help nosuch",
        "tutorial",
        "demo --seconds 5",
        "source nosuch.pf",
        "throughput 2*ADD (R64, R64)",
        "machine info",
        "machine show zen4",
    };
    char line[256];

    snprintf(line, sizeof line, "%s", lines[below(m, sizeof lines / sizeof *lines)]);
    size_t length = strlen(line);
    m->commands++;
    type_text(m, ":");
    switch (below(m, 8)) {
    case 0:   /* a truncated command */
        type(m, line, below(m, (unsigned)length + 1));
        break;
    case 1:   /* key that completes the command, with any result */
        type(m, line, below(m, (unsigned)length + 1));
        type_text(m, "\t\t");
        break;
    case 2:   /* a typing error */
        line[below(m, (unsigned)length)] = (char)(33 + below(m, 94));
        type(m, line, length);
        break;
    default:
        type(m, line, length);
    }
    type_text(m, below(m, 6) ? "\r" : below(m, 2) ? "\003" : "\033");
}

static void resize(struct monkey *m)
{
    static const unsigned usual[][2] = {{80, 24}, {120, 40}, {200, 60},  {40, 10},
                                        {1, 1},   {2, 200},  {300, 100}, {20, 3}};
    unsigned at = below(m, 16), columns = at < 8 ? usual[at][0] : 1 + below(m, 250),
             rows = at < 8 ? usual[at][1] : 1 + below(m, 90);

    m->resizes++;
    str_addf(&m->script, "<%ux%u> ", columns, rows);
    terminal_resize(&m->terminal, columns, rows);
}

/* Pastes random bytes or a text, complete or damaged, with or without a terminal's paste marks. */
static void paste(struct monkey *m)
{
    struct str text = {0};

    m->pasted++;
    if (below(m, 6) == 0) {
        for (unsigned i = below(m, 400); i-- > 0;)
            str_add_char(&text, (char)below(m, 256));
    } else if (file_read(m->pastes.items[below(m, (unsigned)m->pastes.count)], PASTE_MOST, &text,
                         NULL) &&
               text.length) {
        for (unsigned i = below(m, 2) * below(m, 10); i-- > 0;)
            text.data[below(m, (unsigned)text.length)] = (char)below(m, 256);
    }
    for (char *end; text.length && (end = memmem(text.data, text.length, "\033[201~", 6));)
        *end = ' ';
    bool marked = below(m, 10) != 0;
    if (marked)
        type_text(m, "\033[200~");
    type(m, str_text(&text), marked ? text.length : text.length < 300 ? text.length : 300);
    if (marked && below(m, 30))   /* Without the end mark, the paste ends after a time. */
        type_text(m, "\033[201~");
    str_done(&text);
}

static void act(struct monkey *m)
{
    unsigned kind = below(m, 100);

    if (kind < 80)
        press_key(m);
    else if (kind < 86)
        click(m);
    else if (kind < 94)
        command(m);
    else if (kind < 98)
        resize(m);
    else
        paste(m);
    if (below(m, 4) == 0)
        terminal_read(&m->terminal, (int)below(m, 20));
}

static void find_pastes(struct monkey *m)
{
    const char *folder = source_path("tests/data/pastes");
    DIR *directory = opendir(folder);
    const struct dirent *entry;

    assert_non_null(directory);
    char *copy = mem_strdup(folder);
    while ((entry = readdir(directory))) {
        struct str path = {0};
        str_addf(&path, "%s/%s", copy, entry->d_name);
        if (entry->d_name[0] != '.')
            vec_push(&m->pastes, str_take(&path));
        str_done(&path);
    }
    free(copy);
    closedir(directory);
    assert_true(m->pastes.count > 90);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A sanitizer's report must not look like a regular end. Ignores leaks of readline. */
static void set_sanitizers(void)
{
    static const char *const variables[] = {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS",
                                            "LSAN_OPTIONS"};
    struct str options = {0};

    work_put("suppressions", "leak:libreadline\n");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *now = getenv(variables[i]);
        str_clear(&options);
        str_addf(&options, "%s%s%s", now ? now : "", now && *now ? ":" : "", "exitcode=99");
        if (i == 3)
            str_addf(&options, ":print_suppressions=0:suppressions=%s", work_path("suppressions"));
        setenv(variables[i], str_text(&options), 1);
    }
    str_done(&options);
}

/* Changes to a directory for the program's output, with the examples. */
static void settle_in(void)
{
    char data[4096];

    assert_non_null(getenv("PORTOLAN"));
    snprintf(data, sizeof data, "%s", source_path("data"));
    work_put("here", "");
    assert_return_code(chdir(work_path("")), 0);
    assert_return_code(symlink(data, "data"), 0);
    setenv("TERM", "xterm-256color", 1);
    setenv("PORTOLAN_CPU", "none", 1);
    set_sanitizers();
}

/* Each test has a new home directory. State that one test leaves, such as a session offered to the
 * next start, must not affect another, in any order and at any speed. */
static int home_of_its_own(void **state)
{
    static unsigned number;
    char name[16];

    if (!number)
        settle_in();
    snprintf(name, sizeof name, "home%u", ++number);
    if (mkdir(work_path(name), 0700) != 0)
        return -1;
    setenv("HOME", work_path(name), 1);
    setenv("XDG_STATE_HOME", work_path(name), 1);
    setenv("XDG_CONFIG_HOME", work_path(name), 1);
    setenv("EDITOR", "true", 1);
    setenv("VISUAL", "true", 1);
    return 0;
}

static void test_random_keys(void **state)
{
    struct monkey m = {.terminal = {.fd = -1}};
    const size_t most = number_from("MONKEY_KEYS", KEYS);
    size_t next = BETWEEN_LOOKS;

    find_pastes(&m);
    qsort(m.pastes.items, m.pastes.count, sizeof *m.pastes.items, compare_paths);
    rng_seed(&m.rng, number_from("MONKEY_SEED", SEED));
    start(&m);
    for (; m.keys < most; m.keys++) {
        act(&m);
        if (m.keys >= next && m.terminal.pid) {
            must_answer(&m);
            next = m.keys + BETWEEN_LOOKS / 2 + below(&m, BETWEEN_LOOKS);
        }
        judge_end(&m);
        if (!m.terminal.pid)
            start(&m);
    }
    /* The program shows the requested view, and quits on request. */
    must_answer(&m);
    if (!m.terminal.pid)
        start(&m);
    terminal_resize(&m.terminal, 120, 40);
    must_answer(&m);
    str_clear(&m.terminal.recent);
    type_text(&m, ":view help\r\014");
    if (!terminal_await(&m.terminal, "Help"))
        report_and_fail(&m, "does not show what is asked for");
    for (double begun = clock_wall(); m.terminal.pid && clock_wall() < begun + HANG_SECONDS;) {
        /* A paste that is rejected late opens the editor, which would receive the command as
         * text. */
        type_text(&m, "\003\003:quit\r");
        terminal_ends(&m.terminal, TRY_AGAIN);
    }
    if (m.terminal.pid)
        report_and_fail(&m, "does not end");
    judge_end(&m);
    print_message("# %zu keys, %zu commands, %zu resizes, %zu pastes; started %zu times, stopped "
                  "and continued %u times, asked %zu times, longest answer %.1f s\n",
                  m.keys, m.commands, m.resizes, m.pasted, m.starts, m.terminal.stops, m.looks,
                  m.longest);
    for (size_t i = 0; i < m.pastes.count; i++)
        free(m.pastes.items[i]);
    vec_done(&m.pastes);
    str_done(&m.script);
    terminal_close(&m.terminal);
}

/* Found by the monkey test: Ctrl-\ typed while the shell or an editor used the terminal killed the
 * workbench without restoring the terminal. */
static void test_a_quit_signal_leaves_in_good_order(void **state)
{
    struct monkey m = {.terminal = {.fd = -1}};

    start(&m);
    str_clear(&m.terminal.recent);
    assert_int_equal(kill(m.terminal.pid, SIGQUIT), 0);
    assert_true(terminal_await_end(&m.terminal));
    judge_end(&m);
    /* The terminal is reset like at any other exit. */
    assert_non_null(strstr(str_text(&m.terminal.recent), "\033[?2004l"));
    str_done(&m.script);
    terminal_close(&m.terminal);
}

/* Found by the monkey test: Ctrl-S typed while an editor used the terminal stopped its output. The
 * workbench waited for a Ctrl-Q in its next write. */
static void test_output_stopped_in_an_editor(void **state)
{
    struct monkey m = {.terminal = {.fd = -1}};

    work_put("editor", "#!/bin/sh\necho the editor is here\nread -r line\n");
    assert_return_code(chmod(work_path("editor"), 0700), 0);
    setenv("VISUAL", work_path("editor"), 1);
    start(&m);
    /* Waits for the example, because Ctrl-C would stop loading it. */
    if (!terminal_await(&m.terminal, "vmovapd"))
        report_and_fail(&m, "no example");
    str_clear(&m.terminal.recent);
    must_answer(&m);   /* The workbench accepts keys, and no prompt is open. */
    type_text(&m, "e");
    if (!terminal_await(&m.terminal, "the editor is here"))
        report_and_fail(&m, "no editor");
    str_clear(&m.terminal.recent);
    type_text(&m, "\023\r");   /* Ctrl-C would restart the output, so it is not used. */
    if (!terminal_await(&m.terminal, "LAB 3"))
        report_and_fail(&m, "nothing drawn behind the editor");
    setenv("VISUAL", "true", 1);
    kill(m.terminal.pid, SIGQUIT);
    assert_true(terminal_await_end(&m.terminal));
    judge_end(&m);
    str_done(&m.script);
    terminal_close(&m.terminal);
}

/* Found by the monkey test with AddressSanitizer: Ctrl-X ended a search at the prompt, and the next
 * key began another sequence. */
static void test_a_search_that_a_prefix_ends(void **state)
{
    struct monkey m = {.terminal = {.fd = -1}};

    start(&m);
    type_text(&m, ":}\022a\030");
    terminal_read(&m.terminal, 1500);
    must_answer(&m);
    kill(m.terminal.pid, SIGQUIT);
    assert_true(terminal_await_end(&m.terminal));
    judge_end(&m);
    str_done(&m.script);
    terminal_close(&m.terminal);
}

/* The kernel stops the workbench by Ctrl-Z at any moment while it draws a screen of changing size.
 * The workbench stops between two drawings, and continues. */
static void test_stops_at_any_moment(void **state)
{
    struct monkey m = {.terminal = {.fd = -1}};

    start(&m);
    for (unsigned i = 0; i < STOPS && m.terminal.pid; i++) {
        terminal_resize(&m.terminal, 40 + 80 * (i % 2), 20 + i % 7);
        usleep(i % 13 * 150);
        kill(m.terminal.pid, SIGTSTP);
        terminal_read(&m.terminal, 5);
    }
    if (!m.terminal.pid)
        fail_msg("ended by %s %d", WIFSIGNALED(m.terminal.status) ? "signal" : "status",
                 WIFSIGNALED(m.terminal.status) ? WTERMSIG(m.terminal.status)
                                                : WEXITSTATUS(m.terminal.status));
    assert_true(m.terminal.stops > 0);
    kill(m.terminal.pid, SIGQUIT);
    assert_true(terminal_await_end(&m.terminal));
    judge_end(&m);
    str_done(&m.script);
    terminal_close(&m.terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_random_keys, home_of_its_own),
        cmocka_unit_test_setup(test_a_quit_signal_leaves_in_good_order, home_of_its_own),
        cmocka_unit_test_setup(test_output_stopped_in_an_editor, home_of_its_own),
        cmocka_unit_test_setup(test_a_search_that_a_prefix_ends, home_of_its_own),
        cmocka_unit_test_setup(test_stops_at_any_moment, home_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
