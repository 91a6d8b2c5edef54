/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The proof that the state repeats. A hash of what is cheap to follow is looked at after each iteration; where it was there before, the whole state
 * is written down and compared, so that the period is exact. */
#include "simulate/state.h"

#include <string.h>

#define KEPT_SHARE 12    /* of all looks so far, one part in so many lies between two states that are kept, */
#define KEPT_ITEMS 150   /* simulated for each state that is kept, at least: more than it takes to write it down */

void repeat_start(struct simulator *s)
{
    s->seen_mask = 127;
    s->states.count = s->snapshots.count = 0;
    memset(s->kept, 0, sizeof s->kept);
    s->salt += TURN;   /* what was seen of the block before is no longer known */
    s->highest = 0;
    s->checks = s->streak = 0;
    s->last_cycles[0] = s->last_cycles[1] = 0;
    s->next_kept = 1;
}

static int32_t since(const struct simulator *s, int32_t cycle)
{
    return cycle == UNKNOWN ? UNKNOWN : later(cycle - s->now, 0);
}

/* What of the state can be told by counting. */
static int32_t *write_counts(struct simulator *s, int32_t *out)
{
    int64_t first = s->issued.iteration * (int64_t)s->plan.items.count;
    out += front_state(&s->front, s->issued.iteration, out);
    *out++ = (int32_t)(s->issued.number - first);
    *out++ = (int32_t)(s->retired.number - first);
    *out++ = (int32_t)s->slots_done;
    *out++ = s->loads << 16 | s->stores;
    *out++ = s->leaving << 8 | (s->order.alike ? 0 : s->load_turn);
    *out++ = (int32_t)(s->issued.iteration % s->plan.phases) << 8 | s->cache.busy;
    for (unsigned i = 0; !s->order.on && i < s->core->ports->count; i++)
        *out++ = since(s, s->pipe_free[i]);
    return out;
}

/* An item that has not done all. Each word tells whether and what follows. */
static int32_t *write_item(const struct simulator *s, const struct place *at, const struct flight *flight, int32_t *out)
{
    const struct plan_item *item = &s->plan.items.items[at->index];

    *out++ = (int32_t)((uint32_t)(s->issued.number - at->number) << 16 | flight->pending);
    if (flight->first != UNKNOWN) {
        *out++ = since(s, flight->done);
        *out++ = flight->compute_first == UNKNOWN ? UNKNOWN : later(flight->compute_first - s->now, -256);
    }
    if (!flight->pending)
        return out;
    const struct waiting_uop *w = &s->waiting[flight->row * s->plan.uops.count + item->first_uop], *end = w + item->uops;
    for (; w < end; w++) {
        *out++ = (int32_t)((uint32_t)w->open << 16 | w->queue);
        if (w->open != DISPATCHED)
            *out++ = since(s, w->ready);
    }
    return out;
}

/* Values to come, and those that were there but are still on their way to a reader. Those not known follow from what has not been dispatched. */
static int32_t *write_values(const struct simulator *s, int64_t iteration, size_t listed, int32_t *out)
{
    const int32_t *values = values_of(s, iteration);
    const uint32_t *nodes = s->plan.listed.items;
    int32_t now = s->now;

    *out++ = INT32_MIN;
    for (size_t i = 0; i < listed; i++) {
        int32_t value = values[nodes[i]];
        if (value != UNKNOWN && value > now - s->plan.nodes.items[nodes[i]].reach) {
            *out++ = (int32_t)i;
            *out++ = value - now;
        }
    }
    return out;
}

/* What happens behind rename by events. */
static int32_t *write_events(const struct simulator *s, int64_t from, int32_t *out)
{
    int64_t base = s->issued.iteration;
    uint32_t next = s->next_retired;
    for (struct place at = s->retired; at.number < s->issued.number; place_next(&at, s->plan.items.count)) {
        const struct flight *flight = &s->flights[next];
        next = next + 1 == s->flight_count ? 0 : next + 1;
        if (flight->pending || flight->merging || flight->done > s->now)
            out = write_item(s, &at, flight, out);
    }
    for (int64_t iteration = from; iteration < base; iteration++)
        out = write_values(s, iteration, s->plan.listed.count, out);
    return write_values(s, base, s->plan.items.items[s->issued.index].first_value, out);
}

/* All that decides the future, relative to now and to the iteration at rename. */
static void write_state(struct simulator *s)
{
    int64_t from = s->retired.iteration - (int64_t)s->plan.longest_distance;

    from = from < 0 ? 0 : from;
    if (s->order.on)
        order_count(s);
    size_t events = (size_t)(s->issued.iteration - from + 1) * (3 * s->plan.items.count + 2 * (s->plan.uops.count + s->plan.nodes.count) + 1);
    vec_reserve(&s->states, s->states.count + FRONT_STATE + 8 + PORTS_MAX + (s->order.on ? order_state_room(s) : events));
    int32_t *out = write_counts(s, s->states.items + s->states.count);
    out = s->order.on ? order_state(s, out) : write_events(s, from, out);
    s->states.count = (size_t)(out - s->states.items);
}

