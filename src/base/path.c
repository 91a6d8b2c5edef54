/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

char *path_argument(const char *path)
{
    struct str absolute = {0};
    char *here = *path == '/' ? NULL : getcwd(NULL, 0);

    if (*path != '/')
        str_addf(&absolute, "%s/", here ? here : ".");
    str_add(&absolute, path);
    free(here);
    return str_take(&absolute);
}

char *path_program_directory(void)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? memrchr(self, '/', (size_t)length) : NULL;
    return slash ? mem_strndup(self, (size_t)(slash - self)) : NULL;
}

char *path_beside_program(const char *programs, const char *installed)
{
    struct str path = {0};
    size_t shared = 0, i = 0;
    char *directory = programs[0] ? path_program_directory() : NULL;

    if (!directory)
        return NULL;
    /* Their longest common part that ends between two names. */
    for (; programs[i] && programs[i] == installed[i]; i++)
        if (programs[i] == '/')
            shared = i;
    if (!programs[i] && installed[i] == '/')
        shared = i;
    str_add(&path, directory);
    for (const char *name = programs + shared; *name; name++)
        if (*name == '/' && name[1] && name[1] != '/')
            str_add(&path, "/..");
    str_add(&path, installed + shared);
    free(directory);
    return str_take(&path);
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
