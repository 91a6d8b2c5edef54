/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/facts.h"

#define TLB_WAYS 16.0
/* number of random base addresses of columns over which the share of misses is averaged */
#define TLB_BASES 4
/* Relative range of the number of pages per set. Within it, the share of missed translations rises
 * from 0 to 1. Measured on a Golden Cove with columns of 800 to 3,200 pages. */
#define TLB_RAMP 0.35
#define COLUMNS_MOST 16
/* Smallest factor by which a stride must reduce the number of used sets to make lines slower.
 * Measured on a Golden Cove: 3 cycles per line at strides of 256 bytes and larger powers of two,
 * 1.3 cycles at other strides. On a Zen 4: 2.0 cycles up to 512 bytes, 3.3 at 1 KiB, 7.9 at 2 KiB,
 * 10.4 at 4 KiB. */
#define FEW_SETS 4
/* Share of the ways of a single set that can wait for lines concurrently. Measured on a Golden
 * Cove: 25 cycles per line from a third level with a latency of 200 cycles. */
#define WAYS_IN_FLIGHT (2.0 / 3)

/* Up to FLIGHT_SLOW lines in flight, the time per line is the latency divided by their number. From
 * FLIGHT_FAST lines on, bandwidth is the only limit. Measured on a Golden Cove: loops of 32 to 800
 * µops per line, one to three streams over 12 MiB. */
#define FLIGHT_SLOW 8.0
#define FLIGHT_FAST 16.0

static void level(const struct machine *m, const char *prefix, const char *latency,
                  struct memory *out)
{
    static const char *const keys[] = {"bytes", "ways", "line_cycles", "write_cycles",
                                       "miss_cycles"};
    double values[sizeof keys / sizeof *keys] = {0};
    const double wait = fact_number(m, latency);

    for (size_t i = 0; i < (out->count ? sizeof keys / sizeof *keys : 2); i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_%s", prefix, keys[i]);
        values[i] = fact_number(m, key);
    }
    if (!isnan(values[0]) && !isnan(values[1]) && !isnan(wait))
        out->levels[out->count++] = (struct memory_level){{values[0] / MEMORY_LINE, values[1]},
                                                          wait,
                                                          values[2],
                                                          values[4],
                                                          fmax(0, values[3] - values[2])};
}

/* Returns whether @m lacks facts that a time needs; if so, sets err with their names. */
static bool facts_missing(const struct machine *m, struct err *err)
{
    static const char *const needed[] = {"clock",         "l1_bytes",       "l1_ways",
                                         "load_latency",  "memory_latency", "memory_bandwidth"};
    struct str missing = {0};

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (isnan(fact_number(m, needed[i])))
            str_addf(&missing, "%s%s", missing.length ? ", " : "", needed[i]);
    if (missing.length)
        err_set(err, ERR_MISSING,
                "set these facts with program predict --fact KEY=VALUE; also set l2_bytes, "
                "l2_ways, l2_latency and the facts of l3 if these caches exist",
                "facts of %s are missing: %s", m->id, str_text(&missing));
    const bool any = missing.length > 0;
    str_done(&missing);
    return any;
}

bool memory_of(const struct machine *m, struct memory *out, struct err *err)
{
    *out = (struct memory){.clock_hz = 1e9 * fact_number(m, "clock"),
                           .hidden = fact_number(m, "memory_hidden"),
                           .line_write = fact_number(m, "line_write"),
                           .line_alone = fact_number(m, "line_alone")};
    if (fact_number(m, "line_bytes") != MEMORY_LINE)
        return err_set(err, ERR_MISSING, "select a machine with cache lines of 64 bytes",
                       "traces count lines of 64 bytes, but %s has lines of %g bytes", m->id,
                       fact_number(m, "line_bytes"));
    level(m, "l1", "load_latency", out);
    if (out->count)
        level(m, "l2", "l2_latency", out);
    if (out->count == 2)
        level(m, "l3", "l3_latency", out);
    out->second_any = 1 - fact_number(m, "l2_oldest");
    out->column_any = 1 - fact_number(m, "l2_column_oldest");
    out->prefetch_step = fact_number(m, "l1_prefetch_step");
    out->crowded_cycles = fact_number(m, "l1_crowded_cycles");
    const double some = fact_number(m, "l1_crowded_1k_cycles");
    out->crowded_power = some > 0 && out->crowded_cycles > some
                             ? log(out->crowded_cycles / some) / log(MEMORY_PAGE / MEMORY_SOME_SETS)
                             : 0;
    out->pages = fact_number(m, "tlb_pages");
    out->walk_cycles = fact_number(m, "page_walk_cycles");
    out->latency = fact_number(m, "memory_latency") * 1e-9 * out->clock_hz;
    out->stream_latency = fact_number(m, "memory_stream_latency") * 1e-9 * out->clock_hz;
    out->ahead = fact_number(m, "stream_ahead");
    out->line_cycles = MEMORY_LINE / (fact_number(m, "memory_bandwidth") * 1e9) * out->clock_hz;
    return !facts_missing(m, err);
}

