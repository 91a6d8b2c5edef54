/* Other instructions that do the same and are lighter on the ports that bind: which ones the
 * machine's own table decides. */
#ifndef PORTOLAN_ANALYSIS_ALTERNATIVES_H
#define PORTOLAN_ANALYSIS_ALTERNATIVES_H

#include "analysis/analysis.h"
#include "base/str.h"

/* For an analysis bound by its ports, complete except for its sentence: adds " 2 of them could be
 * vblendps (p015): 3.00 cycles." for instructions of the loop that have such an alternative, each
 * kind with its count, and the port bound with all of them. Adds nothing when none helps. */
void alternatives_add(const struct analysis *a, struct str *out);

#endif
