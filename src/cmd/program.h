/* What the program commands share. UI thread, where not said otherwise. */
#ifndef PORTOLAN_CMD_PROGRAM_H
#define PORTOLAN_CMD_PROGRAM_H

#include "cmd/session.h"
#include "program/model.h"

/* The model of the session's runs, borrowed; NULL with err when there is none yet. */
const struct program_model *program_fitted(struct session *s, struct err *err);
/* The machine called @id, NULL: the current one, borrowed; *@here: it is this CPU, whose clock can be measured. NULL with err when there is none, or its
 * instruction set is not this CPU's, for which programs are compiled. */
const struct machine *program_machine(struct session *s, const char *id, bool *here, struct err *err);
/* Reads "N=16,32 M=4": the names, and every combination of the values, name_count each; of more than @most, unless that is 0, that many: those in which one
 * input alone does not have its first value, and a choice of the others, the same each time. False with err; program_inputs_done frees in either case. */
struct program_inputs {
    char **names;
    size_t name_count;
    double *values;
    size_t count;                       /* combinations */
};
bool program_inputs_read(const struct word_list *words, size_t most, struct program_inputs *out, struct err *err);
void program_inputs_done(struct program_inputs *inputs);
/* One value for each input of the model, in its order, from "N=4096 M=2"; without words those of its largest run. False with err. */
bool program_inputs_given(const struct program_model *m, const struct word_list *words, double out[INPUTS_MAX], struct err *err);

/* Studies the program at the last run's inputs on the current machine, for the Program view, in the background and without a word. */
void program_show_quietly(struct session *s);
/* Ends that job, for its load would be in what is measured now; and has it made after all when measuring has ended, unless there is a study by then. */
void program_show_put_off(struct session *s);
void program_show_resume(struct session *s);

#endif
