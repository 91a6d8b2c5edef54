/* Maximum cycle ratio of a directed graph: maximum over cycles of (sum of weights) / (sum of
 * distances). Integer arithmetic, exact. */
#ifndef PORTOLAN_ANALYSIS_CYCLE_RATIO_H
#define PORTOLAN_ANALYSIS_CYCLE_RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ratio_edge {
    uint32_t from, to;
    int32_t weight;      /* not negative */
    uint32_t distance;   /* iterations crossed; at least one on every cycle */
};

/* Working storage, reused between calls and zero-initialised by the caller. One thread. */
struct ratio_work {
    int64_t *potential;
    uint32_t *parent;       /* 1 + index of the edge that set the potential; 0: none */
    uint32_t *mark, *cycle;
    size_t capacity;
};
void ratio_work_done(struct ratio_work *work);

struct ratio_result {
    /* sums of the best cycle; unchanged if no cycle has positive weight */
    int64_t weight, distance;
    /* edges of the best cycle in order; valid until the next call */
    const uint32_t *edges;
    size_t count;
};

/* Computes the maximum cycle ratio by Newton's method (Dinkelbach). Bellman-Ford on w * T - W * d
 * repeatedly finds a better cycle. Returns false if a cycle crosses no iteration. */
bool ratio_max(const struct ratio_edge *edges, size_t edge_count, size_t node_count,
               struct ratio_work *work, struct ratio_result *out);

#endif