bool memory_prefetched(const struct memory *m, double step)
{
    return m->count > 1 && step > 0 && step <= m->prefetch_step;
}

double memory_single_set(double latency, double second, double crowded, double ways)
{
    return fmax(crowded, latency / fmax(second / crowded, WAYS_IN_FLIGHT * ways));
}

double memory_crowded(const struct memory *m, size_t level, double step)
{
    const double few = memory_crowding(step, MEMORY_PAGE), all = MEMORY_PAGE / MEMORY_LINE;

    if (few < FEW_SETS || !(m->crowded_cycles > 0))
        return 0;
    if (few < all || level == 1)
        return m->crowded_cycles * pow(few / all, m->crowded_power);
    return memory_single_set(level < m->count ? m->levels[level].latency : m->latency,
                             m->levels[1].latency, m->crowded_cycles, m->levels[0].shape.ways);
}

double memory_stream_wait(const struct memory *m, size_t level, double window, double streams)
{
    const bool main = level >= m->count;
    const double latency = main ? m->stream_latency : m->levels[level].latency,
                 line = main ? m->line_cycles : m->levels[level].line_cycles,
                 flight = window + m->ahead * streams, slow = latency / FLIGHT_SLOW;

    if (!(flight < FLIGHT_FAST) || !(slow > line))
        return 0;
    return flight <= FLIGHT_SLOW ? latency / fmax(1, flight)
                                 : slow * pow(line / slow, (flight - FLIGHT_SLOW) /
                                                               (FLIGHT_FAST - FLIGHT_SLOW));
}

double memory_write_cycles(const struct memory *m, size_t level, enum line_use use)
{
    /* Writing back to main memory has the same cost as writing back from the last level. */
    const size_t from = level < m->count ? level : m->count - 1;
    const double update = m->levels[from].update_cycles,
                 line = level < m->count ? m->levels[level].line_cycles : m->line_cycles;

    return use == LINE_UPDATED ? update
           : use == LINE_READ  ? 0
           : level == 1        ? fmax(update, (m->line_write - 1) * line)
                               : (m->line_write - 1) * line;
}

/* Returns the hit probability if other processes evict no lines. */
static double hit_alone(const struct memory *m, size_t level, const struct cache_shape *shape,
                        double distance)
{
    const struct sharing *s = &m->sharing;

    if (level + 1 < m->count || s->threads <= 1) {
        double own = sharing_own(s, distance), oldest = sdcm_hit(shape, own);
        const bool few = shape->lines < m->levels[level].shape.lines;
        const double any = level != 1 ? 0 : few ? m->column_any : m->second_any;
        return any > 0 && oldest < 1
                   ? oldest + any * fmax(0, sdcm_hit_random(shape, own) - oldest)
                   : oldest;
    }
    double hit = sdcm_hit(shape, sharing_between(s, distance));
    return s->common > 0
               ? (1 - s->common) * hit + s->common * sdcm_hit(shape, sharing_common(s, distance))
               : hit;
}

double memory_hit(const struct memory *m, size_t level, const struct cache_shape *shape,
                  double distance)
{
    double hit = hit_alone(m, level, shape, distance), part = 0, age = 0;

    if (!m->ages || isinf(distance))
        return hit;
    /* Other processes replace lines over time. A slow program therefore loses lines even if it
     * accesses few others between two uses. Recently used lines are rarely replaced. Measured on a
     * Golden Cove, third level: 2 % of lines after 1.2 ms, 15 % after 2.4 ms, 50 % after 4.8 ms. */
    part = ages_at(m->ages, distance);
    age = m->kept[level] > 0 ? part / m->kept[level] : 0;
    return hit * exp(-age * age - part * m->left[level]);
}

/* Returns the hit probability in the first level for a line of a steady walk. Virtual addresses
 * select the sets. Each set therefore receives D / sets of the walk's D lines, rounded up or down.
 * The next use of a line follows D - 1 others. */
static double hit_even(const struct cache_shape *shape, double distance)
{
    const double own = (distance + 1) * shape->ways / shape->lines;
    return isinf(distance) ? 0 : fmin(1, fmax(0, shape->ways + 1 - own));
}

