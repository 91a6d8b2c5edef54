/* File calls that fail, or end the process, at a chosen position. */
#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

#include <stdbool.h>

#include "base/file_calls.h"

enum failing { FAIL_ERROR, FAIL_SHORT, FAIL_DEATH };

/* From now on call number @position (from 0, of all in the table) fails: with ENOSPC, FAIL_SHORT
 * and FAIL_DEATH after a part of what was to be written, or by the death of the process. */
void failing_calls_set(unsigned position, enum failing how);
/* The system's own calls again; whether the position was met. */
bool failing_calls_end(void);

#endif
