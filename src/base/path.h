/* Directories for state between runs (XDG base directories). */
#ifndef PORTOLAN_BASE_PATH_H
#define PORTOLAN_BASE_PATH_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"

/* Returns $XDG_STATE_HOME/portolan/@name, or the path below ~/.local/state if that is unset or
 * relative. The caller frees. NULL without a home directory, or if it belongs to another user,
 * which is logged once. Creates nothing. */
char *path_state(const char *name);
/* As path_state in $XDG_DATA_HOME or ~/.local/share: files that the user made. */
char *path_data(const char *name);
/* As path_state in $XDG_CONFIG_HOME or ~/.config: the user's settings. */
char *path_config(const char *name);
/* Returns whether @path lies in the state directory, where files are private and links are not
 * followed. Any thread. */
bool path_is_state(const char *path);
/* Returns whether the owner of a file or directory is this process's user or root. */
bool path_owner_trusted(const struct stat *about);
/* Creates the parent directories of @path with @mode less the umask, those of the state directory
 * with 0700. False with err. */
bool path_make_parents(const char *path, mode_t mode, struct err *err);
/* Returns the last part of @path, borrowed, or all of it if it ends with a slash. Any thread. */
const char *path_base(const char *path);

/* Returns @path as an absolute path for another program's arguments: it cannot be read as an option
 * (-x, +command, @file) and does not depend on the directory. The caller frees. Any thread. */
char *path_argument(const char *path);

/* Returns the directory of the running program; NULL when unknown. The caller frees. Any thread. */
char *path_program_directory(void);
/* Returns the path of @installed in a relocated installation: relative to the running program as
 * @installed is to @programs, the configured bin directory. NULL if @programs is "" or the
 * program's place is unknown. It need not exist. The caller frees. Any thread. */
char *path_next_to_program(const char *programs, const char *installed);

#endif
