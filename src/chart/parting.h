/* Splits ports of a core that are two resources under one name. Such a port arises from a form that
 * keeps two kinds of ports busy in equal numbers. It may then seem to use only one kind, a part of
 * the other. Example: a store takes one of three addresses per cycle and one of two places in the
 * cache's queue; it seems to take two of the three. A form outside the core reveals the split, such
 * as a store of a vector, which takes one address and both places. */
#ifndef PORTOLAN_CHART_PARTING_H
#define PORTOLAN_CHART_PARTING_H

#include "chart/lab.h"
#include "model/mapping.h"

/* @core with ports split, so that forms with rows in the lab's table are better explained. For each
 * set of its ports, further ports replace one, and a µop of a larger set goes with each. Only if
 * the core's own rows (@keep) are explained as well as before, and PARTING_FORMS other forms
 * improve by PARTING_GAIN. Same forms in the same order. NULL: nothing to split. Deterministic for
 * any number of threads of the hooks' team. */
#define PARTING_FORMS 4
#define PARTING_GAIN 0.01
struct mapping *parting_find(const struct lab *lab, const bool *keep, const struct mapping *core,
                             double width);

#endif