void memory_served(const struct memory *m, double distance, double step, double alike,
                   double out[MEMORY_LEVELS + 1])
{
    double before = 0, crowd = memory_crowding(step, MEMORY_PAGE),
           among = isinf(distance) ? distance : distance * (alike + (1 - alike) / crowd);

    for (size_t i = 0; i < m->count; i++) {
        struct cache_shape shape = m->levels[i].shape;
        if (i < 2)
            shape.lines = fmax(shape.ways, shape.lines / crowd);
        /* A level contains all lines of the levels before it, so its hit probability is at least
         * that of those levels. */
        double hit = i == 0 && step > 0 ? hit_even(&shape, among)
                                        : memory_hit(m, i, &shape, i < 2 ? among : distance);
        hit = fmax(before, hit);
        out[i] = hit - before;
        before = hit;
    }
    out[m->count] = 1 - before;
}

/* Adds the pages of @rows rows @step bytes apart to the sets @held. @columns: number of columns at
 * random places of these rows. *@random: state of the random numbers. */
static void hold_rows(double rows, double step, double columns, unsigned sets, uint64_t *random,
                      unsigned *held)
{
    double at[COLUMNS_MOST];
    const unsigned count = (unsigned)fmin(COLUMNS_MOST, rint(columns));
    const uint64_t base = (*random = *random * 6364136223846793005u + 1442695040888963407u) >> 40;

    for (unsigned c = 0; c < count; c++) {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        at[c] = step * (double)(*random >> 40) / 0x1p24;
    }
    uint64_t last = UINT64_MAX; /* last page of the previous row */
    for (double row = 0; row < rows; row++) {
        uint64_t most = last;
        for (unsigned c = 0; c < count; c++) {
            const uint64_t page = base + (uint64_t)((row * step + at[c]) / MEMORY_PAGE);
            bool fresh = last == UINT64_MAX || page > last;
            for (unsigned k = 0; k < c && fresh; k++)
                fresh = page != base + (uint64_t)((row * step + at[k]) / MEMORY_PAGE);
            held[(page ^ page / sets) % sets] += fresh;
            most = most == UINT64_MAX || page > most ? page : most;
        }
        last = most;
    }
}

/* Returns the share of translations of walks that the TLB lacks. The index of a set is the
 * exclusive or of two parts of the page number, as on Intel processors (Gras et al., TLBleed,
 * 2018). Rows begin at random pages. */
static double walks_missed(const struct memory *m, double lines, const struct walk_pages *w)
{
    const unsigned sets = 1u << (unsigned)fmax(0, rint(log2(m->pages / (TLB_WAYS * 1.125))));
    const double rows = fmin(4 * m->pages, lines / w->columns);
    unsigned *held = mem_alloc(sets * sizeof *held);
    uint64_t random = 1;
    double missed = 0, all = 0;

    for (unsigned base = 0; base < TLB_BASES; base++) {
        memset(held, 0, sets * sizeof *held);
        for (double group = 0; group < fmin(COLUMNS_MOST, w->groups); group++)
            hold_rows(rows, w->step, w->columns / w->groups, sets, &random, held);
        for (unsigned set = 0; set < sets; set++) {
            const double over = (double)held[set] * sets / m->pages - 1;
            missed += held[set] * fmin(1, fmax(0, 0.5 + over / TLB_RAMP));
            all += held[set];
        }
    }
    free(held);
    return all > 0 ? missed / all : 0;
}

double memory_walk(const struct memory *m, double pages, const struct walk_pages *walks)
{
    if (!(m->pages > 0) || !(m->walk_cycles > 0))
        return 0;
    if (walks)
        return m->walk_cycles * walks_missed(m, pages, walks);
    return m->walk_cycles *
           (1 - sdcm_hit(&(struct cache_shape){m->pages, fmin(m->pages, TLB_WAYS)}, pages));
}

double memory_latency(const struct memory *m, const double served[MEMORY_LEVELS + 1])
{
    double sum = served[m->count] * m->latency;
    for (size_t i = 0; i < m->count; i++)
        sum += served[i] * m->levels[i].latency;
    return sum;
}

double memory_line_cycles(const struct memory *m, const double served[MEMORY_LEVELS + 1])
{
    double sum = served[m->count] * m->line_cycles;
    for (size_t i = 0; i < m->count; i++)
        sum += served[i] * m->levels[i].line_cycles;
    return sum;
}

double ages_at(const struct ages *ages, double distance)
{
    /* Finds the first entry with at least this distance by binary search. */
    size_t low = 0, high = ages->list.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ages->list.items[middle].distance < distance)
            low = middle + 1;
        else
            high = middle;
    }
    if (!ages->list.count)
        return 0;
    if (low == ages->list.count)
        return fmin(1, ages->list.items[low - 1].part);
    const struct age *to = &ages->list.items[low], from = low ? to[-1] : (struct age){0, 0};
    return fmin(1, from.part + (to->part - from.part) * (distance - from.distance) /
                                   (to->distance - from.distance));
}

void ages_done(struct ages *ages)
{
    vec_done(&ages->list);
}
