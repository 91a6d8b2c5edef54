/* Maximum cycle ratio of a directed graph: max over cycles of (sum of weights) / (sum of
 * distances). Exact, in integers. */
#ifndef PORTOLAN_ANALYSIS_CYCLE_RATIO_H
#define PORTOLAN_ANALYSIS_CYCLE_RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ratio_edge {
    uint32_t from, to;
    int32_t weight;      /* not negative */
    uint32_t distance;   /* iterations crossed; every cycle must cross at least one */
};

/* Reused between calls; zero-initialised at first. One thread. */
struct ratio_work {
    int64_t *potential;
    uint32_t *parent;       /* 1 + edge that set the potential */
    uint32_t *mark, *cycle;
    size_t capacity;
};
void ratio_work_done(struct ratio_work *work);

struct ratio_result {
    /* of the best cycle; both initial values if no cycle has positive weight */
    int64_t weight, distance;
    /* its edges in order; valid until the next call */
    const uint32_t *edges;
    size_t count;
};

/* Newton's method on the ratio (Dinkelbach): repeatedly finds a better cycle by Bellman-Ford on w *
 * T - W * d. False when a cycle crosses no iteration. */
bool ratio_max(const struct ratio_edge *edges, size_t edge_count, size_t node_count,
               struct ratio_work *work, struct ratio_result *out);

#endif
