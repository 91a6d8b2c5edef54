/* Temporary files next to the files that they will replace. */
#ifndef PORTOLAN_BASE_FILE_TEMPORARY_H
#define PORTOLAN_BASE_FILE_TEMPORARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define FILE_TEMPORARY_PREFIX ".portolan-"

struct file_temporary {
    int fd;                   /* holds a lock: a file that can be locked has a dead writer */
    long process;
    unsigned serial;
    bool private;             /* its mode is 0600 */
    char name[NAME_MAX + 1];  /* in the directory of its target */
};

/* Creates an empty temporary file for target @name in directory @dir, with the umask's mode, or
 * 0600 if @private. False with errno. Any thread. */
bool file_temporary_make(int dir, const char *name, bool private, struct file_temporary *t);
/* Returns the file's temporary name. */
void file_temporary_name(const char *target, long process, unsigned serial, char out[NAME_MAX + 1]);
/* Writes and syncs the contents. The mode of an existing target is copied unless the file is
 * private. False with errno. */
bool file_temporary_fill(struct file_temporary *t, int dir, const char *target, const void *bytes,
                         size_t length);
/* Closes it and releases the lock; false with errno. */
bool file_temporary_close(struct file_temporary *t);
/* Removes the temporary files of killed programs from @dir. */
void file_temporary_collect(int dir);
/* Returns whether @name is a temporary name of this module. */
bool file_temporary_is(const char *name);

#endif
