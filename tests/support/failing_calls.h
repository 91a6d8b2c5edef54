/* File operations that fail, or end the process, at a chosen call. */
#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

#include <stdbool.h>

#include "base/file_calls.h"

enum failing { FAIL_ERROR, FAIL_SHORT, FAIL_DEATH };

/* Makes call number @position (from 0, over all of the table) fail: ENOSPC; FAIL_SHORT: after a
 * partial write; FAIL_DEATH: the process dies after a partial write. */
void failing_calls_set(unsigned position, enum failing how);
/* Restores the system calls; returns whether the position was reached. */
bool failing_calls_end(void);

#endif
