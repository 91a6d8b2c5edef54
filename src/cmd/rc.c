/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/rc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "cmd/command.h"

#define RC_LIMIT ((size_t)1 << 20)
#define RC_QUIT "the command would end the workbench at its start"

struct telling {
    struct str first;
    size_t count;
};

static void tell(struct telling *t, const char *name, size_t line, const struct err *err)
{
    struct str text = {0};
    char what[2048];

    str_add(&text, name);
    if (line)
        str_addf(&text, ":%zu", line);
    str_addf(&text, ": %s", err_text(err, what, sizeof what));
    log_add(LOG_ERROR, "%s", str_text(&text));
    if (!t->count++)
        str_add(&t->first, str_text(&text));
    str_done(&text);
}

static void report_first(struct telling *t, struct str *report)
{
    str_add(report, str_text(&t->first));
    if (t->count > 1)
        str_addf(report, " (and %zu more; the log shows all)", t->count - 1);
    str_done(&t->first);
}

static void run_text(struct session *s, const char *name, const char *text, struct telling *t)
{
    FILE *input = s->input;
    size_t number = 0;

    s->input = NULL;   /* Paste commands must not read from the file. */
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        char *line = mem_strndup(at, length);
        struct err err = {0};
        number++;
        bool ok = command_run(s, line, NULL, &err);
        if (ok && s->quit)
            ok = err_set(&err, ERR_USAGE, "remove the line from the file",
                         "quit is ignored: " RC_QUIT);
        if (!ok)
            tell(t, name, number, &err);
        s->quit = false;
        free(line);
        at += length + (at[length] == '\n');
    }
    s->input = input;
}

void rc_run_text(struct session *s, const char *name, const char *text, struct str *report)
{
    struct telling t = {0};

    run_text(s, name, text, &t);
    report_first(&t, report);
}

void rc_run(struct session *s, struct str *report)
{
    char *path = path_config("rc");
    struct telling t = {0};
    struct stat about;
    struct err err = {0};
    struct str text = {0};

    if (path && stat(path, &about) != 0) {
        int why = errno;
        if (lstat(path, &about) == 0 || (why != ENOENT && why != ENOTDIR)) {
            err_set(&err, ERR_IO, "correct the file, or start with --no-rc", "%s", strerror(why));
            tell(&t, path, 0, &err);
        }
    } else if (path) {   /* A pipe or device could block the start. */
        bool ok = S_ISREG(about.st_mode)
                      ? file_read(path, RC_LIMIT, &text, &err)
                      : err_set(&err, ERR_IO, "use a regular file, or start with --no-rc",
                                "is not a regular file");
        if (ok && !path_owner_trusted(&about))
            ok = err_set(&err, ERR_IO, "change the file's owner, or start with --no-rc",
                         "belongs to another user");
        if (ok && strlen(str_text(&text)) != text.length)
            ok =
                err_set(&err, ERR_DATA, "use text with one command per line", "contains NUL bytes");
        if (ok)
            run_text(s, path, str_text(&text), &t);
        else
            tell(&t, path, 0, &err);
    }
    report_first(&t, report);
    str_done(&text);
    free(path);
}
