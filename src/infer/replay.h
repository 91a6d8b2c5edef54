/* Recorded measurements instead of a CPU, to evaluate the choice of experiments repeatedly. */
#ifndef PORTOLAN_INFER_REPLAY_H
#define PORTOLAN_INFER_REPLAY_H

#include "model/experiments.h"

/* Fills pending rows of @t from the experiments of @state, a struct experiments, by form names.
 * Missing ones get a failed state. A select_measure (infer/select.h); always true. */
bool replay_measure(struct experiments *t, void *state, struct err *err);

#endif
