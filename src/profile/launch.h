/* Starts a program that can be traced from its first instruction. Its output goes to a file. */
#ifndef PORTOLAN_PROFILE_LAUNCH_H
#define PORTOLAN_PROFILE_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct launched {
    pid_t pid;
    char *path;          /* path of the executable */
    /* pipe ends: the child waits for a byte from `go`, and writes exec errors to `fault`; -1:
     * closed */
    int go, fault;
};

/* Finds @argv[0] and forks. The child waits for launch_go in its own process group. The program's
 * output and errors are appended to the file @output. The program reads the file @input, or no
 * input if @input is NULL. Returns false with err if the program is missing, not executable, or for
 * another processor, or if a file cannot be opened. Any thread; it becomes the parent of the
 * program. */
bool launch(const char *const *argv, const char *output, const char *input, struct launched *out,
            struct err *err);
/* Makes the child execute the program. Returns after exec or its failure. During the call, a tracer
 * must resume the child. For this, @go_on (may be NULL) is called after each millisecond until exec
 * or its failure. Returns false with err. */
bool launch_go(struct launched *l, void (*go_on)(void *state), void *state, struct err *err);
/* Kills the process group if it is running, and frees the members of @l. Does not wait for the
 * process. */
void launch_end(struct launched *l);
/* Returns whether this computer can run and trace @path. @name: the name of the program in
 * messages. Returns false with err. */
bool launch_check(const char *path, const char *name, struct err *err);

#endif
