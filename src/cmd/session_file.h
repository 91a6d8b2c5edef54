/* A session in a directory: the kernel, the machines with what was changed in them, the user's forms and the settings. */
#ifndef PORTOLAN_CMD_SESSION_FILE_H
#define PORTOLAN_CMD_SESSION_FILE_H

#include "cmd/session.h"

/* Writes the session into @dir, all of it or nothing (base/file_set.h). Of an existing directory only the files that its manifest names are replaced; with
 * anything else in it the directory is refused. */
bool session_save(struct session *s, const char *dir, struct err *err);
/* Replaces kernel, machines, forms and settings of @s; a directory that breaks a rule is refused whole and @s stays as it is. */
bool session_load(struct session *s, const char *dir, struct err *err);
/* True when @dir holds a session. */
bool session_is_directory(const char *dir);

#endif
