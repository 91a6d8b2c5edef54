/* Splits ports of a core that are two resources of the CPU. Inference merges two resources if all
 * forms of the core that use both use them equally. A form then seems to use only one of them. For
 * example, a store uses one of three address units and one of two store-queue ports, but seems to
 * use two of three ports. A form outside the core can reveal the two resources, such as a vector
 * store with one address unit and both queue ports. */
#ifndef PORTOLAN_CHART_PARTING_H
#define PORTOLAN_CHART_PARTING_H

#include "chart/lab.h"
#include "model/mapping.h"

/* Returns @core with the split that most reduces the errors of other forms' rows in the lab's
 * table. A split replaces a port set with new ports. It also adds a µop on the new ports to each
 * µop of a larger set. The rows of the core (@keep) must have at most 1.02 times their error
 * before. PARTING_FORMS other forms must improve by at least PARTING_GAIN. The result has the same
 * forms in the same order, and does not depend on the number of threads. NULL: no split qualifies,
 * or the work is cancelled. */
#define PARTING_FORMS 4
#define PARTING_GAIN 0.01
struct mapping *parting_find(const struct lab *lab, const bool *keep, const struct mapping *core,
                             double width);

#endif
