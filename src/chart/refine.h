/* Usages that err less in the experiments of their forms. On a CPU whose times are late no usage explains all of them: the one that explains most exactly is not the one that errs least. */
#ifndef PORTOLAN_CHART_REFINE_H
#define PORTOLAN_CHART_REFINE_H

#include "chart/lab.h"

/* Each form of @c that is placed or unexplained, and runs beside others in enough experiments, takes the usage by which the mean relative error of these is least, of the commonest ones of its kind
 * and of those a few µops away from the best of these, if that lowers its error by a quarter and half a percent at least. All are judged by what the machine said before. The confidence of one that
 * changed is CHART_DOUBTFUL at most. Runs on the hooks' team, with the same result for any number of threads. Returns how many changed. */
size_t refine_usages(const struct lab *lab, struct chart *c);

#endif
