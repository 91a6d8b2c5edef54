/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "failing_calls.h"

#include <errno.h>
#include <unistd.h>

static struct file_calls own;
static unsigned calls_left;
static enum failing kind;
static bool met;

static bool fails(void)
{
    if (met || calls_left-- != 0)
        return false;
    met = true;
    if (kind == FAIL_DEATH)
        _exit(99);
    errno = ENOSPC;
    return true;
}

static int failing_open(int dir, const char *name, int flags, mode_t mode)
{
    return fails() ? -1 : own.open(dir, name, flags, mode);
}

static ssize_t failing_write(int fd, const void *bytes, size_t length)
{
    if (!met && calls_left == 0 && length > 1 && kind != FAIL_ERROR) {
        /* Writes half of the bytes, then fails. */
        ssize_t put = own.write(fd, bytes, length / 2);
        return kind == FAIL_DEATH ? (fails(), -1) : put;
    }
    return fails() ? -1 : own.write(fd, bytes, length);
}

static int failing_sync(int fd)
{
    return fails() ? -1 : own.sync(fd);
}

/* Closes the file even if it fails, as the system does. */
static int failing_close(int fd)
{
    int rc = own.close(fd);
    return fails() ? -1 : rc;
}

static int failing_rename(int from_dir, const char *from, int to_dir, const char *to)
{
    return fails() ? -1 : own.rename(from_dir, from, to_dir, to);
}

static int failing_unlink(int dir, const char *name, int flags)
{
    return fails() ? -1 : own.unlink(dir, name, flags);
}

static int failing_mkdir(int dir, const char *name, mode_t mode)
{
    return fails() ? -1 : own.mkdir(dir, name, mode);
}

static int failing_truncate(int fd, off_t length)
{
    return fails() ? -1 : own.truncate(fd, length);
}

void failing_calls_set(unsigned position, enum failing how)
{
    own = file_calls;
    calls_left = position;
    kind = how;
    met = false;
    file_calls =
        (struct file_calls){failing_open,   failing_write,  failing_sync,  failing_close,
                            failing_rename, failing_unlink, failing_mkdir, failing_truncate};
}

bool failing_calls_end(void)
{
    file_calls = own;
    return met;
}
