/* Commands: one table feeds batch, help and the man page. One function runs them all. */
#ifndef PORTOLAN_CMD_COMMAND_H
#define PORTOLAN_CMD_COMMAND_H

#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/session.h"

struct command {
    const char *name;        /* "kernel load": noun and verb, or one word */
    const char *arguments;   /* "FILE [--symbol S] ..." */
    const char *help;        /* one line */
    bool raw;                /* the rest of the line is one argument, as written */
    /* argv[0] is the full name; output goes to s->output. False with err on failure. */
    bool (*run)(struct session *s, int argc, char **argv, struct err *err);
    bool looks;              /* changes nothing that is analysed or predicted */
};
extern const struct command commands[];   /* ends with a NULL name */

/* Runs one command line; ';' separates several outside quotes and parentheses. What they print is written to @out as each ends.
 * False with err on the first failure. */
bool command_run(struct session *s, const char *line, FILE *out, struct err *err);
/* Runs a script line by line; a fault says name:line. With keep-going faults are told and the run goes on. */
bool command_script(struct session *s, const char *name, const char *text, FILE *out, struct err *err);
/* On the screen a command may leave a job running that is waited for (session.awaited); both of the above then return true, having kept what follows.
 * This runs it, when the job has ended. */
bool command_go_on(struct session *s, FILE *out, struct err *err);
/* What a job printed is the last result now, for `export`. */
void command_keep_result(struct session *s, const char *title, const char *text);
/* The command that @words begin with, by unambiguous prefixes; *@used gets the number of words it took. NULL with err. */
const struct command *command_find(int count, char **words, int *used, struct err *err);

/* The nouns' handlers. */
bool cmd_kernel_load(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_paste(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_hex(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_analyze(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_simulate(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_whatif(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_evaluate(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_show(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_list(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_use(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_save(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_measure(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_load(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_save(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_import(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_list(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_clear(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_generate(struct session *s, int argc, char **argv, struct err *err);
bool cmd_congruence(struct session *s, int argc, char **argv, struct err *err);
bool cmd_evaluate(struct session *s, int argc, char **argv, struct err *err);
bool cmd_evolve_start(struct session *s, int argc, char **argv, struct err *err);
bool cmd_evolve_status(struct session *s, int argc, char **argv, struct err *err);
bool cmd_evolve_pause(struct session *s, int argc, char **argv, struct err *err);
bool cmd_evolve_resume(struct session *s, int argc, char **argv, struct err *err);
bool cmd_evolve_stop(struct session *s, int argc, char **argv, struct err *err);
bool cmd_evolve_wait(struct session *s, int argc, char **argv, struct err *err);
bool cmd_evolve_set(struct session *s, int argc, char **argv, struct err *err);
bool cmd_evolve_adopt(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_measure(struct session *s, int argc, char **argv, struct err *err);
bool cmd_latency_measure(struct session *s, int argc, char **argv, struct err *err);
bool cmd_jobs(struct session *s, int argc, char **argv, struct err *err);
bool cmd_job_cancel(struct session *s, int argc, char **argv, struct err *err);
bool cmd_job_wait(struct session *s, int argc, char **argv, struct err *err);
bool cmd_machine_calibrate(struct session *s, int argc, char **argv, struct err *err);
bool cmd_machine_list(struct session *s, int argc, char **argv, struct err *err);
bool cmd_machine_show(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_show(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_diff(struct session *s, int argc, char **argv, struct err *err);
/* `mapping import uops-info`, which cmd_mapping_import hands on. */
bool cmd_mapping_import_uops(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_import(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_list(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_use(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_load(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_new(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_export(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_save(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_learn(struct session *s, int argc, char **argv, struct err *err);
bool cmd_mapping_set(struct session *s, int argc, char **argv, struct err *err);
bool cmd_throughput(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_pause(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_resume(struct session *s, int argc, char **argv, struct err *err);
bool cmd_experiments_show(struct session *s, int argc, char **argv, struct err *err);
bool cmd_forms_list(struct session *s, int argc, char **argv, struct err *err);
bool cmd_forms_add(struct session *s, int argc, char **argv, struct err *err);
bool cmd_forms_select(struct session *s, int argc, char **argv, struct err *err);
bool cmd_kernel_report(struct session *s, int argc, char **argv, struct err *err);
bool cmd_export(struct session *s, int argc, char **argv, struct err *err);
bool cmd_forms_scan(struct session *s, int argc, char **argv, struct err *err);
bool cmd_view(struct session *s, int argc, char **argv, struct err *err);
bool cmd_session_save(struct session *s, int argc, char **argv, struct err *err);
bool cmd_session_load(struct session *s, int argc, char **argv, struct err *err);
bool cmd_set(struct session *s, int argc, char **argv, struct err *err);
bool cmd_help(struct session *s, int argc, char **argv, struct err *err);
bool cmd_source(struct session *s, int argc, char **argv, struct err *err);
bool cmd_machine_info(struct session *s, int argc, char **argv, struct err *err);
bool cmd_quit(struct session *s, int argc, char **argv, struct err *err);

/* Puts results that a running `experiments measure` has delivered so far into the session's table; the main loop calls it when it wakes. */
void experiments_publish(struct session *s);
/* Whether measuring is paused. */
bool experiments_paused(const struct session *s);
/* Which rows of the session's experiments fit @filter ("": all), one flag a row, to be freed. NULL with err. */
bool *experiments_fitting(struct session *s, const char *filter, struct err *err);

#endif
