/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/memory.h"

#include <math.h>

#include "base/str.h"
#include "model/facts.h"

#define TLB_WAYS 16.0
/* Least factor by which a step reduces the number of used sets so that lines take longer. Measured
 * on a Golden Cove: 3 cycles per line at steps of 256 bytes and larger powers of two, 1.3 at steps
 * between them. */
#define FEW_SETS 4

static void level(double bytes, double ways, double latency, double line_cycles, double miss_cycles,
                  struct memory *out)
{
    if (!isnan(bytes) && !isnan(ways) && !isnan(latency))
        out->levels[out->count++] =
            (struct memory_level){{bytes / MEMORY_LINE, ways}, latency, line_cycles, miss_cycles};
}

/* Returns whether @m lacks facts that a time requires, and sets err with their names. */
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
                "set them with program predict --fact KEY=VALUE, as well as l2_bytes, l2_ways, "
                "l2_latency and those of l3, if the levels exist",
                "facts of %s are missing: %s", m->id, str_text(&missing));
    const bool any = missing.length > 0;
    str_done(&missing);
    return any;
}

bool memory_of(const struct machine *m, struct memory *out, struct err *err)
{
    *out = (struct memory){.clock_hz = 1e9 * fact_number(m, "clock"),
                           .line_write = fact_number(m, "line_write"),
                           .line_alone = fact_number(m, "line_alone")};
    if (fact_number(m, "line_bytes") != MEMORY_LINE)
        return err_set(err, ERR_MISSING, "select a machine with cache lines of 64 bytes",
                       "traces count lines of 64 bytes, but %s has lines of %g bytes", m->id,
                       fact_number(m, "line_bytes"));
    level(fact_number(m, "l1_bytes"), fact_number(m, "l1_ways"), fact_number(m, "load_latency"), 0,
          0, out);
    if (out->count)
        level(fact_number(m, "l2_bytes"), fact_number(m, "l2_ways"), fact_number(m, "l2_latency"),
              fact_number(m, "l2_line_cycles"), fact_number(m, "l2_miss_cycles"), out);
    if (out->count == 2)
        level(fact_number(m, "l3_bytes"), fact_number(m, "l3_ways"), fact_number(m, "l3_latency"),
              fact_number(m, "l3_line_cycles"), fact_number(m, "l3_miss_cycles"), out);
    out->second_any = 1 - fact_number(m, "l2_oldest");
    out->column_any = 1 - fact_number(m, "l2_column_oldest");
    out->prefetch_step = fact_number(m, "l1_prefetch_step");
    out->crowded_cycles = fact_number(m, "l1_crowded_cycles");
    out->pages = fact_number(m, "tlb_pages");
    out->walk_cycles = fact_number(m, "page_walk_cycles");
    out->latency = fact_number(m, "memory_latency") * 1e-9 * out->clock_hz;
    out->line_cycles = MEMORY_LINE / (fact_number(m, "memory_bandwidth") * 1e9) * out->clock_hz;
    return !facts_missing(m, err);
}

bool memory_prefetched(const struct memory *m, double step)
{
    return m->count > 1 && step > 0 && step <= m->prefetch_step;
}

double memory_crowded(const struct memory *m, double step)
{
    return memory_crowding(step) >= FEW_SETS ? m->crowded_cycles : 0;
}

/* Returns the hit probability under the assumption that other processes evict no lines. */
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
     * accesses few other lines between two uses. Recently used lines are rarely replaced. Measured
     * on a Golden Cove, third level: 2 % of lines after 1.2 ms, 15 % after 2.4 ms, 50 % after 4.8
     * ms. */
    part = ages_at(m->ages, distance);
    age = m->kept[level] > 0 ? part / m->kept[level] : 0;
    return hit * exp(-age * age - part * m->left[level]);
}

void memory_served(const struct memory *m, double distance, double step, double alike,
                   double out[MEMORY_LEVELS + 1])
{
    double before = 0, crowd = memory_crowding(step),
           among = isinf(distance) ? distance : distance * (alike + (1 - alike) / crowd);

    for (size_t i = 0; i < m->count; i++) {
        struct cache_shape shape = m->levels[i].shape;
        if (i < 2)
            shape.lines = fmax(shape.ways, shape.lines / crowd);
        /* A level contains all lines of the levels before it, so its hit probability is at least
         * theirs. */
        double hit = fmax(before, memory_hit(m, i, &shape, i < 2 ? among : distance));
        out[i] = hit - before;
        before = hit;
    }
    out[m->count] = 1 - before;
}

double memory_walk(const struct memory *m, double pages)
{
    if (!(m->pages > 0) || !(m->walk_cycles > 0))
        return 0;
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
    size_t low = 0, high = ages->list.count;   /* binary search of the first entry with at least
                                                * this distance */

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
