/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/memory_time.h"

#include <math.h>

/* share of the bytes for gathers and chases if the loop also has walks */
#define REGIONS_SHARE 0.75
/* largest ratio of the stride to the bytes of the accessed lines at which a walk skips no line */
#define SKIPS 1.01
#define SKIPPED_LINES 4      /* stride of measured loop COST_SKIPPED, in lines */
#define SOME_LINES 16        /* stride of measured loop COST_EVERY_16, in lines */
#define STORED_LINES 8       /* stride of measured loop COST_STORE_8, in lines */
/* stride of measured loops COST_EVERY_64 and COST_STORE_64, in lines */
#define MOST_LINES 64
/* multiple of the second-level cache's size above which hits in that level do not reduce the
 * measured costs */
#define BEYOND_SECOND 2
#define SECOND_WAYS 16       /* usual number of ways of a second-level cache */
#define HUGE_SHARE 0.5       /* share of huge pages above which neighbouring pages are assumed to be
                              * neighbours in physical memory */
#define RANDOM_LOADS 4.0     /* loads per iteration of measured loop COST_RANDOM */
#define ODD 3                /* stride of measured loop COST_ODD, in lines */
/* largest ratio of a loop's time to its time in the first-level cache at which the cost of lines is
 * hidden */
#define HIDDEN 1.15

static bool walks_alone(const struct stream *s)
{
    return s->kind == STREAM_WALK && s->follows == STREAM_ALONE;
}

/* Returns whether the stream walks over its array, follows no other stream and skips no line. */
static bool walks_in_order(const struct stream *s)
{
    return walks_alone(s) && fabs((double)s->step) <= SKIPS * STREAM_LINE * s->lines;
}

/* Returns the number of bytes of the array of stream @at that gathers or chases can access. Returns
 * 0 if it is the array of an earlier stream. */
static double array_range(const struct streams *s, size_t at)
{
    const struct stream *one = &s->items.items[at];
    double range = 0;

    for (size_t i = 0; i < s->items.count; i++) {
        if (!stream_shares_array(&s->items.items[i], one))
            continue;
        if (i < at)
            return 0;
        range = fmax(range, stream_range(&s->items.items[i]));
    }
    return range;
}

double memory_region(const struct streams *s, double bytes)
{
    bool walks = false;
    double range = 0;

    for (size_t i = 0; i < s->items.count; i++) {
        const struct stream *one = &s->items.items[i];
        walks |= one->kind == STREAM_WALK;
        if (one->kind == STREAM_GATHER || one->kind == STREAM_CHASE)
            range += array_range(s, i);
    }
    return fmin(walks ? REGIONS_SHARE * bytes : bytes, range);
}

/* Returns the cost of a line at a random place in @region bytes. The loops that measure @cost walk
 * over their indices, which have the rest of the arrays. */
static double random_cost(const struct memory_costs *m, enum memory_cost cost, double region)
{
    return memory_cost_at(m, cost, region / REGIONS_SHARE);
}

/* Returns the number of lines at random places that the loop loads per iteration. */
static double random_loads(const struct streams *s)
{
    double lines = 0;

    for (size_t i = 0; i < s->items.count; i++)
        if (s->items.items[i].kind == STREAM_GATHER && s->items.items[i].loads)
            lines += s->items.items[i].lines;
    return lines;
}

/* Returns the cost of a load at a random place in @region bytes, if the loop has @loads of them per
 * iteration. A part of the cost is per iteration: with one load, each costs up to 1.6 times as much
 * as with four (on a Zen 5, 32 MiB). */
static double random_load_cost(const struct memory_costs *m, double loads, double region)
{
    const double many = random_cost(m, COST_RANDOM, region),
                 share = (1 / fmax(1, loads) - 1 / RANDOM_LOADS) / (1 - 1 / RANDOM_LOADS);

    return many + fmax(0, share) * (random_cost(m, COST_SINGLE, region) - many);
}

