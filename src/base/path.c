/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"

/* portolan/@name in the directory that @variable names, or in @otherwise below the home. */
static char *path_in(const char *variable, const char *otherwise, const char *name)
{
    const char *chosen = getenv(variable), *home = getenv("HOME");
    struct str path = {0};

    /* The specification has relative paths ignored. */
    if (chosen && chosen[0] == '/')
        str_addf(&path, "%s/portolan/%s", chosen, name);
    else if (home && home[0] == '/')
        str_addf(&path, "%s/%s/portolan/%s", home, otherwise, name);
    else
        return NULL;
    return str_take(&path);
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

char *path_state(const char *name)
{
    return path_in("XDG_STATE_HOME", ".local/state", name);
}

char *path_config(const char *name)
{
    return path_in("XDG_CONFIG_HOME", ".config", name);
}

char *path_data(const char *name)
{
    return path_in("XDG_DATA_HOME", ".local/share", name);
}

bool path_make_parents(const char *path, mode_t mode, struct err *err)
{
    char *copy = mem_strdup(path);
    bool ok = true;

    for (char *slash = *copy ? strchr(copy + 1, '/') : NULL; ok && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, mode) < 0 && errno != EEXIST)
            ok = err_set(err, ERR_IO, "name another file", "cannot make the directory %s: %s", copy, strerror(errno));
        *slash = '/';
    }
    free(copy);
    return ok;
}
