/* Stores a session in a directory: kernels, machines with their changes, the user's forms, and
 * settings. */
#ifndef PORTOLAN_CMD_SESSION_FILE_H
#define PORTOLAN_CMD_SESSION_FILE_H

#include "cmd/session.h"

/* Writes the session to @dir atomically (base/file_set.h). Replaces only the files of the manifest
 * in an existing directory. Rejects a directory with other files. Returns false with err. */
bool session_save(struct session *s, const char *dir, struct err *err);
/* Replaces the document of @s and its saved settings. Rejects an invalid directory; @s is then
 * unchanged. Returns false with err. */
bool session_load(struct session *s, const char *dir, struct err *err);
/* Do the steps of session_load. session_read reads @dir on any thread, and returns NULL with err on
 * failure. session_take exchanges the documents of @s and @read, and copies the saved settings.
 * Returns false with err if a job runs. UI thread. session_forget frees @read. UI thread. */
struct session *session_read(const char *dir, struct err *err);
bool session_take(struct session *s, struct session *read, struct err *err);
void session_forget(struct session *read);
/* Returns a copy of all that session_save reads, with counted references, for saving on another
 * thread. session_forget frees it on the UI thread. */
struct session *session_snapshot(struct session *s);
/* Returns whether no job runs; false with err otherwise, because jobs use the experiments and
 * machines of their start. UI thread. */
bool session_idle(struct err *err);
/* Removes the session in @dir, and @dir. Returns false with err, also if @dir is then not empty. */
bool session_remove(const char *dir, struct err *err);
/* Returns whether @dir contains a session. */
bool session_is_directory(const char *dir);
/* Sets err: @dir contains no session, or cannot be read. @todo: remedy if it has none. */
void session_refuse(const char *dir, const char *todo, struct err *err);

#endif
