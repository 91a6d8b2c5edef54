/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/cycle_ratio.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"

void ratio_work_done(struct ratio_work *work)
{
    free(work->potential);
    free(work->parent);
    free(work->mark);
    free(work->cycle);
    *work = (struct ratio_work){0};
}

static void reserve(struct ratio_work *work, size_t nodes)
{
    if (work->capacity >= nodes)
        return;
    work->capacity = 2 * nodes;
    work->potential = mem_resize(work->potential, work->capacity * sizeof *work->potential);
    work->parent = mem_resize(work->parent, work->capacity * sizeof *work->parent);
    work->mark = mem_resize(work->mark, work->capacity * sizeof *work->mark);
    work->cycle = mem_resize(work->cycle, work->capacity * sizeof *work->cycle);
}

/* Finds a cycle of positive sum among the parent edges. Stores its edges from last to first.
 * Returns its length; 0: none. */
static size_t parent_cycle(const struct ratio_edge *edges, size_t nodes, struct ratio_work *work)
{
    memset(work->mark, 0, nodes * sizeof *work->mark);
    for (uint32_t start = 0; start < nodes; start++) {
        uint32_t at = start, label = start + 1;
        while (work->parent[at] && !work->mark[at]) {
            work->mark[at] = label;
            at = edges[work->parent[at] - 1].from;
        }
        if (!work->parent[at] || work->mark[at] != label)
            continue;
        size_t count = 0;
        uint32_t end = at;
        do {
            work->cycle[count++] = work->parent[at] - 1;
            at = edges[work->parent[at] - 1].from;
        } while (at != end);
        return count;
    }
    return 0;
}

/* Relaxes edges of weight (weight * @t - @w * distance) until a cycle of positive sum appears.
 * Returns its length; 0: none, or cancelled. */
static size_t better_cycle(const struct ratio_edge *edges, size_t edge_count, size_t nodes,
                           int64_t w, int64_t t, struct ratio_work *work)
{
    memset(work->potential, 0, nodes * sizeof *work->potential);
    memset(work->parent, 0, nodes * sizeof *work->parent);
    for (;;) {
        bool changed = false;
        for (size_t i = 0; i < edge_count; i++) {
            int64_t reached = work->potential[edges[i].from] + edges[i].weight * t -
                              w * (int64_t)edges[i].distance;
            if (reached > work->potential[edges[i].to]) {
                work->potential[edges[i].to] = reached;
                work->parent[edges[i].to] = (uint32_t)i + 1;
                changed = true;
            }
        }
        if (!changed || watch_steps(edge_count))
            return 0;
        size_t count = parent_cycle(edges, nodes, work);
        if (count)
            return count;
    }
}

bool ratio_max(const struct ratio_edge *edges, size_t edge_count, size_t node_count,
               struct ratio_work *work, struct ratio_result *out)
{
    size_t length;

    *out = (struct ratio_result){.weight = 0, .distance = 1};
    reserve(work, node_count);
    while (edge_count && (length = better_cycle(edges, edge_count, node_count, out->weight,
                                                out->distance, work))) {
        out->weight = out->distance = 0;
        for (size_t i = 0; i < length; i++) {
            out->weight += edges[work->cycle[i]].weight;
            out->distance += edges[work->cycle[i]].distance;
        }
        if (!out->distance)
            return false;
        out->count = length;
        for (size_t i = 0; i < length / 2; i++) {
            uint32_t swap = work->cycle[i];
            work->cycle[i] = work->cycle[length - 1 - i];
            work->cycle[length - 1 - i] = swap;
        }
    }
    /* The edges are still valid, because the last call of better_cycle found no cycle and therefore
     * did not change work->cycle. */
    out->edges = work->cycle;
    return true;
}
