/* SPDX-License-Identifier: 0BSD */
/* Writes buffered text to a file. Linked into traced programs, but does not use their streams. One
 * thread. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_OUTPUT_H
#define PORTOLAN_PROGRAM_RUNTIME_OUTPUT_H

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

struct output {
    int file;
    int failed;
    size_t length;
    char text[1 << 16];
};

/* Writes the buffered text to the file. Sets o->failed if a write fails. */
static inline void flush(struct output *o)
{
    for (size_t done = 0; done < o->length && !o->failed;) {
        ssize_t n = write(o->file, o->text + done, o->length - done);
        if (n < 0 && errno != EINTR)
            o->failed = 1;
        done += n > 0 ? (size_t)n : 0;
    }
    o->length = 0;
}

/* Appends formatted text of up to 511 bytes */
#define PUT(o, ...)                                                                                \
    do {                                                                                           \
        if (sizeof(o)->text - (o)->length < 512)                                                   \
            flush(o);                                                                              \
        (o)->length +=                                                                             \
            (size_t)snprintf((o)->text + (o)->length, sizeof(o)->text - (o)->length, __VA_ARGS__); \
    } while (0)

#endif
