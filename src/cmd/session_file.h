/* Saves a session in a directory: kernels, machines with their changes, the user's forms, and
 * settings. */
#ifndef PORTOLAN_CMD_SESSION_FILE_H
#define PORTOLAN_CMD_SESSION_FILE_H

#include "cmd/session.h"

/* Writes the session to @dir atomically (base/file_set.h). In an existing directory only files of
 * its manifest are replaced; a directory with other files is refused. */
bool session_save(struct session *s, const char *dir, struct err *err);
/* Replaces kernel, machines, forms and settings of @s; an invalid directory is refused and @s
 * unchanged. */
bool session_load(struct session *s, const char *dir, struct err *err);
/* Both steps: reads @dir on any thread (NULL with err; session_forget frees it on the UI thread),
 * and moves the result to @s, which returns its own parts. */
struct session *session_read(const char *dir, struct err *err);
bool session_take(struct session *s, struct session *read, struct err *err);
void session_forget(struct session *read);
/* Copies or holds the input of session_save, so that another thread can save it; session_forget
 * frees it on the UI thread. */
struct session *session_snapshot(struct session *s);
/* Returns false with err while a job runs, since jobs use experiments and machines of their start.
 * UI thread. */
bool session_idle(struct err *err);
/* Removes the session in @dir, and @dir if it is empty then. False with err. */
bool session_remove(const char *dir, struct err *err);
/* Returns whether @dir holds a session. */
bool session_is_directory(const char *dir);

#endif
