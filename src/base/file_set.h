/* Several files of a directory replaced, added and removed together: all of it or nothing, whenever
 * the program or the machine stops.
 *
 * The new files are written under temporary names; then a record, itself put in place by one
 * rename, says what is to be renamed and removed; then that is done and the record is removed. With
 * a record in the directory the new state is the true one: whoever opens the directory next
 * completes it (file_set_open). Needs nothing but rename, so it works on every file system. */
#ifndef PORTOLAN_BASE_FILE_SET_H
#define PORTOLAN_BASE_FILE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* In a directory whose change was cut short. */
#define FILE_SET_RECORD ".portolan-change"

struct file_set;

/* Begins to change directory @dir, which is made (not its parents) when it is not there; a change
 * that was cut short is completed first. @private: the directory is 0700 and what is written 0600,
 * also where they were not before. Until file_set_free nobody else can begin one or open the
 * directory. NULL with err. One thread. */
struct file_set *file_set_new(const char *dir, bool private, struct err *err);
/* The contents that @name (in the directory, "a/b" in a directory below it, which is made) will
 * have. */
bool file_set_write(struct file_set *set, const char *name, const void *bytes, size_t length,
                    struct err *err);
/* @name will be gone, and the directories below that it leaves empty; it need not be there. */
bool file_set_remove(struct file_set *set, const char *name, struct err *err);
/* Does all that was asked for. False with err: nothing has changed, unless the message says that
 * the next to open it completes the change. */
bool file_set_commit(struct file_set *set, struct err *err);
/* Without a commit before nothing has changed. NULL is fine. */
void file_set_free(struct file_set *set);

/* For reading @dir: completes a change that was cut short, and keeps changes by others away until
 * the descriptor is closed. -1 with err. */
int file_set_open(const char *dir, struct err *err);
/* A file or directory in @dir, at most three levels down, that is not among @known (relative names,
 * ends with NULL; directories are known by the files in them): its relative name, which the caller
 * frees. NULL when there is none. What this module itself leaves is not counted. */
char *file_set_stranger(const char *dir, const char *const *known);

#endif
