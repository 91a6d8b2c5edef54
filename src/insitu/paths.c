/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/mem.h"

#define INSNS_MOST 4096u       /* maximum number of instructions per iteration */

struct reader {
    const struct placed *x;
    struct paths *out;
    size_t at, end;            /* index of the current event, and end of the events */
    struct path path;
};

void paths_done(struct paths *p)
{
    for (size_t i = 0; i < p->list.count; i++)
        vec_done(&p->list.items[i].insns);
    for (size_t i = 0; i < p->branches.count; i++) {
        vec_done(&p->branches.items[i].targets);
        vec_done(&p->branches.items[i].target_counts);
    }
    vec_done(&p->list);
    vec_done(&p->branches);
    vec_done(&p->order);
}

static unsigned id_of(uint64_t event)
{
    return (unsigned)(event >> 48);
}

static uint64_t value_of(uint64_t event)
{
    return event & ((UINT64_C(1) << 48) - 1);
}

/* Finds the next event other than an address. Returns false at the end of the stretch. Stores the
 * event in *@id and *@value. */
static bool next_event(struct reader *r, unsigned *id, uint64_t *value)
{
    const struct region *region = r->x->region;

    for (; r->at < r->end; r->at++) {
        uint64_t event = r->x->events.items[r->at];
        *id = id_of(event);
        *value = value_of(event);
        if (*id >= region->list.count || region->list.items[*id].insn->traits & INSN_BRANCH)
            return true;
    }
    return false;
}

static struct path_branch *branch_of(struct paths *p, uint32_t at)
{
    for (size_t i = 0; i < p->branches.count; i++)
        if (p->branches.items[i].at == at)
            return &p->branches.items[i];
    vec_push(&p->branches, ((struct path_branch){.at = at}));
    return &p->branches.items[p->branches.count - 1];
}

static void count_target(struct path_branch *b, uint64_t target)
{
    size_t i = 0;

    while (i < b->targets.count && b->targets.items[i] != target)
        i++;
    if (i == b->targets.count) {
        vec_push(&b->targets, target);
        vec_push(&b->target_counts, 0);
    }
    if (++b->target_counts.items[i] > b->taken)
        b->taken = b->target_counts.items[i];
}

/* Sets *@next to the instruction that followed the branch at @at in this iteration; REGION_NONE:
 * outside the region. Returns false if the next event does not belong to this branch. */
static bool take_branch(struct reader *r, uint32_t at, uint32_t *next)
{
    const struct region_insn *i = &r->x->region->list.items[at];
    unsigned id;
    uint64_t value;

    if (!next_event(r, &id, &value) || id != at)
        return false;
    r->at++;
    r->path.hash = hash_fixed(r->path.hash, &(uint64_t[]){at, value}, 16);
    struct path_branch *b = branch_of(r->out, at);
    b->executed++;
    if (i->indirect) {
        count_target(b, value);
        *next = region_at(r->x->region, value - r->x->bias);
        return true;
    }
    b->taken += value;
    *next = value ? i->target : at + 1;
    return true;
}

/* Handles instruction @at, which was executed in the original. Returns false if the recording does
 * not continue at the next instruction, but only at the next execution of the pivot. */
static bool take_away(struct reader *r, uint32_t at)
{
    unsigned id;
    uint64_t value;

    r->path.away = true;
    if (next_event(r, &id, &value) && id == EVENT_AWAY)
        r->at++;
    for (size_t i = 0; i < r->x->region->resumed.count; i++)
        if (r->x->region->resumed.items[i] == at + 1)
            return true;
    return at + 1 == r->x->region->pivot;
}

/* Decodes one iteration from the pivot. Returns false if the events do not match the code. */
static bool read_iteration(struct reader *r)
{
    const struct region *region = r->x->region;
    uint32_t at = region->pivot;

    r->path = (struct path){.hash = HASH_START, .iterations = 1};
    while (r->path.insns.count < INSNS_MOST) {
        const struct region_insn *i = &region->list.items[at];
        uint32_t next = at + 1;
        vec_push(&r->path.insns, at);
        if (i->in_place) {
            if (!take_away(r, at))
                return true;
        } else if (i->insn->traits & INSN_RETURN)
            next = REGION_NONE;
        else if (i->indirect || i->insn->traits & INSN_CONDITIONAL) {
            if (!take_branch(r, at, &next))
                return false;
        } else if (i->direct)
            next = i->target;
        if (next == region->pivot)
            return true;
        if (next == REGION_NONE || next >= region->list.count ||
            !region->list.items[next].in_loop) {
            r->path.leaves = true;
            return true;
        }
        at = next;
    }
    return false;
}

static void keep(struct reader *r)
{
    struct paths *p = r->out;
    size_t i = 0;

    while (i < p->list.count && (p->list.items[i].hash != r->path.hash ||
                                 p->list.items[i].insns.count != r->path.insns.count))
        i++;
    if (i < p->list.count) {
        p->list.items[i].iterations++;
        vec_done(&r->path.insns);
    } else
        vec_push(&p->list, r->path);
    vec_push(&p->order, (uint32_t)i);
    p->iterations++;
}

static void read_stretch(struct reader *r)
{
    unsigned id;
    uint64_t value;

    while (next_event(r, &id, &value)) {
        r->at++;
        if (id != EVENT_PASS)
            continue;
        size_t begun = r->at;
        if (read_iteration(r) && (r->at < r->end || r->at > begun))
            keep(r);
        else {
            /* Counts a dropped iteration, unless the recording ends within it. */
            r->out->dropped += r->at < r->end;
            vec_done(&r->path.insns);
        }
    }
}

struct ranked {
    size_t iterations;
    uint32_t index;
};

static int by_iterations(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->iterations != y->iterations
               ? (x->iterations < y->iterations) - (x->iterations > y->iterations)
               : (x->index > y->index) - (x->index < y->index);
}

static int by_place(const void *a, const void *b)
{
    const struct path_branch *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static void sort(struct paths *p)
{
    size_t count = p->list.count;
    struct ranked *ranks = mem_zero(count + 1, sizeof *ranks);
    struct path *sorted = mem_zero(count + 1, sizeof *sorted);
    uint32_t *place = mem_zero(count + 1, sizeof *place);

    for (size_t i = 0; i < count; i++)
        ranks[i] = (struct ranked){p->list.items[i].iterations, (uint32_t)i};
    if (count)
        qsort(ranks, count, sizeof *ranks, by_iterations);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = p->list.items[ranks[i].index];
        place[ranks[i].index] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++)
        p->list.items[i] = sorted[i];
    for (size_t i = 0; i < p->order.count; i++)
        p->order.items[i] = place[p->order.items[i]];
    if (p->branches.count)
        qsort(p->branches.items, p->branches.count, sizeof *p->branches.items, by_place);
    free(ranks);
    free(sorted);
    free(place);
}

void paths_find(const struct placed *x, struct paths *out)
{
    struct reader r = {.x = x, .out = out};

    *out = (struct paths){.iterations = 0};
    for (size_t i = 0; i < x->stretches.count; i++) {
        r.at = x->stretches.items[i].first;
        r.end = r.at + x->stretches.items[i].count;
        read_stretch(&r);
    }
    sort(out);
}
