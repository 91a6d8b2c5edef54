/* Directories for state between runs (XDG base directories). */
#ifndef PORTOLAN_BASE_PATH_H
#define PORTOLAN_BASE_PATH_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"

/* $XDG_STATE_HOME/portolan/@name, or below ~/.local/state where that is unset or relative. The
 * caller frees. NULL without a home, and if that or the directory belongs to another user, which is
 * logged once. Creates nothing. */
char *path_state(const char *name);
/* The same in $XDG_DATA_HOME, or below ~/.local/share: files that the user made. */
char *path_data(const char *name);
/* The same in $XDG_CONFIG_HOME, or below ~/.config: the user's settings. */
char *path_config(const char *name);
/* Whether @path lies in the state directory: files there are private to the user, and no link is
 * followed. Any thread. */
bool path_is_state(const char *path);
/* Whether a file or directory is this process's user's or the system's. */
bool path_owner_trusted(const struct stat *about);
/* Makes the parent directories of @path. Missing ones get @mode, less the umask, those of the state
 * directory 0700. False with err where one cannot be made. */
bool path_make_parents(const char *path, mode_t mode, struct err *err);
/* The last part of @path, borrowed; all of it where nothing follows the last slash. Any thread. */
const char *path_base(const char *path);

/* @path as it is given to another program: absolute, so that it is no option there (-x, +command,
 * @file) and means the same in any directory. The caller frees. Any thread. */
char *path_argument(const char *path);

/* The directory in which the running program lies; NULL when unknown. The caller frees. Any
 * thread. */
char *path_program_directory(void);
/* Path of @installed after the tree was moved as a whole: relative to the running program as
 * @installed is to @programs, the configured directory of programs. NULL if that is "" or the
 * program's place is unknown. It need not exist. The caller frees. Any thread. */
char *path_next_to_program(const char *programs, const char *installed);

#endif