/* Returns the number of bytes of cache that the lines of all streams occupy. Skipped lines occupy
 * none. A power-of-two stride uses fewer sets, which has the effect of more bytes (memory_crowding,
 * with @way). */
static double held_of(const struct streams *s, double bytes, double way)
{
    double steps = 0, held = 0, region = 0;

    for (size_t i = 0; i < s->items.count; i++) {
        const struct stream *one = &s->items.items[i];
        double step = fabs((double)one->step);
        if (one->kind == STREAM_GATHER || one->kind == STREAM_CHASE)
            region = memory_region(s, bytes);
        if (!walks_alone(one))
            continue;
        steps += step;
        held += one->non_temporal
                    ? 0
                    : fmin(step, one->lines * STREAM_LINE *
                                     memory_crowding(one->lines > 0 ? step / one->lines : 0, way));
    }
    return region + (steps > 0 ? (bytes - region) * held / steps : 0);
}

/* Returns the number of bytes of all lines that the loop accesses while a stream advances by
 * @distance bytes. @step: stride of the stream in bytes per iteration. */
static double reused_within(const struct streams *s, uint64_t distance, int64_t step)
{
    return (double)distance / fabs((double)step) * STREAM_LINE * streams_lines(s);
}

/* Returns the cost of lines with a crowding of @crowding. Measured loops with a crowding of @least
 * and @most have the costs @from and @to. */
static double crowded_cost(const struct memory_costs *m, enum memory_cost from, double least,
                           enum memory_cost to, double most, double crowding, double held)
{
    const double low = memory_cost_at(m, from, held), high = memory_cost_at(m, to, held),
                 share = log(crowding / least) / log(most / least);

    return low > 0 && high > 0 ? low * pow(high / low, fmin(1, share)) : low;
}

/* Returns the cost of lines with a crowding between those of COST_SKIPPED and COST_EVERY_16. The
 * ways of the used sets limit the lines in flight, so the cost is proportional to the crowding, but
 * at least the cost without this limit. If COST_EVERY_16 is less, because a cache contains more of
 * its lines, the cost is between the two. */
static double partly_crowded_cost(const struct memory_costs *m, double crowding, double held)
{
    const double least = memory_cost_at(m, COST_SKIPPED, held),
                 some = memory_cost_at(m, COST_EVERY_16, held);

    return some < least ? crowded_cost(m, COST_SKIPPED, SKIPPED_LINES, COST_EVERY_16, SOME_LINES,
                                       crowding, held)
                        : fmax(least, some * crowding / SOME_LINES);
}

/* Returns the cycles per line for lines @step bytes apart. Power-of-two strides use fewer sets of
 * the first-level cache, whose ways limit the lines in flight. A line per page takes at least the
 * time of a page walk, which depends on the number of pages. */
static double skipped_cost(const struct memory_costs *m, double step, double held, double bytes)
{
    double ordered = memory_cost_at(m, COST_LOAD, held), odd = memory_cost_at(m, COST_ODD, held),
           crowded = memory_cost_at(m, COST_SKIPPED, held);
    double apart = step / STREAM_LINE, crowding = memory_crowding(step, MEMORY_PAGE), line;

    if (apart < ODD && crowding == 1)
        line = ordered + fmax(0, odd - ordered) * (apart - 1) / (ODD - 1);
    else if (apart == 2)
        line = memory_cost_at(m, COST_PAIRED, held);
    else if (crowding < SKIPPED_LINES)
        line = crowding == 1 ? odd : (odd + crowded) / 2;
    else if (crowding == SKIPPED_LINES)
        line = crowded;
    else if (crowding < SOME_LINES)
        line = partly_crowded_cost(m, crowding, held);
    else
        line = crowded_cost(m, COST_EVERY_16, SOME_LINES, COST_EVERY_64, MOST_LINES, crowding,
                            held);
    const double pages = memory_cost_at(m, COST_PAGE, bytes * fmin(1, MEMORY_PAGE / step));
    return fmax(line, pages * fmin(1, step / MEMORY_PAGE));
}

