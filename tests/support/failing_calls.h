/* File operations that fail, or end the process, at a chosen call. */
#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

#include <stdbool.h>

#include "base/file_calls.h"

enum failing { FAIL_ERROR, FAIL_SHORT, FAIL_DEATH };

/* Makes system call @position, counted from 0 over all functions of the table, fail with ENOSPC.
 * FAIL_SHORT fails after a partial write. FAIL_DEATH ends the process after a partial write. */
void failing_calls_set(unsigned position, enum failing how);
/* Restores the system calls. Returns whether the position was reached. */
bool failing_calls_end(void);

#endif
