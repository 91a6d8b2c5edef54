/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/native.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/facts.h"

/* number of measurements of the clock and the core after each size */
#define PIECES 3
/* number of bytes streamed per measurement, rounded down to whole passes; a larger buffer is
 * streamed once */
#define STREAM_BYTES ((size_t)1 << 20)
#define MOST_BYTES ((size_t)64 << 20)
#define JUMPS 4000
#define SLOW_BYTES ((size_t)1 << 22)        /* size in bytes of each part of a slow stream */
#define SLOW_NEAR_BYTES ((size_t)1 << 14)   /* size in bytes of an area in the first-level cache */
/* Minimum number of independent accesses per measurement. It makes the cost of the system calls
 * around it small. */
#define SCATTERED 32768
/* COLUMNS_BY: ratio of the area walked in columns to the accessed lines. COLUMN_PAGES: maximum
 * number of pages of this area, which the TLB can hold, unless the lines need more. */
#define COLUMNS_BY 8
#define COLUMN_PAGES 1024
#define TRIES 5                  /* number of repetitions of short measurements */
#define WALKED 16384u            /* minimum number of accesses per measurement of page walks */
#define PAGE 4096u
#define FIRST_WAIT 0.3e-3        /* seconds of the first wait; each next wait is twice as long */
#define WAIT_TRIES 3
/* size of the recently accessed area in multiples of the first size: an eighth to a quarter of the
 * second-level cache */
#define NEAR_BY 2
/* size of the area in multiples of the first size: half to all of the second-level cache */
#define SECOND_BY 8

static volatile uint64_t sink;

/* Start of a measurement by two clocks, in seconds */
struct lap { double cpu, wall; };

static struct lap lap_begin(void)
{
    const double cpu = native_seconds();
    return (struct lap){cpu, clock_wall()};
}

/* Returns the seconds since @l. Uses the smaller of two clocks, which is nearer to the true time.
 * The wall clock includes the time of other tasks. The CPU time includes its system call, 1.3 to
 * 2.1 µs on a virtual Zen 5. */
static double lap_seconds(const struct lap *l)
{
    const double wall = clock_wall() - l->wall;
    return fmin(wall, native_seconds() - l->cpu);
}

/* Reads @bytes at @at as two streams, one per half. Returns the seconds per line. */
static double read_seconds(const char *at, size_t bytes)
{
    size_t rounds = bytes < STREAM_BYTES ? STREAM_BYTES / bytes : 1, part = bytes / 8 / 2;
    const volatile uint64_t *p = (const volatile uint64_t *)(const void *)at;
    uint64_t sum = 0, other = 0;
    const struct lap start = lap_begin();

    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < part; i += 8) {
            sum += p[i];
            other += p[part + i];
        }
    const double seconds = lap_seconds(&start);
    sink = sum + other;
    return seconds / (double)(rounds * (bytes / (size_t)MEMORY_LINE));
}

/* Reads half of @bytes as one stream. Returns the seconds per line. */
static double alone_seconds(const char *at, size_t bytes)
{
    const volatile uint64_t *p = (const volatile uint64_t *)(const void *)at;
    uint64_t sum = 0, other = 0;
    const struct lap start = lap_begin();

    for (size_t i = 0; i < bytes / 16; i += 8) {
        sum += p[i];
        other += p[i + 4];
    }
    const double seconds = lap_seconds(&start);
    sink = sum + other;
    return seconds / (double)(bytes / 2 / (size_t)MEMORY_LINE);
}

/* Reads @bytes as two streams, with a chain of three cycles per pair of words. Returns the seconds
 * per line. */
static double chained_seconds(const char *at, size_t bytes)
{
    const volatile uint64_t *p = (const volatile uint64_t *)(const void *)at, *q = p + bytes / 16;
    uint64_t sum = 0;
    const struct lap start = lap_begin();

    for (size_t i = 0; i < bytes / 16; i++)
        sum = ((sum ^ p[i]) + q[i]) ^ i;
    const double seconds = lap_seconds(&start);
    sink = sum;
    return seconds / (double)(bytes / (size_t)MEMORY_LINE);
}

