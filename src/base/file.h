/* Whole files in and out. */
#ifndef PORTOLAN_BASE_FILE_H
#define PORTOLAN_BASE_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"

/* From now on named pipes are refused: a screen does not wait for their writers. Before there are
 * threads. */
void file_refuse_pipes(void);
bool file_pipes_refused(void);
/* From now on this thread reads regular files only and refuses pipes, which may block their reader
 * for ever, and devices: for a directory that is read as a whole, or paths from a file. Returns the
 * previous setting. */
bool file_only_files(bool only);
/* A descriptor to read the regular file @path; -1 with errno, EINVAL for anything else: it never
 * blocks and opens no device. Any thread. */
int file_open_regular(const char *path);
/* Opens @path for reading; NULL with err. */
FILE *file_open(const char *path, struct err *err);
/* As opendir. */
DIR *file_open_directory(const char *path);
/* Appends the file's bytes to @out; refuses more than @limit bytes (ERR_LIMIT) and anything but a
 * regular file or pipe. */
bool file_read(const char *path, size_t limit, struct str *out, struct err *err);
/* Writes to a temporary name next to @path, syncs, renames, syncs the directory: the file is whole
 * or untouched. A replaced file keeps its mode. The target of a symbolic link is replaced; in the
 * state directory (path_is_state) the link itself is, and the file is 0600. Devices, pipes and
 * /dev/stdout are written to. Removes leftovers of killed writers from the directory. SIGXFSZ must
 * be ignored (main does), so that a limit is a fault. Any thread. */
bool file_write(const char *path, const void *bytes, size_t length, struct err *err);
/* Fills @err by errno: "PATH: cannot VERB: reason"; returns false. @todo serves where errno
 * suggests nothing; may be NULL. */
bool file_fault(struct err *err, const char *path, const char *verb, const char *todo);
/* The file or directory @relative below the data directory: $PORTOLAN_DATA, else the source tree
 * the build came from when the program runs from its build directory, else the installed one. The
 * caller frees; NULL when not there. */
char *file_data_path(const char *relative);

#endif
