/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/similar.h"
#include "base/watch.h"

/* Number of bytes per read, into a buffer on the stack. The buffer is small, because the first use
 * of a stack page takes longer than reading a page. */
#define READ_AT_ONCE 16384

static bool pipes_refused;
static _Thread_local bool files_only;

#ifndef PORTOLAN_DATADIR
#define PORTOLAN_DATADIR "/usr/local/share/portolan"
#define PORTOLAN_BINDIR ""
#endif

static bool read_all(int fd, const char *path, size_t limit, struct str *out, struct err *err)
{
    char block[READ_AT_ONCE];
    size_t total = 0;

    for (;;) {
        ssize_t got = read(fd, block, sizeof block);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_fault(err, path, "read", NULL);
        if (got == 0)
            return true;
        if (watch_steps(1 + sizeof block / 1000)) {
            watch_goes_on(err);
            return err_at(err, path, 0, 0);
        }
        total += (size_t)got;
        if (total > limit) {
            err_set(err, ERR_LIMIT, "load only the relevant part of the file",
                    "is larger than the limit of %zu bytes", limit);
            return err_at(err, path, 0, 0);
        }
        if (!str_try_reserve(out, (size_t)got))
            return err_memory(err, path, total);
        str_add_bytes(out, block, (size_t)got);
    }
}

void file_refuse_pipes(void)
{
    pipes_refused = true;
}

bool file_pipes_refused(void)
{
    return pipes_refused;
}

bool file_only_files(bool only)
{
    bool before = files_only;
    files_only = only;
    return before;
}

/* Reports that @path does not exist, and suggests the most similar name in its directory. */
static void not_there(struct err *err, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct str parent = {0}, todo = {0};
    struct similar similar = {.word = name};

    str_add_bytes(&parent, path, (size_t)(name - path));
    DIR *dir = opendir(parent.length ? str_text(&parent) : ".");
    if (dir) {
        for (struct dirent *entry; (entry = readdir(dir));)
            if (similar_try(&similar, entry->d_name)) {
                str_clear(&todo);
                str_addf(&todo, "did you mean %s%s?", str_text(&parent), entry->d_name);
            }
        closedir(dir);
    }
    errno = ENOENT;
    file_fault(err, path, "open", todo.length ? str_text(&todo) : "check the name");
    str_done(&parent);
    str_done(&todo);
}

/* Returns whether a file with @status may be opened, or read if it is already open. Returns false
 * with err for a pipe that would block, and if only regular files are allowed, for each pipe and
 * device. */
static bool may_read(const char *path, const struct stat *status, struct err *err)
{
    if (S_ISFIFO(status->st_mode) && files_only)
        err_set(err, ERR_IO, "remove this file", "is a pipe; only regular files are supported");
    else if (S_ISFIFO(status->st_mode) && pipes_refused)
        err_set(err, ERR_IO, "write the data to a file first, or use portolan -b",
                "is a pipe; pipes are not supported in the workbench");
    else if (files_only && !S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode))
        err_set(err, ERR_IO, "remove this file", "is not a regular file");
    else
        return true;
    return err_at(err, path, 0, 0);
}

/* Opens a file for reading. Returns its descriptor; -1 with err. */
static int open_to_read(const char *path, struct err *err)
{
    struct stat status;

    if (files_only && stat(path, &status) == 0 && !may_read(path, &status, err))
        return -1;
    int fd = open(path,
                  O_RDONLY | O_CLOEXEC | O_NOCTTY | (pipes_refused || files_only ? O_NONBLOCK : 0));
    if (fd < 0 && errno == ENOENT) {
        not_there(err, path);
    } else if (fd < 0) {
        file_fault(err, path, "open", NULL);
    } else if (fstat(fd, &status) == 0 && !may_read(path, &status, err)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int file_open_regular(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return -1;
    int fd =
        S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    /* Tests again, because another file may have replaced this one between stat and open. */
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        fd = -1;
    }
    if (fd < 0 && !S_ISREG(status.st_mode))
        errno = EINVAL;
    return fd;
}

FILE *file_open(const char *path, struct err *err)
{
    int fd = open_to_read(path, err);
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;

    if (fd >= 0 && !file) {
        file_fault(err, path, "read", NULL);
        close(fd);
    }
    return file;
}

DIR *file_open_directory(const char *path)
{
    DIR *dir;
    for (unsigned tries = 0; !(dir = opendir(path)) && errno == ENOMEM; tries++)
        mem_again(sizeof(struct dirent), tries);
    return dir;
}

bool file_read(const char *path, size_t limit, struct str *out, struct err *err)
{
    size_t before = out->length;
    struct stat status;
    bool ok = false;

    int fd = open_to_read(path, err);
    if (fd < 0)
        return false;
    if (fstat(fd, &status) != 0) {
        file_fault(err, path, "read", NULL);
    } else if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
        err_set(err, ERR_IO, "name a file",
                S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file");
        err_at(err, path, 0, 0);
    } else if (S_ISREG(status.st_mode) && status.st_size > 0 && (size_t)status.st_size > limit) {
        err_set(err, ERR_LIMIT, "load only the relevant part of the file",
                "has %lld bytes; the limit is %zu", (long long)status.st_size, limit);
        err_at(err, path, 0, 0);
    } else {
        ok = read_all(fd, path, limit, out, err);
    }
    close(fd);
    if (!ok && out->data) {
        out->length = before;
        out->data[before] = '\0';
    }
    return ok;
}

/* Returns @directory, @below and @relative joined if that path is readable, otherwise NULL. Frees
 * @directory, which may be NULL. The caller frees the result. */
static char *readable_in(char *directory, const char *below, const char *relative)
{
    struct str path = {0};

    if (directory)
        str_addf(&path, "%s%s/%s", directory, below, relative);
    bool there = directory && access(str_text(&path), R_OK) == 0;
    free(directory);
    if (there)
        return str_take(&path);
    str_done(&path);
    return NULL;
}

char *file_data_path(const char *relative)
{
    const char *chosen = getenv("PORTOLAN_DATA");
    char *path;

    if (chosen && chosen[0])
        return readable_in(mem_strdup(chosen), "", relative);
    /* In a build directory, a link next to the program leads to the data of the source tree. */
    path = readable_in(path_program_directory(), "/source-data", relative);
    /* A relocated installation uses its own data, because the configured path may have the data of
     * another release. */
    if (!path)
        path = readable_in(path_next_to_program(PORTOLAN_BINDIR, PORTOLAN_DATADIR), "", relative);
    if (!path)
        path = readable_in(mem_strdup(PORTOLAN_DATADIR), "", relative);
    /* For a program in bin/ that uses the library, searches share/portolan/ of the program's
     * installation. */
    return path ? path : readable_in(path_program_directory(), "/../share/portolan", relative);
}
