/* Record of a command. cmd/command.h describes how to add one. */
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
    /* the command changes the document, so earlier analyses and predictions are outdated */
    COMMAND_CHANGES = 1,
    COMMAND_JOB = 2,       /* the command starts a job, whose result may follow later in the
                            * workbench */
    /* the rest of the line is one unparsed argument; the command's only parameter is a
     * PARAMETER_TEXT */
    COMMAND_RAW = 4,
    COMMAND_SILENT = 8,    /* the command prints nothing; the commands that it runs print their
                            * results */
    COMMAND_SHOWN = 16,    /* the command uses the shown result, which remains exportable if the
                            * command fails */
    /* the command calls session_forms on the UI thread, so in the workbench a job loads the tables
     * first */
    COMMAND_FORMS = 32,
};

#define EXAMPLES(...) ((const char *const[]){__VA_ARGS__, NULL})
/* makes a list of a command's parameters, each in braces */
#define PARAMETERS(...) ((const struct parameter[]){__VA_ARGS__, {0}})

struct command {
    const char *name;                    /* noun and verb ("kernel load"), or one word */
    /* aliases of one word, separated by blanks; NULL: none */
    const char *aliases;
    /* synonyms for suggestions, separated by blanks; NULL: none */
    const char *meant;
    const char *help;                    /* one line without a full stop */
    const char *description;             /* full sentences; NULL: none */
    /* parameters, ended by a NULL name; NULL: none */
    const struct parameter *arguments, *options;
    /* at least one example, ended by NULL: EXAMPLES("kernel list") */
    const char *const *examples;
    /* size of the struct of the parameters' values; 0: none */
    size_t values_size;
    unsigned flags;
    const char *doing;                   /* verb of `read` for messages; NULL: "runs" */
    /* Each command has one of these three handlers. @values are valid until the handler and the
     * work that it gives to @task have ended. Handlers return false with err. */
    /* Does the work at once. UI thread. */
    bool (*run)(struct session *s, const void *values, struct result *result, struct err *err);
    /* Copies the input of the work from @s into @task (task_give). UI thread. A worker does the
     * work, and the UI thread publishes the result (struct task_ops). If @task is empty, the
     * handler has done all work. */
    bool (*prepare)(struct session *s, const void *values, struct task *task, struct err *err);
    /* Reads only kernel, loop, machines, forms, experiments and settings of the snapshot @s. Runs
     * on a worker thread in the workbench. */
    bool (*read)(struct session *s, const void *values, struct result *result, struct err *err);
};

#endif
