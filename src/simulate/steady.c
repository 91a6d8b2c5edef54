/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects the end of a simulation: a repeated state, which determines the period exactly, or a loop
 * that has settled at its bound. */
#include "simulate/pipeline.h"

#include <string.h>

/* Interval between two recorded states, as a fraction (1/20) of all checks. A check follows each
 * iteration. */
#define KEPT_SHARE 20
/* minimum number of items between two recorded states; simulating this many items takes longer than
 * recording a state */
#define KEPT_ITEMS 150
#define STRETCH_CYCLES 128   /* minimum cycles of a stretch */
#define STRETCH_LOOKS 4      /* minimum number of checks of a stretch */
/* minimum length of a stretch as a fraction (1/5) of all cycles so far, because some buffers fill
 * slowly */
#define STRETCH_SHARE 5
/* number of successive stretches that must equal the reference, or be no slower than their
 * predecessors */
#define STRETCHES 3
#define PRIME 0x100000001b3u
/* maximum difference between the retirement delays of equal stretches, in cycles, because items
 * retire in groups */
#define SLACK 0.5

void steady_start(struct simulator *s, double least, double enough)
{
    s->states.count = s->snapshots.count = 0;
    memset(s->hashed, 0, sizeof s->hashed);
    s->highest = 0;
    s->checks = 0;
    s->next_kept = 1;
    s->last_cycles[0] = s->last_cycles[1] = 0;
    s->settle = (struct settle){.least = least, .enough = enough};
}

static int32_t since(const struct simulator *s, int32_t cycle)
{
    return cycle == UNKNOWN ? UNKNOWN : later(cycle - s->now, 0);
}

/* Writes the counters of the state to @out, and returns its end. */
static int32_t *write_counts(const struct simulator *s, int32_t *out)
{
    int64_t first = s->issued.iteration * (int64_t)s->plan.items.count;

    out += front_state(&s->front, s->issued.iteration, out);
    *out++ = (int32_t)(s->issued.number - first);
    *out++ = (int32_t)(s->retired.number - first);
    *out++ = (int32_t)s->slots_done;
    *out++ = s->loads;
    *out++ = s->stores;
    *out++ = s->leaving;
    *out++ = s->alike ? 0 : s->load_turn;
    *out++ = (int32_t)(s->issued.iteration % s->plan.phases);
    *out++ = s->cache.busy;
    *out++ = memory_slots_owed(s);
    *out++ = later((int32_t)(s->sequencer_free - (int64_t)s->now * CYCLE), -CYCLE);
    for (unsigned i = 0; i < s->core->ports->count; i++)
        *out++ = since(s, s->pipe_free[i]);
    return out;
}

#define COUNTS (FRONT_STATE + 11 + PORTS_MAX)

/* Returns the queue of a µop. For loads in rotation, returns the queue relative to the port of the
 * last load. */
static int32_t queue_of(const struct simulator *s, const struct waiting_uop *w)
{
    if (!s->alike || s->plan.uops.items[w->uop].kind != UOP_LOAD)
        return w->queue;
    int32_t rank = (int32_t)portset_size(s->alike & (((portset)1 << w->queue % PORTS_MAX) - 1)) -
                   (int32_t)ports_turn(s);
    return rank < 0 ? rank + (int32_t)portset_size(s->alike) : rank;
}

/* Writes an unfinished item. A waiting µop takes three words, and a dispatched µop takes one
 * word. */
static int32_t *write_item(const struct simulator *s, const struct place *at,
                           const struct flight *flight, int32_t *out)
{
    const struct plan_item *item = &s->plan.items.items[at->index];
    const struct waiting_uop *w = &s->waiting[flight->row * s->plan.uops.count + item->first_uop];

    *out++ = (int32_t)(s->issued.number - at->number);
    *out++ = (int32_t)flight->pending;
    if (flight->first != UNKNOWN) {
        *out++ = since(s, flight->done);
        *out++ = flight->compute_first == UNKNOWN ? UNKNOWN
                                                  : later(flight->compute_first - s->now, -256);
    }
    for (const struct waiting_uop *end = w + item->uops; flight->pending && w < end; w++) {
        *out++ = w->open;
        if (w->open == DISPATCHED)
            continue;
        *out++ = queue_of(s, w);
        *out++ = since(s, w->ready);
    }
    return out;
}

