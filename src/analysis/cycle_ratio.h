/* Computes the maximum cycle ratio of a directed graph: the maximum over all cycles of (sum of
 * weights) / (sum of distances). Integer arithmetic, exact. */
#ifndef PORTOLAN_ANALYSIS_CYCLE_RATIO_H
#define PORTOLAN_ANALYSIS_CYCLE_RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ratio_edge {
    uint32_t from, to;
    int32_t weight;      /* weight, at least 0 */
    uint32_t distance;   /* number of iterations that the edge crosses; the sum on every cycle is
                          * at least one */
};

/* Working storage, reused between calls. The caller initialises it to zero. One thread. */
struct ratio_work {
    int64_t *potential;
    uint32_t *parent;       /* per node: 1 + index of the edge that set its potential; 0: none */
    uint32_t *mark, *cycle;
    size_t capacity;
};
void ratio_work_done(struct ratio_work *work);

struct ratio_result {
    /* sums over the best cycle; 0 and 1 if no cycle has positive weight */
    int64_t weight, distance;
    /* edges of the best cycle in order; valid until the next call */
    const uint32_t *edges;
    size_t count;
};

/* Computes the maximum cycle ratio w / t by Newton's method (Dinkelbach). Finds cycles with a
 * larger ratio by Bellman-Ford, with the edge weights weight * t - w * distance. Returns false if
 * the distances of a cycle sum to 0. If cancelled, the ratio may be too small. */
bool ratio_max(const struct ratio_edge *edges, size_t edge_count, size_t node_count,
               struct ratio_work *work, struct ratio_result *out);

#endif