/* Reads @bytes as one stream, with MEMORY_FEW_UOPS µops per line. Returns the seconds per line. */
static double slow_seconds(const char *at, size_t bytes)
{
    const volatile uint64_t *p = (const volatile uint64_t *)(const void *)at;
    uint64_t sum = 0;
    const struct lap start = lap_begin();

    for (size_t i = 0; i < bytes / 8; i++) {
        sum += p[i];
        /* Adds nops up to MEMORY_FEW_UOPS µops for eight words, including the load, the addition
         * and the loop. */
        __asm__ volatile(".rept 28\n\tnop\n\t.endr");
    }
    const double seconds = lap_seconds(&start);
    sink = sum;
    return seconds / (double)(bytes / (size_t)MEMORY_LINE);
}

static double write_seconds(const char *from, size_t bytes)
{
    char *at = (char *)(uintptr_t)from;

    size_t rounds = bytes < STREAM_BYTES ? STREAM_BYTES / bytes : 1, part = bytes / 8 / 2;
    volatile uint64_t *p = (volatile uint64_t *)(void *)at;
    const struct lap start = lap_begin();

    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < part; i += 8) {
            p[i] = 0;
            p[part + i] = 0;
        }
    return lap_seconds(&start) / (double)(rounds * (bytes / (size_t)MEMORY_LINE));
}

static double update_seconds(const char *from, size_t bytes)
{
    char *at = (char *)(uintptr_t)from;
    size_t rounds = bytes < STREAM_BYTES ? STREAM_BYTES / bytes : 1, part = bytes / 8 / 2;
    volatile uint64_t *p = (volatile uint64_t *)(void *)at;
    const struct lap start = lap_begin();

    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < part; i += 8) {
            p[i]++;
            p[part + i]++;
        }
    return lap_seconds(&start) / (double)(rounds * (bytes / (size_t)MEMORY_LINE));
}

/* Measures dependent random accesses. Each address depends on the previous load and on Knuth's
 * linear congruential generator. Returns the seconds per access, from which the caller subtracts
 * the generator's cycles. */
static double jump_once(const char *from, size_t bytes)
{
    const volatile uint64_t *p = (const volatile uint64_t *)(const void *)from;
    uint64_t at = sink, lines = bytes / (size_t)MEMORY_LINE;
    const struct lap start = lap_begin();

    for (int i = 0; i < JUMPS; i++) {
        at = at * 6364136223846793005u + 1442695040888963407u;
        at += p[((at >> 33) & (lines - 1)) * 8];
    }
    const double seconds = lap_seconds(&start);
    sink = at;
    return seconds / JUMPS;
}

/* Writes a cycle through all lines of @bytes in random order (Sattolo's algorithm). The second word
 * of each line is the number of the next line. */
static void cycle_fill(const char *from, size_t bytes)
{
    uint64_t *p = (uint64_t *)(uintptr_t)from + 1, random = 1;
    const size_t lines = bytes / (size_t)MEMORY_LINE;

    for (size_t i = 0; i < lines; i++)
        p[i * 8] = i;
    for (size_t i = lines; i-- > 1;) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const size_t k = (random >> 33) % i;
        const uint64_t other = p[k * 8];
        p[k * 8] = p[i * 8];
        p[i * 8] = other;
    }
}

/* Walks once through the cycle of @bytes. Each address depends on the previous load. Returns the
 * seconds per line. */
static double cycle_once(const char *from, size_t bytes)
{
    const volatile uint64_t *p = (const volatile uint64_t *)(const void *)from + 1;
    const size_t lines = bytes / (size_t)MEMORY_LINE;
    uint64_t at = 0;
    const struct lap start = lap_begin();

    for (size_t i = 0; i < lines; i++)
        at = p[at * 8];
    const double seconds = lap_seconds(&start);
    sink = at;
    return seconds / (double)lines;
}

/* Returns the sum of one word of each line of a column: @rows lines, @step bytes apart. */
static uint64_t column_sum(const char *at, size_t rows, size_t step)
{
    uint64_t sum = 0, other = 0;

    for (size_t i = 0; i + 2 <= rows; i += 2, at += 2 * step) {
        sum += *(const volatile uint64_t *)(const void *)at;
        other += *(const volatile uint64_t *)(const void *)(at + step);
    }
    return sum + other;
}