/* Writes the values that are not yet ready or that readers may still need. Omits unknown values,
 * because the undispatched µops determine them. */
static int32_t *write_values(const struct simulator *s, int64_t iteration, size_t listed,
                             int32_t *out)
{
    const int32_t *values = values_of(s, iteration);
    const uint32_t *nodes = s->plan.listed.items;

    *out++ = INT32_MIN;
    for (size_t i = 0; i < listed; i++) {
        int32_t value = values[nodes[i]];
        if (value != UNKNOWN && value > s->now - s->plan.nodes.items[nodes[i]].reach) {
            *out++ = (int32_t)i;
            *out++ = value - s->now;
        }
    }
    return out;
}

/* Writes the items in flight that have not completed. */
static int32_t *write_flights(const struct simulator *s, int32_t *out)
{
    uint32_t next = s->next_retired;

    for (struct place at = s->retired; at.number < s->issued.number;
         place_next(&at, s->plan.items.count)) {
        const struct flight *flight = &s->flights[next];
        next = next + 1 == s->flight_count ? 0 : next + 1;
        if (flight->pending || flight->merging || flight->done > s->now)
            out = write_item(s, &at, flight, out);
    }
    return out;
}

/* Writes everything that determines the further simulation, relative to the current cycle and
 * iteration. */
static void write_state(struct simulator *s)
{
    int64_t base = s->issued.iteration,
            from = s->retired.iteration - (int64_t)s->plan.longest_distance;
    size_t each = 4 * s->plan.items.count + 3 * s->plan.uops.count + 2 * s->plan.nodes.count + 1;

    from = from < 0 ? 0 : from;
    vec_reserve(&s->states, s->states.count + COUNTS + (size_t)(base - from + 1) * each);
    int32_t *out = write_flights(s, write_counts(s, s->states.items + s->states.count));
    for (int64_t iteration = from; iteration < base; iteration++)
        out = write_values(s, iteration, s->plan.listed.count, out);
    out = write_values(s, base, s->plan.items.items[s->issued.index].first_value, out);
    s->states.count = (size_t)(out - s->states.items);
}

/* Returns an FNV-1a hash of words that differ between most states: waiting µops, distances between
 * units, cycles of the last two iterations. */
static uint64_t hash_of(const struct simulator *s)
{
    const int64_t words[] = {s->issued.number - s->retired.number, s->issued.index, s->front.queued,
                             s->now - s->last_cycles[0], s->last_cycles[0] - s->last_cycles[1]};
    uint64_t hash = s->ages - s->weights * (uint64_t)s->entering->age;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = (hash ^ (uint64_t)words[i]) * PRIME;
    return hash;
}

/* Returns the word of s->hashed with the bit of @hash. Sets *@bit to that bit. */
static uint64_t *hashed_word(struct simulator *s, uint64_t hash, uint64_t *bit)
{
    const uint32_t at = (uint32_t)(hash >> (64 - HASHED_BITS));

    *bit = (uint64_t)1 << at % 64;
    return &s->hashed[at / 64];
}

/* Returns 1 + the index of the newest of the first @count snapshots with @hash; 0: none. */
static size_t newest_with(const struct simulator *s, size_t count, uint64_t hash)
{
    while (count > 0 && s->snapshots.items[count - 1].hash != hash)
        count--;
    return count;
}

static bool same_as(const struct simulator *s, const struct snapshot *old, size_t start)
{
    size_t length = s->states.count - start;
    return old->length == length && memcmp(&s->states.items[old->start], &s->states.items[start],
                                           length * sizeof(int32_t)) == 0;
}

/* Returns whether to record this state: at intervals, but not while the reorder buffer fills. */
static bool is_worth_keeping(struct simulator *s)
{
    int32_t rob = s->rob + (int32_t)s->slots_done;
    bool filling = rob > s->highest;

    s->highest = filling ? rob : s->highest;
    s->checks++;
    if (filling || s->checks < s->next_kept)
        return false;
    uint32_t spread = s->checks / KEPT_SHARE, least = KEPT_ITEMS / (uint32_t)s->plan.items.count;
    s->next_kept = s->checks + (spread > least ? spread : least) + 1;
    return true;
}

/* Stores the period between the state @then and the equal current state. Multiplies the period
 * until the rotation of load ports also repeats. */
