/* Ports of a core that are two things under one name. In a core found exactly a form that keeps two
 * kinds of ports busy, as often each, may seem to keep one kind busy that is a part of the other: a
 * store that takes one of three addresses a cycle and one of two places in the queue for the cache
 * is one that takes two of the three. What tells is a form that the core does not have and nothing
 * explains, such as a store of a vector, which takes one address and both places. */
#ifndef PORTOLAN_CHART_PARTING_H
#define PORTOLAN_CHART_PARTING_H

#include "chart/lab.h"
#include "model/mapping.h"

/* @core with ports parted, so that forms beside it are explained better whose rows in the lab's
 * table have no other form that it lacks: for each set of its ports within one of them further
 * ports take the place of that
 * one, and a µop of a larger set goes with each. Only where the core's own rows, those that @keep
 * says, are explained as well as before and PARTING_FORMS others err less by PARTING_GAIN. Same
 * forms in the same order. NULL: there is nothing to part. Deterministic for any number of threads
 * of the hooks' team. */
#define PARTING_FORMS 4
#define PARTING_GAIN 0.01
struct mapping *parting_find(const struct lab *lab, const bool *keep, const struct mapping *core,
                             double width);

#endif
