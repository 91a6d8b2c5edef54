/* A file that is written in pieces. Each piece is written immediately. If writing is interrupted,
 * the previous pieces remain. */
#ifndef PORTOLAN_BASE_FILE_STREAM_H
#define PORTOLAN_BASE_FILE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct file_stream;

/* Returns whether @path must not be written to: it is a directory, or in the workbench
 * (file_refuse_pipes) the terminal or a pipe, which may block. Detects the terminal only if the
 * file is open as @fd (-1: not open). Returns true with err. Any thread. */
bool file_stream_refused(const char *path, int fd, struct err *err);
/* Writes all bytes. On a terminal utf8_printable escapes control characters. Returns false with
 * errno. Any thread. */
bool file_stream_put(int fd, const void *bytes, size_t length);
/* Creates or truncates @path. Returns NULL with err. One thread. */
struct file_stream *file_stream_new(const char *path, struct err *err);
/* Appends a piece. On failure truncates the file to the previous pieces, and returns false with
 * err. */
bool file_stream_add(struct file_stream *stream, const void *bytes, size_t length, struct err *err);
/* Syncs and closes the file, and frees @stream, which may be NULL. Returns false with err. */
bool file_stream_close(struct file_stream *stream, struct err *err);

#endif
