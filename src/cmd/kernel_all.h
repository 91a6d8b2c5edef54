/* All loops of the session's kernel on several machines: kernel analyze --all. UI thread. */
#ifndef PORTOLAN_CMD_KERNEL_ALL_H
#define PORTOLAN_CMD_KERNEL_ALL_H

#include "cmd/parameter.h"
#include "cmd/session.h"

/* Starts the job that analyses every loop and marked region on @machines (machine_set.h). False
 * with err when it could not. */
bool kernel_analyze_all(struct session *s, const struct word_list *machines, struct result *result,
                        struct err *err);

#endif
