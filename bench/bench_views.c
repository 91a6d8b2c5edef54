/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Milliseconds of the experiments view with many rows: to draw a frame without changes and after
 * new results, to scroll, sort, filter and predict. Prints elapsed time and processor time, which
 * other load does not increase. Then prints how long commands on a long loop and a large table
 * block the screen's thread. The limit is 16 ms per frame.
 *
 *     bench_views [ROWS] */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "cmd/command.h"
#include "view/frame.h"
#include "work/job.h"

#define ROUNDS 9
#define MANY_FORMS "/tmp/bench-views-machine"

static struct session session;
static struct frame frame;
static double longest_frame;   /* processor time in ms of the longest frame that report() drew */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void draw(void)
{
    struct grid g;
    int x, y;
    grid_init(&g, 240, 80, false);
    frame_draw(&frame, NULL, &g, &x, &y);
    grid_done(&g);
}

/* Changes results like a measuring job, after all jobs that read the table have ended. */
static void results_arrive(void)
{
    job_wait(0);
    frame_jobs(&frame);
    for (size_t i = 0; i < 200; i++)
        experiments_set(session.document.experiments, i, 1 + 0.001 * (double)i, 0.001, 3,
                        EXPERIMENT_OK);
}

/* Elapsed time, and processor time of this thread, which other load does not increase. */
struct spent { double wall, processor; };

static struct spent now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (struct spent){clock_seconds(), (double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
}

/* Prints the median time of several rounds of @command (may be NULL) or @prepare and the frame
 * after it, elapsed and as processor time. */
static void report(const char *what, const char *command, void (*prepare)(void))
{
    double ms[ROUNDS], processor[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        if (prepare)
            prepare();
        struct spent begun = now();
        if (command)
            frame_run(&frame, command);
        if (frame.failed)
            die("%s: %s", command, str_text(&frame.message));
        draw();
        struct spent ended = now();
        ms[i] = 1e3 * (ended.wall - begun.wall);
        processor[i] = 1e3 * (ended.processor - begun.processor);
    }
    qsort(ms, ROUNDS, sizeof *ms, compare_doubles);
    qsort(processor, ROUNDS, sizeof *processor, compare_doubles);
    longest_frame = fmax(longest_frame, processor[ROUNDS - 1]);
    printf("%-44s %8.2f ms (%.2f to %.2f)  processor %.2f ms (to %.2f)\n", what, ms[ROUNDS / 2],
           ms[0], ms[ROUNDS - 1], processor[ROUNDS / 2], processor[ROUNDS - 1]);
}

/* Times moves in a table of many rows, for several orders and filters. */
static void report_moves(const char *how)
{
    static const char *const moves[] = {"page-down", "page-up", "last", "first", "down", "tag"};
    char what[64], command[32];

    while (frame_busy(&frame))   /* This repeats until the rows are sorted. */
        draw();
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        snprintf(command, sizeof command, "do %s", moves[i]);
        snprintf(what, sizeof what, "%s: %s", how, moves[i]);
        report(what, command, NULL);
    }
    frame_run(&frame, "do untag");
}

/* Raises @most to the time from @from to @to. */
static void keep_longest(struct spent *most, struct spent from, struct spent to)
{
    most->wall = fmax(most->wall, to.wall - from.wall);
    most->processor = fmax(most->processor, to.processor - from.processor);
}

/* Measures how long @command blocks the screen: its own time, including up to 50 ms of waiting for
 * its work, and the longest frame and longest check of jobs until all is done. Prints elapsed time
 * and, in parentheses, this thread's processor time. */
static void hold(const char *command)
{
    struct spent longest = {0, 0}, own = {0, 0}, begun = now();

    frame_run(&frame, command);
    keep_longest(&own, begun, now());
    if (frame.failed)
        die("%s: %s", command, str_text(&frame.message));
    do {
        struct spent from = now();
        draw();
        struct spent drawn = now();
        frame_jobs(&frame);
        keep_longest(&longest, from, drawn);
        keep_longest(&longest, drawn, now());
    } while (frame_busy(&frame) || job_running() || session.queue.job);
    draw();
    printf("%-44.44s %8.1f (%.1f) ms, then at most %.1f (%.1f) ms at a time, done after %.0f ms\n",
           command, 1e3 * own.wall, 1e3 * own.processor, 1e3 * longest.wall,
           1e3 * longest.processor, 1e3 * (clock_seconds() - begun.wall));
}

static void load_loop(size_t insns)
{
    static const char *const bytes[] = {"4801d8",   "480fafd1", "4c8b0406",
                                        "c5f558d0", "4983c101", "4c8d540304"};
    struct str line = {0};

    str_add(&line, "set machine skylake,znver4,sapphirerapids; kernel hex ");
    for (size_t i = 0; i < insns; i++)
        str_add(&line, bytes[i * 7 % 11 % (sizeof bytes / sizeof *bytes)]);
    hold(str_text(&line));
    str_done(&line);
}

