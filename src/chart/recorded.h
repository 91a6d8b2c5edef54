/* A CPU represented by its journals: a chart repeats the inference without measuring. */
#ifndef PORTOLAN_CHART_RECORDED_H
#define PORTOLAN_CHART_RECORDED_H

#include "chart/cpu.h"

/* Creates a source without times; rows that the journal lacks get none. @forms is borrowed; their
 * code is the journal's key. source_free frees it. */
struct source *source_recorded(const struct forms *forms);
/* Chains and loops of a recorded struct chart_cpu: never a time. */
size_t recorded_latencies(void *state, const struct form_code *code, struct latency out[CHAINS_MAX],
                          struct err *err);
bool recorded_times(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                    struct err *err);

#endif
