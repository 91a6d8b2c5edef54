/* A file that is written piece by piece, each piece at once: what came before an interruption stays. */
#ifndef PORTOLAN_BASE_FILE_STREAM_H
#define PORTOLAN_BASE_FILE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct file_stream;

/* Empties or makes @path. NULL with err. One thread. */
struct file_stream *file_stream_new(const char *path, struct err *err);
/* Writes a piece; on failure the file ends with the piece before. */
bool file_stream_add(struct file_stream *stream, const void *bytes, size_t length, struct err *err);
/* Syncs and closes; frees @stream in any case. NULL is fine. */
bool file_stream_close(struct file_stream *stream, struct err *err);

#endif
