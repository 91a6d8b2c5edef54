/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/mainloop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"

/* Appends the program's name: "vi" for "/usr/bin/vi -R". */
static void first_word(const char *command, struct str *out)
{
    struct str word = {0};

    str_add_bytes(&word, command, strcspn(command, " \t"));
    str_add(out, path_base(str_text(&word)));
    str_done(&word);
}

/* Returns whether the editor accepts +LINE. Other editors start at the first line. */
static bool takes_line(const char *command)
{
    static const char *const known[] = {
        "vi", "vim", "nvim", "view", "gvim",  "nano", "pico", "emacs",  "emacsclient",
        "mg", "joe", "jed",  "ne",   "micro", "kak",  "ed",   "editor", "sensible-editor"};
    struct str word = {0};
    bool takes = false;

    first_word(command, &word);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        takes |= strcmp(str_text(&word), known[i]) == 0;
    str_done(&word);
    return takes;
}

static const char *editor_command(void)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

    return visual && *visual                      ? visual
           : editor && *editor                    ? editor
           : access("/usr/bin/editor", X_OK) == 0 ? "editor"
                                                  : "vi";
}

/* Executes the editor in a forked child. The program has several threads, so the child must not
 * allocate, because another thread may own the allocator's lock. */
static void start(const char *script, const char *line, const char *path)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    execl("/bin/sh", "sh", "-c", script, *line ? line : "sh", path, (char *)NULL);
    _exit(127);
}

bool editor_run(const char *path, size_t line, struct err *err)
{
    const char *command = editor_command();
    char *file = path_argument(path);
    struct str place = {0}, script = {0};
    int status = 0;

    if (line && takes_line(command))
        str_addf(&place, "+%zu", line);
    /* The shell splits the user's command, like git and crontab do. The path is an argument, never
     * part of the command. */
    str_addf(&script, "exec %s %s\"$@\"", command, place.length ? "\"$0\" " : "");
    /* Ctrl-Z in the editor stops both programs. Without curses' handler, nothing draws over the
     * editor when it resumes. Ctrl-\ affects only the editor. */
    struct sigaction before[2], stop = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGTSTP, &stop, &before[0]);
    sigaction(SIGQUIT, &ignore, &before[1]);
    pid_t child = fork();
    if (child == 0)
        start(str_text(&script), str_text(&place), file);
    const int reason = errno;
    str_done(&place);
    str_done(&script);
    free(file);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGTSTP, &before[0], NULL);
    sigaction(SIGQUIT, &before[1], NULL);
    if (child < 0)
        return err_set(err, ERR_IO,
                       "end other programs, or raise the limit on processes (ulimit -u)",
                       "cannot start an editor: %s", strerror(reason));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return err_set(err, ERR_MISSING, "set EDITOR to an installed editor",
                       "the editor %.200s does not exist", command);
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           err_set(err, ERR_IO, "set EDITOR to another editor", "the editor %.200s failed",
                   command);
}