/* Measures independent accesses to lines of @bytes in columns of rows of 1,000 numbers. The area
 * has more lines than are accessed, to make columns as long as in programs. As in programs, the
 * other words of long columns are read between the first accesses. This may evict prefetched
 * neighbours of the lines. Long columns are timed by the wall clock, because a system call slows
 * the next thousand accesses: 12 cycles per line on a virtual Zen 5 instead of 2. The core has its
 * maximum number of misses in flight. */
static double scatter_once(const char *from, size_t bytes)
{
    const size_t step = 8000, wide = bytes * COLUMNS_BY / step,
                 few = wide < COLUMN_PAGES ? wide : COLUMN_PAGES,
                 rows = bytes / step > few ? bytes / step : few,
                 columns = 1 + (bytes / (size_t)MEMORY_LINE - 1) / rows;
    /* Starts at the column after those of the previous measurement, whose latest lines are
     * still cached. */
    static _Thread_local size_t column;
    const size_t words = rows < COLUMN_PAGES / 2 ? 1 : (size_t)MEMORY_LINE / sizeof(uint64_t);
    uint64_t sum = 0;
    size_t count = 0;
    double seconds = 0;
    const struct lap start = lap_begin();

    for (; count < SCATTERED; count += rows / 2 * 2) {
        const char *at = from + column % columns * (size_t)MEMORY_LINE;
        const double begun = words > 1 ? clock_wall() : 0;
        column++;
        sum += column_sum(at, rows, step);
        if (words > 1)
            seconds += clock_wall() - begun;
        for (size_t i = 1; i < words; i++)
            sum += column_sum(at + i * sizeof(uint64_t), rows, step);
    }
    sink = sum;
    return (words > 1 ? seconds : lap_seconds(&start)) / (double)count;
}

/* Returns the minimum of several measurements, because other tasks on the core and in the caches
 * only increase times. */
static double least_of_tries(double (*once)(const char *from, size_t bytes), const char *from,
                             size_t bytes)
{
    double least = INFINITY;

    for (int i = 0; i < TRIES; i++)
        least = fmin(least, once(from, bytes));
    return least;
}

static double jump_seconds(const char *from, size_t bytes)
{
    return least_of_tries(jump_once, from, bytes);
}

static double scatter_seconds(const char *from, size_t bytes)
{
    return least_of_tries(scatter_once, from, bytes);
}

/* Returns the seconds per line of a random cycle through about @bytes. */
static double cycle_seconds(const char *from, double bytes)
{
    const size_t size = PAGE * (size_t)rint(bytes / PAGE);

    cycle_fill(from, size);
    cycle_once(from, size);
    return least_of_tries(cycle_once, from, size);
}

static inline uint64_t line_of(const char *from, size_t page, size_t shift)
{
    return *(const volatile uint64_t *)(const void *)(from + page * PAGE + page * shift % PAGE);
}

/* Accesses one line of each page of @bytes. Its offset in the page is @shift bytes larger than in
 * the previous page. Returns the seconds per line. Has four loads per iteration, because compilers
 * unroll such loops by four. On a Zen 3, a loop with one load takes 10 cycles per line, and a loop
 * with four loads takes 12. */
static double walk_by(const char *from, size_t bytes, size_t shift)
{
    const size_t pages = bytes / PAGE, rounds = 1 + WALKED / pages;
    uint64_t sum = 0;
    const struct lap start = lap_begin();

    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < pages; i += 4)
            sum += line_of(from, i, shift) + line_of(from, i + 1, shift) +
                   line_of(from, i + 2, shift) + line_of(from, i + 3, shift);
    const double seconds = lap_seconds(&start);
    sink = sum;
    return seconds / (double)(rounds * pages);
}

/* Measures a walk whose lines fit in the first two levels. */
static double walk_once(const char *from, size_t bytes)
{
    return walk_by(from, bytes, (size_t)MEMORY_LINE);
}

static double crowd_once(const char *from, size_t bytes)
{
    return walk_by(from, bytes, 0);
}

