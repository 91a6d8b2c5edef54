/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/path.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#define OWN "/portolan"

bool path_owner_trusted(const struct stat *about)
{
    return about->st_uid == geteuid() || about->st_uid == 0;
}

/* Returns whether directory @path belongs to a trusted user. If the directory is missing, tests its
 * nearest existing parent, but no path shorter than @least bytes. */
static bool directory_trusted(const char *path, size_t least)
{
    char *part = mem_strdup(path);
    struct stat about = {0};
    bool there;

    while (!(there = stat(part, &about) == 0) && errno == ENOENT && strlen(part) > least)
        *strrchr(part, '/') = '\0';
    free(part);
    return there && S_ISDIR(about.st_mode) && path_owner_trusted(&about);
}

/* Logs once why the directory is not used. */
static void refuse_directory(const char *path)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&said))
        log_add(LOG_WARN,
                "%s is ignored: the directory or the home directory is missing, or belongs to "
                "another user",
                path);
}

/* Returns the program's directory within the directory that @variable names, otherwise within
 * @fallback in the home directory. Returns NULL if neither path is absolute, or if the home
 * directory is missing. Also returns NULL if the directory belongs to another user except root (on
 * some systems sudo preserves HOME). The caller frees the result. */
static char *directory_in(const char *variable, const char *fallback)
{
    const char *chosen = getenv(variable), *home = getenv("HOME");
    struct str path = {0};
    struct stat about;
    bool trusted;

    /* Ignores relative paths, as the XDG specification requires. */
    if (chosen && chosen[0] == '/') {
        str_addf(&path, "%s" OWN, chosen);
        /* Permits a missing directory, because it is created in a directory that the user chose. */
        trusted = stat(str_text(&path), &about) != 0 || path_owner_trusted(&about);
    } else if (home && home[0] == '/') {
        str_addf(&path, "%s/%s" OWN, home, fallback);
        /* The home directory must exist, because the program never creates it. */
        trusted = directory_trusted(str_text(&path), strlen(home));
    } else {
        return NULL;
    }
    if (trusted)
        return str_take(&path);
    refuse_directory(str_text(&path));
    str_done(&path);
    return NULL;
}

static char *path_in(const char *variable, const char *fallback, const char *name)
{
    char *directory = directory_in(variable, fallback);
    struct str path = {0};

    if (!directory)
        return NULL;
    str_addf(&path, "%s/%s", directory, name);
    free(directory);
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

char *path_find_program(const char *name)
{
    const char *at = getenv("PATH");
    struct str path = {0};
    struct stat about;

    if (strchr(name, '/'))
        return mem_strdup(name);
    if (!at)
        at = "/bin:/usr/bin";
    for (size_t length; *at; at += length, at += *at == ':') {
        length = strcspn(at, ":");
        str_clear(&path);
        str_addf(&path, "%.*s/%s", (int)length, at, name);
        if (length && access(str_text(&path), X_OK) == 0 && stat(str_text(&path), &about) == 0 &&
            S_ISREG(about.st_mode)) {
            char *found = path_argument(str_text(&path));
            str_done(&path);
            return found;
        }
    }
    str_done(&path);
    return NULL;
}

bool path_has_program(const char *name)
{
    char *path = path_find_program(name);
    const bool found = path != NULL;

    free(path);
    return found;
}

char *path_program_directory(void)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? memrchr(self, '/', (size_t)length) : NULL;
    return slash ? mem_strndup(self, (size_t)(slash - self)) : NULL;
}

char *path_next_to_program(const char *programs, const char *installed)
{
    struct str path = {0};
    size_t shared = 0, i = 0;
    char *directory = programs[0] ? path_program_directory() : NULL;

    if (!directory)
        return NULL;
    /* Finds the longest common prefix that ends at a slash. */
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

bool path_is_state(const char *path)
{
    char *directory = path_state("");
    const bool is = directory && str_has_prefix(path, directory);

    free(directory);
    return is;
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
    const bool private = path_is_state(path);
    char *copy = mem_strdup(path);
    bool ok = true;

    for (char *slash = *copy ? strchr(copy + 1, '/') : NULL; ok && slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, private ? 0700 : mode) < 0 && errno != EEXIST)
            ok = err_set(err, ERR_IO, "name another file", "cannot create the directory %s: %s",
                         copy, strerror(errno));
        *slash = '/';
    }
    free(copy);
    if (ok && private) {   /* Sets the mode, because an existing directory may have another mode. */
        char *directory = path_state(".");
        struct stat about;
        if (directory && stat(directory, &about) == 0 && about.st_uid == geteuid() &&
            about.st_mode & 077)
            chmod(directory, 0700);
        free(directory);
    }
    return ok;
}
