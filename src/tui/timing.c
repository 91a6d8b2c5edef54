/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/timing.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define WAITED 0.0002   /* seconds; if a wait was shorter, its input arrived before the wait */

#define TURN_MOST 0.005 /* seconds of a turn above which it is reported, because another thread
                         * should do such work */
#define TURNS_NAMED 8   /* number of longest turns that the summary names */

/* Times of a frame, in seconds since the start. @key: NaN if no key caused it. @turn: the CPU time
 * of the longest turn of the UI thread, from the turn that drew the frame to the next frame. */
struct frame_times {
    double key, draws, drawn, turn;
    uint64_t bytes;
};

/* CPU seconds of a turn of the loop, in total and for drawing, and the name of its work. */
struct turn {
    double took, drew;
    char what[60];
};

static char *file;
static VEC(struct frame_times) frames;
static double opened, opened_cpu;
static double empty;        /* last time at which the terminal had no input */
/* earliest possible arrival of the first key that is not displayed yet; NaN: none */
static double key = NAN;
static double draws;
/* CPU time of the UI thread at the start of its turn; NaN: it is waiting */
static double woke_cpu = NAN;
static VEC(float) turns; /* CPU milliseconds of each turn */
static struct turn now_turn, longest[TURNS_NAMED];   /* @longest: longest turns, longest first */
static double draws_cpu;
static uint64_t written;

static double processor_time(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t timing_bytes(void)
{
    char text[512];
    int from = open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);
    ssize_t n = from >= 0 ? read(from, text, sizeof text - 1) : -1;

    if (from >= 0)
        close(from);
    text[n > 0 ? n : 0] = '\0';
    const char *at = strstr(text, "wchar:");
    return at ? strtoull(at + 6, NULL, 10) : 0;
}

bool timing_open(const char *path, struct err *err)
{
    if (!path)
        return true;
    if (!file_write(path, "", 0, err))
        return false;
    file = mem_strdup(path);
    opened = clock_wall();
    opened_cpu = processor_time(CLOCK_PROCESS_CPUTIME_ID);
    return true;
}

void timing_read(void)
{
    if (file)
        empty = clock_wall();
}

void timing_does(const char *what)
{
    const size_t length = strlen(now_turn.what);

    if (file && what && *what)
        snprintf(now_turn.what + length, sizeof now_turn.what - length, "%s%.*s",
                 length ? ", " : "", (int)strcspn(what, "\n"), what);
}

/* Stores the turn if it is longer than TURN_MOST and one of the longest turns. Begins the next
 * turn. */
static void keep_turn(double took)
{
    size_t at = TURNS_NAMED;

    now_turn.took = took;
    while (at && took > longest[at - 1].took)
        at--;
    if (took > TURN_MOST && at < TURNS_NAMED) {
        memmove(longest + at + 1, longest + at, (TURNS_NAMED - 1 - at) * sizeof *longest);
        longest[at] = now_turn;
    }
    now_turn = (struct turn){0};
}

void timing_waits(void)
{
    if (!file || isnan(woke_cpu))
        return;
    const double took = processor_time(CLOCK_THREAD_CPUTIME_ID) - woke_cpu;

    vec_push(&turns, (float)(1e3 * took));
    keep_turn(took);
    /* The last frame was drawn in this turn or in an earlier turn, so the turn's time belongs to
     * this frame. */
    if (frames.count)
        frames.items[frames.count - 1].turn = fmax(frames.items[frames.count - 1].turn, took);
    woke_cpu = NAN;
}

void timing_woke(double waits, bool input)
{
    if (!file)
        return;
    double now = clock_wall();
    woke_cpu = processor_time(CLOCK_THREAD_CPUTIME_ID);
    /* Assumes the earliest possible arrival of input that is present when a wait starts: the time
     * at which the terminal was empty. */
    if (input && isnan(key))
        key = now - waits < WAITED && empty > 0 ? empty : now;
    if (!input)
        empty = now;
}

void timing_draws(void)
{
    if (!file)
        return;
    draws = clock_wall();
    draws_cpu = processor_time(CLOCK_THREAD_CPUTIME_ID);
    written = timing_bytes();
}

