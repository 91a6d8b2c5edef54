/* Replaces, adds and removes several files of a directory together: all or nothing, even if the
 * program or the machine stops.
 *
 * The new files are written under temporary names. Then a record, itself put in place by one
 * rename, lists the renames and removals. They are done, and the record is removed. With a record
 * in the directory the new state is the valid one: the next to open the directory completes it
 * (file_set_open). Only rename is needed, so it works on every file system. */
#ifndef PORTOLAN_BASE_FILE_SET_H
#define PORTOLAN_BASE_FILE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* In a directory whose change was cut short. */
#define FILE_SET_RECORD ".portolan-change"

struct file_set;

/* Starts a change of directory @dir, which is made (not its parents) if missing; an interrupted
 * change is completed first. @private: the directory gets mode 0700 and the written files 0600,
 * even if they had others. Until file_set_free no other process can start one or open the
 * directory. NULL with err. One thread. */
struct file_set *file_set_new(const char *dir, bool private, struct err *err);
/* The contents that @name (in the directory, "a/b" in a directory below it, which is made) will
 * have. */
bool file_set_write(struct file_set *set, const char *name, const void *bytes, size_t length,
                    struct err *err);
/* @name will be gone, and the directories below that it leaves empty; it need not be there. */
bool file_set_remove(struct file_set *set, const char *name, struct err *err);
/* Applies the change. False with err: nothing has changed, unless the message says that the next to
 * open the directory completes it. */
bool file_set_commit(struct file_set *set, struct err *err);
/* Without a commit before nothing has changed. NULL is fine. */
void file_set_free(struct file_set *set);

/* For reading @dir: completes a change that was cut short, and keeps changes by others away until
 * the descriptor is closed. -1 with err. */
int file_set_open(const char *dir, struct err *err);
/* The relative name of a file or directory in @dir, at most three levels down, that is not among
 * @known (relative names, ends with NULL; directories are known by their files). The caller frees.
 * NULL when there is none. Leftovers of this module do not count. */
char *file_set_stranger(const char *dir, const char *const *known);

#endif
