/* A session in a directory: the kernel, the machines with their changes, the user's forms and the
 * settings. */
#ifndef PORTOLAN_CMD_SESSION_FILE_H
#define PORTOLAN_CMD_SESSION_FILE_H

#include "cmd/session.h"

/* Writes the session into @dir, all of it or nothing (base/file_set.h). Of an existing directory
 * only the files that its manifest names are replaced; with anything else in it the directory is
 * refused. */
bool session_save(struct session *s, const char *dir, struct err *err);
/* Replaces kernel, machines, forms and settings of @s; a directory that breaks a rule is refused
 * whole and @s stays as it is. */
bool session_load(struct session *s, const char *dir, struct err *err);
/* Its two halves: reads @dir, on any thread (NULL with err; session_forget frees it on the UI
 * thread), and puts the result into @s, which gives its own. */
struct session *session_read(const char *dir, struct err *err);
bool session_take(struct session *s, struct session *read, struct err *err);
void session_forget(struct session *read);
/* Input of session_save from @s, copied or held, so that it can be saved on another thread;
 * session_forget frees it on the UI thread. */
struct session *session_snapshot(struct session *s);
/* False with err while a job runs: jobs hold on to the experiments and machines that they began
 * with. UI thread. */
bool session_idle(struct err *err);
/* Removes the session in @dir, and @dir when nothing else is in it. False with err. */
bool session_remove(const char *dir, struct err *err);
/* True when @dir holds a session. */
bool session_is_directory(const char *dir);

#endif
