/* Splits ports of a core that are two resources under one name. Inference merges them if a form
 * uses both kinds of ports equally. The form then seems to use only one kind, or a part of the
 * other. Example: a store takes one of three address units per cycle and one of two store-queue
 * ports; it seems to take two of the three. A form outside the core reveals the split, such as a
 * vector store, which takes one address unit and both queue ports. */
#ifndef PORTOLAN_CHART_PARTING_H
#define PORTOLAN_CHART_PARTING_H

#include "chart/lab.h"
#include "model/mapping.h"

/* Returns @core with ports split so that the rows of other forms in the lab's table have smaller
 * errors. For each port set, new ports replace it, and each µop of a larger set gets an additional
 * µop on them. Requires that the core's own rows (@keep) are explained as well as before, and that
 * PARTING_FORMS other forms improve by PARTING_GAIN. Returns the same forms in the same order.
 * NULL: nothing to split. Deterministic for any number of threads of the hooks' team. */
#define PARTING_FORMS 4
#define PARTING_GAIN 0.01
struct mapping *parting_find(const struct lab *lab, const bool *keep, const struct mapping *core,
                             double width);

#endif