/* Returns whether the loop writes the stream's lines without reading them. */
static bool is_written(const struct stream *s)
{
    return walks_alone(s) && s->stores && !s->loads && !s->non_temporal;
}

static enum memory_cost cost_of(const struct stream *s)
{
    return !s->stores ? COST_LOAD : s->loads ? COST_UPDATE : COST_STORE;
}

/* Returns the additional cycles of a line of stream @s that is also written. @step: distance in
 * bytes from the previous line. @read: cycles for reading the line. */
static double written_more(const struct memory_costs *m, const struct stream *s, double step,
                           double read, double bytes)
{
    const double more =
                     memory_cost_at(m, cost_of(s), bytes) - memory_cost_at(m, COST_LOAD, bytes),
                 crowding = memory_crowding(step, MEMORY_PAGE);

    if (!s->stores || crowding < STORED_LINES)
        return fmax(0, more);
    return fmax(fmax(0, more), crowded_cost(m, COST_STORE_8, STORED_LINES, COST_STORE_64,
                                            MOST_LINES, crowding, bytes) - read);
}

static void part_add(struct memory_time *out, enum memory_limit part, double cycles, double within)
{
    out->parts[part] += cycles;
    out->within[part] = fmax(out->within[part], within);
}

/* Returns the cycles of the hops of a chase. On a machine with the fact reads_wait, the load of the
 * next link waits and is repeated if its line is still in flight. */
static double hops_cost(const struct stream *one, const struct memory_costs *m,
                        const struct memory_core *core, double region)
{
    const double again = one->delayed && m->reads_wait && region > m->first ? core->reload : 0;

    return one->hops * (memory_cost_at(m, COST_HOP, region) + again);
}

static void stream_cost(const struct streams *s, const struct stream *one,
                        const struct memory_costs *m, const struct memory_core *core, double bytes,
                        double seq[MEMORY_COSTS], struct memory_time *out)
{
    if (one->kind == STREAM_GATHER || one->kind == STREAM_CHASE) {
        double region = fmin(memory_region(s, bytes), stream_range(one)),
               place = fmax(one->loads ? random_load_cost(m, random_loads(s), region) : 0,
                            one->stores ? random_cost(m, COST_SCATTER, region) : 0);
        if (one->kind == STREAM_CHASE)
            part_add(out, LIMIT_HOPS,
                     fmax(0, hops_cost(one, m, core, region) - out->parts[LIMIT_HOPS]), region);
        else
            part_add(out, LIMIT_RANDOM, one->lines * place, region);
        out->lines += one->lines * (1 + (one->stores > 0 && region > m->first));
        return;
    }
    if (one->kind == STREAM_FIXED)
        return;
    if (one->non_temporal) {
        part_add(out, LIMIT_STREAMED, one->lines * memory_cost_at(m, COST_STREAMED, bytes),
                 INFINITY);
        out->lines += one->lines;
        return;
    }
    /* If another stream accessed these lines before, they are in the smallest level that fits all
     * data accessed since then. */
    double from = one->follows == STREAM_ALONE
                      ? out->held
                      : fmin(out->held, reused_within(s, one->distance, one->step));
    out->lines += one->lines * (1 + (one->stores > 0 && from > m->first));
    if (fabs((double)one->step) > SKIPS * STREAM_LINE * one->lines) {
        /* Only private caches have fewer sets for a longer power-of-two stride. */
        from = fmin(from, fmax(BEYOND_SECOND * m->second, MOST_LINES * held_of(s, bytes, 0)));
        const double step = fabs((double)one->step) / one->lines,
                     line = skipped_cost(m, step, from, from < out->held ? from : bytes);
        part_add(out, LIMIT_SKIPPED,
                 one->lines * (line + written_more(m, one, step, line, from)), from);
    } else if (from < out->held) {
        part_add(out, LIMIT_LINES, one->lines * memory_cost_at(m, cost_of(one), from), from);
    } else {
        seq[cost_of(one)] += one->lines;
    }
}

