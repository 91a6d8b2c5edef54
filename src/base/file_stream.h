/* A file written in pieces, each at once: pieces written before an interruption are kept. */
#ifndef PORTOLAN_BASE_FILE_STREAM_H
#define PORTOLAN_BASE_FILE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct file_stream;

/* Returns whether @path must not be written to: a directory; in the workbench (file_refuse_pipes) a
 * pipe, which may block, and the terminal, detected once it is open as @fd (-1: not yet). True with
 * err. Any thread. */
bool file_stream_refused(const char *path, int fd, struct err *err);
/* Writes all of it. On a terminal control characters are escaped by utf8_printable. False with
 * errno. Any thread. */
bool file_stream_put(int fd, const void *bytes, size_t length);
/* Creates or truncates @path. NULL with err. One thread. */
struct file_stream *file_stream_new(const char *path, struct err *err);
/* Appends a piece. On failure the file is cut after the previous piece. */
bool file_stream_add(struct file_stream *stream, const void *bytes, size_t length, struct err *err);
/* Syncs and closes; frees @stream in any case. NULL is fine. */
bool file_stream_close(struct file_stream *stream, struct err *err);

#endif
