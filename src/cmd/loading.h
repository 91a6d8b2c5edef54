/* A kernel on its way into the session: read, compiled or assembled beside the screen, and told when it is there. UI thread. */
#ifndef PORTOLAN_CMD_LOADING_H
#define PORTOLAN_CMD_LOADING_H

#include "analysis/recipe.h"
#include "cmd/session.h"
#include "cmd/task.h"

/* What reads text of a kernel has in common: a member of the values' struct for each. */
#define LOADING_OPTION_SYNTAX(values) \
    {.name = "--syntax", .kind = PARAMETER_CHOICE, .at = offsetof(values, syntax), .choices = "att|intel", .otherwise = "detected", .help = "syntax of x86-64 assembler text"}
#define LOADING_OPTION_SKIP_BAD(values) \
    {.name = "--skip-bad", .kind = PARAMETER_FLAG, .at = offsetof(values, skip_bad), .help = "skip lines the assembler rejects, and list them"}

/* Makes the kernel of a file, or of text, the session's. The screen does not wait for long: the newest kernel asked for is the one that comes. Takes the recipe and
 * the text in any case. False with err on failure; what a compiler had to say stands in the session's result. */
bool loading_start(struct session *s, struct recipe *take_recipe, struct err *err);
bool loading_start_text(struct session *s, struct str *take_text, const struct kernel_options *options, struct err *err);
/* Starts a task whose publish makes the session's kernel, as task_start does. The newest of them is the one that comes: one still on its way is cancelled. */
bool loading_run(struct session *s, const char *title, const char *doing, const struct task_ops *ops, void *take_state, struct err *err);
/* Text as the kernel that is made of it keeps it (kernel.source); the caller frees. Any thread. */
char *loading_plain(const char *text, size_t length);
/* Adds name, loop and number of instructions of the session's kernel to @result, and the lines that were left out. */
void kernel_tell_loaded(struct session *s, struct result *result);

#endif
