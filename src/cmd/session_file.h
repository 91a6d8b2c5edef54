/* A session in a directory: the kernel, the machines with what was changed in them, the user's forms and the settings. */
#ifndef PORTOLAN_CMD_SESSION_FILE_H
#define PORTOLAN_CMD_SESSION_FILE_H

#include "cmd/session.h"

/* Writes a new directory beside @dir and puts it in @dir's place in one step. An existing @dir must be a session and nothing else. */
bool session_save(struct session *s, const char *dir, struct err *err);
/* Replaces kernel, machines, forms and settings of @s; a directory that breaks a rule is refused whole and @s stays as it is. */
bool session_load(struct session *s, const char *dir, struct err *err);
/* True when @dir holds a session. */
bool session_is_directory(const char *dir);

#endif
