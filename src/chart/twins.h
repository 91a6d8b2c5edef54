/* Vectors in the old encoding beside a core in the new one: both are never measured together, but a form does in one what its twin does in the other. */
#ifndef PORTOLAN_CHART_TWINS_H
#define PORTOLAN_CHART_TWINS_H

#include "chart/core.h"

/* Adds to @m, the usages of @core's forms, forms in the old encoding (PXOR (XMM, XMM)) whose twin (VPXOR (XMM, XMM, XMM)) is of a class of the core and takes as long alone: one for
 * each usage, as what other forms in that encoding can run beside. @alone: cycles of the @n forms of the lab's table. Returns how many. */
size_t twins_add(const struct lab *lab, const struct chart_core *core, const double *alone, size_t n, struct mapping *m);

#endif
