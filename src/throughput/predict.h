/* Predictions of a mapping for a table of experiments. */
#ifndef PORTOLAN_THROUGHPUT_PREDICT_H
#define PORTOLAN_THROUGHPUT_PREDICT_H

#include "model/experiments.h"
#include "model/machine.h"

/* Predicts every row of @t under @m, including its issue width, into @cycles: NaN if a form is
 * missing in @m, and after a cancellation. */
void throughput_predict(const struct mapping *m, const struct experiments *t, double *cycles);
/* The same with all facts of @m: the issue width (fact issue_width) with machine_slots of the
 * forms, and locked instructions, which execute one after the other (fact lock_latency). */
void machine_predict(const struct machine *m, const struct experiments *t, double *cycles);
/* Issue slots of one execution of @e on @m: its µops. With the fact issue_domain `fused`, a load
 * with its operation counts as one, and so do a store's address and data. At least 1. */
unsigned machine_slots(const struct machine *m, const struct mapping_entry *e);

#endif
