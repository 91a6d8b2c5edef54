/* Measurements that were made before, instead of a CPU: what choosing experiments gains can be told
 * from them again and again. */
#ifndef PORTOLAN_INFER_REPLAY_H
#define PORTOLAN_INFER_REPLAY_H

#include "model/experiments.h"

/* Fills the rows of @t that wait to be measured with what the experiments of @state, a struct
 * experiments, say of the same forms by name; what they lack stays without a value and says so. A
 * select_measure (infer/select.h); always true. */
bool replay_measure(struct experiments *t, void *state, struct err *err);

#endif
