/* Reads and writes whole files. */
#ifndef PORTOLAN_BASE_FILE_H
#define PORTOLAN_BASE_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"

/* Refuses named pipes from now on: opening one would block the workbench. Call before threads
 * start. */
void file_refuse_pipes(void);
bool file_pipes_refused(void);
/* Restricts this thread to regular files: pipes may block their reader, and opening devices may
 * have effects. For directories read as a whole and for paths from a file. Returns the previous
 * setting. */
bool file_only_files(bool only);
/* Opens the regular file @path for reading; -1 with errno, EINVAL for anything else. Never blocks
 * and opens no device. Any thread. */
int file_open_regular(const char *path);
/* Opens @path for reading; NULL with err. */
FILE *file_open(const char *path, struct err *err);
/* opendir() with err. */
DIR *file_open_directory(const char *path);
/* Appends the file's bytes to @out. Refuses more than @limit bytes (ERR_LIMIT) and anything but a
 * regular file or pipe. */
bool file_read(const char *path, size_t limit, struct str *out, struct err *err);
/* Replaces @path atomically: writes a temporary file next to it, syncs, renames, syncs the
 * directory. A replaced file keeps its mode. A symbolic link's target is replaced, but in the state
 * directory (path_is_state) the link itself, with mode 0600. Devices, pipes and /dev/stdout are
 * written to directly. Removes leftovers of killed writers. SIGXFSZ must be ignored (main does), so
 * that a size limit is an error. Any thread. */
bool file_write(const char *path, const void *bytes, size_t length, struct err *err);
/* Fills @err from errno: "PATH: cannot VERB: reason"; returns false. @todo (may be NULL) is the
 * remedy where errno suggests none. */
bool file_fault(struct err *err, const char *path, const char *verb, const char *todo);
/* Returns the path of @relative below the data directory: $PORTOLAN_DATA; else the source tree,
 * when the program runs from its build directory; else the installed one. The caller frees; NULL
 * when it does not exist. */
char *file_data_path(const char *relative);

#endif
