/* Splits those ports of a core that are two resources under one name. Inference merges them if all
 * forms of the core that use both resources use them equally. A form then seems to use only one of
 * them. Example: a store uses one of three address units and one of two store-queue ports, and it
 * seems to use two of three ports. A form that is not in the core reveals the split, such as a
 * vector store with one address unit and both queue ports. */
#ifndef PORTOLAN_CHART_PARTING_H
#define PORTOLAN_CHART_PARTING_H

#include "chart/lab.h"
#include "model/mapping.h"

/* Returns @core with the split that reduces the errors of other forms' rows in the lab's table
 * most. A split replaces a port set by new ports. Each µop of a larger set receives another µop
 * on the new ports. The core's own rows (@keep) must be explained as well as before, and
 * PARTING_FORMS other forms must improve by PARTING_GAIN. The result has the same forms in the same
 * order. NULL: no split qualifies. The result does not depend on the number of threads of the
 * hooks' team. */
#define PARTING_FORMS 4
#define PARTING_GAIN 0.01
struct mapping *parting_find(const struct lab *lab, const bool *keep, const struct mapping *core,
                             double width);

#endif
