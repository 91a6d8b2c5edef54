/* Commands: one record each, next to its code. Parsing, help, the man page, completion and tests
 * read it.
 *
 * To add one:
 * 1. cmd_NOUN_VERB.c, or one file per noun, named in Makefile.am, and a line in command.c's list.
 * 2. struct NAME_values holds the parsed values; `static const struct parameter options[]` and
 *    `arguments[]` describe each member (parameter.h): kind, offsetof, placeholder, unit, range,
 *    default (initial: read like typed text, or in words), completion, help. Handlers parse
 *    nothing.
 * 3. `static bool run(struct session *s, const void *values, struct result *result, struct err
 *    *err)` does the work and fills the result (table/result.h): fields and tables with the JSON
 *    keys of scripts, lines for text. It never reads the format. A command without output calls
 *    result_confirm, or result_note. A long one has `prepare` in place of run, which collects the
 *    input of the work (cmd/task.h); one that only reads the session has `read`.
 * 4. `const struct command command_NOUN_VERB = {.name, .help, .arguments, .options, .values_size,
 *    .run, .flags, .examples}`; each example has a line of its own.
 * 5. tests/unit/test_command.c checks every record; sh tools/make-man.sh writes the man page. JSON
 *    prints one object per command without further code. */
#ifndef PORTOLAN_CMD_COMMAND_H
#define PORTOLAN_CMD_COMMAND_H

#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/command_record.h"

extern const struct command *const commands[];   /* ends with NULL */
extern const struct command command_kernel_load, command_set;

/* Runs one command line; ';' separates several outside quotes and parentheses. Writes their output
 * to @out as each ends. False with err on the first failure. On the screen a command may leave a
 * job running that is waited for; session.queue then holds the following commands. */
bool command_run(struct session *s, const char *line, FILE *out, struct err *err);
/* Runs a script line by line; faults begin with name:line. With keep-going faults are reported and
 * the run continues. */
bool command_script(struct session *s, const char *name, const char *text, FILE *out,
                    struct err *err);
/* Runs the command from @text to @end for the queue; *@waits: not yet, it is to run when the job
 * that session.queue names has ended. */
bool command_execute(struct session *s, const char *text, const char *end, FILE *out, bool *waits,
                     struct err *err);
/* A job of the workbench has failed: until something else is shown `export` has nothing. */
void command_job_failed(struct session *s, const char *title);
/* The result of a job that ended while no command ran, as text to be freed, NULL when there is
 * none; it is the last result now, for `export`, unless it only confirms. */
char *command_take_job_result(struct session *s, const char *title);
/* The command that @words begin with, by unambiguous prefixes; *@used gets the number of words it
 * took. NULL with err. */
const struct command *command_lookup(int count, char **words, int *used, struct err *err);
/* Runs @c on @count words; its output is dropped. */
bool command_call(struct session *s, const struct command *c, char **words, size_t count,
                  struct err *err);
/* Reads @line as a command without running it: false with err when it is none or its words are
 * refused. For tests of examples. */
bool command_check(const char *line, const struct command **found, struct err *err);
/* Appends "FILE [--machine ID]...". */
void command_usage(const struct command *c, struct str *out);

/* An option --cpu: @number, which must be allowed to this process, or NOT_GIVEN, which is -1:
 * any. */
bool command_cpu(size_t number, int *out, struct err *err);

/* Writes @text to @file and confirms it in @result. False with err. */
bool command_write(const char *file, const struct str *text, struct result *result,
                   struct err *err);

/* The nouns' handlers. */

/* Puts results that a running `experiments measure` has delivered so far into the session's table;
 * the main loop calls it when it wakes. */
void experiments_publish(struct session *s);
/* CPU, machine and time limit of measuring; other options have the defaults of experiments
 * measure. */
struct measure_choice {
    const char *simulate;   /* machine to simulate; NULL: this CPU */
    double patience;        /* NaN: the default */
    size_t cpu;             /* NOT_GIVEN: an idle one */
};
/* Replaces the session's experiments by *@made (session_set_experiments), unless measuring is
 * refused, and measures all that have no cycles. False with err. */
bool experiments_measure(struct session *s, struct experiments **made,
                         const struct experiments *base, const struct measure_choice *choice,
                         struct result *result, struct err *err);
#define EVOLVED_MACHINE "evolved"   /* that evolve adopt makes */
/* Has @s use the saved version of the charted machine @name from now on. A fault goes to the log.
 * UI thread. */
void chart_adopt(struct session *s, const char *directory, const char *name);
/* UI thread: the samples of program profile so far become the document's. */
void profile_publish(struct session *s);
/* UI thread: the measurements of kernel blame so far become the document's. */
void blame_publish(struct session *s);
/* False with err when the session has no experiments. */
bool experiments_required(const struct session *s, struct err *err);
/* Whether measuring is paused. */
bool experiments_paused(const struct session *s);
/* Which rows of the session's experiments fit @filter ("": all), one flag a row, to be freed. NULL
 * with err. */
bool *experiments_fitting(struct session *s, const char *filter, struct err *err);

#endif
