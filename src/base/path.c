/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"

char *path_state(const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct str path = {0};

    /* The specification has relative paths ignored. */
    if (state && state[0] == '/')
        str_addf(&path, "%s/portolan/%s", state, name);
    else if (home && home[0] == '/')
        str_addf(&path, "%s/.local/state/portolan/%s", home, name);
    else
        return NULL;
    return str_take(&path);
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
