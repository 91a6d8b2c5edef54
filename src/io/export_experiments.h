/* Measured experiments in the notations of others. */
#ifndef PORTOLAN_IO_EXPORT_EXPERIMENTS_H
#define PORTOLAN_IO_EXPORT_EXPERIMENTS_H

#include "isa/forms.h"
#include "model/experiments.h"

/* PMEvo's JSON of kind ExperimentList: counts as repetition, failures as error_cause, what waits
 * without a result. Forms that PMEvo's notation can write as templates are (from @forms, may be
 * NULL); others keep the names used here. Cut off where the work is cancelled (base/watch.h), so
 * the caller asks before writing it anywhere. */
void export_pmevo_experiments(const struct experiments *t, const struct forms *forms,
                              struct str *out);

#endif
