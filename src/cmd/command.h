/* Commands: one table feeds the prompt, help, completion, key bindings and the man page. One function runs them all. */
#ifndef PORTOLAN_CMD_COMMAND_H
#define PORTOLAN_CMD_COMMAND_H

#include <jansson.h>

#include "analysis/analysis.h"
#include "base/err.h"
#include "base/str.h"
#include "isa/forms.h"
#include "model/machine.h"

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

/* The state commands act on: everything a session holds. UI thread only. */
struct session {
    struct kernel *kernel;              /* NULL: none loaded */
    struct machine **machines;          /* loaded ones */
    size_t machine_count;
    char **selected;                    /* machine ids shown side by side; first = current */
    size_t selected_count;
    struct analysis **analyses;         /* of the kernel, per selected machine; kept up to date by the commands */
    size_t analysis_count;
    struct forms *forms;                /* loaded on first use */
    enum format format;
    bool color, ascii, keep_going, batch, skip_bad;
    unsigned width;                     /* columns of text output */
    unsigned revision;                  /* bumped by every change: views redraw */
    char view[32];                      /* view asked for by `view NAME`; the front end reads it */
    bool quit;                          /* the quit command ran */
    struct str output;                  /* what the last command printed */
    char *(*read_block)(struct session *s);   /* source of pasted text (batch: until "."); caller frees; NULL: none */
    void *front_end;                    /* of whoever set read_block */
};

struct session *session_new(void);
void session_free(struct session *s);
/* Machine by id, loaded on first use; NULL with err. Borrowed. */
struct machine *session_machine(struct session *s, const char *id, struct err *err);
/* Takes @take_kernel (may be NULL) and analyses it on the selected machines. */
void session_set_kernel(struct session *s, struct kernel *take_kernel);

struct command {
    const char *name;        /* "kernel load" */
    const char *arguments;   /* "FILE [--symbol S] ..." */
    const char *help;        /* one line */
    const char *detail;      /* more for `help NAME`; may be NULL */
    bool (*run)(struct session *s, int argc, char **argv, struct err *err);   /* argv[0] = the full name */
    /* Completions for the word being typed: append candidates, one per line. NULL: file names. */
    void (*complete)(struct session *s, int argc, char **argv, struct str *out);
};
extern const struct command commands[];   /* ends with a NULL name */

/* Runs one command line (several with ;). Output is appended to s->output. False with err on the first failure. */
bool command_run(struct session *s, const char *line, struct err *err);
/* Runs a script's text line by line as batch does (honours keep_going); err says file:line. */
bool command_script(struct session *s, const char *name, const char *text, struct err *err);
/* Completion candidates for @line up to @point, one per line, into @out; returns the byte where the completed word starts. */
size_t command_complete(struct session *s, const char *line, size_t point, struct str *out);
const struct command *command_find(const char *words, struct err *err);

#endif
