/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file_temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_calls.h"

/* maximum number of bytes of the target's name in the temporary name, which must fit into
 * NAME_MAX */
#define NAME_KEPT 180

void file_temporary_name(const char *target, long process, unsigned serial, char out[NAME_MAX + 1])
{
    snprintf(out, NAME_MAX + 1, FILE_TEMPORARY_PREFIX "%ld-%u-%.*s", process, serial, NAME_KEPT,
             target);
}

bool file_temporary_is(const char *name)
{
    if (!str_has_prefix(name, FILE_TEMPORARY_PREFIX))
        return false;
    name += strlen(FILE_TEMPORARY_PREFIX);
    for (int number = 0; number < 2; number++) {
        size_t digits = 0;
        while (isdigit((unsigned char)name[digits]))
            digits++;
        if (!digits || name[digits] != '-')
            return false;
        name += digits + 1;
    }
    return true;
}

bool file_temporary_make(int dir, const char *name, bool private, struct file_temporary *t)
{
    static atomic_uint serials;

    t->private = private;
    t->process = (long)getpid();
    for (int attempt = 0; attempt < 100; attempt++) {
        struct stat status;
        t->serial = atomic_fetch_add(&serials, 1);
        file_temporary_name(name, t->process, t->serial, t->name);
        t->fd = file_calls.open(dir, t->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                private ? 0600 : 0666);
        if (t->fd < 0 && errno != EEXIST)
            return false;
        if (t->fd < 0)
            continue;
        /* Creates another file if a clean-up removed this file between open and flock. */
        flock(t->fd, LOCK_EX | LOCK_NB);
        if (fstat(t->fd, &status) == 0 && status.st_nlink > 0)
            return true;
        close(t->fd);
        t->fd = -1;
    }
    errno = EEXIST;
    return false;
}

/* Copies the mode of the target, if it exists. Returns false on failure, except if the system
 * refuses to set modes, because the contents are more important. */
static bool keep_mode(int fd, int dir, const char *target)
{
    struct stat status;
    return fstatat(dir, target, &status, 0) != 0 || fchmod(fd, status.st_mode & 0777) == 0 ||
           errno == EPERM || errno == ENOSYS || errno == ENOTSUP;
}

bool file_temporary_fill(struct file_temporary *t, int dir, const char *target, const void *bytes,
                         size_t length)
{
    return (t->private || keep_mode(t->fd, dir, target)) &&
           file_calls_write_all(t->fd, bytes, length) && file_calls.sync(t->fd) == 0;
}

bool file_temporary_close(struct file_temporary *t)
{
    int fd = t->fd;
    t->fd = -1;
    return fd < 0 || file_calls.close(fd) == 0 || errno == EINTR;
}

static bool abandoned(int dir, const char *name)
{
    struct stat status;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
              status.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

void file_temporary_collect(int dir)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;

    if (!stream) {
        if (copy >= 0)
            close(copy);
        return;
    }
    for (struct dirent *entry; (entry = readdir(stream));)
        if (file_temporary_is(entry->d_name) && abandoned(dir, entry->d_name))
            unlinkat(dir, entry->d_name, 0);
    closedir(stream);
}
