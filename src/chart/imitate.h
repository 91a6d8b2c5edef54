/* A simulated CPU for charting: predicts times from a machine's tables and adds noise. */
#ifndef PORTOLAN_CHART_IMITATE_H
#define PORTOLAN_CHART_IMITATE_H

#include "chart/cpu.h"
#include "model/machine.h"

struct imitation;
/* Creates a simulated CPU with the tables of @m, which it borrows. The machine's issue width also
 * limits experiments. @noise: relative noise; NaN: the distribution observed on a real CPU
 * (measure/source.h). */
struct imitation *imitation_new(const struct machine *m, double noise, uint64_t seed);
void imitation_free(struct imitation *i);
const struct chart_cpu *imitation_cpu(struct imitation *i);
/* Returns the true mapping of the simulated CPU, for the evaluation of charts. */
const struct mapping *imitation_truth(const struct imitation *i);

#endif