void timing_drawn(void)
{
    if (!file)
        return;
    vec_push(&frames,
             ((struct frame_times){key, draws, clock_wall(), 0, timing_bytes() - written}));
    now_turn.drew += processor_time(CLOCK_THREAD_CPUTIME_ID) - draws_cpu;
    key = NAN;
}

static void add_time(struct str *out, double seconds)
{
    if (!isnan(seconds))
        str_addf(out, "%.6f", seconds);
    str_add_char(out, ',');
}

static void print_share(FILE *out, const char *what, double seconds, double of)
{
    fprintf(out, "%s %.2f s of %.1f s (%.1f %%)\n", what, seconds, of, 100 * seconds / of);
}

static int compare_floats(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Prints statistics of the turns. The statistics are of CPU time, which hardly depends on other
 * work on the CPU. */
static void summarise_turns(FILE *out)
{
    size_t longer = 0;

    if (!turns.count)
        return;
    qsort(turns.items, turns.count, sizeof *turns.items, compare_floats);
    for (size_t i = 0; i < turns.count; i++)
        longer += (double)turns.items[i] > 1e3 * TURN_MOST;
    fprintf(out,
            "CPU time per main loop pass: %zu pass%s, median %.1f ms, 99th percentile %.1f ms, "
            "longest %.1f ms; %zu took more than %.0f ms\n",
            turns.count, turns.count == 1 ? "" : "es", (double)turns.items[turns.count / 2],
            (double)turns.items[(turns.count * 99 + 99) / 100 - 1],
            (double)turns.items[turns.count - 1], longer, 1e3 * TURN_MOST);
    for (size_t i = 0; i < TURNS_NAMED && longest[i].took > 0; i++)
        fprintf(out, "  %.1f ms, drawing %.1f ms: %s\n", 1e3 * longest[i].took,
                1e3 * longest[i].drew, *longest[i].what ? longest[i].what : "progress of jobs");
}

static void summarise(FILE *out)
{
    VEC(double) answers = {0};
    uint64_t bytes = 0;
    double slowest = 0;

    for (size_t i = 0; i < frames.count; i++) {
        const struct frame_times *f = &frames.items[i];
        bytes += f->bytes;
        slowest = fmax(slowest, f->drawn - f->draws);
        if (!isnan(f->key))
            vec_push(&answers, 1e3 * (f->drawn - f->key));
    }
    double seconds = frames.count ? clock_wall() - opened : NAN;
    if (frames.count)
        fprintf(out, "first screen after %.1f ms; %zu frame%s, the slowest took %.1f ms\n",
                1e3 * frames.items[0].drawn, frames.count, plural(frames.count), 1e3 * slowest);
    if (answers.count) {
        qsort(answers.items, answers.count, sizeof *answers.items, compare_doubles);
        fprintf(out,
                "input to screen: %zu input%s, median %.1f ms, 99th percentile %.1f ms, longest "
                "%.1f ms\n",
                answers.count, plural(answers.count), answers.items[answers.count / 2],
                answers.items[(answers.count * 99 + 99) / 100 - 1],
                answers.items[answers.count - 1]);
    }
    if (frames.count) {
        fprintf(out, "to the terminal: %.1f kB, %.2f kB/s\n", (double)bytes / 1e3,
                (double)bytes / 1e3 / seconds);
        summarise_turns(out);
        print_share(out, "processor time of the screen's thread:",
                    processor_time(CLOCK_THREAD_CPUTIME_ID), seconds);
        print_share(out, "processor time of all threads:",
                    processor_time(CLOCK_PROCESS_CPUTIME_ID) - opened_cpu, seconds);
    }
    vec_done(&answers);
}

bool timing_close(FILE *out, struct err *err)
{
    struct str text = {0};

    if (!file)
        return true;
    str_add(&text, "key,draws,drawn,bytes,turn\n");
    for (size_t i = 0; i < frames.count; i++) {
        add_time(&text, frames.items[i].key);
        add_time(&text, frames.items[i].draws);
        add_time(&text, frames.items[i].drawn);
        str_addf(&text, "%llu,%.6f\n", (unsigned long long)frames.items[i].bytes,
                 frames.items[i].turn);
    }
    bool ok = file_write(file, str_text(&text), text.length, err);
    if (ok)
        summarise(out);
    str_done(&text);
    vec_done(&frames);
    vec_done(&turns);
    free(file);
    file = NULL;
    return ok;
}
