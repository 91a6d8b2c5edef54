/* Reads and writes whole files. */
#ifndef PORTOLAN_BASE_FILE_H
#define PORTOLAN_BASE_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"

/* Makes later calls reject named pipes, because opening one would block the workbench. Call it
 * before threads start. */
void file_refuse_pipes(void);
bool file_pipes_refused(void);
/* Restricts this thread to regular files if @only is true; otherwise removes the restriction.
 * Reading a pipe may block, and opening a device may have effects. Used for paths that come from
 * files, and for directories that are read completely. Returns the previous setting. */
bool file_only_files(bool only);
/* Opens the regular file @path for reading. Returns -1 with errno; EINVAL: not a regular file.
 * Never blocks, and opens no device. Any thread. */
int file_open_regular(const char *path);
/* Opens @path for reading. Returns NULL with err. */
FILE *file_open(const char *path, struct err *err);
/* Opens a directory. Returns NULL with errno. If memory is exhausted, uses the reserve
 * (mem_again). */
DIR *file_open_directory(const char *path);
/* Appends the bytes of the file to @out. Returns false with err on failure. Fails if the file has
 * more than @limit bytes (ERR_LIMIT), or is neither a regular file nor a pipe. */
bool file_read(const char *path, size_t limit, struct str *out, struct err *err);
/* Replaces @path atomically: writes a temporary file next to it, syncs and renames it, and syncs
 * the directory. Preserves the mode of a replaced file. Replaces the target of a symbolic link. In
 * the state directory (path_is_state), replaces the link itself, and sets the mode 0600. Writes to
 * devices, pipes and /dev/stdout directly. Also removes temporary files of killed programs. SIGXFSZ
 * must be ignored (main does that), so that exceeding a size limit is an error. Returns false with
 * err. Any thread. */
bool file_write(const char *path, const void *bytes, size_t length, struct err *err);
/* Returns the remedy for errno @code, if the code suggests one; otherwise @fallback, which may be
 * NULL. */
const char *file_remedy(int code, const char *fallback);
/* Fills @err from errno: "PATH: cannot VERB: reason". Returns false. @todo (may be NULL) is the
 * remedy if errno does not suggest one (file_remedy). */
bool file_fault(struct err *err, const char *path, const char *verb, const char *todo);
/* Returns the path of @relative in the data directory; NULL if it does not exist. The data
 * directory is $PORTOLAN_DATA if set. Otherwise it is the first of these directories that has the
 * file: the source tree, for a program in its build directory; a relocated installation; the
 * configured directory; ../share/portolan of a program that uses the library. The caller frees the
 * path. */
char *file_data_path(const char *relative);

#endif