/* Of the µops that wait for a port, of how far the parts of the machine are from each other, and of the cycles that the last two iterations took:
 * the same wherever the state is, but for two iterations. A sum of parts, each with a weight of its own. */
static uint64_t hash_state(const struct simulator *s)
{
    const struct front *f = &s->front;
    uint64_t hash = s->order.on ? order_hash(s) : s->content * s->unpower + pair(s->stores, s->leaving) * 0xa24baed4963ee407u;

    hash += pair(f->queued, s->issued.index) * 0x9fb21c651e98df25u + pair(f->delivered.number - s->issued.number, s->issued.number - s->retired.number) * 0xd6e8feb86659fd93u;
    hash += front_hash(f, s->issued.iteration);
    hash += pair(s->slots_done, s->order.alike ? 0 : s->load_turn) * 0x589965cc75374cc3u;
    if (s->plan.phases > 1)
        hash += (uint64_t)s->issued.iteration % s->plan.phases * 0x1d8e4e27c47d124fu;
    return mixed(hash, pair(s->now - s->last_cycles[0], s->last_cycles[0] - s->last_cycles[1]));
}

/* Whether the hash was there before, unless four others have taken its place; it is from now on. */
static inline bool was_seen(struct simulator *s, uint64_t hash)
{
    uint32_t tag = (uint32_t)(hash >> 32);

    if (s->checks > 2 * s->seen_mask && s->seen_mask + 1 < SEEN) {   /* few are in use at a time, so that they stay near the processor */
        memcpy(&s->seen[s->seen_mask + 1], s->seen, (s->seen_mask + 1) * sizeof *s->seen);   /* what is there twice is looked for in one place only */
        s->seen_mask = 2 * s->seen_mask + 1;
    }
    uint32_t *at = s->seen[tag & s->seen_mask];
    if (at[0] == tag || at[1] == tag || at[2] == tag || at[3] == tag)
        return true;
    at[3] = at[2];
    at[2] = at[1];
    at[1] = at[0];
    at[0] = tag;
    return false;
}

/* The newest of the first @count snapshots that has @hash, 1 for the first; 0: none. */
static size_t newest_with(const struct simulator *s, size_t count, uint64_t hash)
{
    if (!(s->kept[hash % KEPT / 64] >> hash % 64 & 1))
        return 0;
    while (count > 0 && s->snapshots.items[count - 1].hash != hash)
        count--;
    return count;
}

static bool same_as(const struct simulator *s, const struct snapshot *old, size_t start)
{
    size_t length = s->states.count - start;
    return old->length == length && memcmp(&s->states.items[old->start], &s->states.items[start], length * sizeof(int32_t)) == 0;
}

/* A few states are kept on the way, but not while the reorder buffer fills, and one when the hashes begin to repeat: with a period of p, two looks
 * p apart are enough when the first was kept. */
static bool worth_keeping(struct simulator *s, bool seen)
{
    int32_t rob = (s->order.on ? order_in_flight(s) : s->rob) + (int32_t)s->slots_done;
    bool filling = rob > s->highest;

    s->highest = filling ? rob : s->highest;
    s->checks++;
    s->streak = seen ? s->streak + 1 : 0;
    if (filling || s->checks < s->next_kept)
        return s->streak && !(s->streak & (s->streak - 1)) && s->snapshots.count < KEPT;   /* streaks may begin without end */
    uint32_t spread = s->checks / KEPT_SHARE, least = KEPT_ITEMS / (uint32_t)s->plan.items.count;
    s->next_kept = s->checks + (spread > least ? spread : least) + 1;
    return true;
}

/* The state is that of @then, but for the ports that are alike: where their turn is another, it takes some more periods until that is the same, too. */
static void take_period(const struct simulator *s, const struct snapshot *then)
{
    unsigned alike = portset_size(s->order.alike), times = 1;

    for (unsigned step = alike + order_turn(s) - then->turn; alike && step * times % alike; times++)
        ;
    s->out->period = times * (unsigned)(s->issued.iteration - then->iteration);
    s->out->numerator = (int64_t)times * (s->now - then->cycle);
    s->out->cycles = (double)s->out->numerator / s->out->period;
}

bool repeat_found(struct simulator *s)
{
    size_t start = s->states.count;
    uint64_t hash = hash_state(s) ^ s->salt;
    s->last_cycles[1] = s->last_cycles[0];
    s->last_cycles[0] = s->now;
    bool seen = was_seen(s, hash), keep = worth_keeping(s, seen);
    size_t old = seen ? newest_with(s, s->snapshots.count, hash) : 0;
    if (old == 0 && !keep)
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
        s->kept[hash % KEPT / 64] |= (uint64_t)1 << hash % 64;
        vec_push(&s->snapshots, ((struct snapshot){hash, order_turn(s), start, s->states.count - start, s->issued.iteration, s->now}));
    } else {
        s->states.count = start;
    }
    return false;
}
