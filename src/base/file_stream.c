/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_calls.h"
#include "base/mem.h"
#include "base/utf8_text.h"

struct file_stream {
    int fd;
    char *path;
    off_t length;   /* number of bytes of the completely written pieces */
};

bool file_stream_refused(const char *path, int fd, struct err *err)
{
    struct stat status;

    if ((fd >= 0 ? fstat(fd, &status) : stat(path, &status)) != 0)
        return false;
    if (S_ISDIR(status.st_mode))
        err_set(err, ERR_IO, "give a file in that directory", "is a directory");
    else if (S_ISFIFO(status.st_mode) && file_pipes_refused())
        err_set(err, ERR_IO, "write to a file, or use portolan -b",
                "is a pipe; pipes are not supported in the workbench");
    else if (fd >= 0 && file_pipes_refused() && isatty(fd))
        err_set(err, ERR_IO, "name a file", "is a terminal; the workbench cannot write to it");
    else
        return false;
    err_at(err, path, 0, 0);
    return true;
}

static bool put_printable(void *to, const char *printable, size_t length)
{
    return file_calls_write_all(*(const int *)to, printable, length);
}

bool file_stream_put(int fd, const void *bytes, size_t length)
{
    return isatty(fd) ? utf8_pieces(bytes, length, put_printable, &fd)
                      : file_calls_write_all(fd, bytes, length);
}

struct file_stream *file_stream_new(const char *path, struct err *err)
{
    if (file_stream_refused(path, -1, err))
        return NULL;
    int fd =
        file_calls.open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, 0666);

    if (fd < 0) {
        file_fault(err, path, "write", "check the directory and its permissions");
        return NULL;
    }
    if (file_stream_refused(path, fd, err)) {
        close(fd);
        return NULL;
    }
    struct file_stream *stream = mem_zero(1, sizeof *stream);
    stream->fd = fd;
    stream->path = mem_strdup(path);
    return stream;
}

bool file_stream_add(struct file_stream *stream, const void *bytes, size_t length, struct err *err)
{
    if (file_stream_put(stream->fd, bytes, length)) {
        stream->length += (off_t)length;
        return true;
    }
    file_fault(err, stream->path, "write", "the rows written so far are kept");
    /* truncate fails for a device, which has no length. */
    if (file_calls.truncate(stream->fd, stream->length) == 0)
        lseek(stream->fd, stream->length, SEEK_SET);
    return false;
}

bool file_stream_close(struct file_stream *stream, struct err *err)
{
    if (!stream)
        return true;
    /* Devices and pipes cannot be synced, which is no error. */
    bool ok = file_calls.sync(stream->fd) == 0 || errno == EINVAL || errno == ENOTSUP ||
              errno == ENOSYS || file_fault(err, stream->path, "sync", NULL);
    if (file_calls.close(stream->fd) != 0 && ok)
        ok = file_fault(err, stream->path, "write", NULL);
    free(stream->path);
    free(stream);
    return ok;
}
