/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Response times of the workbench: milliseconds to the first screen; from a key to the screen,
 * while idle and during an evolution or measurements; bytes per second to the terminal; processor
 * time while idle. They are measured from outside, on a pseudoterminal, and from inside
 * (PORTOLAN_TIMING). The inside measurement includes the processor time of each turn of the
 * screen's thread, which other load does not change.
 *
 *     bench_screen [SECONDS [COLUMNS ROWS]]
 *
 * PORTOLAN names the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tests/support/terminal.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"

#define STARTS 9
#define ANSWER "\033[2J"   /* first bytes of a complete redraw, which Ctrl-L requests */

struct bench {
    double seconds;
    unsigned columns, rows;
    char *file;   /* path of the output of PORTOLAN_TIMING */
    struct rng rng;
    VEC(double) ms;   /* times of the redraws in all views, in milliseconds */
};

static void open_workbench(const struct bench *b, struct terminal *t, const char *file)
{
    char *program = getenv("PORTOLAN");
    char *argv[] = {program ? program : (char *)"./portolan", (char *)file, NULL};

    setenv("PORTOLAN_TIMING", b->file, 1);

    if (!terminal_open(t, argv, b->columns, b->rows))
        die("no terminal can be had");
}

static void must(bool ok, const char *what, struct terminal *t)
{
    if (!ok)
        die("%s; the last that was printed: %s", what, str_text(&t->recent));
}

static void command(struct terminal *t, const char *line)
{
    must(terminal_type(t, ":", 1) && terminal_type(t, line, strlen(line)) &&
             terminal_type(t, "\r", 1),
         line, t);
    terminal_read(t, 200);
}

/* Repeats the command until @answer appears, because a command may have to wait for the previous
 * one. */
static void command_until(struct terminal *t, const char *line, const char *answer)
{
    for (int i = 0; i < 20; i++) {
        str_clear(&t->recent);
        command(t, line);
        if (terminal_sees(t, answer, 3))
            return;
    }
    must(false, line, t);
}

static void leave(struct terminal *t)
{
    str_clear(&t->recent);
    for (int i = 0; i < 10 && t->pid; i++) {
        command(t, "quit");
        terminal_ends(t, 3);
    }
    must(!t->pid, "does not end", t);
}

/* Prints the program's own summary, its output after the last screen. */
static void print_own(const struct terminal *t)
{
    const char *line = strstr(str_text(&t->recent), "first screen after ");

    printf("  as the program has it:\n");
    for (; line && *line; line += strspn(line, "\r\n")) {
        int length = (int)strcspn(line, "\r\n");
        printf("    %.*s\n", length, line);
        line += length;
    }
}

static void report_quantiles(const char *what, double *ms, size_t count)
{
    qsort(ms, count, sizeof *ms, compare_doubles);
    printf("  %-44s median %.1f, 99th percentile %.1f, longest %.1f ms (%zu)\n", what,
           ms[count / 2], ms[(count * 99 + 99) / 100 - 1], ms[count - 1], count);
}

/* Measures the time from the program's start to the last line of its first screen. */
static void first_screen(const struct bench *b)
{
    double ms[STARTS];

    for (int i = 0; i < STARTS; i++) {
        struct terminal t;
        double begun = clock_wall();
        open_workbench(b, &t, "data/kernels/triad-skl-O3.s");
        must(terminal_await(&t, "LAB 3"), "no first screen", &t);
        ms[i] = 1e3 * (clock_wall() - begun);
        leave(&t);
        terminal_close(&t);
    }
    report_quantiles("start to first screen", ms, STARTS);
}

/* Measures processor time without events, after a pause in which the start finishes. */
static void idle(const struct bench *b)
{
    struct terminal t;

    open_workbench(b, &t, "data/kernels/triad-skl-O3.s");
    must(terminal_await(&t, "LAB 3"), "no first screen", &t);
    for (double until = clock_wall() + 5; clock_wall() < until;)
        terminal_read(&t, 200);
    double cpu = terminal_cpu(&t), begun = clock_wall();
    uint64_t printed = t.printed;
    while (clock_wall() < begun + b->seconds)
        terminal_read(&t, 200);
    double took = clock_wall() - begun;
    printf("  %-44s %.3f %% of a processor, %.3f kB/s to the terminal (%.0f s)\n",
           "nothing happens", 100 * (terminal_cpu(&t) - cpu) / took,
           (double)(t.printed - printed) / 1e3 / took, took);
    leave(&t);
    terminal_close(&t);
}

/* Sends Ctrl-L at random times, each after another key. Prints quantiles of the time to the
 * redraw. */
