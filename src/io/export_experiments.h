/* Exports measured experiments to formats of other tools. */
#ifndef PORTOLAN_IO_EXPORT_EXPERIMENTS_H
#define PORTOLAN_IO_EXPORT_EXPERIMENTS_H

#include "isa/forms.h"
#include "model/experiments.h"

/* PMEvo's JSON of kind ExperimentList: counts as repetitions, failures as error_cause, unmeasured
 * rows without a result. Forms with a template in PMEvo's notation use it (from @forms, may be
 * NULL); others keep their names. Incomplete when cancelled (base/watch.h): check before
 * writing. */
void export_pmevo_experiments(const struct experiments *t, const struct forms *forms,
                              struct str *out);

#endif
