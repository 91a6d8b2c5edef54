/* A program started so that it can be traced from its first instruction on; its output goes into a
 * file. */
#ifndef PORTOLAN_PROFILE_LAUNCH_H
#define PORTOLAN_PROFILE_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct launched {
    pid_t pid;
    char *path;          /* of the file that is run, found through PATH */
    /* ends of pipes: it waits for a byte, and reports why it could not be run; -1: closed */
    int go, fault;
};

/* The path of program @name, as the shell finds it; NULL when it is nowhere. The caller frees it.
 * Any thread. */
char *launch_find(const char *name);
/* Finds @argv[0] and forks; the child waits in a process group of its own for launch_go. @output:
 * path that its output and errors are appended to; @input: path it reads, NULL: nothing. False with
 * err: no such file, not executable, for another processor. Any thread; the calling one is the
 * parent. */
bool launch(const char *const *argv, const char *output, const char *input, struct launched *out,
            struct err *err);
/* Runs it, and returns when it ends; its tracer resumes it when it stops meanwhile: @go_on (NULL:
 * none) is called about once a millisecond. False with err when the system refuses. */
bool launch_go(struct launched *l, void (*go_on)(void *state), void *state, struct err *err);
/* Kills it, and all of its group, when it still runs, and frees the members of @l. The process is
 * not waited for. */
void launch_end(struct launched *l);
/* Whether @path, which messages call @name, can be run and looked at here; false with err. */
bool launch_check(const char *path, const char *name, struct err *err);

#endif
