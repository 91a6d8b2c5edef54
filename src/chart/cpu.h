/* Measurements that a chart requests from a CPU, real or simulated. */
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
    struct source *source;      /* measures experiments */
    /* Measures latencies of a form along its chains, as latency_measure. NULL: not supported. */
    size_t (*latencies)(void *state, const struct form_code *code, struct latency out[CHAINS_MAX],
                        struct err *err);
    /* Measures @n blocks in cycles per iteration; NaN where there is no stable time. False with err
     * when impossible or cancelled. NULL: not supported. */
    bool (*times)(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                  struct err *err);
    void *state;
};

/* recorded.c: a CPU of which only journals exist: a chart of it infers again without measuring. */

/* Creates a source without times; rows that the journal lacks get none. @forms is borrowed; their
 * code is the journal's key. source_free frees it. */
struct source *source_recorded(const struct forms *forms);
/* Chains and loops of a recorded struct chart_cpu: never a time. */
size_t recorded_latencies(void *state, const struct form_code *code, struct latency out[CHAINS_MAX],
                          struct err *err);
bool recorded_times(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                    struct err *err);

#endif
