/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holds µops between rename and ports. A µop whose ready cycle is known is in the calendar until
 * that cycle. Afterwards it is in the queue of its port or port set. */
#include "simulate/pipeline.h"

#include <string.h>

/* Sets the ports of the queues that @uop can use. */
static void name_queues(struct simulator *s, const struct plan_uop *uop)
{
    if (!s->bound_at_rename) {
        s->queues.items[uop->choice].ports = uop->ports;
        s->queues.items[uop->choice].pipe = uop->pipe;
        return;
    }
    for (portset rest = uop->ports; rest; rest &= rest - 1) {
        unsigned port = (unsigned)__builtin_ctz(rest);
        struct queue *queue = &s->queues.items[uop->pipe_choice * PORTS_MAX + port];
        queue->ports = (portset)1 << port;
        queue->pipe = uop->pipe;
    }
}

void scheduler_start(struct simulator *s)
{
    size_t queues = s->bound_at_rename ? (size_t)s->plan.pipe_choices * PORTS_MAX : s->plan.choices;

    memset(s->calendar, 0xff, sizeof s->calendar);
    while (s->queues.count < queues)
        vec_push(&s->queues, ((struct queue){.uops = NULL}));
    for (size_t q = 0; q < queues; q++) {
        struct queue *queue = &s->queues.items[q];
        queue->head = queue->tail = 0;
        queue->blocked = 0;
    }
    for (size_t u = 0; u < s->plan.uops.count; u++)
        name_queues(s, &s->plan.uops.items[u]);
    vec_reserve(&s->active, s->queues.count);
    s->active.count = 0;
    s->weights = s->ages = 0;
    s->scanned = INT64_MAX;
}

static void make_room(struct queue *q)
{
    if (q->head > 0)
        memmove(q->uops, q->uops + q->head, (q->tail - q->head) * sizeof *q->uops);
    q->tail -= q->head;
    q->head = 0;
    if (q->tail * 2 < q->capacity)
        return;
    q->capacity = q->capacity ? 2 * q->capacity : 64;
    q->uops = mem_resize(q->uops, q->capacity * sizeof *q->uops);
}

/* Adds the ready µop @w to its queue, which is ordered by age. Usually @w is the youngest. */
static void enqueue(struct simulator *s, const struct waiting_uop *w)
{
    struct queue *q = &s->queues.items[w->queue];

    if (q->head == q->tail) {
        q->head = q->tail = 0;
        q->active = (uint32_t)s->active.count;
        s->active.items[s->active.count++] = w->queue;
    }
    if (q->tail == q->capacity)
        make_room(q);
    uint32_t at = q->tail++;
    for (; at > q->head && s->waiting[q->uops[at - 1]].age > w->age; at--)
        q->uops[at] = q->uops[at - 1];
    q->uops[at] = (uint32_t)(w - s->waiting);
    if (at == q->head)
        q->age = w->age;
}

void scheduler_leave(struct simulator *s, struct queue *q)
{
    s->scheduler--;
    scheduler_weigh(s, &s->waiting[q->uops[q->head]], -1);
    if (++q->head < q->tail) {
        q->age = s->waiting[q->uops[q->head]].age;
        return;
    }
    uint16_t last = s->active.items[--s->active.count];
    s->active.items[q->active] = last;
    s->queues.items[last].active = q->active;
}

static void enter_calendar(struct simulator *s, struct waiting_uop *w, int32_t cycle)
{
    uint32_t *day = &s->calendar[(uint32_t)cycle & (CALENDAR - 1)];

    w->next = *day;
    *day = (uint32_t)(w - s->waiting);
}

void scheduler_wake(struct simulator *s)
{
    uint32_t *day = &s->calendar[(uint32_t)s->now & (CALENDAR - 1)], place = *day;

    *day = NOBODY;
    while (place != NOBODY) {
        struct waiting_uop *w = &s->waiting[place];
        place = w->next;
        if (w->ready > s->now)
            enter_calendar(s, w, s->now);
        else
            enqueue(s, w);
    }
}

/* Schedules @w, whose sources are all known. A ready µop that is older than the µop just
 * dispatched waits for the next cycle. */
static void sources_known(struct simulator *s, struct waiting_uop *w)
{
    if (s->plan.uops.items[w->uop].kind >= UOP_RENAMED)
        writeback_without_port(s, w);
    else if (w->ready > s->now)
        enter_calendar(s, w, w->ready);
    else if (w->age > s->scanned)
        enqueue(s, w);
    else
        enter_calendar(s, w, s->now + 1);
}

void scheduler_source_known(struct simulator *s, struct waiting_uop *w, int32_t ready)
{
    w->ready = later(w->ready, ready);
    if (--w->open == 0)
        sources_known(s, w);
}

void scheduler_add(struct simulator *s, uint32_t u, unsigned own, int32_t ready)
{
    const struct iteration *row = s->entering;
    const struct plan_uop *uop = &s->plan.uops.items[u];
    const struct plan_source *source = &s->plan.sources.items[uop->first_source];
    struct waiting_uop *w = &s->waiting[row->uop + u];

    for (uint32_t i = 0; i < uop->sources; i++, source++) {
        int32_t value = value_at(s, row->value, source);
        if (value == UNKNOWN)
            own++;
        else
            ready = later(ready, value + source->add);
    }
    w->age = row->age + u;
    w->uop = u;
    w->flight = row->flight + s->issued.index;
    w->open = (uint16_t)own;
    w->ready = ready;
    s->entered = w->age + 1;
    if (uop->kind < UOP_RENAMED)
        scheduler_weigh(s, w, 1);
    if (own)
        return;
    if (ready == s->now + RENAME_TO_PORT && uop->kind < UOP_RENAMED)
        enqueue(s, w);   /* The µop waits for the next cycle, because the ports have already
                          * dispatched in this cycle. */
    else
        sources_known(s, w);
}

int32_t scheduler_next(const struct simulator *s)
{
    int32_t next = UNKNOWN;

    for (int32_t ahead = 1; ahead <= CALENDAR && next == UNKNOWN; ahead++)
        if (s->calendar[(uint32_t)(s->now + ahead) & (CALENDAR - 1)] != NOBODY)
            next = s->now + ahead;
    for (size_t i = 0; i < s->active.count; i++) {
        const struct queue *q = &s->queues.items[s->active.items[i]];
        for (portset rest = q->ports; rest; rest &= rest - 1) {
            int32_t free = held_until(s, q->pipe, (unsigned)__builtin_ctz(rest));
            next = free > s->now && free < next ? free : next;
        }
    }
    return next;
}
