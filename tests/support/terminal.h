/* Runs a program on its own pseudoterminal (pty). Reads and counts its output, and simulates
 * typing, pasting and resizing. One thread. */
#ifndef PORTOLAN_TESTS_TERMINAL_H
#define PORTOLAN_TESTS_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct terminal {
    pid_t pid;            /* process id of the program; 0 after its end */
    int fd;
    int status;           /* result of waitpid, after the program's end */
    uint64_t printed;     /* number of bytes printed so far */
    struct str recent;    /* most recent output, without NUL bytes; tests may clear it */
    /* number of times that the program stopped itself (Ctrl-Z) and was continued */
    unsigned stops;
};

/* Starts @argv on a terminal of @columns by @rows cells, with TERM and the environment of this
 * process. Returns false if no pty is available. */
bool terminal_open(struct terminal *t, char *const argv[], unsigned columns, unsigned rows);
/* Kills the program if it still runs, and frees the terminal. */
void terminal_close(struct terminal *t);
/* Reads output for @milliseconds, or until the first output or the program's end. Continues the
 * program if it stopped itself. Returns false if there was no output. */
bool terminal_read(struct terminal *t, int milliseconds);
/* Types @length bytes as fast as the program accepts them, and reads its output concurrently.
 * Returns false if the program ended, or after a hang (HANG_SECONDS), which is reported. */
bool terminal_type(struct terminal *t, const char *bytes, size_t length);
void terminal_resize(struct terminal *t, unsigned columns, unsigned rows);
/* Waits until the output since `recent` was cleared contains @text. Returns false if the program
 * ended, or after a hang, which is reported. */
bool terminal_await(struct terminal *t, const char *text);
/* Waits at most @seconds for @text. Does not report a hang, because the caller retries. */
bool terminal_sees(struct terminal *t, const char *text, double seconds);
/* Waits for the program's end. Returns false after a hang, which is reported. */
bool terminal_await_end(struct terminal *t);
/* Waits at most @seconds for the program's end. Does not report a hang, because the caller
 * retries. */
bool terminal_ends(struct terminal *t, double seconds);
/* Returns the processor time of the program in seconds, or NaN if unavailable. */
double terminal_cpu(const struct terminal *t);

#endif
