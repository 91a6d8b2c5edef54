/* Converts the iterations that program explain recorded into a recording that the sandbox can run.
 * Pure. */
#ifndef PORTOLAN_CMD_EXPLAINED_RECORDING_H
#define PORTOLAN_CMD_EXPLAINED_RECORDING_H

#include "insitu/lines.h"
#include "insitu/placed.h"
#include "measure/recording.h"

/* Fills @out with the recorded iterations of the loop. Borrows the instructions of the kernel.
 * Returns false with err if the effects of some code were not recorded. The caller always frees
 * @out with recording_done. */
bool explained_recording(const struct placed *x, const struct loop_lines *lines,
                         struct recording *out, struct err *err);

#endif
