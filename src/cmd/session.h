/* State of commands: the document, settings and waiting commands. One thread. */
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

/* A file for the screen to open in the user's editor. */
struct edit_request {
    char *path;                       /* NULL: none */
    /* kernel without a file: path of its saved text; NULL: the kernel's file */
    char *directory;
    size_t line;                      /* initial line; 0: the first */
    bool opened;                      /* an editor was started */
};
/* Removes the directory. */
void edit_request_done(struct edit_request *edit);

struct session {
    struct document document;
    struct settings settings;
    struct command_queue queue;
    /* result of the running command and of ended jobs; never NULL */
    struct result *result;
    /* the previous one, freed by the next job since it may be large; NULL: none */
    struct result *discarded;
    struct result *last;              /* last shown result, for `export`; NULL: none */
    char *last_line;                  /* its command, for `export`; NULL: none */
    /* command or job that failed since; NULL: none, or something else was shown */
    char *failed_line;
    bool quit;
    bool any_failed;                  /* a command failed and keep-going continued */
    FILE *input;                      /* source of `kernel paste`; NULL: none */
    FILE *out;                        /* final destination of the running command's output */
    size_t *input_line;               /* line counter of @input, may be NULL */
    /* a screen is open: jobs run in the background, text is loaded as a paste */
    bool interactive;
    /* seconds for which a command may block the screen before it continues in the background */
    double patience;
    /* asks the screen to collect text and run paste_command on it */
    bool want_paste;
    char paste_command[160];
    /* rejected pasted text for the screen to show; empty: none */
    struct str refused;
    size_t refused_line;              /* line of the error, from 1; 0: unknown */
    /* view that shows the result of the ending command or job instead of text; NULL: none */
    const char *in_view;
    bool inferred_shown;   /* LAB shows an inferred mapping, not a machine's */
    /* confirmations of the running line, for the workbench */
    struct str said;
    /* text for the terminal's clipboard; empty: none */
    struct str copied;
    /* last path from a session file shown to the user; NULL: none */
    char *shown_path;
    struct edit_request edit;         /* requested, or in an editor with its own window */
    /* source of live results; NULL: none */
    struct experiments_measuring *measuring;
    struct profiling *profiling;      /* running `program profile`; NULL: none */
    struct kernel_blaming *blaming;   /* running `kernel blame`; NULL: none */
    /* run of inference that waits for active experiments; NULL: none */
    struct active_pending *choosing;
    unsigned loading;                 /* job that loads a kernel; 0: none */
    /* job that will replace the document: until then nothing may change; 0: none */
    unsigned replacing;
    const char *replacing_how;        /* "is loading another session" */
    /* incremented by every command that changes the document: derived data is stale */
    unsigned long revision;
    const struct session_views *views;   /* NULL: none */
    void *view_state;                 /* of views */
    struct keymap *keys;              /* never NULL */
};

/* Displayed rows of a view, collected in the background. */
struct rows_shown {
    void *state;
    /* Worker thread, once: adds the rows to @out. False with err when cancelled or out of
     * memory. */
    bool (*collect)(void *state, struct result *out, struct err *err);
    void (*free)(void *state);
};

/* Handler of views: the workbench, or a batch view. */
struct session_views {
    /* Handles `view`, `find`, `sort`, `filter`, `do`, `prompt` and `copy`; copied text goes to
     * session.copied. */
    bool (*command)(struct session *s, const char *verb, const char *argument,
                    struct result *result, struct err *err);
    /* Calls @add for each word that may follow @verb: names of views, or columns of the shown
     * view. */
    void (*words)(struct session *s, const char *verb, void (*add)(void *to, const char *word),
                  void *to);
    /* Passes the displayed rows to `export`; false when there are none. May be NULL. */
    bool (*rows)(struct session *s, struct rows_shown *out);
    /* Records that command @name, as typed, ran or continues in the background. May be NULL. */
    void (*ran)(struct session *s, const char *name);
};

void session_init(struct session *s);
void session_done(struct session *s);
/* As session_free except for background jobs, which continue: for a session built only to be
 * shown. */
void session_release(struct session *s);
/* Resolves HERE_NAME to this CPU's machine; returns other @id unchanged. NULL with err when no
 * machine is this CPU. */
