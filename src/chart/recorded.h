/* A CPU of which only journals exist: a chart of it infers again without measuring. */
#ifndef PORTOLAN_CHART_RECORDED_H
#define PORTOLAN_CHART_RECORDED_H

#include "chart/cpu.h"

/* A source without times of its own: rows that the journal lacks stay without. @forms (borrowed):
 * their code is the journal's key. source_free frees it. */
struct source *source_recorded(const struct forms *forms);
/* Chains and loops of a recorded struct chart_cpu, without times. */
size_t recorded_latencies(void *state, const struct form_code *code, struct latency out[CHAINS_MAX],
                          struct err *err);
bool recorded_times(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                    struct err *err);

#endif