static double crowd_1k_once(const char *from, size_t bytes)
{
    return walk_by(from, bytes, MEMORY_SOME_SETS);
}

struct native_probe {
    char *at;                    /* area of MOST_BYTES bytes */
    size_t first;                /* size of the first area: a power of two, a sixteenth to an eighth
                                  * of the second-level cache */
    struct machine *machine;     /* this CPU's machine */
    VEC(struct native) seen;
};

struct native_probe *native_probe_new(const struct machine *m, struct err *err)
{
    char *at = mmap(NULL, MOST_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    double bytes = fact_number(m, "l2_bytes");
    struct native_probe *p;

    if (at == MAP_FAILED) {
        err_set(err, ERR_LIMIT, "end other programs",
                "not enough memory to measure caches and memory");
        return NULL;
    }
    memset(at, 0, MOST_BYTES);
    p = mem_zero(1, sizeof *p);
    p->at = at;
    p->machine = machine_copy(m);
    for (p->first = 1 << 14;
         p->first < MOST_BYTES && (double)p->first * 16 <= (isnan(bytes) ? 0x1p20 : bytes);
         p->first *= 2)
        continue;
    return p;
}

void native_probe_free(struct native_probe *p)
{
    if (!p)
        return;
    munmap(p->at, MOST_BYTES);
    machine_free(p->machine);
    vec_done(&p->seen);
    free(p);
}

/* Measures the latency of lines that were accessed some time ago, after increasing waits. @bytes:
 * size of the area. @congruence: seconds per access of the address generator alone. If a wait was
 * preempted, repeats it or leaves its latencies NaN. Stores the latencies in @out, one element per
 * wait. */
static void look_at_waits(const struct native_probe *p, size_t bytes, double congruence,
                          struct native_wait out[NATIVE_WAITS])
{
    /* size in bytes of the part whose lines were accessed last; the part ends in the middle of the
     * area */
    const size_t near = p->first * NEAR_BY;
    double wait = FIRST_WAIT;

