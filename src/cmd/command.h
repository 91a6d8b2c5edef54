/* Commands: one record each, next to its code. Parsing, help, the man page, completion and tests
 * read the records. To add a command:
 * 1. Create cmd_NOUN_VERB.c (or use the noun's file), add it to Makefile.am and to the list in
 *    command.c.
 * 2. Define struct NAME_values for the parsed values. `static const struct parameter options[]` and
 *    `arguments[]` describe each member (parameter.h): kind, offsetof, placeholder, unit, range,
 *    default, completion and help. A default is parsed like typed text, or described in words.
 *    Handlers parse nothing.
 * 3. `static bool run(struct session *s, const void *values, struct result *result, struct err
 *    *err)` does the work. It fills the result (table/result.h) with fields and tables by JSON key,
 *    and with lines of text. It never reads the format. A command without output calls
 *    result_confirm or result_note. A long command has `prepare` instead, which collects the input
 *    of its work (cmd/task.h). A command that only reads the session has `read` instead.
 * 4. Define `const struct command command_NOUN_VERB = {.name, .help, .arguments, .options,
 *    .values_size, .run, .flags, .examples}`. Each example is one line.
 * 5. tests/unit/test_command.c checks every record. sh tools/make-man.sh writes the man page. JSON
 *    output needs no further code. */
#ifndef PORTOLAN_CMD_COMMAND_H
#define PORTOLAN_CMD_COMMAND_H

#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/command_record.h"

extern const struct command *const commands[];   /* all commands, ended by NULL */
extern const struct command command_kernel_load, command_set;

/* Runs a command line. ';' outside quotes and parentheses separates commands. Writes each output to
 * @out. Returns false with err on the first failure, unless the setting keep-going is on. In the
 * workbench a command may leave a job running; session.queue then has the remaining commands. */
bool command_run(struct session *s, const char *line, FILE *out, struct err *err);
/* Runs a script line by line. Errors begin with name:line. If the setting keep-going is on, reports
 * errors and continues. Otherwise returns false with err on the first error. */
bool command_script(struct session *s, const char *name, const char *text, FILE *out,
                    struct err *err);
/* Runs the command from @text to @end for the queue. Sets *@waits if it was not run, because it
 * must wait for the job in session.queue. Returns false with err. */
bool command_execute(struct session *s, const char *text, const char *end, FILE *out, bool *waits,
                     struct err *err);
/* Records that a job of the workbench failed. `export` then fails until another result is shown. */
void command_job_failed(struct session *s, const char *title);
/* Returns the result of a job that ended while no command ran, as text; NULL: none. The caller
 * frees it. `export` then has this result, unless it is only a confirmation. */
char *command_take_job_result(struct session *s, const char *title);
/* Returns the command that the first of @words name by an alias or by unambiguous prefixes. Sets
 * *@used to the number of these words. Returns NULL with err. */
const struct command *command_lookup(int count, char **words, int *used, struct err *err);
/* Runs @c on @count words without output. Returns false with err. */
bool command_call(struct session *s, const struct command *c, char **words, size_t count,
                  struct err *err);
/* Parses the first command of @line without running it, for key bindings and tests. Sets *@found to
 * the command; NULL: unknown. Returns false with err if it is invalid. */
bool command_check(const char *line, const struct command **found, struct err *err);
/* Parses @count words as the values of @c. Returns NULL with err. The caller frees the result by
 * given_free. */
struct given *command_values(const struct command *c, char **words, size_t count, struct err *err);
/* Appends the usage, such as "FILE [--machine ID]...". */
void command_usage(const struct command *c, struct str *out);

/* Checks option --cpu: this process must be allowed to run on CPU @number. Sets *@out to -1 (any
 * CPU) for NOT_GIVEN. Returns false with err. */
bool command_cpu(size_t number, int *out, struct err *err);

/* Writes @text to @file and adds a confirmation to @result. Returns false with err. */
bool command_write(const char *file, const struct str *text, struct result *result,
                   struct err *err);

/* functions of the commands' files that other files call */

/* Adds the available results of a running `experiments measure` to the session's table. Does
 * nothing while a job reads the table. The main loop calls it whenever it wakes. */
void experiments_publish(struct session *s);
/* CPU, machine and time limit of a measurement. Other options have the defaults of experiments
 * measure. */
struct measure_choice {
    const char *simulate;   /* id of the machine to simulate; NULL: measure this CPU */
    double patience;        /* maximum seconds to wait for a stable core; NaN: the default */
    size_t cpu;             /* number of the CPU that measures; NOT_GIVEN: any CPUs */
};
/* Replaces the session's experiments with *@made (session_set_experiments) and measures those
 * without cycles. Returns false with err if it cannot measure. */
bool experiments_measure(struct session *s, struct experiments **made,
                         const struct experiments *base, const struct measure_choice *choice,
                         struct result *result, struct err *err);
#define EVOLVED_MACHINE "evolved"   /* id of the machine that evolve adopt creates */
/* Replaces the session's charted machine @name with its saved version in @directory. Logs failures.
 * UI thread. */
void chart_adopt(struct session *s, const char *directory, const char *name);
/* Moves the samples so far of a running program profile into the document. UI thread. */
void profile_publish(struct session *s);
/* Moves the measurements so far of a running kernel blame into the document. UI thread. */
void blame_publish(struct session *s);
/* Moves the rows so far of a running machine check into the document. UI thread. */
void check_publish(struct session *s);
/* Returns false with err if the session has no experiments. */
bool experiments_required(const struct session *s, struct err *err);
/* Returns whether measuring is paused. */
bool experiments_paused(const struct session *s);
/* Returns, for each row of the session's experiments, whether it matches @filter ("" matches all).
 * The caller frees the array. Returns NULL with err. */
bool *experiments_fitting(struct session *s, const char *filter, struct err *err);


/* Makes @task extend the session's table and measure rows without cycles. Adds pairs of forms that
 * no measured experiment compares, and experiments that show hidden ports of the evolved machine.
 * Returns false with err. */
bool settle_table(struct session *s, const struct measure_choice *choice, struct task *task,
                  struct err *err);

#endif
