/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "insitu/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

#define CHAIN 100000u   /* number of dependent multiplications of 3 to 4 cycles each */
/* number of branches on random bits, nearly half of which are mispredicted */
#define BRANCHES 20000u
#define LINES 2000u     /* number of cache lines that are flushed, then loaded */
#define LINE 64u

static int system_open(void *state, enum counter kind, pid_t tid)
{
    static const uint64_t events[] = {[COUNTER_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
                                      [COUNTER_BRANCH_MISSES] = PERF_COUNT_HW_BRANCH_MISSES,
                                      [COUNTER_CACHE_MISSES] = PERF_COUNT_HW_CACHE_MISSES};
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = events[kind],
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING,
                                   .inherit = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};

    (void)state;
    long fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static bool system_read(void *state, int counter, double *value)
{
    uint64_t words[3]; /* count, time enabled and time running */

    (void)state;
    if (read(counter, words, sizeof words) != (ssize_t)sizeof words || !words[2])
        return false;
    *value = (double)words[0] * (double)words[1] / (double)words[2];
    return true;
}

static void system_done(void *state, int counter)
{
    (void)state;
    close(counter);
}

const struct counter_source counters_system = {system_open, system_read, system_done, NULL};

/* Runs a loop whose count of @kind is known. Sets *@least and *@most to the range of plausible
 * counts. */
static void run_known(enum counter kind, double *least, double *most)
{
    uint64_t x = 88172645463325252u, taken = 0;

    if (kind == COUNTER_CYCLES) {
        for (unsigned i = 0; i < CHAIN; i++)
            __asm__ volatile("imul %0, %0" : "+r"(x) : : "cc");
        *least = 2.5 * CHAIN;
        *most = 8.0 * CHAIN;
    } else if (kind == COUNTER_BRANCH_MISSES) {
        for (unsigned i = 0; i < BRANCHES; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            if (x >> 40 & 1)
                __asm__ volatile("addq $1, %0" : "+r"(taken) : : "cc");
        }
        *least = 0.25 * BRANCHES;
        *most = 0.9 * BRANCHES;
    } else {
        volatile char *lines = mem_zero(LINES, LINE);
        for (unsigned i = 0; i < LINES; i++)
            __asm__ volatile("clflush %0" : "+m"(lines[i * LINE]));
        __asm__ volatile("mfence" : : : "memory");
        /* The order of the lines is irregular, so that no prefetcher predicts it. */
        for (unsigned i = 0; i < LINES; i++)
            taken += (uint64_t)lines[(i * 1229u + (unsigned)(taken & 0)) % LINES * LINE];
        *least = 0.25 * LINES;
        *most = 8.0 * LINES;
        free((void *)lines);
    }
}

/* Returns the reason why a counter is unusable; NULL: it is usable. */
static const char *try_counter(const struct counter_source *s, enum counter kind)
{
    double least, most, value;
    int counter = s->open(s->state, kind, 0);

    if (counter < 0)
        return counter == -EACCES || counter == -EPERM
                   ? "the system forbids counters: sysctl kernel.perf_event_paranoid=2 allows them"
                   : "this CPU has no counters, or its hypervisor hides them";
    double before = NAN;
    bool ran = s->read(s->state, counter, &before);
    run_known(kind, &least, &most);
    ran = s->read(s->state, counter, &value) && ran;
    s->done(s->state, counter);
    return !ran ? "a counter was opened, but does not count"
           : value - before >= least && value - before <= most
               ? NULL
               : "the count of a known loop was wrong";
}

void counters_new(const struct counter_source *source, struct counters *out)
{
    *out = (struct counters){.source = *source};
    for (int kind = 0; kind < COUNTER_KINDS; kind++) {
        const char *why = try_counter(source, (enum counter)kind);
        out->works[kind] = !why;
        out->why = out->why ? out->why : why;
    }
}

void counters_add(struct counters *c, pid_t tid)
{
    for (int kind = 0; kind < COUNTER_KINDS; kind++) {
        int counter =
            c->works[kind] ? c->source.open(c->source.state, (enum counter)kind, tid) : -1;
        if (counter >= 0)
            vec_push(&c->open[kind], counter);
    }
}

struct hardware_counts counters_read(const struct counters *c)
{
    struct hardware_counts out = {.why = c->why};

    for (int kind = 0; kind < COUNTER_KINDS; kind++) {
        bool any = false;
        double sum = 0, value;
        for (size_t i = 0; i < c->open[kind].count; i++)
            if (c->source.read(c->source.state, c->open[kind].items[i], &value)) {
                sum += value;
                any = true;
            }
        out.value[kind] = any ? sum : NAN;
    }
    return out;
}

void counters_done(struct counters *c)
{
    for (int kind = 0; kind < COUNTER_KINDS; kind++) {
        for (size_t i = 0; i < c->open[kind].count; i++)
            c->source.done(c->source.state, c->open[kind].items[i]);
        vec_done(&c->open[kind]);
    }
}
#endif
