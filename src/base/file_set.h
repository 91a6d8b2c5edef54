/* Writes, replaces and removes several files of a directory atomically, even if the program or the
 * machine stops. New files get temporary names first. Then a record that lists the renames and
 * removals is put in place by one rename. Then the changes are made and the record is removed.
 * While the record exists, the new state is valid: the next file_set_open completes the change.
 * This method needs only an atomic rename, so it works on all file systems that have one. */
#ifndef PORTOLAN_BASE_FILE_SET_H
#define PORTOLAN_BASE_FILE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* name of the record, which exists in a directory whose change was interrupted */
#define FILE_SET_RECORD ".portolan-change"

struct file_set;

/* Starts a change of directory @dir, which is created if missing (but not its parents). First
 * completes an interrupted change. If @private is true, the directory gets mode 0700 and the
 * written files get mode 0600. Until file_set_free no other process can change or open the
 * directory. Returns NULL with err. One thread. */
struct file_set *file_set_new(const char *dir, bool private, struct err *err);
/* Sets the new contents of @name. The subdirectory of a name such as "a/b" is created. Returns
 * false with err. */
bool file_set_write(struct file_set *set, const char *name, const void *bytes, size_t length,
                    struct err *err);
/* Removes @name, which may be missing, and the subdirectories that become empty. Returns false with
 * err. */
bool file_set_remove(struct file_set *set, const char *name, struct err *err);
/* Applies the change. Returns false with err on failure. After a failure nothing has changed,
 * unless the message says that the next file_set_open completes the change. */
bool file_set_commit(struct file_set *set, struct err *err);
/* Frees @set, which may be NULL. Without a commit, discards the change. */
void file_set_free(struct file_set *set);

/* Opens @dir for reading. Completes an interrupted change, and prevents changes by others until the
 * descriptor is closed. Returns -1 with err. */
int file_set_open(const char *dir, struct err *err);
/* Returns the relative name of a file or directory in @dir, at most three levels down, that is not
 * in @known; NULL if there is none or @dir cannot be opened. Also returns a known name that is
 * neither a regular file nor a readable directory. @known has relative names of files,
 * NULL-terminated; their directories are also known. This module's temporary files are ignored. The
 * caller frees the name. */
char *file_set_stranger(const char *dir, const char *const *known);

#endif
