/* Measurements that a chart requests from a CPU, real or simulated. */
#ifndef PORTOLAN_CHART_CPU_H
#define PORTOLAN_CHART_CPU_H

#include "isa/insn.h"
#include "measure/kernel_code.h"
#include "measure/latency.h"
#include "measure/source.h"

/* A block: code that repeats */
struct chart_block {
    const struct insn *insns;   /* instructions of the loop, borrowed */
    size_t count;
    enum kernel_copies copies;
};

struct chart_cpu {
    struct source *source;      /* source of the times of experiments */
    /* Measures the latencies of a form's chains, as latency_measure does. NULL: not supported. */
    size_t (*latencies)(void *state, const struct form_code *code, struct latency out[CHAINS_MAX],
                        struct err *err);
    /* Measures @n blocks in cycles per iteration; NaN: no stable time. Returns false with err on
     * failure or when cancelled. NULL: not supported. */
    bool (*times)(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                  struct err *err);
    void *state;
};


/* Creates a source for a CPU of which only journals exist. The source never measures. Experiments
 * that the journal lacks have no time. Borrows @forms, whose code sums are the keys of the journal.
 * source_free frees the source. */
struct source *source_recorded(const struct forms *forms);
/* Implement a recorded struct chart_cpu. Chains and blocks never have a time. */
size_t recorded_latencies(void *state, const struct form_code *code, struct latency out[CHAINS_MAX],
                          struct err *err);
bool recorded_times(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                    struct err *err);

#endif
