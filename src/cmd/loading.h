/* Loads a kernel into the session in the background: reads, compiles or assembles it, and reports
 * it. UI thread. */
#ifndef PORTOLAN_CMD_LOADING_H
#define PORTOLAN_CMD_LOADING_H

#include "analysis/recipe.h"
#include "cmd/session.h"
#include "cmd/task.h"

/* option --syntax of all commands that read a kernel's text; @values has a member for it */
#define LOADING_OPTION_SYNTAX(values)                                                              \
    {PARAMETER(CHOICE, "--syntax", values, syntax), .choices = "att|intel",                        \
     .fallback = "detected", .help = "syntax of x86-64 assembler text"}
#define LOADING_OPTION_SKIP_BAD(values)                                                            \
    {PARAMETER(FLAG, "--skip-bad", values, skip_bad),                                              \
     .help = "skip lines that the assembler rejects, and list them"}

/* Makes @task load a file or text as the session's kernel. Moves the recipe or text. Returns true.
 * The result has the compiler's messages. */
bool loading_start(struct session *s, struct recipe *take_recipe, struct task *task);
bool loading_start_text(struct session *s, struct str *take_text,
                        const struct kernel_options *options, struct task *task);
/* Makes @task a job whose publish function sets the session's kernel. A later job of this kind
 * cancels the earlier job. Returns true. */
bool loading_give(struct session *s, struct task *task, const struct task_ops *ops,
                  void *take_state);
/* Records that the job continues in the background; the value of goes_on in the ops of
 * loading_give. */
void loading_goes_on(struct session *s, unsigned number);
/* Returns the text in the form in which kernel.source stores it. The caller frees it. */
char *loading_plain(const char *text, size_t length);
/* Appends the number of skipped lines, @refused of them rejected by the assembler, and of lines
 * after omitted instructions, each after @mark. */
void kernel_tell_left_out(const struct kernel *k, size_t refused, const char *mark,
                          struct str *out);
/* Adds name, loop and instruction count of the session's kernel to @result, and the omitted
 * lines. */
void kernel_tell_loaded(struct session *s, struct result *result);

#endif
