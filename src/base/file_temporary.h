/* Files under temporary names next to those that they replace, of writes in progress and of killed
 * ones. */
#ifndef PORTOLAN_BASE_FILE_TEMPORARY_H
#define PORTOLAN_BASE_FILE_TEMPORARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define FILE_TEMPORARY_PREFIX ".portolan-"

struct file_temporary {
    int fd;                   /* holds a lock: if it can be locked its writer is dead */
    long process;
    unsigned serial;
    bool private;             /* its mode is 0600 */
    char name[NAME_MAX + 1];  /* in the directory of its target */
};

/* Makes an empty one for target @name in directory @dir, with the umask's mode, @private: for its
 * user alone. False with errno. Any thread. */
bool file_temporary_make(int dir, const char *name, bool private, struct file_temporary *t);
/* The name that file_temporary_make gave it. */
void file_temporary_name(const char *target, long process, unsigned serial, char out[NAME_MAX + 1]);
/* Writes and syncs the contents; a target that is there hands on its mode, unless the file is
 * private. False with errno. */
bool file_temporary_fill(struct file_temporary *t, int dir, const char *target, const void *bytes,
                         size_t length);
/* Closes it, which gives up the lock; false with errno. */
bool file_temporary_close(struct file_temporary *t);
/* Removes leftovers of killed programs from @dir. */
void file_temporary_collect(int dir);
/* Whether @name is one that file_temporary_make gives. */
bool file_temporary_is(const char *name);

#endif