static void take_period(const struct simulator *s, const struct snapshot *then)
{
    unsigned count = portset_size(s->alike), times = 1;

    for (unsigned step = count + ports_turn(s) - then->turn; count && step * times % count; times++)
        ;
    s->out->period = times * (unsigned)(s->issued.iteration - then->iteration);
    s->out->numerator = (int64_t)times * (s->now - then->cycle);
    s->out->cycles = (double)s->out->numerator / s->out->period;
}

bool steady_repeats(struct simulator *s)
{
    size_t start = s->states.count;
    uint64_t hash = hash_of(s);
    bool keep = is_worth_keeping(s);
    uint64_t bit, *word = hashed_word(s, hash, &bit);
    size_t old = *word & bit ? newest_with(s, s->snapshots.count, hash) : 0;

    s->last_cycles[1] = s->last_cycles[0];
    s->last_cycles[0] = s->now;
    if (!old && !keep)
        return false;
    write_state(s);
    for (; old > 0; old = newest_with(s, old - 1, hash)) {
        const struct snapshot *then = &s->snapshots.items[old - 1];
        if (!same_as(s, then, start))
            continue;
        take_period(s, then);
        return true;
    }
    if (keep) {
        vec_push(&s->snapshots,
                 ((struct snapshot){hash, ports_turn(s), start, s->states.count - start,
                                    s->issued.iteration, s->now}));
        *word |= bit;
    } else
        s->states.count = start;
    return false;
}

/* Returns whether a buffer has more entries in use than at any earlier check. The state is then not
 * steady. */
static bool fills(struct simulator *s)
{
    const int32_t held[BUFFERS] = {s->rob + (int32_t)s->slots_done, s->scheduler, s->loads,
                                   s->stores, s->front.queued};
    bool more = false;

    for (unsigned i = 0; i < BUFFERS; i++) {
        more |= held[i] > s->settle.highest[i];
        s->settle.highest[i] = later(s->settle.highest[i], held[i]);
    }
    return more;
}

static bool near(double a, double b, double slack)
{
    return a - b <= slack && b - a <= slack;
}

/* Ends a stretch of @w. A stretch that differs from the reference stretch replaces it. Returns
 * whether enough successive stretches are equal. */
static bool is_like_the_first(struct settle *w)
{
    bool same = !w->filling && near(w->earliest, w->first.earliest, SLACK) &&
                w->latest - w->first.latest <= 2 * SLACK;

    if (!same) {
        w->first.earliest = w->earliest;
        w->first.latest = w->latest;
        w->alike = 0;
    }
    return ++w->alike >= STRETCHES;
}

/* Ends a stretch of @w. Returns whether enough successive stretches were no later than the previous
 * one, relative to the bound of replayed loads. */
static bool is_enough(struct settle *w)
{
    bool ahead = !w->filling && w->behind <= w->behind_before;

    w->ahead = ahead ? w->ahead + 1 : 0;
    w->behind_before = w->behind;
    return w->ahead >= STRETCHES;
}

static double cycles_over(const struct simulator *s, double cycles)
{
    return s->now - cycles * (double)s->retired.number / (double)s->plan.items.count;
}

/* Returns whether the loop has settled at its bound. The states of many loops repeat late or never,
 * although the loop runs at its bound, the shortest possible time. The bound is the result if no
 * buffer fills and retirement is not delayed over STRETCHES stretches. */
bool steady_settled(struct simulator *s)
{
    struct settle *w = &s->settle;

    if (w->least <= 0 && w->enough <= 0)
        return false;
    w->filling |= fills(s);
    double lag = cycles_over(s, w->least), behind = w->enough > 0 ? cycles_over(s, w->enough) : 0;
    if (w->looks++ == 0) {
        w->begin = s->now;
        w->earliest = w->latest = lag;
        w->behind = behind;
    }
    w->earliest = lag < w->earliest ? lag : w->earliest;
    w->latest = lag > w->latest ? lag : w->latest;
    w->behind = behind > w->behind ? behind : w->behind;
    int32_t length = s->now - w->begin;
    if (w->looks < STRETCH_LOOKS || length < STRETCH_CYCLES || length < s->now / STRETCH_SHARE)
        return false;
    bool settled = is_like_the_first(w) && w->least > 0, enough = is_enough(w) && w->enough > 0;
    w->looks = 0;
    w->filling = false;
    if (!settled && !enough)
        return false;
    s->out->cycles = w->least;   /* simulate() replaces this result if another bound is larger. */
    s->out->settled = true;
    return true;
}
