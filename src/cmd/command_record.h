/* Record of a command (cmd/command.h describes how to write one). */
#ifndef PORTOLAN_CMD_COMMAND_RECORD_H
#define PORTOLAN_CMD_COMMAND_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/parameter.h"
#include "cmd/session.h"
#include "cmd/task.h"
#include "table/result.h"

enum command_flags {
    COMMAND_CHANGES = 1,   /* changes the document: analyses and predictions are stale afterwards */
    COMMAND_JOB = 2,       /* starts a job; in the workbench its result may follow later */
    /* the rest of the line is one unparsed argument; the only parameter is a PARAMETER_TEXT */
    COMMAND_RAW = 4,
    COMMAND_SILENT = 8,    /* its nested commands print: it has no result of its own */
    COMMAND_SHOWN = 16,    /* uses the shown result, which stays exportable on failure */
};

struct command {
    const char *name;                    /* "kernel load": noun and verb, or one word */
    /* aliases of one word, separated by blanks; NULL: none */
    const char *aliases;
    /* synonyms for suggestions, separated by blanks; NULL: none */
    const char *meant;
    const char *help;                    /* one line, without a full stop */
    const char *description;             /* sentences; NULL: @help suffices */
    const struct parameter *arguments, *options;   /* each ends with a NULL name; NULL: none */
    const char *const *examples;         /* at least one, ends with NULL */
    /* size of the struct for the parameters; 0: none */
    size_t values_size;
    unsigned flags;
    /* One of the following three. @values are freed when it returns, except those of read. False
     * with err. */
    /* UI thread: does the work at once. */
    bool (*run)(struct session *s, const void *values, struct result *result, struct err *err);
    /* UI thread: copies the input of the work from @s into @task (task_give, which copies strings).
     * A worker does the work, and the UI thread publishes the result (struct task_ops). Without a
     * task the work is done. */
    bool (*prepare)(struct session *s, const void *values, struct task *task, struct err *err);
    /* Worker thread in the workbench: only reads kernel, loop, machines, forms, experiments and
     * settings. @s is a snapshot. */
    bool (*read)(struct session *s, const void *values, struct result *result, struct err *err);
};

#endif
