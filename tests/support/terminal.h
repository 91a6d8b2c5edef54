/* A program on a terminal of its own (a pty): its output is read and counted; typing, pasting and
 * resizing are simulated. One thread. */
#ifndef PORTOLAN_TESTS_TERMINAL_H
#define PORTOLAN_TESTS_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct terminal {
    pid_t pid;            /* 0: it has ended */
    int fd;
    int status;           /* as waitpid gives it, once it has ended */
    uint64_t printed;     /* bytes so far */
    struct str recent;    /* the last of them, with NUL bytes taken out; a test may clear it */
    unsigned stops;       /* how often it had stopped itself (Ctrl-Z) and was continued */
};

/* Starts @argv on a terminal of @columns by @rows cells. The program finds TERM and the rest of the
 * environment as this process has them. False: no pty can be had. */
bool terminal_open(struct terminal *t, char *const argv[], unsigned columns, unsigned rows);
/* Kills what still runs, and frees. */
void terminal_close(struct terminal *t);
/* Reads output, and continues the program if it stopped itself, for @milliseconds, or until output
 * or its end. False if there was no output. */
bool terminal_read(struct terminal *t, int milliseconds);
/* Types @length bytes as fast as the program accepts them, and reads its output meanwhile. False if
 * the program ended, or hangs (HANG_SECONDS), which is reported. */
bool terminal_type(struct terminal *t, const char *bytes, size_t length);
void terminal_resize(struct terminal *t, unsigned columns, unsigned rows);
/* Waits until @text has been printed since `recent` was cleared. False if the program ended, or
 * hangs, which is reported. */
bool terminal_await(struct terminal *t, const char *text);
/* The same for @seconds, of what is tried again otherwise. */
bool terminal_sees(struct terminal *t, const char *text, double seconds);
/* Waits for its end: false on a hang, which is reported. */
bool terminal_await_end(struct terminal *t);
/* The same for @seconds, of what is tried again otherwise. */
bool terminal_ends(struct terminal *t, double seconds);
/* Seconds of processor time that it has used; NaN when they cannot be seen. */
double terminal_cpu(const struct terminal *t);

#endif
