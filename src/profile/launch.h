/* Starts a program so that it can be traced from its first instruction; its output goes to a
 * file. */
#ifndef PORTOLAN_PROFILE_LAUNCH_H
#define PORTOLAN_PROFILE_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct launched {
    pid_t pid;
    char *path;          /* of the executable, found through PATH */
    /* pipe ends: the child waits for a byte, and reports exec errors; -1: closed */
    int go, fault;
};

/* Returns the path of program @name, as the shell finds it, or NULL. The caller frees it. */
char *launch_find(const char *name);
/* Finds @argv[0] and forks; the child waits in its own process group for launch_go. @output: file
 * to append its output and errors to; @input: file to read, NULL: nothing. False with err: missing,
 * not executable, or for another processor. Any thread; the calling one is the parent. */
bool launch(const char *const *argv, const char *output, const char *input, struct launched *out,
            struct err *err);
/* Starts the program, and returns after exec or failure; a tracer must resume it meanwhile: @go_on
 * (NULL: none) is called about once a millisecond. False with err on failure. */
bool launch_go(struct launched *l, void (*go_on)(void *state), void *state, struct err *err);
/* Kills its process group, if running, and frees the members of @l. Does not wait for the
 * process. */
void launch_end(struct launched *l);
/* Returns whether @path, called @name in messages, can be run and traced here; false with err. */
bool launch_check(const char *path, const char *name, struct err *err);

#endif
