/* Predictions of a mapping for a table of experiments. */
#ifndef PORTOLAN_THROUGHPUT_PREDICT_H
#define PORTOLAN_THROUGHPUT_PREDICT_H

#include "model/experiments.h"
#include "model/machine.h"

/* Cycles of every row of @t under @m, its issue width included, into @cycles (one per row): NaN if
 * a form is unknown to @m, and after the thread's watch ended. Any thread. */
void throughput_predict(const struct mapping *m, const struct experiments *t, double *cycles);
/* The same with all facts of @m: the issue width (fact issue_width) bounds the cycles by
 * machine_slots of the forms, and so do locked instructions, which execute one after another (fact
 * lock_latency). Any thread. */
void machine_predict(const struct machine *m, const struct experiments *t, double *cycles);
/* Slots of the issue width that one execution of @e takes on @m: its µops. With the fact
 * issue_domain `fused`, a load with its operation is one, and so are a store's address and data. At
 * least 1. */
unsigned machine_slots(const struct machine *m, const struct mapping_entry *e);

#endif
