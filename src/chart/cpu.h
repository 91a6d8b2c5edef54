/* Requests of a chart to a CPU, real or simulated. */
#ifndef PORTOLAN_CHART_CPU_H
#define PORTOLAN_CHART_CPU_H

#include "isa/insn.h"
#include "measure/kernel_code.h"
#include "measure/latency.h"
#include "measure/source.h"

/* Code that repeats. */
struct chart_block {
    const struct insn *insns;   /* borrowed */
    size_t count;
    enum kernel_copies copies;
};

struct chart_cpu {
    struct source *source;      /* times experiments */
    /* Latencies of a form along its chains, as latency_measure. NULL: it has no chain. */
    size_t (*latencies)(void *state, const struct form_code *code, struct latency out[CHAINS_MAX],
                        struct err *err);
    /* Cycles per iteration of @n blocks into @cycles, NaN where there is no stable time. False with
     * err when that is impossible or was cancelled. NULL: as above. */
    bool (*times)(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                  struct err *err);
    void *state;
};

#endif
