/* A program on its own pseudoterminal (pty): output is read and counted; typing, pasting and
 * resizing are simulated. One thread. */
#ifndef PORTOLAN_TESTS_TERMINAL_H
#define PORTOLAN_TESTS_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct terminal {
    pid_t pid;            /* 0: has ended */
    int fd;
    int status;           /* of waitpid, after the end */
    uint64_t printed;     /* bytes so far */
    struct str recent;    /* last output, without NUL bytes; a test may clear it */
    unsigned stops;       /* number of times that it stopped itself (Ctrl-Z) and was continued */
};

/* Starts @argv on a terminal of @columns by @rows cells, with TERM and the environment of this
 * process. False: no pty is available. */
bool terminal_open(struct terminal *t, char *const argv[], unsigned columns, unsigned rows);
/* Kills the program if it still runs, and frees. */
void terminal_close(struct terminal *t);
/* Reads output, and continues the program if it stopped itself, for @milliseconds, or until the
 * first output or its end. False if there was no output. */
bool terminal_read(struct terminal *t, int milliseconds);
/* Types @length bytes at the speed at which the program accepts them, and reads its output
 * meanwhile. False if the program ended, or hangs (HANG_SECONDS), which is reported. */
bool terminal_type(struct terminal *t, const char *bytes, size_t length);
void terminal_resize(struct terminal *t, unsigned columns, unsigned rows);
/* Waits until @text has been printed since `recent` was cleared. False if the program ended, or
 * hangs, which is reported. */
bool terminal_await(struct terminal *t, const char *text);
/* The same for @seconds, without reporting a hang: the caller retries. */
bool terminal_sees(struct terminal *t, const char *text, double seconds);
/* Waits for the program's end; false on a hang, which is reported. */
bool terminal_await_end(struct terminal *t);
/* The same for @seconds, without reporting a hang: the caller retries. */
bool terminal_ends(struct terminal *t, double seconds);
/* Processor time of the program in seconds; NaN when unavailable. */
double terminal_cpu(const struct terminal *t);

#endif