/* Prints the longest delays of the screen by a large table and a long loop. */
static void report_holds(void)
{
    static const char *const commands_held[] = {"view kernel",
                                                "kernel analyze",
                                                "kernel simulate",
                                                "kernel show",
                                                "kernel report /tmp/bench-views.html",
                                                "kernel save /tmp/bench-views.s",
                                                "view experiments",
                                                "sort cycles",
                                                "sort experiment",
                                                "filter cycles>2 & form~VADD",
                                                "filter",
                                                "sort",
                                                "find nosuch",
                                                "export /tmp/bench-views-rows.csv",
                                                "experiments list",
                                                "view accuracy",
                                                "view mapping",
                                                "mapping show",
                                                "mapping diff skylake haswell",
                                                "mapping export osaca /tmp/bench-views.yml",
                                                "mapping save /tmp/bench-views.csv",
                                                "set machine zen4-charted",
                                                "set machine skylake"};

    session.patience = 0.05;
    load_loop(39000);
    for (size_t i = 0; i < sizeof commands_held / sizeof *commands_held; i++)
        hold(commands_held[i]);
}

/* Writes a machine with @forms forms and a few thousand distinct usages. */
static void write_machine(size_t forms)
{
    static const char facts[] =
        "key,value,unit,source\nname,Many forms,,\nisa,x86-64,,\nports,0 1 2 3 4 5 6 7,,\n";
    struct str text = {0};
    struct err err;
    struct rng rng;

    rng_seed(&rng, 2);
    if (mkdir(MANY_FORMS, 0777) != 0 && errno != EEXIST)
        die("cannot make " MANY_FORMS);
    if (!file_write(MANY_FORMS "/machine.csv", facts, strlen(facts), &err))
        die("%s", err.what);
    str_add(&text, "form,usage,latency,source\n");
    for (size_t i = 0; i < forms; i++)
        str_addf(&text, "\"FORM%06zu (R64, R64)\",%zu*p%zu%zu+1*p%zu,%zu,bench\n", i,
                 1 + rng_below(&rng, 40), rng_below(&rng, 4), 4 + rng_below(&rng, 4),
                 rng_below(&rng, 8), i % 7);
    if (!file_write(MANY_FORMS "/mapping.csv", str_text(&text), text.length, &err))
        die("%s", err.what);
    str_done(&text);
}

static void report_mapping(size_t forms)
{
    static const char *const held[] = {("set machine " MANY_FORMS),
                                       "view mapping",
                                       "sort -cycles",
                                       "sort usage",
                                       "filter cycles>20 & form~99",
                                       "filter",
                                       "sort",
                                       "find nosuch",
                                       "mapping set 'FORM000000 (R64, R64)' 1*p0",
                                       "export /tmp/bench-views-forms.csv",
                                       "mapping show",
                                       "view mapping"};

    printf("%zu forms\n", forms);
    write_machine(forms);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        hold(held[i]);
    report("mapping: nothing changed", NULL, NULL);
    report("mapping: a command that changes something", "set seed 1", NULL);
}

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    struct err err = {0};
    struct rng rng;

    session_init(&session);
    session.interactive = true;
    session.input = NULL;
    frame_init(&frame, &session);
    const struct machine *m = session_current(&session, &err);
    if (!m)
        die("%s", err.what);
    rng_seed(&rng, 1);
    session.document.experiments = experiments_new();
    for (size_t i = 0; i < rows; i++) {
        struct experiment e = {0};
        experiment_add(&e, mapping_at(m->mapping, rng_below(&rng, mapping_count(m->mapping)))->form,
                       1);
        experiment_add(&e, mapping_at(m->mapping, rng_below(&rng, mapping_count(m->mapping)))->form,
                       1 + (uint32_t)rng_below(&rng, 3));
        experiments_set(session.document.experiments,
                        experiments_add_named(session.document.experiments, &e),
                        0.25 + 10 * rng_unit(&rng), 0.001 * rng_unit(&rng), 3, EXPERIMENT_OK);
        experiment_done(&e);
    }
    printf("%zu experiments with two forms each, a screen of 240 columns and 80 rows\n", rows);
    frame_run(&frame, "view experiments");
    draw();
    report("nothing changed", NULL, NULL);
    report("results have arrived", NULL, results_arrive);
    report_moves("as they come");
    report("a command that changes something", "set seed 1", NULL);
    frame_run(&frame, "view experiments");
    report("sort by cycles", "sort cycles", NULL);
    report("sorted, nothing changed", NULL, NULL);
    report_moves("sorted");
    report("sorted, results have arrived", NULL, results_arrive);
    report("sort by experiment", "sort experiment", NULL);
    report("sorted by text, results have arrived", NULL, results_arrive);
    report("filter cycles>2", "filter cycles>2", NULL);
    report("filter cycles>2 & form~VADD", "filter cycles>2 & form~VADD", NULL);
    report("filter form~VADD & cycles>2", "filter form~VADD & cycles>2", NULL);
    frame_run(&frame, "filter cycles>2");
    report_moves("sorted and filtered");
    frame_run(&frame, "filter");
    frame_run(&frame, "sort");
    frame_run(&frame, "view accuracy");
    draw();
    report("accuracy: nothing changed", NULL, NULL);
    report("accuracy: results have arrived", NULL, results_arrive);
    frame_run(&frame, "view mapping");
    draw();
    report("mapping: nothing changed", NULL, NULL);
    report("mapping: results have arrived", NULL, results_arrive);
    printf("longest of these frames: %.2f ms of processor time (the bar is 16 ms)\n",
           longest_frame);
    report_holds();
    report_mapping(rows < 100000 ? rows : 100000);
    job_shutdown();
    frame_done(&frame);
    session_done(&session);
    return 0;
}
