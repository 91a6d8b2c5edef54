/* Paths: the user's directories for state, data and settings (XDG base directories), and parts of
 * paths. */
#ifndef PORTOLAN_BASE_PATH_H
#define PORTOLAN_BASE_PATH_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"

/* Returns $XDG_STATE_HOME/portolan/@name, or the path in ~/.local/state if that variable is unset
 * or relative. The caller frees it. Returns NULL if HOME is needed and is not an absolute path.
 * Logs once and returns NULL if the home directory is missing, or if the directory belongs to
 * another user except root. Creates nothing. */
char *path_state(const char *name);
/* Returns a path like path_state, in $XDG_DATA_HOME or ~/.local/share, for files that the user
 * made. */
char *path_data(const char *name);
/* Returns a path like path_state, in $XDG_CONFIG_HOME or ~/.config, for the user's settings. */
char *path_config(const char *name);
/* Returns whether @path is in the state directory, in which files are private and links are not
 * followed. Any thread. */
bool path_is_state(const char *path);
/* Returns whether this process's user or root owns a file or directory. */
bool path_owner_trusted(const struct stat *about);
/* Creates the parent directories of @path with @mode less the umask; in the state directory with
 * 0700, which an existing state directory also gets. Returns false with err. */
bool path_make_parents(const char *path, mode_t mode, struct err *err);
/* Returns the last component of @path, borrowed; all of @path if it ends with a slash. Any
 * thread. */
const char *path_base(const char *path);

/* Returns @path as an absolute path, as an argument for another program. That program cannot
 * interpret an absolute path as an option (-x, +command, @file). The caller frees it. Any
 * thread. */
char *path_argument(const char *path);

/* Returns the path of program @name, found as execvp does: @name itself if it has a slash,
 * otherwise the absolute path of the first executable file of that name in PATH. Relative entries
 * of PATH are relative to the working directory. Unlike execvp, skips empty entries, which denote
 * the working directory. Returns NULL if there is no such file. The caller frees the path. Any
 * thread. */
char *path_find_program(const char *name);
/* Returns whether path_find_program finds @name. Any thread. */
bool path_has_program(const char *name);

/* Returns the directory of the running program; NULL if unknown. The caller frees it. Any
 * thread. */
char *path_program_directory(void);
/* Returns the path of @installed in a relocated installation. The result has the same position
 * relative to the running program as @installed has relative to @programs, the configured bin
 * directory. The path may not exist. Returns NULL if @programs is "" or the program's directory is
 * unknown. The caller frees it. Any thread. */
char *path_next_to_program(const char *programs, const char *installed);

#endif
