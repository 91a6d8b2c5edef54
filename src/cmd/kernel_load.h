/* What the commands that choose a kernel say about it. */
#ifndef PORTOLAN_CMD_KERNEL_LOAD_H
#define PORTOLAN_CMD_KERNEL_LOAD_H

#include "cmd/session.h"

/* Adds name, loop and number of instructions of the session's kernel to @result, and the lines that were left out. UI thread. */
void kernel_tell_loaded(struct session *s, struct result *result);

#endif
