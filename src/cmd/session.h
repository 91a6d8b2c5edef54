/* What commands act on: the loaded kernel, machines and settings. One thread. */
#ifndef PORTOLAN_CMD_SESSION_H
#define PORTOLAN_CMD_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/kernel.h"
#include "isa/forms.h"
#include "measure/runner.h"
#include "model/machine.h"

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

struct session {
    struct kernel *kernel;            /* NULL: none loaded */
    struct machine **machines;        /* loaded so far */
    size_t machine_count;
    char **selected;                  /* ids shown side by side; the first is the current one */
    size_t selected_count;
    struct experiments *experiments;  /* NULL: none */
    struct runner_summary measured;   /* of the last `experiments measure` */
    double measured_clock_hz;
    unsigned measured_children;
    bool interactive;                 /* jobs run on while the user does something else; otherwise commands wait for theirs */
    enum format format;
    bool color, ascii, keep_going, quit;
    struct str output;                /* what the running command prints */
    FILE *input;                      /* where `kernel paste` reads; NULL: nowhere */
    FILE *out;                        /* where the running command's output goes in the end */
    size_t *input_line;               /* line counter of that source, may be NULL */
};

void session_init(struct session *s);
void session_done(struct session *s);
/* Machine by id, loaded on first use; borrowed. NULL with err. */
struct machine *session_machine(struct session *s, const char *id, struct err *err);
/* Takes @take_machine; replaces one of the same id. */
void session_add_machine(struct session *s, struct machine *take_machine);
/* The first selected machine. */
struct machine *session_current(struct session *s, struct err *err);
/* Replaces the selection by @ids, all of which must load. */
bool session_select(struct session *s, char **ids, size_t count, struct err *err);
/* Takes @take_kernel. */
void session_set_kernel(struct session *s, struct kernel *take_kernel);
/* Appends one JSON object as a line to the output and drops the reference. */
void session_json(struct session *s, json_t *take_object);

#endif
