/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/native.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/facts.h"
#include "program/pages.h"

/* Minimum ratio of the time of a slow stream from main memory to that in the first-level cache.
 * Below this ratio, prefetching hides the latency. */
#define SLOW_SEEN 1.15
/* smallest cost of a page walk, as a share of a line's time from the second-level cache; a smaller
 * cost is set to 0 */
#define WALKS_LEAST 0.2
/* smallest ratio of times per line (one set / different sets) at which the two times count as
 * different */
#define CROWDED_BY 1.25
/* Smallest ratio of times per line (main memory / third-level cache) at which streams show the size
 * of the third-level cache. */
#define STREAMS_DIFFER 1.5
/* A lifetime is computed only if at most this share of lines is still cached after the longest
 * wait. */
#define LEFT_MOST 0.8
#define SECOND_ROUNDS 20
/* Minimum share of the second-level cache that other tasks leave. One task on the other thread of
 * the core leaves half. */
#define SECOND_LEAST 0.25
/* largest ratio of a latency to that of a larger area */
#define ASCENDING 1.3
/* smallest lifetime of a line in seconds, about the time of a walk through the second-level
 * cache */
#define KEPT_LEAST 20e-6

/* Multiples of the second-level cache's size: smaller, larger, and large enough that hardly a line
 * of the previous walk is still in it. On a Zen 5 with a busy host, other tasks replace lines of
 * the third-level cache during walks. A line takes 50 to 440 cycles with four times the size, but
 * 46 to 73 with three times the size. */
const double native_cycle_by[NATIVE_CYCLES] = {0.5, 1.5, 3};

static void set(struct machine *m, const char *key, double value, const char *unit)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", value);
    machine_set_fact(m, key, text, unit, NATIVE_SOURCE);
}

/* Returns the time of an access that misses the second-level cache. @measured: mean over @area.
 * @bytes: number of bytes of the area in the second-level cache. @second: time of a hit. */
static double behind_second(double bytes, const struct native_level *area, double measured,
                            double second)
{
    double part = fmin(0.75, bytes / area->bytes);
    return fmax(measured, (measured - part * second) / (1 - part));
}

/* Returns the share of @lines random lines that the cache lacks: those beyond the ways of their
 * set. */
static double not_held(const struct cache_shape *cache, double lines)
{
    double sets = cache->lines / cache->ways, mean = lines / sets, held = 0, term = exp(-mean),
           below = 0;

    for (double k = 0; k < cache->ways; k++, term *= mean / k) {
        held += k * term;
        below += term;
    }
    return 1 - (held + cache->ways * (1 - below)) / mean;
}

/* Returns the number of bytes of the second-level cache that other tasks leave to the program. The
 * number follows from the share of hits in an area of about the cache's size. The latency of the
 * next level depends on the result, so the computation iterates. */
static double second_left(const struct native *n, const struct machine *m)
{
    const struct native_level *near = &n->sizes[0], *area = &n->sizes[2];
    double all = fact_number(m, "l2_bytes"), ways = fact_number(m, "l2_ways"), left = all;

    if (!(n->second.bytes > 0) || isnan(ways) || n->count < 3)
        return all;
    double alone =
        not_held(&(struct cache_shape){all / MEMORY_LINE, ways}, n->second.bytes / MEMORY_LINE);
    for (int i = 0; i < SECOND_ROUNDS; i++) {
        double behind = behind_second(left, area, area->latency, near->latency),
               missed =
                   fmax(0, n->second.latency - near->latency) / fmax(1e-12, behind - near->latency);
        left = all * fmin(1, (1 - fmin(0.9, missed)) / (1 - alone));
    }
    return left;
}

/* Returns the seconds after which 1/e of the lines are still cached. @lefts: shares of lines left
 * at @ages; an unknown age is NaN. The least recently used lines are replaced first, so the
 * logarithm of the share falls with the square of the age (memory_hit). Returns NaN if the time is
 * too long to measure. */
