/* Runs another program without a shell, under limits, with input and output in memory. Also private
 * temporary directories. */
#ifndef PORTOLAN_BASE_CHILD_H
#define PORTOLAN_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define CHILD_FILE 3

struct child_limits {
    unsigned cpu_seconds;
    size_t memory;    /* bytes of address space */
    size_t file_size; /* bytes of each file written */
    /* wall-clock seconds; time in which the child was ready but other processes had the CPU does
     * not count */
    double wall_seconds;
    double asks;          /* seconds between two calls of child_watch's function; 0: 0.1 */
    size_t output;        /* bytes of its output that are kept */
    bool fixed_addresses; /* disable address space randomisation where the system allows it */
    /* descriptor passed to the child as CHILD_FILE, at least CHILD_FILE; 0: none */
    int file;
};

struct child_result {
    int status;     /* as waitpid gives it */
    bool timed_out; /* the wall-clock limit ended it and its process group */
    bool cut;       /* the output exceeded the limit and was cut */
    /* CPU seconds of the child and of the children it waited for, user and system */
    double cpu_seconds;
    double system_seconds; /* system part of these seconds */
    double page_faults;    /* page faults served without reading from a disk */
    double taken_over;     /* involuntary context switches */
    struct str output;     /* standard output and error, mixed */
};

/* Runs @argv (found through PATH, LC_ALL=C) in directory @dir with @input as standard input.
 * Returns true once it has ended, with any status. Returns false if it could not be started or the
 * user interrupted. child_result_done frees @out in both cases. Any thread. */
bool child_run(const char *const *argv, const char *dir, const void *input, size_t length,
               const struct child_limits *limits, struct child_result *out, struct err *err);
void child_result_done(struct child_result *result);

/* Returns whether PATH has a program of that name. Any thread. */
bool program_installed(const char *name);

/* Sets a function that cancels children of the calling thread: they are killed when @cancelled
 * returns true. It is polled at the limits' interval, by default 10 times a second. NULL: never. */
void child_watch(bool (*cancelled)(void *state), void *state);

/* Creates a directory of mode 0700 below $TMPDIR or /tmp. exit() removes it unless
 * child_directory_free did; after a kill the next program that needs one does. NULL on failure. */
char *child_directory_new(struct err *err);
/* Detects a full disk: @printed by a program that failed in @dir reports one, and less than @needed
 * bytes are free or a quota is used up. Then err has that reason; the input is not at fault. */
bool child_directory_full(const char *dir, const char *printed, size_t needed, struct err *err);
/* Removes the directory with its files and frees @path. NULL is fine. */
void child_directory_free(char *path);

#endif
