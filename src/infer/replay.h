/* Recorded measurements in place of a CPU, to evaluate the choice of experiments repeatedly. */
#ifndef PORTOLAN_INFER_REPLAY_H
#define PORTOLAN_INFER_REPLAY_H

#include "model/experiments.h"

/* Fills the rows of @t that wait to be measured from the experiments of @state, a struct
 * experiments, with the same forms by name. Missing ones stay without a value, with that state. A
 * select_measure (infer/select.h); always true. */
bool replay_measure(struct experiments *t, void *state, struct err *err);

#endif