static double kept_seconds(const double ages[NATIVE_WAITS], const double lefts[NATIVE_WAITS])
{
    double age = 0, left = 1;   /* age and share of the remaining lines after the previous wait */

    for (int i = 0; i < NATIVE_WAITS; i++) {
        if (isnan(ages[i]) || isnan(lefts[i]))
            continue;
        double now = fmin(1, fmax(0.01, lefts[i]));
        if (now <= exp(-1))   /* Interpolates the logarithm of the share of lines between two
                               * waits. */
            return fmax(KEPT_LEAST, sqrt(age * age + (ages[i] * ages[i] - age * age) *
                                                         (log(left) + 1) / (log(left) - log(now))));
        age = ages[i];
        left = now;
    }
    return left < LEFT_MOST ? age / sqrt(-log(left)) : NAN;
}

/* Computes the lifetimes of lines in the second-level cache, and in the third-level cache, which
 * gets the second-level cache's victims. @second: bytes of the second-level cache. @third: latency
 * of the third-level cache in seconds. Stores the lifetimes in *@kept_second and *@kept_third. */
static void find_kept(const struct native *n, double second, double third, double *kept_second,
                      double *kept_third)
{
    const struct native_level *near = &n->sizes[0], *area = &n->sizes[2],
                              *far = &n->sizes[n->count - 1];
    double ages[2][NATIVE_WAITS], lefts[2][NATIVE_WAITS];

    for (int i = 0; i < NATIVE_WAITS; i++) {
        const struct native_wait *w = &n->waits[i];
        ages[0][i] = w->waited;
        lefts[0][i] = third > near->latency ? (third - w->second) / (third - near->latency) : NAN;
        ages[1][i] = w->age;
        lefts[1][i] =
            far->latency > third
                ? (far->latency - behind_second(second, area, w->latency, near->latency)) /
                      (far->latency - third)
                : NAN;
    }
    *kept_second = n->count > 3 ? kept_seconds(ages[0], lefts[0]) : NAN;
    *kept_third = n->count > 3 ? kept_seconds(ages[1], lefts[1]) : NAN;
}

/* Returns the area size in bytes at which the time at @offset of struct native_level is @half.
 * Interpolates between measured sizes, which differ by factors of two. If no size has this time,
 * returns the largest size. */
static double bytes_at(const struct native *n, size_t offset, double half)
{
    double from = 0, to;

    for (size_t i = 1; i < n->count; i++, from = to) {
        memcpy(&to, (const char *)&n->sizes[i] + offset, sizeof to);
        if (i > 1 && to >= half)
            return n->sizes[i - 1].bytes * pow(n->sizes[i].bytes / n->sizes[i - 1].bytes,
                                               fmax(0, (half - from) / (to - from)));
    }
    return n->sizes[n->count - 1].bytes;
}

/* Returns the number of bytes of the third-level cache that other tasks leave to the program. The
 * latency or the streams show the area of which half of the lines come from main memory. The result
 * is the size of this area. @third: latency of the third-level cache. */
static double third_left(const struct native *n, double third)
{
    const struct native_level *next = &n->sizes[1], *far = &n->sizes[n->count - 1];
    const double random = bytes_at(n, offsetof(struct native_level, latency),
                                   (third + far->latency) / 2),
                 streamed =
                     bytes_at(n, offsetof(struct native_level, read), (next->read + far->read) / 2);
    return far->read > STREAMS_DIFFER * next->read ? fmin(random, streamed) : random;
}

/* Sets the cost of a page walk, and the number of pages that need no walk: with this number, an
 * access takes half of a walk's time. Sets nothing if walks are too short to measure, as with huge
 * pages. */
static void apply_walks(const struct native *n, struct machine *m)
{
    double least = n->walks[0], all, pages = NATIVE_FIRST_WALK;

    for (size_t i = 1; i < NATIVE_WALKS; i++)
        least = fmin(least, n->walks[i]);
    all = n->walks[NATIVE_WALKS - 1] - least;
    if (!(all > WALKS_LEAST * n->sizes[0].scatter))
        return;
    for (size_t i = 1; i < NATIVE_WALKS; i++, pages *= 2) {
        double before = fmax(0, n->walks[i - 1] - least) / all, at = (n->walks[i] - least) / all;
        if (at < 0.5)
            continue;
        pages *= before < 0.5 ? exp2((0.5 - before) / (at - before)) : 1;
        break;
    }
    set(m, "tlb_pages", pages, "pages");
    set(m, "page_walk_cycles", all * n->clock_hz, "cycles");
}