static void keys(struct bench *b, struct terminal *t, const char *what)
{
    static const char *const others[] = {"\033[B", "\033[A", "\033[6~", "\033[5~"};
    VEC(double) ms = {0};
    const double begun = clock_wall();

    while (clock_wall() < begun + b->seconds) {
        for (double until = clock_wall() + 0.02 + 0.1 * rng_unit(&b->rng); clock_wall() < until;)
            terminal_read(t, 5);
        const char *other = others[rng_below(&b->rng, 4)];
        terminal_type(t, other, strlen(other));
        for (double until = clock_wall() + 0.02 + 0.1 * rng_unit(&b->rng); clock_wall() < until;)
            terminal_read(t, 5);
        str_clear(&t->recent);
        double pressed = clock_wall();
        must(terminal_type(t, "\014", 1) && terminal_await(t, ANSWER), "no answer", t);
        while (terminal_read(t, 1)) {   /* This reads the remaining output. */
        }
        vec_push(&ms, 1e3 * (clock_wall() - pressed - 1e-3));
        vec_push(&b->ms, ms.items[ms.count - 1]);
    }
    report_quantiles(what, ms.items, ms.count);
    vec_done(&ms);
}

static void quiet_keys(struct bench *b)
{
    struct terminal t;

    open_workbench(b, &t, "data/kernels/triad-skl-O3.s");
    must(terminal_await(&t, "LAB 3"), "no first screen", &t);
    keys(b, &t, "Ctrl-L to the whole screen anew, nothing runs");
    leave(&t);
    print_own(&t);
    terminal_close(&t);
}

/* Measures keys during an evolution over thousands of experiments and a measurement run, in a view
 * that they may change. */
static void busy_keys(struct bench *b, const char *view)
{
    struct terminal t;
    char line[160], what[120];

    open_workbench(b, &t, "data/kernels/triad-skl-O3.s");
    must(terminal_await(&t, "LAB 3"), "no first screen", &t);
    command_until(&t,
                  "forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'VADDPD (YMM, "
                  "YMM, YMM)' 'VANDPD (YMM, YMM, YMM)' 'VPERMQ (YMM, YMM, I8)' 'POPCNT (R64, R64)'",
                  "forms selected");
    command_until(&t, "experiments generate", "in all");
    command_until(&t, "experiments generate --random 8000 --size 3", "in all");
    command_until(&t, "experiments measure --simulate skylake", " measured (");
    snprintf(line, sizeof line, "evolve start --ports 6 --checkpoint none --seconds %.0f",
             3 * b->seconds + 60);
    command_until(&t, line, "evolve status shows");
    command_until(&t, "experiments generate --random 20000 --size 5", "in all");
    command_until(&t, "experiments measure", "measures");
    snprintf(line, sizeof line, "view %s", view);
    command(&t, line);
    double begun = clock_wall();
    uint64_t printed = t.printed;
    while (clock_wall() < begun + b->seconds)
        terminal_read(&t, 200);
    printf("  %-44s %.2f kB/s to the terminal without a key\n", line,
           (double)(t.printed - printed) / 1e3 / (clock_wall() - begun));
    snprintf(what, sizeof what, "Ctrl-L, evolver and runner busy, %s", view);
    keys(b, &t, what);
    command(&t, "job cancel");
    leave(&t);
    print_own(&t);
    terminal_close(&t);
}

int main(int argc, char **argv)
{
    static const char *const views[] = {"evolution", "experiments", "mapping", "matrix", "accuracy",
                                        "search",    "tables",      "machine", "kernel"};
    char file[] = "/tmp/bench-screen-XXXXXX";
    int made = mkstemp(file);
    struct bench b = {.seconds = argc > 1 ? atof(argv[1]) : 20,
                      .columns = argc > 3 ? (unsigned)atoi(argv[2]) : 120,
                      .rows = argc > 3 ? (unsigned)atoi(argv[3]) : 40,
                      .file = file};

    if (!(b.seconds >= 1) || b.columns < 40 || b.rows < 8) {
        fputs("bench_screen [SECONDS [COLUMNS ROWS]]: a second, 40 columns and 8 rows at least\n",
              stderr);
        unlink(file);
        return 2;
    }
    if (made < 0)
        die("no file for the times");
    close(made);
    rng_seed(&b.rng, 1);
    setenv("TERM", "xterm-256color", 1);
    printf("the workbench on %u by %u cells\n", b.columns, b.rows);
    first_screen(&b);
    idle(&b);
    quiet_keys(&b);
    b.ms.count = 0;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        busy_keys(&b, views[i]);
    report_quantiles("Ctrl-L, evolver and runner busy, all views", b.ms.items, b.ms.count);
    vec_done(&b.ms);
    unlink(file);
    return 0;
}
