/* What a mapping predicts for a table of experiments. */
#ifndef PORTOLAN_THROUGHPUT_PREDICT_H
#define PORTOLAN_THROUGHPUT_PREDICT_H

#include "model/experiments.h"
#include "model/mapping.h"

/* Cycles of every row of @t under @m, its issue width included, into @cycles (one per row): NaN where a form is unknown to @m. Any thread. */
void throughput_predict(const struct mapping *m, const struct experiments *t, double *cycles);

#endif
