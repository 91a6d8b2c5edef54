/* Finds equivalent instructions that load the limiting ports less, by the machine's own table. */
#ifndef PORTOLAN_ANALYSIS_ALTERNATIVES_H
#define PORTOLAN_ANALYSIS_ALTERNATIVES_H

#include "analysis/analysis.h"
#include "base/str.h"

/* For an analysis that is limited by ports and complete except for its sentence: adds " 2 of them
 * could be vblendps (p015): 3.00 cycles." It names each kind of replacement with its count, and the
 * port bound with all of them. Adds nothing if none helps. */
void alternatives_add(const struct analysis *a, struct str *out);

#endif
