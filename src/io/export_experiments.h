/* Measured experiments in the notations of others. */
#ifndef PORTOLAN_IO_EXPORT_EXPERIMENTS_H
#define PORTOLAN_IO_EXPORT_EXPERIMENTS_H

#include "isa/forms.h"
#include "model/experiments.h"

/* PMEvo's JSON of kind ExperimentList: counts as repetition, failures as error_cause, unmeasured
 * rows without a result. Forms with a template in PMEvo's notation use it (from @forms, may be
 * NULL); others keep their names. Truncated if the work is cancelled (base/watch.h), so the caller
 * checks before writing it anywhere. */
void export_pmevo_experiments(const struct experiments *t, const struct forms *forms,
                              struct str *out);

#endif
