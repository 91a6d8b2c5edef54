/* Runs another program without a shell, with limits, and with input and output in memory. Also
 * creates private temporary directories. */
#ifndef PORTOLAN_BASE_CHILD_H
#define PORTOLAN_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define CHILD_FILE 3

struct child_limits {
    unsigned cpu_seconds;
    size_t memory;    /* maximum size of the address space in bytes */
    size_t file_size; /* maximum size of a file that the child writes, in bytes */
    /* wall-clock seconds; excludes time in which the child was runnable but waited for a CPU */
    double wall_seconds;
    double asks;          /* seconds between two calls of child_watch's function; 0: 0.1 */
    size_t output;        /* maximum number of bytes of the child's output that are stored */
    bool fixed_addresses; /* whether to disable address space randomisation if the system allows
                           * it */
    /* descriptor that the child receives as CHILD_FILE; must be at least CHILD_FILE; 0: none */
    int file;
};

struct child_result {
    int status;     /* exit status, in the form of waitpid */
    bool timed_out; /* whether the process group was killed: at the wall-clock limit, or because of
                     * cancellation */
    bool cut;       /* whether the output was truncated at child_limits.output */
    /* CPU seconds (user and system) of the child, and of its own children that it waited for;
     * @system_seconds: the system part */
    double cpu_seconds;
    double system_seconds;
    double page_faults;    /* number of page faults that needed no disk access */
    double taken_over;     /* number of involuntary context switches */
    struct str output;     /* standard output and standard error, interleaved */
};

/* Runs @argv (found through PATH, with LC_ALL=C) in directory @dir with @input as standard input.
 * Returns true after the program has ended, with any status or at the time limit. Returns false
 * with err if the program could not be started, or if it was cancelled. Call
 * child_result_done in both cases. Any thread. */
bool child_run(const char *const *argv, const char *dir, const void *input, size_t length,
               const struct child_limits *limits, struct child_result *out, struct err *err);
void child_result_done(struct child_result *result);

/* Makes child_run on the calling thread kill its child when @cancelled returns true (NULL: never).
 * @cancelled is called at the interval in the limits, by default ten times per second. */
void child_watch(bool (*cancelled)(void *state), void *state);

/* Creates a directory of mode 0700 in $TMPDIR or /tmp. child_directory_free or exit() removes it.
 * If the program is killed, the next program that creates one removes it. Returns NULL with err. */
char *child_directory_new(struct err *err);
/* Returns whether a full disk made a program in @dir fail: its output @printed reports an exceeded
 * quota, or a full disk that lacks @needed bytes or inodes. If true, sets err, because the input is
 * then not the cause of the failure. */
bool child_directory_full(const char *dir, const char *printed, size_t needed, struct err *err);
/* Removes the directory with its files and frees @path. Does nothing for NULL. */
void child_directory_free(char *path);

#endif
