/* Temporary files next to the files that they replace. */
#ifndef PORTOLAN_BASE_FILE_TEMPORARY_H
#define PORTOLAN_BASE_FILE_TEMPORARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define FILE_TEMPORARY_PREFIX ".portolan-"

struct file_temporary {
    int fd;                   /* descriptor, locked while the writing process runs; a file without a
                               * lock was left by an earlier process */
    long process;
    unsigned serial;
    bool private;             /* whether the mode of the file is 0600 */
    char name[NAME_MAX + 1];  /* name in the target's directory */
};

/* Creates an empty temporary file for target @name in directory @dir. Its mode is 0600 if @private;
 * otherwise the umask determines it. Returns false with errno. Any thread. */
bool file_temporary_make(int dir, const char *name, bool private, struct file_temporary *t);
/* Writes the temporary name for @target to @out. */
void file_temporary_name(const char *target, long process, unsigned serial, char out[NAME_MAX + 1]);
/* Writes and syncs the contents. Copies the mode of an existing target unless the file is private.
 * Returns false with errno. */
bool file_temporary_fill(struct file_temporary *t, int dir, const char *target, const void *bytes,
                         size_t length);
/* Closes the file, which releases the lock. Returns false with errno. */
bool file_temporary_close(struct file_temporary *t);
/* Removes the temporary files of killed programs from @dir. */
void file_temporary_collect(int dir);
/* Returns whether @name has the form of this module's temporary names. */
bool file_temporary_is(const char *name);

#endif