/* Returns the cycles for which measured loop @by waits per line. Returns 0 if the cost is hidden:
 * the loop takes hardly longer than in the first-level cache. */
static double line_seen(const struct memory_costs *m, enum memory_cost by, double bytes)
{
    const double time = memory_cost_at(m, by, bytes), core = memory_cost_at(m, by, 0);
    return time > HIDDEN * core ? memory_wait_in(time, core) : 0;
}

/* Returns the cycles per line with @window lines in flight from the core. Throughput is
 * proportional to the lines in flight from the core and from the prefetcher of each stream. Both
 * numbers are computed from the times of two measured loops, with few and with some lines in the
 * window. */
static double line_wait(const struct memory_costs *m, const struct memory_core *core, double window,
                        double streams, double bytes)
{
    const double few = line_seen(m, COST_FEW, bytes), some = line_seen(m, COST_SOME, bytes),
                 few_lines = core->window / MEMORY_FEW_UOPS,
                 some_lines = core->window / MEMORY_SOME_UOPS;

    /* The cost is not visible with some_lines in flight. It falls linearly from few_lines to
     * some_lines. */
    if (!(some > 0))
        return few > 0 && window < some_lines
                   ? few * fmin(1, (some_lines - window) / (some_lines - few_lines))
                   : 0;
    double each = few > 0 ? (1 / some - 1 / few) / (some_lines - few_lines) : 0;
    if (!(each > 0))
        each = 1 / some / some_lines;
    /* With less than one line in flight, the cost per line is limited to its latency. */
    if (few > 0 && window < few_lines)
        return few * few_lines / fmax(fmin(1, few_lines), window);
    /* number of lines in flight from the prefetcher of one stream */
    const double ahead = fmax(0, 1 / some / each - some_lines);
    return 1 / (1 / some + each * (window - some_lines + (streams - 1) * ahead));
}

/* Adds the load latency that is not hidden. The reorder buffer and the scheduler limit the loads in
 * flight. Adds nothing if the number of µops or the buffer is unknown. */
static void ahead_cost(const struct streams *s, const struct memory_costs *m,
                       const struct memory_core *core, double bytes, struct memory_time *out)
{
    const double random = random_loads(s);
    double lines = 0, streams = 0, written = 0, region = 0;

    if (!(core->uops > 0) || !(core->window > 0))
        return;
    double iterations = core->window / core->uops;
    if (s->waiting && core->scheduler > 0)
        iterations = fmin(iterations, core->scheduler / s->waiting);
    for (size_t i = 0; i < s->items.count; i++) {
        const struct stream *one = &s->items.items[i];
        if (walks_in_order(one) && one->loads) {
            lines += one->lines;
            streams++;
        }
        written += is_written(one);
        if (one->kind == STREAM_GATHER && one->loads)
            region = memory_region(s, bytes);
    }
    /* If the loop also writes streams, prefetchers fetch more lines ahead. */
    double window = iterations * lines * (streams > 0 ? 1 + written / streams : 1), wait = 0;
    if (lines > 0) {
        wait = lines * line_wait(m, core, window, streams, out->held);
    }
    if (random > 0)
        wait =
            fmax(wait, random * memory_cost_at(m, COST_HOP, region) / fmax(1, iterations * random));
    part_add(out, LIMIT_AHEAD, wait, wait > 0 ? fmax(out->held, random > 0 ? region : 0) : 0);
}

/* Returns the share of the lines in order that the largest stream has, if the loop only reads it.
 * Lines of non-temporal stores do not count. */
