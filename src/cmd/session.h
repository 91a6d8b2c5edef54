/* State of commands: the document, the settings and the waiting commands. One thread. */
#ifndef PORTOLAN_CMD_SESSION_H
#define PORTOLAN_CMD_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"
#include "cmd/document.h"
#include "cmd/queue.h"
#include "cmd/settings.h"
#include "table/result.h"

struct active_pending;
struct experiments_measuring;
struct kernel_blaming;
struct profiling;
struct recipe;
struct keymap;
struct session_views;

/* A file that the screen is to open in the user's editor. */
struct edit_request {
    char *path;                       /* NULL: none */
    /* the kernel is text without a file: path of its saved text; NULL: the kernel's file */
    char *directory;
    size_t line;                      /* to begin at; 0: the first */
    bool opened;                      /* an editor has it, or had it */
};
/* Removes the directory. */
void edit_request_done(struct edit_request *edit);

struct session {
    struct document document;
    struct settings settings;
    struct command_queue queue;
    /* of the command that runs, and of jobs that ended; never NULL */
    struct result *result;
    /* the previous one, for the next job to free: it may be large; NULL: none */
    struct result *discarded;
    struct result *last;              /* the last that was shown, for `export`; NULL: none */
    char *last_line;                  /* the command that gave it, for `export`; NULL: none */
    /* the command or job that has failed since; NULL: none, or something else has come into
     * sight */
    char *failed_line;
    bool quit;
    bool any_failed;                  /* a command failed and keep-going let the run continue */
    FILE *input;                      /* where `kernel paste` reads; NULL: nowhere */
    FILE *out;                        /* where the running command's output goes in the end */
    size_t *input_line;               /* line counter of that source, may be NULL */
    /* a screen is open: jobs continue while commands return, text is loaded as a paste */
    bool interactive;
    /* seconds that a command may block the screen before its work continues in the background */
    double patience;
    /* the screen is to collect text and run paste_command on it */
    bool want_paste;
    char paste_command[160];
    /* pasted text that could not be loaded, for the screen to have it corrected; empty: none */
    struct str refused;
    size_t refused_line;              /* of the fault, from 1; 0: unknown */
    /* the view that shows the result of the command or job that ends, in place of its text; NULL:
     * none */
    const char *in_view;
    bool inferred_shown;   /* LAB shows the mapping that a run has inferred, not a machine's */
    /* confirmations of the line that runs, for the workbench to show where nothing is printed */
    struct str said;
    /* text for the terminal's clipboard, sent by the screen; empty: none */
    struct str copied;
    /* the last path of a session's file that the user was shown; NULL: none */
    char *shown_path;
    struct edit_request edit;         /* requested, or in an editor with a window of its own */
    /* source of live results; NULL: none */
    struct experiments_measuring *measuring;
    struct profiling *profiling;      /* the `program profile` whose program runs; NULL: none */
    struct kernel_blaming *blaming;   /* the same of `kernel blame` */
    /* the run of inference that waits for its active experiments; NULL: none */
    struct active_pending *choosing;
    unsigned loading;                 /* the job that a kernel comes by; 0: none */
    /* the job that is to replace the document: until it has ended nothing changes; 0: none */
    unsigned replacing;
    const char *replacing_how;        /* "is loading another session" */
    /* incremented by every command that changes the document: derived data is stale */
    unsigned long revision;
    const struct session_views *views;   /* the views' handler; NULL: none */
    void *view_state;                 /* of views */
    struct keymap *keys;              /* commands of keys; never NULL */
};

/* The rows of a view as shown, collected in the background. */
struct rows_shown {
    void *state;
    /* Worker thread, once: adds them to @out. False with err when it was cancelled or memory ran
     * out. */
    bool (*collect)(void *state, struct result *out, struct err *err);
    void (*free)(void *state);
};

/* Handler of views: the workbench, or a batch view. */
struct session_views {
    /* Runs `view`, `find`, `sort`, `filter`, `do`, `prompt` and `copy`; copied text goes to
     * session.copied. */
    bool (*command)(struct session *s, const char *verb, const char *argument,
                    struct result *result, struct err *err);
    /* Gives @add each word that may follow the command @verb: names of views, or of columns of the
     * view that is shown. */
    void (*words)(struct session *s, const char *verb, void (*add)(void *to, const char *word),
                  void *to);
    /* Gives `export` the rows as shown; false when there are none. May be NULL. */
    bool (*rows)(struct session *s, struct rows_shown *out);
    /* Records that command @name, as typed, has started well: it ran, or its work continues. May be
     * NULL. */
    void (*ran)(struct session *s, const char *name);
};

void session_init(struct session *s);
void session_done(struct session *s);
/* The same except for the background jobs, which continue: for a session that was only built to be
 * shown. */