const char *session_machine_id(const struct session *s, const char *id, struct err *err);
/* Returns whether machine @id is loaded. */
bool session_has_machine(const struct session *s, const char *id);
/* Returns a machine by id, loaded on first use; borrowed. NULL with err. */
struct machine *session_machine(struct session *s, const char *id, struct err *err);
/* Adds @take_machine; replaces one of the same id. */
void session_add_machine(struct session *s, struct machine *take_machine);
/* Returns a machine of the session for modification; replaced by a copy if it has other holders. */
struct machine *session_change_machine(struct session *s, struct machine *m, const char *what);
/* The same with a copy made in advance. */
struct machine *session_take_changed(struct session *s, struct machine *m,
                                     struct machine *take_copy, const char *what);
/* Replaces the session's experiments by *@made and sets it to NULL. @base (held by the caller,
 * NULL: unrelated): *@made extends it, and running measurements continue to fill it. False with err
 * when the session's experiments are no longer @base. */
bool session_set_experiments(struct session *s, struct experiments **made,
                             const struct experiments *base, struct err *err);
/* Returns the session's experiments for modification; replaced by a copy if they have other
 * holders. */
struct experiments *session_change_experiments(struct session *s);
/* Returns the first selected machine. */
struct machine *session_current(struct session *s, struct err *err);
/* Records that @line, a command or a job's title, failed: `export` offers neither its result nor
 * the previous one. NULL: clears that. */
void session_note_failure(struct session *s, const char *line);
/* Drops the messages of jobs that ended between commands. */
void session_clear_output(struct session *s);
/* Selects @ids, all of which must load and be of one instruction set. */
bool session_select(struct session *s, char **ids, size_t count, struct err *err);
/* The same by the user's choice: not replaced automatically if they do not fit the kernel. */
bool session_choose(struct session *s, char **ids, size_t count, struct err *err);
/* The same automatically, with machines of @isa that load. */
void session_show(struct session *s, enum isa isa, const char *const *ids, size_t count);
/* Returns analyses of the kernel on the selected machines, cached until these change; borrowed
 * until the next command. In the workbench a job analyses a long loop: empty until it ends
 * (session_analysing). */
struct analysis *const *session_analyses(struct session *s, size_t *count);
bool session_analysing(const struct session *s);
/* Returns the simulation of analysis @index, cached; borrowed until the next command. NULL for a
 * loop too long to simulate at once. */
const struct simulation *session_simulation(struct session *s, size_t index);
/* Passes @verb with @argument (may be NULL) to the views; false with err when there are none. */
bool session_view(struct session *s, const char *verb, const char *argument, struct result *result,
                  struct err *err);
/* Default number of threads of commands, at least 1. */
unsigned session_threads(const struct session *s);
/* Returns the form table, loaded on first use; borrowed. NULL with err. */
struct forms *session_forms(struct session *s, enum isa isa, struct err *err);
/* Replaces the tables of their instruction set by @take_forms; holders keep the old ones. */
void session_set_forms(struct session *s, struct forms *take_forms);
/* Sets the patterns; 0: all forms are selected. */
void session_select_forms(struct session *s, char **patterns, size_t count);
/* Returns whether @form is selected for experiments. */
bool session_form_selected(const struct session *s, const char *form);
/* Returns false with err when no kernel is loaded. */
bool session_has_kernel(const struct session *s, struct err *err);
/* Returns whether the file of @r may be opened. A file named by a session file, not by the user, is
 * refused once with its path in err; repeating the command opens it. UI thread. */
bool session_may_open(struct session *s, const struct recipe *r, struct err *err);
/* Returns false with err when the loaded kernel is of another instruction set than @m. */
bool session_fits(const struct session *s, const struct machine *m, struct err *err);
/* Returns whether the shown machines have the kernel's instruction set. False with err if the user
 * selected machines of another set. */
bool session_shown_fit(const struct session *s, struct err *err);
/* Returns the machine for a command about the kernel: @id; NULL: the last one named to kernel
 * analyze, else the current one. NULL with err, also when it is of another instruction set. */
struct machine *session_kernel_machine(struct session *s, const char *id, struct err *err);
/* Sets @id (NULL: none) as the machine of kernel analyze. */
void session_note_analysed(struct session *s, const char *id);
/* Sets @take_kernel with its loop @loop; for another instruction set, shows that set's machines. */
void session_set_kernel(struct session *s, const struct kernel *take_kernel, size_t loop);
/* Selects kernel @at of the shelf, below its count, with its loop @loop. */
void session_use_shelved(struct session *s, size_t at, size_t loop);
#endif
