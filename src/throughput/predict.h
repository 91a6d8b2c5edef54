/* Predictions for a table of experiments by a mapping or a machine. */
#ifndef PORTOLAN_THROUGHPUT_PREDICT_H
#define PORTOLAN_THROUGHPUT_PREDICT_H

#include "model/experiments.h"
#include "model/machine.h"

/* Writes the cycles of every row of @t under @m, including its issue width, to @cycles. Writes NaN
 * if @m lacks a form. After a cancellation, the remaining results are NaN. Without memory, all
 * results are NaN. */
void throughput_predict(const struct mapping *m, const struct experiments *t, double *cycles);
/* Writes the cycles of every row of @t to @cycles. Accounts for all facts of @m: the issue width
 * (fact issue_width) with machine_slots per form, and locked instructions, which do not overlap
 * (fact lock_latency). Writes NaN like throughput_predict. */
void machine_predict(const struct machine *m, const struct experiments *t, double *cycles);
/* Returns the issue slots of @e on @m, which are its µops, at least 1. With the fact issue_domain
 * `fused`, a load and its operation are one µop, and so are the address and data of a store. */
unsigned machine_slots(const struct machine *m, const struct mapping_entry *e);

#endif