void session_release(struct session *s);
/* @id, or the machine of HERE_NAME: NULL with err when no machine is this CPU. */
const char *session_machine_id(const struct session *s, const char *id, struct err *err);
/* Whether machine @id is loaded. */
bool session_has_machine(const struct session *s, const char *id);
/* Machine by id, loaded on first use; borrowed. NULL with err. */
struct machine *session_machine(struct session *s, const char *id, struct err *err);
/* Takes @take_machine; replaces one of the same id. */
void session_add_machine(struct session *s, struct machine *take_machine);
/* One of the session's machines, to be changed at once; replaced by a copy when something else
 * reads it. */
struct machine *session_change_machine(struct session *s, struct machine *m, const char *what);
/* The same with the copy made beforehand. */
struct machine *session_take_changed(struct session *s, struct machine *m,
                                     struct machine *take_copy, const char *what);
/* Replaces the session's experiments by *@made and sets it NULL. @base, held by the caller: *@made
 * was made from it, and running measurements continue to fill it; false with err when the session's
 * are no longer @base. NULL: *@made is unrelated. */
bool session_set_experiments(struct session *s, struct experiments **made,
                             const struct experiments *base, struct err *err);
/* The session's experiments, to be changed at once; replaced by a copy when something else reads
 * them. */
struct experiments *session_change_experiments(struct session *s);
/* The first selected machine. */
struct machine *session_current(struct session *s, struct err *err);
/* Records that @line, a command or the title of a job, has failed: `export` has neither its result
 * nor the previous one. NULL: a result is shown again. */
void session_note_failure(struct session *s, const char *line);
/* Drops the messages of jobs that ended between commands. */
void session_clear_output(struct session *s);
/* Replaces the selection by @ids, all of which must load and be of one instruction set. */
bool session_select(struct session *s, char **ids, size_t count, struct err *err);
/* The same, selected by the user: others do not replace them if they do not fit the kernel. */
bool session_choose(struct session *s, char **ids, size_t count, struct err *err);
/* The same without asking: machines of @isa that are known to load. */
void session_show(struct session *s, enum isa isa, const char *const *ids, size_t count);
/* Analyses of the kernel on the selected machines, made when these have changed; borrowed until the
 * next command. On the screen a job makes those of a long loop: until it has ended there are none
 * (session_analysing). */
struct analysis *const *session_analyses(struct session *s, size_t *count);
bool session_analysing(const struct session *s);
/* The simulation of analysis @index, made on the first request; borrowed until the next command.
 * NULL for a loop too long to simulate at once. */
const struct simulation *session_simulation(struct session *s, size_t index);
/* Passes @verb with @argument (NULL: none) to the views; false with err when there are none. */
bool session_view(struct session *s, const char *verb, const char *argument, struct result *result,
                  struct err *err);
/* Default number of threads of commands, at least 1. */
unsigned session_threads(const struct session *s);
/* Form table, loaded on first use; borrowed. NULL with err. */
struct forms *session_forms(struct session *s, enum isa isa, struct err *err);
/* Replaces the table of their instruction set by @take_forms; holders keep the old one. */
void session_set_forms(struct session *s, struct forms *take_forms);
/* Replaces the patterns; 0: all forms are selected. */
void session_select_forms(struct session *s, char **patterns, size_t count);
/* Whether experiments are to be made of @form. */
bool session_form_selected(const struct session *s, const char *form);
/* False with err when no kernel is loaded. */
bool session_has_kernel(const struct session *s, struct err *err);
/* Whether the file that @r names may be opened. One that a session's file named, not the user, is
 * refused once, with its path in err: the same command again opens it. UI thread. */
bool session_may_open(struct session *s, const struct recipe *r, struct err *err);
/* False with err when the loaded kernel is for another instruction set than @m. */
bool session_fits(const struct session *s, const struct machine *m, struct err *err);
/* Whether the shown machines are of the kernel's instruction set because they were selected, or
 * none were; false with err when the selected ones are of another set. */
bool session_shown_fit(const struct session *s, struct err *err);
/* The machine for a command about the kernel: @id; if it is NULL the last one that kernel analyze
 * got by name, else the current one. NULL with err, also when it is for another instruction set. */
struct machine *session_kernel_machine(struct session *s, const char *id, struct err *err);
/* Makes @id, NULL: none, the machine of kernel analyze. */
void session_note_analysed(struct session *s, const char *id);
/* Takes @take_kernel, its loop @loop in use; when it is for another instruction set, that set's
 * machines are shown again. */
void session_set_kernel(struct session *s, const struct kernel *take_kernel, size_t loop);
/* Selects kernel @at of the shelf, which has so many, with its loop @loop in use. */
void session_use_shelved(struct session *s, size_t at, size_t loop);
#endif
