/* Commands: one record each, next to its code. Parsing, help, the man page, completion and tests
 * read it.
 * To add one:
 * 1. cmd_NOUN_VERB.c, or one file per noun, in Makefile.am, and a line in command.c's list.
 * 2. struct NAME_values holds the parsed values. `static const struct parameter options[]` and
 * `arguments[]` describe each member (parameter.h): kind, offsetof, placeholder, unit, range,
 * default (initial: parsed like typed text, or in words), completion, help. Handlers parse nothing.
 * 3. `static bool run(struct session *s, const void *values, struct result *result, struct err
 * *err)` does the work and fills the result (table/result.h): fields and tables with JSON keys,
 * lines for text. It never reads the format. A command without output calls result_confirm or
 * result_note. A long one has `prepare` instead of run, which collects the input of the work
 * (cmd/task.h); one that only reads the session has `read`.
 * 4. `const struct command command_NOUN_VERB = {.name, .help, .arguments, .options, .values_size,
 * .run, .flags, .examples}`; each example is a line.
 * 5. tests/unit/test_command.c checks every record; sh tools/make-man.sh writes the man page.
 * JSON prints one object per command without further code. */
#ifndef PORTOLAN_CMD_COMMAND_H
#define PORTOLAN_CMD_COMMAND_H

#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/command_record.h"

extern const struct command *const commands[];   /* ends with NULL */
extern const struct command command_kernel_load, command_set;

/* Runs a command line; ';' separates several commands outside quotes and parentheses. Writes each
 * output to @out. False with err on the first failure. In the workbench a command may leave a job
 * running; session.queue then holds the following commands. */
bool command_run(struct session *s, const char *line, FILE *out, struct err *err);
/* Runs a script line by line; errors begin with name:line. With keep-going errors are reported and
 * the run continues. */
bool command_script(struct session *s, const char *name, const char *text, FILE *out,
                    struct err *err);
/* Runs the command from @text to @end for the queue; *@waits: it must run later, after the job in
 * session.queue. */
bool command_execute(struct session *s, const char *text, const char *end, FILE *out, bool *waits,
                     struct err *err);
/* Records that a job of the workbench failed: `export` has nothing until something else is
 * shown. */
void command_job_failed(struct session *s, const char *title);
/* Returns the result of a job that ended while no command ran, as text to be freed, or NULL. Unless
 * it only confirms it becomes the last result, for `export`. */
char *command_take_job_result(struct session *s, const char *title);
/* Returns the command that @words begin with, by unambiguous prefixes; *@used is the number of
 * words it took. NULL with err. */
const struct command *command_lookup(int count, char **words, int *used, struct err *err);
/* Runs @c on @count words without output. */
bool command_call(struct session *s, const struct command *c, char **words, size_t count,
                  struct err *err);
/* Parses @line without running it: false with err if invalid. For tests of examples. */
bool command_check(const char *line, const struct command **found, struct err *err);
/* Appends "FILE [--machine ID]...". */
void command_usage(const struct command *c, struct str *out);

/* Option --cpu: @number must be allowed to this process; NOT_GIVEN, -1: any. */
bool command_cpu(size_t number, int *out, struct err *err);

/* Writes @text to @file and confirms it in @result. False with err. */
bool command_write(const char *file, const struct str *text, struct result *result,
                   struct err *err);

/* Handlers of the nouns. */

/* Adds the available results of a running `experiments measure` to the session's table; the main
 * loop calls it when it wakes. */
void experiments_publish(struct session *s);
/* CPU, machine and time limit of a measurement; other options have the defaults of experiments
 * measure. */
struct measure_choice {
    const char *simulate;   /* machine to simulate; NULL: this CPU */
    double patience;        /* NaN: the default */
    size_t cpu;             /* NOT_GIVEN: an idle CPU */
};
/* Replaces the session's experiments by *@made (session_set_experiments), unless measuring is
 * refused, and measures those without cycles. False with err. */
bool experiments_measure(struct session *s, struct experiments **made,
                         const struct experiments *base, const struct measure_choice *choice,
                         struct result *result, struct err *err);
#define EVOLVED_MACHINE "evolved"   /* made by evolve adopt */
/* Makes @s use the saved version of the charted machine @name. Logs an error. UI thread. */
void chart_adopt(struct session *s, const char *directory, const char *name);
/* UI thread: puts the samples so far of program profile into the document. */
void profile_publish(struct session *s);
/* UI thread: puts the measurements so far of kernel blame into the document. */
void blame_publish(struct session *s);
/* Returns false with err when the session has no experiments. */
bool experiments_required(const struct session *s, struct err *err);
/* Returns whether measuring is paused. */
bool experiments_paused(const struct session *s);
/* Returns one flag per row of the session's experiments: whether it matches @filter ("": all). The
 * caller frees. NULL with err. */
bool *experiments_fitting(struct session *s, const char *filter, struct err *err);

/* settle_table.c: experiments settle without a machine: open points of the session's own
 * experiments. */

/* Makes @task extend the session's table and measure rows without cycles. It adds pairs of forms
 * that no measured experiment compares, and experiments that show hidden ports of the evolved
 * machine. False with err. */
bool settle_table(struct session *s, const struct measure_choice *choice, struct task *task,
                  struct err *err);

#endif
