/* A simulated CPU for charting: predicts times from a machine's tables and adds noise. */
#ifndef PORTOLAN_CHART_IMITATE_H
#define PORTOLAN_CHART_IMITATE_H

#include "chart/cpu.h"
#include "model/machine.h"

struct imitation;
/* Borrows @m, whose issue width also limits experiments. @noise: relative; NaN: the distribution
 * observed on a real CPU (measure/source.h). */
struct imitation *imitation_new(const struct machine *m, double noise, uint64_t seed);
void imitation_free(struct imitation *i);
const struct chart_cpu *imitation_cpu(struct imitation *i);
/* Returns the exact mapping of the simulated CPU, to evaluate a chart. */
const struct mapping *imitation_truth(const struct imitation *i);

#endif
