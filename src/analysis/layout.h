/* Assigns addresses to the arrays of a loop, for measurements with any array size. */
#ifndef PORTOLAN_ANALYSIS_LAYOUT_H
#define PORTOLAN_ANALYSIS_LAYOUT_H

#include "analysis/streams.h"
#include "model/arrays.h"

#define LAYOUT_SLACK (1 << 20)   /* largest difference in bytes between the size of an arena and the
                                  * size of its arrays */

/* Places arrays of @bytes in total. Walks get shares in proportion to their strides, and gathers
 * and chases get separate regions (memory_region). Returns false with err: ERR_DATA if no access
 * changes its address, or if an instruction has an unsupported access; ERR_USAGE if the loop needs
 * more than @bytes. Pure. */
bool layout_arrays(const struct insn *insns, const struct streams *s, uint64_t bytes,
                   struct arrays *out, struct err *err);

#endif
