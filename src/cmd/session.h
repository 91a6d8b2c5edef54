/* What commands act on: the loaded kernel, machines and settings. One thread. */
#ifndef PORTOLAN_CMD_SESSION_H
#define PORTOLAN_CMD_SESSION_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "analysis/kernel.h"
#include "simulate/simulate.h"
#include "base/str.h"
#include "isa/forms.h"
#include "model/experiments.h"
#include "measure/runner.h"
#include "model/machine.h"

#define THREADS_MAX 1024

#define AWAIT_ALL UINT_MAX

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

struct evolve_run;
struct active_curve;
struct job_ops;

/* What follows a command that is waited for: of a command line or a script. */
struct rest {
    char *script;      /* its name; NULL: typed */
    size_t line;       /* the number of the first line of @text */
    char *text;
    bool lines;        /* lines of a script; otherwise the rest of one line */
};

/* The last `kernel whatif NAME=A..B`. */
struct sweep {
    char name[128], machine[64];
    double *values, *bounds, *simulated;   /* cycles per iteration; NaN where there is no prediction */
    size_t count;
};

struct session {
    struct kernel *kernel;            /* NULL: none loaded */
    double kernel_measured;           /* cycles per iteration of the loop in use on this CPU; NaN: not measured */
    struct sweep sweep;               /* count 0: none */
    struct experiments *experiments;  /* NULL: none */
    struct evolve_run **runs;         /* of inference, newest last */
    size_t run_count;
    struct active_curve *active;      /* rounds of the last `evolve start --active`; NULL: none */
    unsigned active_run;              /* the run that followed them; 0 while they go on, and after they failed */
    struct machine **machines;        /* loaded so far */
    size_t machine_count;
    char **selected;                  /* ids shown side by side, all of instruction set isa; the first is the current one */
    size_t selected_count;
    size_t in_view;                   /* of the selected, the one whose kernel and timeline are shown */
    struct forms *forms[ISA_COUNT];   /* the form tables with the user's own; NULL until session_forms */
    char **form_patterns;             /* what `forms select` chose; none: all forms */
    size_t form_pattern_count;
    char *last_line;                  /* the last command that printed a result, for `export`; NULL: none */
    struct str last_output;           /* what it printed, and in which format */
    enum format last_format;
    enum isa isa;
    struct selection { char **ids; size_t count; } kept[ISA_COUNT];   /* of the sets that are not shown */
    struct record *record;            /* what measuring saw */
    uint64_t seed;                    /* of what is random, unless a command says otherwise */
    unsigned threads;                 /* likewise; 0: as many as there are processors */
    struct runner_summary measured;   /* of the last `experiments measure` */
    double measured_clock_hz;
    unsigned measured_children;
    enum format format;
    bool color, ascii, keep_going, quit;
    bool any_failed;                  /* a command failed and keep-going let the run go on */
    struct str output;                /* what the running command prints */
    FILE *input;                      /* where `kernel paste` reads; NULL: nowhere */
    FILE *out;                        /* where the running command's output goes in the end */
    size_t *input_line;               /* line counter of that source, may be NULL */
    bool interactive;                 /* a screen is open: jobs go on while commands return, text asks for a paste */
    double patience;                  /* seconds for which a command may hold up the screen before its work goes on in the background */
    unsigned awaited;                 /* on the screen: the job that what follows the command waits for; 0: none, AWAIT_ALL: every one */
    bool awaited_now;                 /* the command line in hand asked for it: the rest of it is to be kept */
    bool awaited_own;                 /* it does the command's own work: who does not wait for it does not want it */
    struct rest *rests;               /* what waits, the first first */
    size_t rest_count;
    bool want_paste;                  /* the screen is to collect text and run paste_command on it */
    char paste_command[160];
    unsigned long revision;           /* bumped by every command: what was derived is stale */
    struct analysis **analyses;       /* session_analyses: of the revision below */
    size_t analysis_count;
    unsigned long analyzed;
    struct simulation **simulations;  /* session_simulation: beside the analyses; NULL: not asked for */
    /* What `view`, `find`, `sort` and `filter` act on; NULL: nothing shows views. */
    bool (*view_command)(struct session *s, const char *verb, const char *argument, struct err *err);
    void *view_state;                 /* of view_command */
};

void session_init(struct session *s);
void session_done(struct session *s);
/* The same but for the background jobs, which go on: for a session that was only built up to be looked at. */
void session_release(struct session *s);
/* Machine by id, loaded on first use; borrowed. NULL with err. */
struct machine *session_machine(struct session *s, const char *id, struct err *err);
/* Takes @take_machine; replaces one of the same id. */
void session_add_machine(struct session *s, struct machine *take_machine);
/* The first selected machine. */
struct machine *session_current(struct session *s, struct err *err);
/* Replaces the selection by @ids, all of which must load and be of one instruction set. */
bool session_select(struct session *s, char **ids, size_t count, struct err *err);
/* Analyses of the kernel on the selected machines, made when the session has changed; borrowed until the next command. */
struct analysis *const *session_analyses(struct session *s, size_t *count);
/* The simulation beside analysis @index, made when first asked for; borrowed until the next command. NULL for a loop too long to simulate at once. */
const struct simulation *session_simulation(struct session *s, size_t index);
/* Waits for job @number (0: all), its output added to the session's; false with err when it failed or was cancelled. */
bool session_wait(struct session *s, unsigned number, struct err *err);
/* Does a command's work as a job: without a screen until it has ended; on the screen for at most session.patience, then @doing ("compiles") tells that it
 * goes on and what follows the command waits. Takes @take_state. False with err when it could not start, or has failed already. */
bool session_job(struct session *s, const char *title, const char *doing, const struct job_ops *ops, void *take_state, struct err *err);
/* What follows the command on the screen waits for job @number (AWAIT_ALL: for all); what waited before is forgotten. */
void session_await(struct session *s, unsigned number, bool own);
/* Whether the wait is over; false with err when that job failed or was cancelled: then what waited is forgotten. */
bool session_awaited_ended(struct session *s, bool *ended, struct err *err);
void session_forget_rests(struct session *s);
/* Of what is random, and of threads ("auto": as many as there are processors), for commands that are not told otherwise. False with err. */
bool session_set_seed(struct session *s, const char *text, struct err *err);
bool session_set_threads(struct session *s, const char *text, struct err *err);
/* How many threads commands use unless told otherwise, at least 1. */
unsigned session_threads(const struct session *s);
/* Form table, loaded on first use; borrowed. NULL with err. */
struct forms *session_forms(struct session *s, enum isa isa, struct err *err);
/* Replaces the patterns; 0: all forms are selected. */
void session_select_forms(struct session *s, char **patterns, size_t count);
/* Whether experiments are to be made of @form. */
bool session_form_selected(const struct session *s, const char *form);
/* False with err when the loaded kernel is for another instruction set than @m. */
bool session_fits(const struct session *s, const struct machine *m, struct err *err);
void sweep_done(struct sweep *sweep);
/* Takes @take_kernel; when it is for another instruction set, that set's machines are shown again. */
void session_set_kernel(struct session *s, struct kernel *take_kernel);
/* Appends one JSON object as a line to the output and drops the reference. */
void session_json(struct session *s, json_t *take_object);

#endif
