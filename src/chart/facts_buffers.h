/* Facts of what a CPU holds between rename and retirement: reorder buffer, scheduler, loads and stores. Parts of chart/facts.h. */
#ifndef PORTOLAN_CHART_FACTS_BUFFERS_H
#define PORTOLAN_CHART_FACTS_BUFFERS_H

#include "chart/probes.h"

/* Times loops in which more and more stands between two chains of square roots, until the second chain begins no more before the first one ends, and tells how much that is. False
 * with err when that is impossible or was cancelled. */
bool buffer_probes(struct probes *p, struct err *err);

#endif
