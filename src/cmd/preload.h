/* Machines that a command names and that are not loaded yet: on the screen a job loads them before the command runs. */
#ifndef PORTOLAN_CMD_PRELOAD_H
#define PORTOLAN_CMD_PRELOAD_H

#include "cmd/command_record.h"

/* Loads those that the words of @c name. *@later: it goes on in the background, and the command is to run when it has ended (session.waiting). What cannot be read or
 * loaded is left to the command to tell. False with err when the job could not start or was cancelled. UI thread. */
bool preload_machines(struct session *s, const struct command *c, char **words, size_t count, bool *later, struct err *err);

#endif