    for (int i = 0, tries = 1; i < NATIVE_WAITS; tries++) {
        double start = clock_wall(), left = native_taken_over();
        read_seconds(p->at, bytes);
        double walked = clock_wall();
        while (clock_wall() < walked + wait)
            continue;
        double second = jump_seconds(p->at + bytes / 2 - near, near) - congruence,
               latency = jump_seconds(p->at, bytes) - congruence, end = clock_wall();
        bool whole = native_taken_over() == left;
        if (!whole && tries < WAIT_TRIES)
            continue;
        out[i] = (struct native_wait){(end - start + wait) / 2, whole ? fmax(0, latency) : NAN,
                                      wait, whole ? fmax(0, second) : NAN};
        i++;
        wait *= 2;
        tries = 0;
    }
}

void native_probe_look(struct native_probe *p)
{
    struct native n = {.share = {1, 1, 0, 0}};
    /* cycles of the generator: multiplication (3), addition, shift and mask */
    const double jump_cycles = 6;
    struct core_readings pieces = {0};

    for (size_t size = p->first; size <= MOST_BYTES && n.count < NATIVE_SIZES;
         size *= n.count == 1 ? 16 : 2) {
        struct native_level *l = &n.sizes[n.count++];
        /* Loads the part of the area that fits into the caches. */
        read_seconds(p->at, size);
        *l = (struct native_level){.bytes = (double)size,
                                   .read = least_of_tries(read_seconds, p->at, size),
                                   .write = least_of_tries(write_seconds, p->at, size),
                                   .update = least_of_tries(update_seconds, p->at, size),
                                   .latency = jump_seconds(p->at, size),
                                   .scatter = NAN};
        read_seconds(p->at, size);
        /* Uses half of the largest area, because the third-level cache may contain the last
         * half. */
        l->scatter = scatter_seconds(p->at, size < MOST_BYTES ? size : size / 2);
        for (int i = 0; i < PIECES; i++)
            core_readings_add(&pieces);
    }
    size_t second = p->first * SECOND_BY;
    if (second <= MOST_BYTES)
        n.second = (struct native_level){.bytes = (double)second, .latency = INFINITY};
    /* Fills the area before each try, because a task that runs in between may evict its lines. */
    for (int i = 0; i < TRIES && second <= MOST_BYTES; i++) {
        read_seconds(p->at, second);
        read_seconds(p->at, second);
        n.second.latency = fmin(n.second.latency, jump_once(p->at, second));
    }
    core_readings_judge(&pieces, p->machine, &n.clock_hz, &n.share);
    core_readings_done(&pieces);
    n.second.latency = fmax(0, n.second.latency - jump_cycles / n.clock_hz);
    for (size_t i = 0; i < n.count; i++)
        n.sizes[i].latency = fmax(0, n.sizes[i].latency - jump_cycles / n.clock_hz);
    for (int i = 0; i < NATIVE_WAITS; i++)
        n.waits[i] = (struct native_wait){NAN, NAN, NAN, NAN};
    if (n.count > 3)
        look_at_waits(p, (size_t)n.sizes[2].bytes, jump_cycles / n.clock_hz, n.waits);
    n.crowded = least_of_tries(crowd_once, p->at, NATIVE_FEW_PAGES * PAGE);
    n.crowded_1k = least_of_tries(crowd_1k_once, p->at, NATIVE_FEW_PAGES * PAGE);
    n.columns = least_of_tries(crowd_once, p->at, NATIVE_FIRST_WALK * PAGE);
    n.apart = least_of_tries(walk_once, p->at, NATIVE_FEW_PAGES * PAGE);
    const double l2 = fact_number(p->machine, "l2_bytes");
    const bool cycles = native_cycle_by[NATIVE_CYCLES - 1] * l2 <= MOST_BYTES;
    for (size_t i = 0; i < NATIVE_CYCLES && cycles; i++)
        n.cycles[i] = cycle_seconds(p->at, native_cycle_by[i] * l2);
    for (size_t i = 0; i < NATIVE_WALKS; i++)
        n.walks[i] = least_of_tries(walk_once, p->at, (NATIVE_FIRST_WALK << i) * PAGE);
    n.alone = least_of_tries(alone_seconds, p->at, MOST_BYTES);
    n.chained = least_of_tries(chained_seconds, p->at, MOST_BYTES);
    n.chained_near = least_of_tries(chained_seconds, p->at, SLOW_NEAR_BYTES);
    /* Uses another part for each measurement, because the third-level cache may contain the
     * previous part. */
    n.slow = INFINITY;
    for (size_t i = 0; i < TRIES; i++)
        n.slow = fmin(n.slow, slow_seconds(p->at + MOST_BYTES / 2 + i * SLOW_BYTES, SLOW_BYTES));
    n.slow_near = least_of_tries(slow_seconds, p->at, SLOW_NEAR_BYTES);
    vec_push(&p->seen, n);
}

double native_looks_apart(const struct native *looks, size_t count)
{
    double apart = 0;

    for (size_t i = 1; count && i < looks->count; i++) {
        struct native_level least = looks->sizes[i], most = least;
        for (size_t k = 1; k < count; k++) {
            const struct native_level *l = &looks[k].sizes[i];
            least.read = fmin(least.read, l->read);
            most.read = fmax(most.read, l->read);
            least.latency = fmin(least.latency, l->latency);
            most.latency = fmax(most.latency, l->latency);
        }
        apart = fmax(apart, fmax(most.read / least.read, most.latency / least.latency) - 1);
    }
    return apart;
}

double native_looks_nearest(const struct native *looks, size_t count, bool *use)
{
    double least = INFINITY;
    size_t other = count;

    for (size_t i = 0; i + 1 < count; i++) {
        const double apart = native_looks_apart((const struct native[]){looks[i], looks[count - 1]},
                                                2);
        if (!(apart < least))
            continue;
        least = apart;
        other = i;
    }
    for (size_t i = 0; i < count; i++)
        use[i] = i == other || i + 1 == count;
    return least;
}

/* A list of measurements */
struct looks { const struct native *items; size_t count; };

/* Returns the median, over the measurements, of the member at @offset; for an even number, the mean
 * of the two middle values. NaN: all are unknown. */
static double middle(const struct looks *looks, size_t offset)
{
    double *values = mem_alloc(looks->count * sizeof *values), value;
    size_t count = 0;

    for (size_t i = 0; i < looks->count; i++) {
        memcpy(&value, (const char *)&looks->items[i] + offset, sizeof value);
        if (!isnan(value))
            values[count++] = value;
    }
    qsort(values, count, sizeof *values, compare_doubles);
    value = count ? (values[count / 2] + values[(count - 1) / 2]) / 2 : NAN;
    free(values);
    return value;
}

/* Returns a copy of the measurements in @use (NULL: all), which the caller frees. Sets *@count to
 * their number. */
static struct native *looks_used(const struct native_probe *p, const bool *use, size_t *count)
{
    struct native *used = mem_alloc((p->seen.count + 1) * sizeof *used);

