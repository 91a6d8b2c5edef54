/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_calls.h"
#include "base/mem.h"

struct file_stream {
    int fd;
    char *path;
    off_t length;   /* whole pieces */
};

struct file_stream *file_stream_new(const char *path, struct err *err)
{
    int fd = file_calls.open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, 0666);

    if (fd < 0) {
        file_fault(err, path, "write", "check the directory and its permissions");
        return NULL;
    }
    struct file_stream *stream = mem_zero(1, sizeof *stream);
    stream->fd = fd;
    stream->path = mem_strdup(path);
    return stream;
}

bool file_stream_add(struct file_stream *stream, const void *bytes, size_t length, struct err *err)
{
    if (file_calls_write_all(stream->fd, bytes, length)) {
        stream->length += (off_t)length;
        return true;
    }
    file_fault(err, stream->path, "write", "the rows written so far are kept");
    /* A device has no length; nothing more can be done for it. */
    if (file_calls.truncate(stream->fd, stream->length) == 0)
        lseek(stream->fd, stream->length, SEEK_SET);
    return false;
}

bool file_stream_close(struct file_stream *stream, struct err *err)
{
    if (!stream)
        return true;
    /* Devices and pipes cannot be synced. */
    bool ok = file_calls.sync(stream->fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || file_fault(err, stream->path, "sync", NULL);
    if (file_calls.close(stream->fd) != 0 && ok)
        ok = file_fault(err, stream->path, "write", NULL);
    free(stream->path);
    free(stream);
    return ok;
}