/* Returns the share of evictions that choose the least recently used line. @hit: share of hits of a
 * cyclic walk through @lines lines. Returns NaN if the policies have equal hits. */
static double oldest_of(const struct cache_shape *shape, double lines, double hit)
{
    const double oldest = sdcm_hit(shape, lines), any = sdcm_hit_random(shape, lines);
    return any > oldest ? fmin(1, fmax(0, (any - hit) / (any - oldest))) : NAN;
}

/* Sets the replacement policy of the second-level cache for lines at one page offset. In the
 * second-level cache, such lines use random sets. In the first-level cache they share a set, whose
 * ways limit the lines in flight (memory_single_set). @latency: latency of the third-level
 * cache. */
static void apply_columns(const struct native *n, double bytes, double latency, struct machine *m)
{
    const double ways = fact_number(m, "l2_ways"), second = fmax(n->crowded, n->walks[0]),
                 third = fmax(n->sizes[1].scatter,
                              n->crowded > CROWDED_BY * n->apart
                                  ? memory_single_set(latency, n->sizes[0].latency, n->crowded,
                                                      fact_number(m, "l1_ways"))
                                  : 0);
    const struct cache_shape crowd = {bytes / MEMORY_PAGE, ways};

    if (isnan(ways) || !(third > second) || !(n->columns > 0) || n->columns > third ||
        crowd.lines < ways)
        return;
    const double hit = 1 - fmin(1, fmax(0, (n->columns - second) / (third - second))),
                 oldest = oldest_of(&crowd, NATIVE_FIRST_WALK, hit);
    if (!isnan(oldest))
        set(m, "l2_column_oldest", oldest, "");
}

/* Sets the second-level cache's replacement policy from the times of random cycles. A time is a
 * linear function of the hits, and the hits of each cycle are a linear function of l2_oldest. Three
 * cycles therefore determine l2_oldest. Does nothing if the number of ways or a time is unknown. */
static void apply_replacement(const struct native *n, double bytes, struct machine *m)
{
    const double ways = fact_number(m, "l2_ways"), *cycles = n->cycles;

    if (isnan(ways) || !(cycles[0] > 0) || !(cycles[2] > cycles[0]))
        return;
    const struct cache_shape shape = {bytes / MEMORY_LINE, ways};
    const double missed = fmin(1, fmax(0, (cycles[1] - cycles[0]) / (cycles[2] - cycles[0])));
    double oldest[NATIVE_CYCLES], any[NATIVE_CYCLES];   /* hits with each policy */
    for (int i = 0; i < NATIVE_CYCLES; i++) {
        const double lines = native_cycle_by[i] * fact_number(m, "l2_bytes") / MEMORY_LINE;
        oldest[i] = sdcm_hit(&shape, lines);
        any[i] = sdcm_hit_random(&shape, lines);
    }
    const double by_any = any[0] - any[1] - missed * (any[0] - any[2]),
                 by_oldest = oldest[0] - oldest[1] - missed * (oldest[0] - oldest[2]);
    if (by_any < by_oldest || by_any > by_oldest)
        set(m, "l2_oldest", fmin(1, fmax(0, by_any / (by_any - by_oldest))), "");
}

/* Sets the latency of streamed lines by the inverse of memory_stream_wait for the measured loop.
 * The latency is 0 if the wait is too short to measure, because the prefetchers then have enough
 * lines in flight. */
static void apply_slow_stream(const struct native *n, struct machine *m)
{
    const double window = fact_number(m, "reorder_buffer") / MEMORY_FEW_UOPS,
                 ahead = fact_number(m, "stream_ahead");

    if (isnan(window) || isnan(ahead) || !(n->slow_near > 0))
        return;
    const double wait = n->slow > SLOW_SEEN * n->slow_near
                            ? memory_wait_in(n->slow, n->slow_near)
                            : 0;
    set(m, "memory_stream_latency", wait * (window + ahead) * 1e9, "ns");
}

