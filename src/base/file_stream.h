/* A file that is written piece by piece, each at once: pieces written before an interruption
 * stay. */
#ifndef PORTOLAN_BASE_FILE_STREAM_H
#define PORTOLAN_BASE_FILE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct file_stream;

/* Whether @path cannot be written to as it is: a directory; in the workbench (file_refuse_pipes) a
 * pipe, which may keep it waiting for a reader, and the terminal, once it is open as @fd (-1: it is
 * not yet). True with err. Any thread. */
bool file_stream_refused(const char *path, int fd, struct err *err);
/* Writes all of it, to a terminal by utf8_printable, so that no name controls it. False with errno.
 * Any thread. */
bool file_stream_put(int fd, const void *bytes, size_t length);
/* Empties or makes @path. NULL with err. One thread. */
struct file_stream *file_stream_new(const char *path, struct err *err);
/* Writes a piece; on failure the file ends with the piece before. */
bool file_stream_add(struct file_stream *stream, const void *bytes, size_t length, struct err *err);
/* Syncs and closes; frees @stream in any case. NULL is fine. */
bool file_stream_close(struct file_stream *stream, struct err *err);

#endif
