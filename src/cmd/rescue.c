/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/autosave.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/shortage.h"
#include "base/utf8.h"
#include "base/watch.h"
#include "cmd/session_file.h"
#include "cmd/session_parts.h"

#define PATIENCE 30   /* time limit of saving in seconds */

static _Atomic(struct session *) ours;

/* Stores a path in the state directory with time and process id; "" without a state
 * directory. */
static void name_directory(char *path, size_t size)
{
    char name[64], stamp[32] = "";
    time_t now = time(NULL);
    struct tm local;

    if (localtime_r(&now, &local))
        strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    snprintf(name, sizeof name, "rescued-%s-%ld", stamp, (long)getpid());
    char *state = path_state(name);
    snprintf(path, size, "%s", state ? state : "");
    free(state);
}

/* Saves in a child process, so corrupt state ends only the child. @run: also saves the inference
 * run, whose state may be corrupt. */
static void save(const char *path, bool run)
{
    struct session *s = atomic_load(&ours);
    struct err err = {0};
    char text[2048];

    lock_none();
    alarm(PATIENCE);
    shortage_begin(NULL);
    watch_begin(NULL, NULL);   /* A cancellation of this thread must not stop the save. */
    if (run)
        s->document.unfinished = session_unfinished_run(s);
    if (path_make_parents(path, 0700, &err) && session_save(s, path, &err))
        _exit(0);
    utf8_say_now(STDERR_FILENO, "portolan: %s\n", err_text(&err, text, sizeof text));
    _exit(1);
}

/* Saves in a child process, and again without the inference run if a signal other than SIGALRM
 * ended the child. Returns whether the session was saved. */
static bool save_apart(const char *path)
{
    int status = -1;

    for (int run = 1; run >= 0; run--) {
        pid_t child = fault_fork();
        if (child == 0)
            save(path, run);
        while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        if (child < 0 || WIFEXITED(status) || WTERMSIG(status) == SIGALRM)
            break;
    }
    return status == 0;
}

static void rescue(void)
{
    const struct session *s = atomic_load(&ours);
    char path[PATH_MAX];

    if (!s || s->revision == 1)
        return;
    shortage_yield_last();
    name_directory(path, sizeof path);
    if (!*path)
        return;
    if (save_apart(path))
        utf8_say_now(STDERR_FILENO,
                     "portolan: the session was saved; portolan --session %s resumes it\n", path);
    else
        utf8_say_now(STDERR_FILENO, "portolan: the session could not be saved\n");
}

void rescue_set(struct session *s)
{
    atomic_store(&ours, s);
    die_set_save(s ? rescue : NULL);
}
