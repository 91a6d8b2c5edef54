/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_at(int dir, const char *name, int flags, mode_t mode)
{
    return openat(dir, name, flags, mode);
}

struct file_calls file_calls = {
    .open = open_at,
    .write = write,
    .sync = fsync,
    .close = close,
    .rename = renameat,
    .unlink = unlinkat,
    .mkdir = mkdirat,
    .truncate = ftruncate,
};

bool file_calls_write_all(int fd, const void *bytes, size_t length)
{
    for (const char *at = bytes; length;) {
        ssize_t put = file_calls.write(fd, at, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = EIO;   /* write() may return 0 without setting errno. */
        if (put <= 0)
            return false;
        at += put;
        length -= (size_t)put;
    }
    return true;
}

bool file_calls_sync_directory(int fd)
{
    return file_calls.sync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ||
           errno == EBADF;
}
