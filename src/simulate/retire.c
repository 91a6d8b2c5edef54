/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Retires items in program order, and then commits stores to the cache. */
#include "simulate/pipeline.h"

static void set_commit_times(struct simulator *s, const struct plan_item *item,
                             const struct iteration *row)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_AT_RETIREMENT]];

    for (uint32_t i = 0; i < item->listed[NODE_AT_RETIREMENT]; i++)
        writeback_value(s, row, nodes[i],
                        writeback_trailed(s, row, &s->plan.nodes.items[nodes[i]], s->now));
}

static void keep_step(struct simulator *s, const struct plan_item *item, int64_t iteration,
                      const struct flight *flight)
{
    for (uint32_t k = 0; k < item->members; k++)
        s->out->steps[(size_t)iteration * s->plan.insns.count + item->insn + k] =
            (struct simulated_step){flight->fetch, flight->issue,
                                    flight->first == UNKNOWN ? flight->issue : flight->first,
                                    flight->done, s->now};
}

void retire_cycle(struct simulator *s)
{
    int32_t slots = s->retire_width;

    s->scanned = -1;   /* No µop has been examined in this cycle yet. */
    memory_commit(s);
    for (int64_t waiting = s->issued.number - s->retired.number; slots > 0 && waiting > 0;
         waiting--) {
        const struct flight *flight = &s->flights[s->next_retired];
        if (flight->pending || flight->merging || flight->done >= s->now)
            return;
        const struct plan_item *item = &s->plan.items.items[s->retired.index];
        /* An item that has more slots than retire per cycle also retires in one cycle. */
        slots -= (int32_t)item->issue;
        s->rob -= (int32_t)item->issue;
        s->loads -= item->load;
        s->leaving += item->store;
        s->moved = true;
        if (item->listed[NODE_AT_RETIREMENT])
            set_commit_times(s, item, &s->rows[flight->row]);
        if (s->retired.iteration < (int64_t)s->timeline)
            keep_step(s, item, s->retired.iteration, flight);
        if (++s->next_retired == s->flight_count)
            s->next_retired = 0;
        place_next(&s->retired, s->plan.items.count);
    }
}
