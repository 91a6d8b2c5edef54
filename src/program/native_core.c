/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/native_core.h"

#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/compare.h"
#include "base/mem.h"
#include "model/facts.h"

/* number of multiplications in the dependence chain that measures the clock */
#define CHAIN 10000
#define CHAIN_CYCLES 4.0         /* cycles per link of CHAIN: a 64-bit multiplication (3) and an
                                  * exclusive or (1) */
/* number of loads per iteration of the loop that measures the ports' share */
#define LOADS 24
/* number of nops per iteration of the loop that measures the slots' share */
#define NOPS 96
/* number of µops of the loop's decrement and jump, which are fused */
#define TURN_INSNS 1
/* Numbers of iterations per measurement. Reading the clock takes a varying time. On an idle virtual
 * Turin, it appeared as 8 % of the core in measurements of 6,000 cycles. */
#define LOAD_TURNS 4000
#define NOP_TURNS 2000
#define EMPTY_TRIES 3
#define READINGS 24              /* number of readings per measurement without a program */
#define PERIOD 1000000           /* nanoseconds between readings */
#define WATCH_LEAST 8            /* minimum number of readings during a program */

static volatile uint64_t sink;

double native_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double native_empty(void)
{
    double least = INFINITY;

    for (int i = 0; i < EMPTY_TRIES; i++) {
        double start = native_seconds();
        least = fmin(least, native_seconds() - start);
    }
    return least;
}

/* Measures a dependence chain. Returns the seconds per cycle. @empty: seconds of an empty
 * measurement. */
static double chain_seconds(double empty)
{
    uint64_t x = sink | 1, y = x, z = x >> 3;
    double start = native_seconds();

    for (int i = 0; i < CHAIN; i++)
        x = (x * y) ^ z;
    start = native_seconds() - start - empty;
    sink = x;
    return start / (CHAIN * CHAIN_CYCLES);
}

/* Returns the seconds per iteration of a loop of loads, with few other µops, so that issue slots do
 * not limit the loop. */
static double loads_seconds(double empty)
{
    static uint64_t words[LOADS];
    const volatile uint64_t *p = words;
    double start = native_seconds();

    for (int i = 0; i < LOAD_TURNS; i++) {
        (void)p[0], (void)p[1], (void)p[2], (void)p[3], (void)p[4], (void)p[5], (void)p[6],
            (void)p[7];
        (void)p[8], (void)p[9], (void)p[10], (void)p[11], (void)p[12], (void)p[13], (void)p[14],
            (void)p[15];
        (void)p[16], (void)p[17], (void)p[18], (void)p[19], (void)p[20], (void)p[21], (void)p[22],
            (void)p[23];
    }
    return (native_seconds() - start - empty) / LOAD_TURNS;
}

/* Returns the seconds per iteration of a loop of nops. On x86-64 a nop has eight bytes, because µop
 * caches hold few instructions per 64 bytes of code. With four-byte nops, a loop issued 6.5 of 8
 * per cycle on a Zen 5, depending on its address. With one-byte nops, a loop issued 5.4 of 6 on a
 * Golden Cove. */
static double nops_seconds(double empty)
{
    double start = native_seconds();
    for (int i = 0; i < NOP_TURNS; i++)
#if defined(__x86_64__)
        __asm__ volatile(".rept 96\n\t.byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n\t.endr");
#else
        __asm__ volatile(".rept 96\n\tnop\n\t.endr");
#endif
    return (native_seconds() - start - empty) / NOP_TURNS;
}

double native_taken_over(void)
{
    struct rusage used = {.ru_nivcsw = 0};
    getrusage(RUSAGE_THREAD, &used);
    return (double)used.ru_nivcsw;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

double core_mean_of_most(double *values, size_t count)
{
    size_t cut = count / 10;
    double sum = 0;

    qsort(values, count, sizeof *values, compare_doubles);
    for (size_t i = cut; i < count - cut; i++)
        sum += values[i];
    return sum / (double)(count - 2 * cut);
}

void core_readings_add(struct core_readings *r)
{
    double empty = native_empty();
    struct core_reading one = {.clock_hz = 1 / chain_seconds(empty)};
    one.loads = loads_seconds(empty);
    one.nops = nops_seconds(empty);
    vec_push(&r->list, one);
}

void core_readings_judge(const struct core_readings *r, const struct machine *m, double *clock_hz,
                         struct core_share *share)
{
    double issued = fact_number(m, "issue_width"), loads = fact_number(m, "loads_per_cycle");
    size_t n = r->list.count;
    double *values = mem_alloc(n * sizeof *values);

    share->slots = share->ports = 1;
    for (size_t i = 0; i < n; i++)
        values[i] = r->list.items[i].clock_hz;
    *clock_hz = median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = r->list.items[i].nops;
    if (!isnan(issued))
        share->slots =
            fmin(1, (NOPS + TURN_INSNS) / issued / (core_mean_of_most(values, n) * *clock_hz));
    for (size_t i = 0; i < n; i++)
        values[i] = r->list.items[i].loads;
    /* Limits the ports' share to at least the slots' share, because the loads also wait for
     * slots. */
    if (!isnan(loads))
        share->ports =
            fmax(share->slots, fmin(1, LOADS / loads / (core_mean_of_most(values, n) * *clock_hz)));
    free(values);
}

void core_readings_done(struct core_readings *r)
{
    vec_done(&r->list);
}

double native_clock(void)
{
    return 1 / chain_seconds(native_empty());
}

void native_core(const struct machine *m, double *clock_hz, struct core_share *share)
{
    const struct timespec period = {0, PERIOD};
    struct core_readings readings = {0};

    *share = (struct core_share){1, 1, 0, 0};
    while (readings.list.count < READINGS) {
        core_readings_add(&readings);
        nanosleep(&period, NULL);
    }
    core_readings_judge(&readings, m, clock_hz, share);
    core_readings_done(&readings);
}

struct native_watch {
    cpu_set_t before;            /* CPU affinity of the calling thread before native_watch_start */
    struct core_readings readings;
};

struct native_watch *native_watch_start(void)
{
    struct native_watch *w = mem_zero(1, sizeof *w);
    cpu_set_t here;
    int cpu = sched_getcpu();

    CPU_ZERO(&here);
    if (cpu >= 0 && cpu < CPU_SETSIZE)
        CPU_SET(cpu, &here);
    if (CPU_COUNT(&here) && sched_getaffinity(0, sizeof w->before, &w->before) == 0 &&
        sched_setaffinity(0, sizeof here, &here) == 0)
        return w;
    free(w);
    return NULL;
}

void native_watch_read(struct native_watch *w)
{
    core_readings_add(&w->readings);
}

size_t native_watch_end(struct native_watch *w, const struct machine *m, double *clock_hz,
                        struct core_share *share)
{
    if (!w)
        return 0;
    sched_setaffinity(0, sizeof w->before, &w->before);
    size_t count = w->readings.list.count >= WATCH_LEAST ? w->readings.list.count : 0;
    if (count)
        core_readings_judge(&w->readings, m, clock_hz, share);
    core_readings_done(&w->readings);
    free(w);
    return count;
}
