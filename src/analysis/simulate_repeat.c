/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The proof that the state repeats. A hash of what is cheap to follow is looked at again and again; where it was there before, the whole state is
 * written down and compared, so that the period is exact. */
#include "analysis/simulate_state.h"

#include <string.h>

#define TURN 0x9e3779b97f4a7c15u       /* odd: an iteration further */
#define TURN_BACK 0xf1de83e19937733du  /* TURN * TURN_BACK = 1 modulo 2^64 */

void repeat_start(struct simulator *s)
{
    s->states.count = s->snapshots.count = 0;
    memset(s->seen, 0, sizeof s->seen);
    s->content = 0;
    s->unpower = s->powers[0] = 1;
    s->checks = s->streak = 0;
    s->next_kept = 1;
}

uint64_t repeat_term(const struct simulator *s, uint32_t uop, int8_t port, int64_t iteration)
{
    uint64_t term = (uop * 64 + (uint8_t)port + 1) * (uint64_t)0xbf58476d1ce4e5b9u;
    return (term ^ term >> 29) * s->powers[row_of(s, iteration)];
}

void repeat_next_iteration(struct simulator *s)
{
    s->powers[row_of(s, s->issued.iteration)] = s->powers[row_of(s, s->issued.iteration - 1)] * TURN;
    s->unpower *= TURN_BACK;
}

static int32_t since(const struct simulator *s, int32_t cycle)
{
    return cycle == UNKNOWN ? UNKNOWN : later(cycle - s->now, 0);
}

/* What of the state can be told by counting. */
static void write_counts(struct simulator *s)
{
    int64_t first = s->issued.iteration * (int64_t)s->plan.items.count;
    unsigned ports = s->core->ports->count;

    vec_reserve(&s->states, s->states.count + FRONT_STATE + 5 + 2 * ports);
    int32_t *out = s->states.items + s->states.count;
    out += front_state(&s->front, s->issued.iteration, out);
    *out++ = (int32_t)(s->issued.number - first);
    *out++ = (int32_t)(s->retired.number - first);
    *out++ = (int32_t)s->slots_done;
    *out++ = s->loads << 16 | s->stores;
    *out++ = s->leaving << 8 | s->load_turn;
    for (unsigned i = 0; i < ports; i++) {
        *out++ = s->bound[i];
        *out++ = since(s, s->pipe_free[i]);
    }
    s->states.count = (size_t)(out - s->states.items);
}

static void write_item(struct simulator *s, const struct place *at)
{
    const struct plan_item *item = &s->plan.items.items[at->index];
    const struct flight *flight = flight_of(s, at->iteration, at->index);
    const struct waiting *waiting = &s->waiting[row_of(s, at->iteration) * s->plan.uops.count];

    if (!flight->pending && flight->done <= s->now)
        return;
    vec_push(&s->states, (int32_t)(at->number - s->issued.number));
    vec_push(&s->states, since(s, flight->done));
    if (!flight->pending)
        return;
    vec_push(&s->states, (int32_t)(flight->pending << 16 | flight->computing));
    vec_push(&s->states, flight->load == UNKNOWN ? UNKNOWN : later(flight->load - s->now, -64));
    vec_push(&s->states, flight->compute_first == UNKNOWN ? UNKNOWN : later(flight->compute_first - s->now, -256));
    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++) {
        vec_push(&s->states, waiting[u].open << 8 | (waiting[u].port & 0xff));
        vec_push(&s->states, waiting[u].open == DISPATCHED ? 0 : since(s, waiting[u].ready));
    }
}

/* The rest of what decides the future, relative to now and to the iteration at rename. */
static void write_state(struct simulator *s)
{
    int64_t base = s->issued.iteration, from = s->retired.iteration - (int64_t)s->plan.longest_distance;

    for (struct place at = s->retired; at.number < s->issued.number; place_next(&at, s->plan.items.count))
        write_item(s, &at);
    for (int64_t iteration = from < 0 ? 0 : from; iteration <= base; iteration++) {
        const int32_t *values = values_of(s, iteration);
        size_t nodes = iteration < base ? s->plan.nodes.count : s->plan.items.items[s->issued.index].first_node;
        for (size_t n = 0; n < nodes; n++) {
            if (values[n] != UNKNOWN && values[n] + s->plan.nodes.items[n].reach <= s->now)
                continue;   /* there for all that will ask */
            vec_push(&s->states, (int32_t)((base - iteration) * (int64_t)s->plan.nodes.count + (int64_t)n));
            vec_push(&s->states, values[n] == UNKNOWN ? UNKNOWN : values[n] - s->now);
        }
    }
}

static uint64_t hash_states(const struct simulator *s, size_t from)
{
    uint64_t hash = s->content * s->unpower;
    for (size_t i = from; i + 1 < s->states.count; i += 2)
        hash = (hash ^ hash >> 31 ^ ((uint64_t)(uint32_t)s->states.items[i] << 32 | (uint32_t)s->states.items[i + 1])) * TURN;
    return hash ^ hash >> 29;
}

/* Whether the hash was there before; it is from now on. */
static bool was_seen(struct simulator *s, uint64_t hash)
{
    size_t at = hash >> 32 & (SEEN - 1);
    for (size_t probe = 0; probe < 8; probe++, at = (at + 1) & (SEEN - 1)) {
        if (s->seen[at] == hash)
            return true;
        if (!s->seen[at]) {
            s->seen[at] = hash;
            return false;
        }
    }
    return true;
}

static bool same_as(const struct simulator *s, const struct snapshot *old, size_t start)
{
    size_t length = s->states.count - start;
    return old->length == length && memcmp(&s->states.items[old->start], &s->states.items[start], length * sizeof(int32_t)) == 0;
}

/* A few states are kept on the way, and one when the hashes begin to repeat: with a period of p, two looks p apart are enough when the first was
 * kept. */
static bool worth_keeping(struct simulator *s, bool seen)
{
    s->checks++;
    s->streak = seen ? s->streak + 1 : 0;
    if (s->checks < s->next_kept)
        return s->streak && !(s->streak & (s->streak - 1));
    s->next_kept = s->checks + s->checks / 32 + 1;
    return true;
}

bool repeat_found(struct simulator *s)
{
    size_t start = s->states.count, old = s->snapshots.count;

    write_counts(s);
    uint64_t hash = hash_states(s, start);
    bool seen = was_seen(s, hash), keep = worth_keeping(s, seen);
    while (old > 0 && seen && s->snapshots.items[old - 1].hash != hash)
        old--;
    bool compare = old > 0 && seen;
    if (compare || keep)
        write_state(s);
    for (; compare && old > 0; old--) {
        const struct snapshot *then = &s->snapshots.items[old - 1];
        if (then->hash != hash || !same_as(s, then, start))
            continue;
        s->out->period = (unsigned)(s->issued.iteration - then->iteration);
        s->out->numerator = s->now - then->cycle;
        s->out->cycles = (double)s->out->numerator / s->out->period;
        return true;
    }
    if (keep)
        vec_push(&s->snapshots, ((struct snapshot){hash, start, s->states.count - start, s->issued.iteration, s->now}));
    else
        s->states.count = start;
    return false;
}
