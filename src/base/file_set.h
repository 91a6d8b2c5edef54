/* Replaces, adds and removes several files of a directory atomically, even if the program or the
 * machine stops. New files are written under temporary names. Then a record, put in place by one
 * rename, lists the renames and removals; they are done and the record is removed. While the record
 * exists the new state is valid: the next file_set_open completes it. Only rename is needed, so it
 * works on every file system. */
#ifndef PORTOLAN_BASE_FILE_SET_H
#define PORTOLAN_BASE_FILE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Remedy for a directory whose change was interrupted. */
#define FILE_SET_RECORD ".portolan-change"

struct file_set;

/* Starts a change of directory @dir, which is created (not its parents) if missing. An interrupted
 * change is completed first. @private: the directory gets mode 0700 and the written files 0600.
 * Until file_set_free no other process can start a change or open the directory. NULL with err. One
 * thread. */
struct file_set *file_set_new(const char *dir, bool private, struct err *err);
/* Sets the new contents of @name. @name may be "a/b" for a file in a subdirectory, which is
 * created. */
bool file_set_write(struct file_set *set, const char *name, const void *bytes, size_t length,
                    struct err *err);
/* Removes @name, which need not exist, and the subdirectories that this leaves empty. */
bool file_set_remove(struct file_set *set, const char *name, struct err *err);
/* Applies the change. False with err: nothing has changed, unless the message says that the next
 * file_set_open completes it. */
bool file_set_commit(struct file_set *set, struct err *err);
/* Frees @set. Without a commit nothing has changed. NULL is fine. */
void file_set_free(struct file_set *set);

/* Opens @dir for reading: completes an interrupted change, and blocks changes by others until the
 * descriptor is closed. -1 with err. */
int file_set_open(const char *dir, struct err *err);
/* Returns the relative name of a file or directory in @dir, at most three levels down, that is not
 * in @known (relative names, NULL-terminated; directories follow from their files). This module's
 * temporary files are ignored. NULL when there is none. The caller frees. */
char *file_set_stranger(const char *dir, const char *const *known);

#endif
