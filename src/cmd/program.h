/* Shared parts of the program commands. UI thread unless noted. */
#ifndef PORTOLAN_CMD_PROGRAM_H
#define PORTOLAN_CMD_PROGRAM_H

#include "cmd/session.h"
#include "model/facts.h"
#include "program/model.h"

/* Returns the model of the session's runs, borrowed; NULL with err when there is none. */
const struct program_model *program_fitted(struct session *s, struct err *err);
/* Returns machine @id (NULL: the current one), borrowed. *@here: it stands for this CPU, whose
 * clock and memory are measured, and was not named for its own facts. NULL with err when missing,
 * or of another instruction set than this CPU's, for which programs are compiled. */
const struct machine *program_machine(struct session *s, const char *id, bool *here,
                                      struct err *err);
/* Parses "N=16,32 M=4": names, and all combinations of values, name_count each. If more than @most
 * (0: no limit), takes those with a single input off its first value, and a deterministic random
 * choice of the others. False with err; program_inputs_done frees in either case. */
struct program_inputs {
    char **names;
    size_t name_count;
    double *values;
    size_t count;                       /* combinations */
};
bool program_inputs_read(const struct word_list *words, size_t most, struct program_inputs *out,
                         struct err *err);
void program_inputs_done(struct program_inputs *inputs);
/* Whether @value is like those of @input in the runs. False with err: it is below 0 where none was,
 * or a fraction where all were whole numbers. */
bool program_input_like_runs(const struct program_runs *runs, size_t input, double value,
                             struct err *err);
/* Parses one value per input of the model, in its order, from "N=4096 M=2"; without words those of
 * its largest run. False with err. */
bool program_inputs_given(const struct program_model *m, const struct word_list *words,
                          double out[INPUTS_MAX], struct err *err);

/* Input of a prediction job: the program's model at inputs, on a copy of a machine. */
struct program_case {
    const struct program_model *model;  /* held */
    double inputs[INPUTS_MAX];
    struct machine *machine;
    bool here;                          /* this CPU, whose clock is measured */
};
/* Makes the case from the session's model, the inputs and the machine (NULL: the current one) of a
 * command. False with err; program_case_done frees in either case. */
bool program_case_read(struct session *s, const struct word_list *inputs, const char *machine,
                       struct program_case *out, struct err *err);
void program_case_done(struct program_case *c);

/* Reads a value of @f, a number, from @length letters of @text, in which k and M multiply by 1024.
 * False with err: it is none that the fact can have. */
bool program_fact_read(const struct fact *f, const char *text, size_t length, double *out,
                       struct err *err);

/* Reports that this CPU's memory was measured on @day; nothing if empty. */
void program_say_memory(struct result *result, const char *day);
/* Option of a prediction, with member fresh. */
#define PROGRAM_FRESH_OPTION(type)                                                                 \
    {                                                                                              \
        .name = "--fresh", .kind = PARAMETER_FLAG, .at = offsetof(struct type, fresh),             \
        .help = "measure this CPU's memory again, for predictions of this CPU"                   \
    }

/* Options of a multi-threaded program, with members threads and common. */
#define PROGRAM_THREADS_OPTIONS(type)                                                              \
    {.name = "--threads",                                                                          \
     .kind = PARAMETER_COUNT,                                                                      \
     .at = offsetof(struct type, threads),                                                         \
     .value = "P",                                                                                 \
     .least = 1,                                                                                   \
     .most = 1024,                                                                                 \
     .initial = "1",                                                                               \
     .help = "extension: threads that split the work and share the last level of caches"},         \
    {                                                                                              \
        .name = "--common", .kind = PARAMETER_NUMBER, .at = offsetof(struct type, common),         \
        .value = "PERCENT", .least = 0, .most = 100, .initial = "0",                               \
        .help = "with --threads: cache lines shared by all threads; the others are private"        \
    }
/* Reports a thread count above one, and its assumption. */
void program_say_threads(struct result *result, size_t threads, double common);

/* Studies the program at the last run's inputs on the current machine for the Program view, in the
 * background without output. */
void program_show_quietly(struct session *s);
/* Ends that job, since it would disturb this measurement; it restarts afterwards unless there is a
 * study by then. */
void program_show_put_off(struct session *s);
void program_show_resume(struct session *s);

#endif
