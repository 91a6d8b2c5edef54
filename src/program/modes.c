/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/modes.h"

#include <math.h>

#include "program/runtime/bins.h"

#define GAP 1.5            /* smallest ratio of neighbouring distances of two clusters */
#define GAP_LINES 4        /* number of lines by which the larger distance must also exceed the
                            * smaller one */
#define SMALL 0.005
/* smallest share of the references that a bin must have to start a cluster */
#define STRAGGLER 0.001
/* largest ratio of a distance to the next smaller distance at which one mean represents both */
#define FAR_OFF 4.0
/* smallest share of the references that a cluster must have if its distance ratio exceeds
 * FAR_OFF */
#define FAR_LEAST 1e-4

/* Adds @count references with the stride @step. If there are more than MODE_STEPS strides, replaces
 * the rarest one unless @step is rarer. */
static void add_step(struct mode *m, double step, double count)
{
    unsigned at = 0, most = 0;

    for (unsigned i = 1; i < MODE_STEPS; i++)
        if (m->steps[i].count < m->steps[at].count)
            at = i;
    for (unsigned i = 0; i < MODE_STEPS; i++)
        if (m->steps[i].step == step && m->steps[i].count > 0) {
            at = i;
            count += m->steps[i].count;
        }
    if (count > m->steps[at].count) {
        m->steps[at].step = step;
        m->steps[at].count = count;
    }
    for (unsigned i = 1; i < MODE_STEPS; i++)
        most = m->steps[i].count > m->steps[most].count ? i : most;
    m->step = m->steps[most].step;
}

static void join(struct mode *into, const struct mode *from)
{
    double count = into->count + from->count;
    if (!(count > 0))
        return;
    into->distance = (into->distance * into->count + from->distance * from->count) / count;
    for (unsigned i = 0; i < MODE_STEPS; i++)
        add_step(into, from->steps[i].step, from->steps[i].count);
    into->count = count;
    into->regular += from->regular;
}

static struct mode mode_of(const struct run_bin *b, double part)
{
    struct mode m = {.distance = b->distance, .count = part * b->count,
                     .regular = part * b->regular};

    add_step(&m, b->step, part * b->regular);
    return m;
}

/* Returns the ratio of the larger distance to the smaller one. Adds 1 to both, because a distance
 * may be 0. */
static double ratio(double a, double b)
{
    return a < b ? (b + 1) / (a + 1) : (a + 1) / (b + 1);
}

/* Returns the first index from which all clusters up to @count are small. */
static size_t behind_all(const struct mode *modes, size_t count, double total)
{
    while (count > 0 && modes[count - 1].count < SMALL * total)
        count--;
    return count;
}

/* Returns whether the small cluster @k is not merged, because its distance is far above all others.
 * An example is the second use of each line, after its initialisation. */
static bool stays(const struct mode *modes, size_t count, size_t k, double total)
{
    return k > 0 && k >= behind_all(modes, count, total) && modes[k].count >= FAR_LEAST * total &&
           ratio(modes[k].distance, modes[k - 1].distance) > FAR_OFF;
}

/* Merges the smallest of @count finite clusters with its nearer neighbour. Repeats this while
 * the smallest cluster is small or there are more than @most clusters. Returns the number of
 * clusters. */
static size_t thin(struct mode *modes, size_t count, double total, size_t most)
{
    while (count > 1) {
        size_t least = SIZE_MAX;
        for (size_t i = 0; i < count; i++)
            if ((least == SIZE_MAX || modes[i].count < modes[least].count) &&
                (count > most || !stays(modes, count, i, total)))
                least = i;
        if (modes[least].count >= SMALL * total && count <= most)
            break;
        /* Ends if the only cluster to merge with is far away. */
        if (least == 0 && count <= most && stays(modes, count, 1, total))
            break;
        size_t other = !least               ? 1
                       : least + 1 == count ? least - 1
                       : ratio(modes[least].distance, modes[least - 1].distance) <
                               ratio(modes[least].distance, modes[least + 1].distance)
                           ? least - 1
                           : least + 1;
        size_t low = least < other ? least : other;
        join(&modes[low], &modes[low + 1]);
        for (size_t i = low + 1; i + 1 < count; i++)
            modes[i] = modes[i + 1];
        count--;
    }
    return count;
}

/* Returns the cluster whose distance is nearest to @distance; NULL if @count is 0. */
static struct mode *nearest(struct mode *modes, size_t count, double distance)
{
    struct mode *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (!best || ratio(modes[i].distance, distance) < ratio(best->distance, distance))
            best = &modes[i];
    return best;
}

size_t modes_find(const struct run_reference *r, struct mode out[MODES_MOST])
{
    struct mode found[REUSE_BINS], cold = {.distance = INFINITY};
    double last = -1;
    size_t count = 0;

    /* Adds large bins first. Otherwise, a few references between two clusters would connect
     * them. */
    for (int stragglers = 0; stragglers < 2; stragglers++)
        for (size_t i = 0; i < r->bin_count; i++) {
            const struct run_bin *b = &r->bins[i];
            struct mode one = mode_of(b, 1);
            if (isinf(b->distance)) {
                if (stragglers)
                    cold = one;
            } else if ((b->count < STRAGGLER * r->references) == stragglers) {
                struct mode *near = stragglers ? nearest(found, count, b->distance)
                                    : b->distance <= GAP * last + GAP_LINES && count
                                        ? &found[count - 1]
                                        : NULL;
                if (stragglers && count && b->distance > found[count - 1].distance &&
                    ratio(b->distance, found[count - 1].distance) > FAR_OFF)
                    near = NULL;
                if (near)
                    join(near, &one);
                else
                    found[count++] = one;
                last = b->distance;
            }
        }
    count = thin(found, count, r->references, MODES_MOST - 1);
    for (size_t i = 0; i < count; i++)
        out[i] = found[i];
    if (cold.count > 0)
        out[count++] = cold;
    return count;
}

struct mode modes_between(const struct run_reference *r, double from, double to)
{
    struct mode sum = {0};
    double all = 0, below = 0;

    for (size_t i = 0; i < r->bin_count; i++)
        all += isinf(r->bins[i].distance) ? 0 : r->bins[i].count;
    for (size_t i = 0; i < r->bin_count && !isinf(r->bins[i].distance); i++) {
        const struct run_bin *b = &r->bins[i];
        double part = (fmin(below + b->count, to * all) - fmax(below, from * all)) / b->count;
        if (part > 0) {
            const struct mode one = mode_of(b, part);
            join(&sum, &one);
        }
        below += b->count;
    }
    return sum;
}
