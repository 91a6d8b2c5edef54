/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/explained.h"

#include <math.h>
#include <string.h>

#include "base/compare.h"
#include "cmd/explained_result.h"

/* maximum number of cache lines over which runs move an access: those of a page */
#define PLACES_MOST 64u
/* smallest number of new lines per execution of an access at which the runs move it to other
 * lines */
#define SPREADS_LEAST 0.05

/* maximum number of irregular new lines per execution of a sequential load */
#define SEQUENTIAL_MOST 0.005

struct event_walk {
    const struct placed *x;
    struct recording *out;
    const uint32_t *places; /* per instruction of the region: its index in the recording */
    size_t at, end;         /* index of the current event, and end of the events */
    bool *seen;             /* per instruction: whether the current iteration has executed it */
};

static unsigned id_at(const struct event_walk *w)
{
    return (unsigned)(w->x->events.items[w->at] >> 48);
}

static uint32_t placed_at(const struct event_walk *w, uint32_t at)
{
    return at < w->x->region->list.count ? w->places[at] : RECORDED_OUT;
}

/* Reads the event of instruction @at, and sets *@next to the next instruction. Returns false if the
 * events do not match. */
static bool take_event(struct event_walk *w, uint32_t at, uint32_t *next)
{
    const struct region_insn *i = &w->x->region->list.items[at];
    const uint32_t place = w->places[at];

    if (w->at >= w->end || id_at(w) != at || w->seen[place])
        return false;
    uint64_t value = w->x->events.items[w->at++] & ((UINT64_C(1) << 48) - 1);
    w->seen[place] = true;
    if (i->indirect) {
        *next = region_at(w->x->region, value - w->x->bias);
        value = placed_at(w, *next);
    } else if (i->insn->traits & INSN_CONDITIONAL && value)
        *next = i->target;
    vec_push(&w->out->events, ((struct recorded_event){place, value}));
    return true;
}

/* Reads one iteration. Returns false if it is incomplete or does not match the code. */
static bool take_iteration(struct event_walk *w)
{
    const struct region *r = w->x->region;
    uint32_t at = r->pivot;

    memset(w->seen, 0, w->out->insns.count);
    for (size_t n = 0; n <= r->list.count; n++) {
        const struct region_insn *i = &r->list.items[at];
        uint32_t next = at + 1;
        if (events_records(i)) {
            if (!take_event(w, at, &next))
                return false;
        } else if (i->direct)
            next = i->target;
        if (next == r->pivot || placed_at(w, next) == RECORDED_OUT)
            return true;
        at = next;
    }
    return false;
}

static void take_stretch(struct event_walk *w)
{
    while (w->at < w->end)
        if (id_at(w) != EVENT_PASS)
            w->at++;
        else {
            const size_t had = w->out->events.count;
            w->at++;
            if (!take_iteration(w)) {
                w->out->events.count = had;
                continue;
            }
            vec_push(&w->out->iterations, had);
        }
}

/* Returns the number of different lines that instruction @at accesses in the recording. Sets
 * *@executed to the number of accesses. */
static size_t lines_of(const struct recording *r, uint32_t at, size_t *executed)
{
    VEC(uint64_t) lines = {0};
    size_t different = 0;

    for (size_t i = 0; i < r->events.count; i++)
        if (r->events.items[i].at == at)
            vec_push(&lines, r->events.items[i].value / EXPLAINED_LINE);
    if (lines.count)
        qsort(lines.items, lines.count, sizeof *lines.items, compare_uint64);
    for (size_t i = 0; i < lines.count; i++)
        different += !i || lines.items[i] != lines.items[i - 1];
    *executed = lines.count;
    vec_done(&lines);
    return different;
}

/* Marks sequential loads. Sets the number of lines by which runs may move accesses. Only loads that
 * access more lines in the program than in the recording are moved. */
static void find_places(const struct loop_lines *lines, const uint32_t *places,
                        struct recording *out)
{
    for (size_t i = 0; i < lines->list.count; i++) {
        const struct load_lines *l = &lines->list.items[i];
        const uint32_t at = places[l->at];
        size_t executed;
        if (at == RECORDED_OUT)
            continue;
        out->insns.items[at].sequential = (double)l->fresh <= SEQUENTIAL_MOST * (double)l->executed;
        const double recorded = (double)lines_of(out, at, &executed);
        if (isnan(l->footprint) || l->fresh <= l->streamed ||
            recorded < SPREADS_LEAST * (double)executed)
            continue;
        out->insns.items[at].places = (uint32_t)fmax(1, fmin(PLACES_MOST, l->footprint / recorded));
    }
}

bool explained_recording(const struct placed *x, const struct loop_lines *lines,
                         struct recording *out, struct err *err)
{
    const struct region *r = x->region;
    uint32_t *places = mem_alloc((r->list.count + 1) * sizeof *places), count = 0;
    struct event_walk w = {.x = x, .out = out, .places = places};
    const char *reason = NULL;

    *out = (struct recording){.first = RECORDED_OUT};
    for (size_t i = 0; i < r->list.count; i++)
        places[i] = r->list.items[i].in_loop ? count++ : RECORDED_OUT;
    for (size_t i = 0; i < r->list.count; i++) {
        const struct region_insn *in = &r->list.items[i];
        const bool next = i + 1 < r->list.count && region_falls(in) &&
                          r->list.items[i + 1].insn->offset == in->insn->offset + in->insn->length;
        const uint32_t traits = in->insn->traits;
        if (!in->in_loop)
            continue;
        if (in->in_place)
            reason = "the loop calls functions or the system";
        else if (!(traits & INSN_BRANCH) && traits & (INSN_LOAD | INSN_STORE) &&
                 !events_follows(in))
            reason = "the addresses of an access in the loop were not recorded";
        vec_push(&out->insns,
                 ((struct recorded_insn){.insn = in->insn,
                                         .next = next ? places[i + 1] : RECORDED_OUT,
                                         .target = in->target < r->list.count ? places[in->target]
                                                                              : RECORDED_OUT,
                                         .indirect = in->indirect,
                                         .places = 1}));
    }
    if (r->dispatch)
        reason = "only the parts of a loop of computed gotos were recorded";
    if (!reason && places[r->pivot] == RECORDED_OUT)
        reason = "the loop's iterations begin outside the loop";
    w.seen = mem_zero(count + 1, sizeof *w.seen);
    out->first = places[r->pivot];
    for (size_t i = 0; !reason && i < x->stretches.count; i++) {
        w.at = x->stretches.items[i].first;
        w.end = w.at + x->stretches.items[i].count;
        take_stretch(&w);
    }
    if (!reason && !out->iterations.count)
        reason = "an instruction is executed more than once per iteration, or nothing was recorded";
    if (!reason)
        find_places(lines, places, out);
    free(w.seen);
    free(places);
    return !reason || err_set(err, ERR_DATA, NULL, "%s", reason);
}