static double largest_share(const struct streams *s)
{
    double lines = 0, largest = 0;

    for (size_t i = 0; i < s->items.count; i++) {
        const struct stream *one = &s->items.items[i];
        if (!walks_in_order(one) || one->non_temporal)
            continue;
        lines += one->lines;
        if (!one->stores)
            largest = fmax(largest, one->lines);
    }
    return lines > 0 ? largest / lines : 0;
}

/* Returns the cost of a fetched line in order. A single stream has COST_ALONE, and streams of equal
 * size have COST_LOAD. A stream with more than half of the lines is between the two. */
static double fetched_cost(const struct streams *s, const struct memory_costs *m, double held)
{
    const double load = memory_cost_at(m, COST_LOAD, held), share = largest_share(s);

    return share > 0.5
               ? load + (memory_cost_at(m, COST_ALONE, held) - load) * (2 - 1 / share)
               : load;
}

/* Returns whether lines arrive irregularly, and the core waits although transfers take less time.
 * Such lines are from beyond the second-level cache, in a loop that only reads in order. The costs
 * must also be measured, transfers must overlap, and the machine must have the fact reads_wait. */
static bool irregular(const struct streams *s, const struct memory_costs *m, double held)
{
    bool other = !m->measured || !m->overlaps || !m->reads_wait || held <= m->second;

    for (size_t i = 0; i < s->items.count; i++)
        other |= is_written(&s->items.items[i]) || s->items.items[i].non_temporal ||
                 s->items.items[i].kind == STREAM_GATHER || s->items.items[i].kind == STREAM_CHASE;
    return !other;
}

/* Returns the time of lines in order (@lines if alone) together with non-temporal stores (@streamed
 * if alone). In a measured copy loop, part of the shorter time did not overlap with the longer
 * time. The same fraction is assumed here. */
static double streamed_together(const struct memory_costs *m, double lines, double streamed,
                                double held, double bytes)
{
    const double load = memory_cost_at(m, COST_LOAD, held),
                 store = memory_cost_at(m, COST_STREAMED, bytes),
                 copy = memory_cost_at(m, COST_COPIED, bytes), less = fmin(load, store);
    const double apart = less > 0 ? fmin(1, fmax(0, copy - fmax(load, store)) / less) : 0;

    return fmax(lines, streamed) + apart * fmin(lines, streamed);
}

struct memory_time memory_time_at(const struct streams *s, const struct memory_costs *m,
                                  const struct memory_core *core, double bytes)
{
    const double way = m->huge > HUGE_SHARE ? m->second / SECOND_WAYS : MEMORY_PAGE;
    struct memory_time out = {.parts = {[LIMIT_CORE] = core->cycles},
                              .held = held_of(s, bytes, way)};
    /* lines accessed in order, by cost: COST_LOAD, COST_STORE or COST_UPDATE */
    double lines[MEMORY_COSTS] = {0};

    for (size_t i = 0; i < s->items.count; i++)
        stream_cost(s, &s->items.items[i], m, core, bytes, lines, &out);
    double fetched = (lines[COST_LOAD] + lines[COST_STORE] + lines[COST_UPDATE]) *
                     fetched_cost(s, m, out.held);
    double written = lines[COST_STORE] * memory_cost_at(m, COST_STORE, out.held) +
                     lines[COST_UPDATE] * memory_cost_at(m, COST_UPDATE, out.held);
    double ordered = written > 0
                         ? fmax(fetched, written + lines[COST_LOAD] *
                                                       memory_cost_at(m, COST_CONCURRENT, out.held))
                         : fetched;
    /* Reports the level that has the larger share of the time: the level of the arrays or the level
     * of the reused lines. */
    part_add(&out, LIMIT_LINES, ordered,
             ordered > 0 && ordered >= out.parts[LIMIT_LINES] ? out.held : 0);
    ahead_cost(s, m, core, bytes, &out);

    double transfers = streamed_together(m, out.parts[LIMIT_LINES], out.parts[LIMIT_STREAMED],
                                         out.held, bytes) +
                       out.parts[LIMIT_RANDOM] + out.parts[LIMIT_SKIPPED];
    double memory = transfers > 0 && !m->overlaps ? core->own + transfers : transfers;
    const double ahead = out.parts[LIMIT_AHEAD];
    out.cycles = fmax(irregular(s, m, out.held)
                          ? hypot(core->cycles, fmax(ahead, memory))
                          : fmax(memory_together(core->cycles, ahead), memory),
                      out.parts[LIMIT_HOPS]);
    if (out.cycles == out.parts[LIMIT_HOPS] && out.cycles > core->cycles) {
        out.limit = LIMIT_HOPS;
    } else if (core->cycles >= fmax(ahead, memory)) {
        out.limit = LIMIT_CORE;
    } else if (ahead > memory) {
        out.limit = LIMIT_AHEAD;
    } else {
        out.limit = LIMIT_LINES;
        for (enum memory_limit i = LIMIT_LINES; i < LIMIT_HOPS; i++)
            if (out.parts[i] > out.parts[out.limit])
                out.limit = i;
    }
    return out;
}

