/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/issue.h"

#include <math.h>

#define GROUP_MOST 32    /* largest number of slots of a group */

struct issue_group {
    unsigned slots;
    unsigned uops;
    double cycles;       /* number of groups filled so far, one per cycle */
};

uint32_t issue_room(const struct core *c, const struct cost *row)
{
    uint32_t width = core_slots(c),
             room = c->group_whole || row->flags & ROW_NOT_LAST ? row->issue : 1;

    if (row->flags & ROW_FIRST)
        return width;
    room += row->flags & ROW_NOT_LAST && row->issue && room < width;
    return room > width || !row->issue ? 1 : room;
}

static void close_group(struct issue_group *g)
{
    g->cycles++;
    g->slots = g->uops = 0;
}

static void add_row(const struct core *c, const struct cost *row, unsigned width,
                    struct issue_group *g)
{
    bool together = row->flags & ROW_SPLIT && row->issue <= width && !isnan(c->unlaminate_first);

    if (g->slots && width - g->slots < issue_room(c, row))
        close_group(g);
    if (together && (g->uops >= c->unlaminate_first || g->slots + row->issue > width))
        close_group(g);
    g->uops += together ? row->decode : 0;
    for (unsigned i = 0; i < row->issue; i++) {
        g->slots++;
        g->uops += !together;
        if (g->slots == width)
            close_group(g);
    }
}

uint32_t issue_limited(const struct costs *costs, const struct cost *row,
                       const struct dispatch_limit *limit)
{
    uint32_t limited = 0;

    for (uint32_t i = row->first; i < row->first + row->count; i++)
        limited += dispatch_limit_has(limit, costs->masses[i].ports) ? costs->masses[i].count : 0;
    return limited;
}

enum issue_kind issue_eliminated(const struct core *c, const struct insn *insn,
                                 const struct cost *row)
{
    bool zero = insn->operands[1].reg == REG_NONE && !isnan(c->eliminate_zero_per_cycle);

    if ((row->flags & (ROW_ELIMINATED | ROW_JOINS)) != ROW_ELIMINATED)
        return ISSUE_SLOTS;
    return zero ? ISSUE_ZEROES : ISSUE_MOVES;
}

/* Replaces the bound @out with @count / @per_cycle if the quotient is larger. @per_cycle is NaN if
 * there is no limit. */
static void limit_by(struct issue *out, enum issue_kind kind, double count, double per_cycle)
{
    if (count / per_cycle > out->cycles)
        *out = (struct issue){count / per_cycle, kind, count, {0}};
}

static void limit_dispatch(const struct core *c, const struct costs *costs, struct issue *out)
{
    for (unsigned k = 0; k < c->dispatch_limits.count; k++) {
        const struct dispatch_limit *limit = &c->dispatch_limits.items[k];
        double limited = 0, before = out->cycles;
        for (size_t i = 0; i < costs->count; i++)
            limited += issue_limited(costs, &costs->rows[i], limit);
        limit_by(out, ISSUE_DISPATCH, limited, limit->most);
        if (out->cycles > before)
            out->limit = *limit;
    }
}

static double slots_cycles(const struct core *c, const struct costs *costs, double slots)
{
    double seen[GROUP_MOST][GROUP_MOST] = {{0}}, when[GROUP_MOST][GROUP_MOST];
    unsigned width = isnan(c->issue_width) ? 0 : core_slots(c);
    bool groups = false;
    struct issue_group g = {0};

    for (size_t i = 0; i < costs->count; i++) {
        groups |= (width && issue_room(c, &costs->rows[i]) > 1) ||
                  (costs->rows[i].flags & ROW_SPLIT && !isnan(c->unlaminate_first));
    }
    if (!groups || width < 2 || width > GROUP_MOST)
        return slots / c->issue_width;
    for (double iteration = 1;; iteration++) {
        if (seen[g.slots][g.uops] > 0)
            return fmax((g.cycles - when[g.slots][g.uops]) / (iteration - seen[g.slots][g.uops]),
                        slots / c->issue_width);
        seen[g.slots][g.uops] = iteration;
        when[g.slots][g.uops] = g.cycles;
        for (size_t i = 0; i < costs->count; i++)
            add_row(c, &costs->rows[i], width, &g);
    }
}

struct issue issue_of(const struct core *c, const struct insn *insns, const struct costs *costs)
{
    double slots = 0, vectors = 0, eliminated[ISSUE_VECTORS] = {0};

    for (size_t i = 0; i < costs->count; i++) {
        slots += costs->rows[i].issue;
        vectors += insns[i].traits & INSN_VECTOR ? costs->rows[i].issue : 0;
        eliminated[issue_eliminated(c, &insns[i], &costs->rows[i])]++;
    }
    if (isnan(c->issue_width))
        return (struct issue){NAN, ISSUE_SLOTS, slots, {0}};
    struct issue out = {slots_cycles(c, costs, slots), ISSUE_SLOTS, slots, {0}};
    limit_dispatch(c, costs, &out);
    limit_by(&out, ISSUE_MOVES, eliminated[ISSUE_MOVES], c->eliminate_per_cycle);
    limit_by(&out, ISSUE_ZEROES, eliminated[ISSUE_ZEROES], c->eliminate_zero_per_cycle);
    limit_by(&out, ISSUE_VECTORS, vectors, c->rename_vectors);
    return out;
}
