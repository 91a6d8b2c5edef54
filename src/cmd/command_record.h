/* The record of a command (cmd/command.h describes how to write one). */
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
    COMMAND_CHANGES = 1,   /* the document: analyses and predictions are stale afterwards */
    COMMAND_JOB = 2,       /* starts a job; in the workbench its result may come later */
    /* the remainder of the line is one argument, as written; the only parameter is a
     * PARAMETER_TEXT */
    COMMAND_RAW = 4,
    COMMAND_SILENT = 8,    /* its commands print: it has no result of its own */
    COMMAND_SHOWN = 16,    /* it acts on the shown result, which stays exportable if it fails */
};

struct command {
    const char *name;                    /* "kernel load": noun and verb, or one word */
    /* other names, of one word each, a blank between them; NULL: none */
    const char *aliases;
    /* words that users type for it without meaning a name, a blank between them; NULL: none */
    const char *meant;
    const char *help;                    /* one line, without a full stop */
    const char *description;             /* sentences; NULL: the line is complete */
    const struct parameter *arguments, *options;   /* each ends with a NULL name; NULL: none */
    const char *const *examples;         /* at least one, ends with NULL */
    /* of the struct that the parameters fill; 0: there are none */
    size_t values_size;
    unsigned flags;
    /* One of the three. @values go when it returns, but those of read. False with err. */
    /* UI thread: does it at once. */
    bool (*run)(struct session *s, const void *values, struct result *result, struct err *err);
    /* UI thread: copies the input of the work from @s into @task (task_give, which copies strings).
     * A worker does that work, and the UI thread publishes the result (struct task_ops). With
     * nothing given all is done. */
    bool (*prepare)(struct session *s, const void *values, struct task *task, struct err *err);
    /* Worker, on the screen: only reads kernel, loop, machines, forms, experiments and settings. @s
     * is a copy of these from its start. */
    bool (*read)(struct session *s, const void *values, struct result *result, struct err *err);
};

#endif