void memory_time_needs(const struct streams *s, bool out[MEMORY_COSTS])
{
    for (size_t i = 0; i < MEMORY_COSTS; i++)
        out[i] = i == COST_LOAD || i == COST_FEW || i == COST_SOME ||
                 (i == COST_ALONE && largest_share(s) > 0.5);
    for (size_t i = 0; i < s->items.count; i++) {
        const struct stream *one = &s->items.items[i];
        const bool skips = one->kind == STREAM_WALK && !one->non_temporal &&
                           fabs((double)one->step) > SKIPS * STREAM_LINE * one->lines;
        const double crowding =
            skips ? memory_crowding(fabs((double)one->step) / one->lines, MEMORY_PAGE) : 1;
        out[COST_RANDOM] |= one->kind == STREAM_GATHER && one->loads;
        out[COST_SINGLE] |= one->kind == STREAM_GATHER && one->loads;
        out[COST_SCATTER] |= one->kind == STREAM_GATHER && one->stores;
        out[COST_HOP] |= one->kind == STREAM_CHASE;
        out[COST_STREAMED] |= one->non_temporal;
        out[COST_COPIED] |= one->non_temporal;
        out[COST_PAIRED] |= skips;
        out[COST_ODD] |= skips;
        out[COST_SKIPPED] |= skips;
        out[COST_EVERY_16] |= skips && crowding > SKIPPED_LINES;
        out[COST_EVERY_64] |= skips && crowding > SOME_LINES;
        out[COST_STORE_8] |= skips && one->stores && crowding >= STORED_LINES;
        out[COST_STORE_64] |= skips && one->stores && crowding > STORED_LINES;
        out[COST_PAGE] |= skips;
        if (one->kind != STREAM_FIXED && one->stores && !one->non_temporal)
            out[COST_CONCURRENT] = out[cost_of(one)] = true;
    }
}

void memory_limit_print(const struct memory_time *t, const struct memory_costs *m, const char *core,
                        struct str *out)
{
    static const char *const words[MEMORY_LIMITS] = {[LIMIT_AHEAD] =
                                                         "latency (too few concurrent loads)",
                                                     [LIMIT_LINES] = "bandwidth",
                                                     [LIMIT_STREAMED] = "bandwidth (non-temporal)",
                                                     [LIMIT_RANDOM] = "bandwidth (random)",
                                                     [LIMIT_SKIPPED] = "bandwidth (strided)",
                                                     [LIMIT_HOPS] = "latency"};

    if (t->limit == LIMIT_CORE)
        str_add(out, core);
    else
        str_addf(out, "%s %s",
                 t->limit == LIMIT_STREAMED ? "memory" : memory_level_at(m, t->within[t->limit]),
                 words[t->limit]);
}
