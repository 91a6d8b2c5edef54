/* Functions shared by the program commands. UI thread unless noted. */
#ifndef PORTOLAN_CMD_PROGRAM_H
#define PORTOLAN_CMD_PROGRAM_H

#include "cmd/session.h"
#include "model/facts.h"
#include "profile/profile.h"
#include "program/model.h"

/* Returns the model fitted to the session's runs, borrowed; NULL with err: none. */
const struct program_model *program_fitted(struct session *s, struct err *err);
/* Returns machine @id (NULL: the current machine), borrowed. Sets *@here to whether the machine
 * represents this CPU and @id is NULL or HERE_NAME. If it does, measured clock and memory replace
 * its facts. Returns NULL with err if the machine is missing or has another instruction set than
 * this CPU. */
const struct machine *program_machine(struct session *s, const char *id, bool *here,
                                      struct err *err);
/* Sets *@out to a copy of machine @id; NULL: this CPU's machine, or the current machine if it has
 * the same instruction set, or NULL. Returns false with err if @id is missing or unsuitable. */
bool program_host_machine(struct session *s, const char *id, struct machine **out,
                          struct err *err);
/* Returns loop @number, from 1, of @p; NULL with err: none. */
const struct profile_loop *program_profiled_loop(const struct run_profile *p, size_t number,
                                                 struct err *err);
/* Values of inputs. program_inputs_read parses "N=16,32 M=4" into names and all combinations of
 * values, name_count each. If there are more than @most (0: no limit), takes the combinations that
 * vary a single input, and random others. The choice is deterministic. Returns false with err. The
 * caller always calls program_inputs_done. */
struct program_inputs {
    char **names;
    size_t name_count;
    double *values;
    size_t count;                       /* number of combinations */
};
bool program_inputs_read(const struct word_list *words, size_t most, struct program_inputs *out,
                         struct err *err);
void program_inputs_done(struct program_inputs *inputs);
/* Returns false with err if @value differs in kind from the values of @input in all runs: it is
 * negative and no value was, or it is a fraction and all values were whole numbers. */
bool program_input_like_runs(const struct program_runs *runs, size_t input, double value,
                             struct err *err);
/* Parses one value per input of the model, in the order of the inputs, from "N=4096 M=2". Without
 * words, returns the values of the model's last run. Returns false with err. Stores the values in
 * @out. */
bool program_inputs_given(const struct program_model *m, const struct word_list *words,
                          double out[INPUTS_MAX], struct err *err);

/* Input of a prediction job: the program's model, values of its inputs, and a copy of a machine */
struct program_case {
    const struct program_model *model;  /* counted reference */
    double inputs[INPUTS_MAX];
    struct machine *machine;
    bool here;                          /* whether @machine is this CPU, whose clock is then
                                         * measured */
};
/* Fills the case with the session's model, and the inputs and machine (NULL: the current machine)
 * of a command. Returns false with err. The caller always calls program_case_done. */
bool program_case_read(struct session *s, const struct word_list *inputs, const char *machine,
                       struct program_case *out, struct err *err);
void program_case_done(struct program_case *c);

/* Parses a value of fact @f from @length characters of @text, which may end with k (1024) or M
 * (1024²). Returns false with err if the fact cannot have this value. Stores the value in *@out. */
bool program_fact_read(const struct fact *f, const char *text, size_t length, double *out,
                       struct err *err);

/* Reports that this CPU's memory was measured on @day, or nothing if @day is empty. */
void program_say_memory(struct result *result, const char *day);
/* Reports that user time includes @seconds of page faults. If @seconds is 0, adds the number but no
 * line of text. @share: share of the time of page faults that the system counts as user time (fact
 * page_fault_user). */
void program_say_faults(struct result *result, double seconds, double share);
/* Inputs to predict for; @type needs a member `inputs`. */
#define PROGRAM_INPUTS_ARGUMENT(type)                                                              \
    {PARAMETER(WORDS, "INPUT=VALUE", struct type, inputs),                                         \
     .fallback = "the values of the last run",                                                    \
     .help = "value of each input; results for values that were not run are extrapolated"}

/* option --fresh of predictions; @type needs a member `fresh` */
#define PROGRAM_FRESH_OPTION(type)                                                                 \
    {PARAMETER(FLAG, "--fresh", struct type, fresh),                                               \
     .help = "measure this CPU's memory again before predictions for this CPU"}

/* options of a multi-threaded program; @type needs the members `threads` and `common` */
#define PROGRAM_THREADS_OPTIONS(type)                                                              \
    {PARAMETER(COUNT, "--threads", struct type, threads), .value = "P", .least = 1, .most = 1024,  \
     .initial = "1",                                                                               \
     .help = "number of threads that divide the work and share the last-level cache"},             \
    {PARAMETER(NUMBER, "--common", struct type, common), .value = "PERCENT", .least = 0,           \
     .most = 100, .initial = "0",                                                                  \
     .help = "with --threads: percentage of cache lines shared by all threads; "                   \
             "other lines are private"}
/* Reports the thread count and, for several threads, the assumptions about the threads. */
void program_say_threads(struct result *result, size_t threads, double common);

/* Starts a background job without output that studies the program for the program view. Uses the
 * last run's inputs and the current machine. */
void program_show_quietly(struct session *s);
/* program_show_put_off ends the job of program_show_quietly, because it would disturb a
 * measurement. program_show_resume restarts it unless the program view has a study. */
void program_show_put_off(struct session *s);
void program_show_resume(struct session *s);
/* Calls program_show_resume after the failure of a measurement (struct task_ops). */
void program_show_failed(struct session *s, void *state, struct result *result,
                         const struct err *err);

#endif