bool native_is_plausible(const struct native *n, const struct machine *m, struct err *err)
{
    static const char todo[] = "end other programs and repeat the command";
    const double all = fact_number(m, "l2_bytes"), left = second_left(n, m);

    if (left < SECOND_LEAST * all)
        return err_set(err, ERR_LIMIT, todo,
                       "only %.0f of %.0f KiB of the second-level cache seemed usable", left / 1024,
                       all / 1024);
    for (size_t i = 1; i < n->count; i++)
        if (n->sizes[i].latency * ASCENDING < n->sizes[i - 1].latency)
            return err_set(err, ERR_LIMIT, todo,
                           "memory accesses took %.0f ns in %.0f KiB, but %.0f ns in %.0f KiB",
                           n->sizes[i - 1].latency * 1e9, n->sizes[i - 1].bytes / 1024,
                           n->sizes[i].latency * 1e9, n->sizes[i].bytes / 1024);
    return true;
}

void native_apply(const struct native *n, struct machine *m)
{
    const struct native_level *near = &n->sizes[0], *next = &n->sizes[1],
                              *far = &n->sizes[n->count - 1];
    double most = fact_number(m, "l3_bytes");

    set(m, "clock", n->clock_hz * 1e-9, "GHz");
    set(m, "l2_line_cycles", near->read * n->clock_hz, "cycles");
    if (near->update > 0)
        set(m, "l2_write_cycles", fmax(near->read, near->update) * n->clock_hz, "cycles");
    set(m, "l2_latency", near->latency * n->clock_hz, "cycles");
    set(m, "l2_miss_cycles", near->scatter * n->clock_hz, "cycles");
    if (n->crowded > CROWDED_BY * n->apart) {
        set(m, "l1_crowded_cycles", n->crowded * n->clock_hz, "cycles");
        set(m, "l1_crowded_1k_cycles", fmin(n->crowded, n->crowded_1k) * n->clock_hz, "cycles");
    }
    apply_walks(n, m);
    if (n->count < 3 || isnan(most))
        return;
    double second = second_left(n, m);
    apply_replacement(n, second, m);
    if (second < fact_number(m, "l2_bytes"))
        set(m, "l2_bytes", second, "bytes");
    set(m, "l3_line_cycles", next->read * n->clock_hz, "cycles");
    if (next->update > 0)
        set(m, "l3_write_cycles", fmax(next->read, next->update) * n->clock_hz, "cycles");
    /* Uses the third size, because the second size may hardly exceed the second-level cache. */
    const struct native_level *area = &n->sizes[2];
    double third = behind_second(second, area, area->latency, near->latency), kept_second, kept;
    apply_columns(n, second, third, m);
    find_kept(n, second, third, &kept_second, &kept);
    double l3 = third_left(n, third);
    set(m, "l3_latency", third * n->clock_hz, "cycles");
    if (!isnan(kept_second))
        set(m, "l2_kept", kept_second * 1e3, "ms");
    if (!isnan(kept))
        set(m, "l3_kept", kept * 1e3, "ms");
    /* This area has once to twice the size of the second-level cache, which contains part of it. A
     * program with the same reuse has the same share of hits. */
    set(m, "l3_miss_cycles", next->scatter * n->clock_hz, "cycles");
    set(m, "memory_bandwidth", MEMORY_LINE / far->read * 1e-9, "GB/s");
    set(m, "memory_latency", far->latency * 1e9, "ns");
    set(m, "line_write", (next->write / next->read + far->write / far->read) / 2, "");
    set(m, "line_alone", fmin(2, fmax(1, n->alone / far->read)), "");
    apply_slow_stream(n, m);
    if (n->chained > 0)
        set(m, "memory_hidden",
            fmin(1, fmax(0, (n->chained_near + far->read - n->chained) /
                                fmin(n->chained_near, far->read))),
            "");
    set(m, "miss_parallel", fmax(1, far->latency / far->scatter), "lines");
    if (far->latency > 2 * third && l3 < most)
        set(m, "l3_bytes", l3, "bytes");
}

void native_apply_faults(struct machine *m)
{
    set(m, "page_fault_user", page_fault_user_share(), "");
}
