/* Splits ports of a core that are two resources under one name. Such a port arises from a form that
 * uses two kinds of ports equally. It then seems to use only one kind, or a part of the other.
 * Example: a store takes one of three address units per cycle and one of two store-queue ports; it
 * seems to take two of the three. A form outside the core reveals the split, such as a vector
 * store, which takes one address and both queue ports. */
#ifndef PORTOLAN_CHART_PARTING_H
#define PORTOLAN_CHART_PARTING_H

#include "chart/lab.h"
#include "model/mapping.h"

/* Returns @core with ports split so that forms with rows in the lab's table have smaller errors.
 * For each set of its ports, new ports replace it and a µop of a larger set accompanies each.
 * Requires that the core's own rows (@keep) are explained as well as before, and that PARTING_FORMS
 * other forms improve by PARTING_GAIN. Same forms in the same order. NULL: nothing to split.
 * Deterministic for any number of threads of the hooks' team. */
#define PARTING_FORMS 4
#define PARTING_GAIN 0.01
struct mapping *parting_find(const struct lab *lab, const bool *keep, const struct mapping *core,
                             double width);

#endif
