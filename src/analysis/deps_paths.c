/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/deps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"

double deps_bound(struct deps *d, bool *on_cycle, size_t count)
{
    struct ratio_result best;

    if (!ratio_max(d->edges, d->edge_count, d->node_count, &d->ratio, &best))
        BUG("a dependency cycle within one iteration");
    for (size_t i = 0; on_cycle && i < count; i++)
        on_cycle[i] = false;
    for (size_t i = 0; on_cycle && i < best.count; i++)
        on_cycle[d->nodes[d->edges[best.edges[i]].to].insn] = true;
    return (double)best.weight / (double)best.distance / CYCLE;
}

double deps_bound_waiting(struct deps *d, const double *waits)
{
    struct ratio_edge *edges = mem_alloc((d->edge_count + 1) * sizeof *edges);
    struct ratio_result best;

    for (size_t i = 0; i < d->edge_count; i++) {
        edges[i] = d->edges[i];
        if (d->ends[i] == LATENCY_ADDRESS)
            edges[i].weight += (int32_t)lrint(waits[d->nodes[edges[i].to].insn] * CYCLE);
    }
    if (!ratio_max(edges, d->edge_count, d->node_count, &d->ratio, &best))
        BUG("a dependency cycle within one iteration");
    free(edges);
    return (double)best.weight / (double)best.distance / CYCLE;
}

size_t deps_cycle(struct deps *d, const bool *without, uint32_t *out, size_t most, double *cycles)
{
    struct ratio_edge *edges = mem_alloc((d->edge_count + 1) * sizeof *edges);
    uint32_t *places = mem_alloc((d->edge_count + 1) * sizeof *places);
    struct ratio_result best;
    size_t count = 0, filled = 0;

    for (uint32_t i = 0; i < d->edge_count; i++) {
        const struct ratio_edge *edge = &d->edges[i];
        if (without && (without[d->nodes[edge->from].insn] || without[d->nodes[edge->to].insn]))
            continue;
        places[count] = i;
        edges[count++] = *edge;
    }
    if (!ratio_max(edges, count, d->node_count, &d->ratio, &best))
        BUG("a dependency cycle within one iteration");
    for (size_t i = 0; i < best.count && filled < most; i++)
        out[filled++] = places[best.edges[i]];
    *cycles = (double)best.weight / (double)best.distance / CYCLE;
    free(edges);
    free(places);
    return filled;
}

/* Returns whether a path leads from node @from to @to. @marks: working storage of one flag per
 * node. */
static bool is_path(const struct deps *d, uint32_t from, uint32_t to, bool *marks)
{
    bool changed = true;

    memset(marks, 0, d->node_count * sizeof *marks);
    marks[from] = true;
    while (changed && !marks[to] && !watch_steps(d->edge_count)) {
        changed = false;
        for (size_t i = 0; i < d->edge_count; i++)
            if (marks[d->edges[i].from] && !marks[d->edges[i].to])
                marks[d->edges[i].to] = changed = true;
    }
    return marks[to];
}

bool deps_guessed(const struct deps *d, bool *out)
{
    bool *marks = NULL, any = false;

    for (size_t i = 0; i < d->edge_count && (out || !any); i++) {
        const struct ratio_edge *edge = &d->edges[i];
        const uint32_t insn = d->nodes[edge->to].insn;
        if (!d->guessed[i] || (out && out[insn]))
            continue;
        marks = marks ? marks : mem_alloc((d->node_count + 1) * sizeof *marks);
        if (!is_path(d, edge->to, edge->from, marks))
            continue;
        any = true;
        if (out)
            out[insn] = true;
    }
    free(marks);
    return any;
}

double deps_critical_path(const struct deps *d, bool *on_path, size_t count)
{
    int64_t *reach = mem_zero(d->node_count + 1, sizeof *reach), most = 0;
    uint32_t *from = mem_zero(d->node_count + 1, sizeof *from), last = UINT32_MAX;

    for (size_t i = 0; on_path && i < count; i++)
        on_path[i] = false;
    /* One pass reaches every node, because the edges are sorted by consuming instruction. */
    for (size_t i = 0; i < d->edge_count; i++) {
        const struct ratio_edge *edge = &d->edges[i];
        int64_t at = (edge->distance ? 0 : reach[edge->from]) + edge->weight;
        if (at <= reach[edge->to])
            continue;
        reach[edge->to] = at;
        from[edge->to] = edge->distance ? 0 : edge->from + 1;
        if (at > most) {
            most = at;
            last = edge->to;
        }
    }
    for (; on_path && last != UINT32_MAX; last = from[last] - 1) {
        on_path[d->nodes[last].insn] = true;
        if (!from[last])
            break;
    }
    free(reach);
    free(from);
    return (double)most / CYCLE;
}
