/* Another program run without a shell, under limits, with its input and output in memory; private
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
    /* wall-clock time, except while it could run and others had the processor: a busy machine is no
     * reason to end it */
    double wall_seconds;
    double asks;          /* seconds between two calls of child_watch's function; 0: 0.1 */
    size_t output;        /* bytes kept of its output */
    bool fixed_addresses; /* the same addresses in every run, where the system grants it */
    /* descriptor that it also has as CHILD_FILE, which is the least it may be; 0: none */
    int file;
};

struct child_result {
    int status;     /* as waitpid gives it */
    bool timed_out; /* the wall clock ran out and its process group was killed */
    bool cut;       /* it printed more than was kept */
    /* CPU time of it and of children that it waited for, including the system's */
    double cpu_seconds;
    double system_seconds; /* of these, in the system */
    double page_faults;    /* for which nothing was read from a disk */
    double taken_over;     /* times that another process got its CPU while it could have gone on */
    struct str output;     /* standard output and error, mixed */
};

/* Runs @argv (found through PATH, LC_ALL=C) in directory @dir with @input as standard input. True
 * once it has ended, however it ended; false when it could not be started or the user interrupted.
 * child_result_done frees @out in both cases. Any thread. */
bool child_run(const char *const *argv, const char *dir, const void *input, size_t length,
               const struct child_limits *limits, struct child_result *out, struct err *err);
void child_result_done(struct child_result *result);

/* Whether a program of that name is found through PATH. Any thread. */
bool program_installed(const char *name);

/* From now on children of the calling thread are ended when @cancelled returns true, which is
 * called some times a second or at the limits' interval. NULL: never. */
void child_watch(bool (*cancelled)(void *state), void *state);

/* A new directory of mode 0700 below $TMPDIR or /tmp, removed at exit() if not before, and by the
 * next program that needs one after a kill. NULL on failure. */
char *child_directory_new(struct err *err);
/* Whether the text @printed by a program that failed in @dir reports a full disk, and less than
 * @needed bytes are free or a quota is used up. Then its input is not at fault, and err has the
 * reason. */
bool child_directory_full(const char *dir, const char *printed, size_t needed, struct err *err);
/* Removes the directory with the files in it, frees @path. NULL is fine. */
void child_directory_free(char *path);

#endif