    *count = 0;
    for (size_t i = 0; i < p->seen.count; i++)
        if (!use || use[i])
            used[(*count)++] = p->seen.items[i];
    return used;
}

bool native_probe_agrees(const struct native_probe *p, const bool *use, double within)
{
    size_t count;
    struct native *used = looks_used(p, use, &count);
    bool agree = native_looks_apart(used, count) <= within;

    free(used);
    return agree;
}

double native_probe_nearest(const struct native_probe *p, bool *use)
{
    return native_looks_nearest(p->seen.items, p->seen.count, use);
}

void native_probe_result(const struct native_probe *p, const bool *use, struct native *out)
{
    double slots = 0, ports = 0;
    size_t count;
    struct native *used = looks_used(p, use, &count);
    const struct looks looks = {used, count};
    *out = used[0];
    out->clock_hz = middle(&looks, offsetof(struct native, clock_hz));
    /* Shares are rates, so their mean is the reciprocal of the mean time. */
    for (size_t i = 0; i < count; i++) {
        slots += 1 / looks.items[i].share.slots;
        ports += 1 / looks.items[i].share.ports;
    }
    out->share.slots = (double)count / slots;
    out->share.ports = (double)count / ports;
    out->alone = middle(&looks, offsetof(struct native, alone));
    out->slow = middle(&looks, offsetof(struct native, slow));
    out->slow_near = middle(&looks, offsetof(struct native, slow_near));
    for (size_t i = 0; i < NATIVE_WAITS; i++) {
        size_t at = offsetof(struct native, waits) + i * sizeof *out->waits;
        out->waits[i].age = middle(&looks, at + offsetof(struct native_wait, age));
        out->waits[i].latency = middle(&looks, at + offsetof(struct native_wait, latency));
        out->waits[i].waited = middle(&looks, at + offsetof(struct native_wait, waited));
        out->waits[i].second = middle(&looks, at + offsetof(struct native_wait, second));
    }
    for (size_t i = 0; i < NATIVE_WALKS; i++)
        out->walks[i] = middle(&looks, offsetof(struct native, walks) + i * sizeof *out->walks);
    out->crowded = middle(&looks, offsetof(struct native, crowded));
    out->crowded_1k = middle(&looks, offsetof(struct native, crowded_1k));
    out->chained = middle(&looks, offsetof(struct native, chained));
    out->chained_near = middle(&looks, offsetof(struct native, chained_near));
    out->columns = middle(&looks, offsetof(struct native, columns));
    out->apart = middle(&looks, offsetof(struct native, apart));
    for (size_t i = 0; i < NATIVE_CYCLES; i++)
        out->cycles[i] = middle(&looks, offsetof(struct native, cycles) + i * sizeof *out->cycles);
    out->second.latency =
        middle(&looks, offsetof(struct native, second) + offsetof(struct native_level, latency));
    for (size_t i = 0; i < out->count; i++) {
        size_t at = offsetof(struct native, sizes) + i * sizeof *out->sizes;
        out->sizes[i].read = middle(&looks, at + offsetof(struct native_level, read));
        out->sizes[i].write = middle(&looks, at + offsetof(struct native_level, write));
        out->sizes[i].update = middle(&looks, at + offsetof(struct native_level, update));
        out->sizes[i].latency = middle(&looks, at + offsetof(struct native_level, latency));
        out->sizes[i].scatter = middle(&looks, at + offsetof(struct native_level, scatter));
    }
    free(used);
}
