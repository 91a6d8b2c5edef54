/* State of the commands: the document, settings and queued commands. One thread. */
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
struct checking;
struct profiling;
struct recipe;
struct keymap;
struct session_views;

/* a file that the screen opens in the user's editor */
struct edit_request {
    char *path;                       /* path; NULL: no file */
    /* directory with the saved text of a kernel that was not read from a file; NULL: the kernel's
     * file is edited */
    char *directory;
    size_t line;                      /* line of the cursor; 0: the first line */
    bool opened;                      /* whether an editor was started */
};
/* Removes the temporary directory, and frees the members of @edit. */
void edit_request_done(struct edit_request *edit);

struct session {
    struct document document;
    struct settings settings;
    struct command_queue queue;
    /* result of the running command and of ended jobs; never NULL */
    struct result *result;
    struct result *last;              /* last shown result, for `export`; NULL: none */
    char *last_line;                  /* command line of @last; NULL: none */
    /* command or job that failed after @last was shown; NULL: none */
    char *failed_line;
    bool quit;
    bool any_failed;                  /* whether a command failed and keep-going continued */
    FILE *input;                      /* source of `kernel paste`; NULL: none */
    FILE *out;                        /* destination of the running command's output; NULL: none */
    size_t *input_line;               /* line counter of @input, may be NULL */
    /* whether the screen is open: jobs then run in the background, and pasted text comes from the
     * screen */
    bool interactive;
    /* seconds for which a command may block the screen before it continues in the background */
    double patience;
    /* Shows what the screen waits for: "kernel load: assembles". NULL: no screen. */
    void (*waits)(const char *what);
    /* whether the screen shall read text and run paste_command on it */
    bool want_paste;
    char paste_command[160];
    /* rejected pasted text, which the screen shows for correction; empty: none */
    struct str refused;
    size_t refused_line;              /* line of the error, from 1; 0: unknown */
    /* view with the result of the command or job instead of text; NULL: none */
    const char *in_view;
    bool several_panes;    /* whether the screen has space for several panes of the place */
    bool table_shown;      /* whether the focused pane has a table */
    bool inferred_shown;   /* whether the mapping view shows an inferred mapping instead of a
                            * machine's */
    /* confirmations of the current command line, for the workbench */
    struct str said;
    /* text for the terminal's clipboard; empty: none */
    struct str copied;
    /* the last path of a session file that session_may_open refused; NULL: none */
    char *shown_path;
    struct edit_request edit;         /* requested edit, or edit in a separate window */
    /* running measurement whose results are added live; NULL: none */
    struct experiments_measuring *measuring;
    struct profiling *profiling;      /* running `program profile`; NULL: none */
    struct kernel_blaming *blaming;   /* running `kernel blame`; NULL: none */
    struct checking *checking;        /* running `machine check`; NULL: none */
    /* inference run that waits for selected experiments; NULL: none */
    struct active_pending *choosing;
    unsigned loading;                 /* job that loads a kernel; 0: none */
    /* job that will replace the document, which nothing else may then change; 0: none */
    unsigned replacing;
    const char *replacing_how;        /* verb phrase for messages: "is loading another session" */
    /* incremented by each change of the document; data of an earlier revision is outdated */
    unsigned long revision;
    const struct session_views *views;   /* functions of the views; NULL: there are no views */
    void *view_state;                 /* private data of @views */
    struct keymap *keys;              /* key bindings; never NULL */
};

/* Rows that a view displays, which a job collects */
struct rows_shown {
    void *state;
    /* Adds the rows to @out. Called once, on a worker thread. Returns false with err if
     * cancelled or out of memory, or if no row is visible. */
    bool (*collect)(void *state, struct result *out, struct err *err);
    void (*free)(void *state);
};

/* Functions of the views, which the workbench sets, or a view printed in a script */
struct session_views {
    /* Executes the commands of cmd_view.c, and `copy`, `tutorial` and `demo`. Stores copied text in
     * session.copied. */
    bool (*command)(struct session *s, const char *verb, const char *argument,
                    struct result *result, struct err *err);
    /* Calls @add for each word that may follow @verb: the names of views, or the columns of the
     * displayed view. */
    void (*words)(struct session *s, const char *verb, void (*add)(void *to, const char *word),
                  void *to);
    /* Passes the displayed rows to `export`. Returns false if there are none. May be NULL. */
    bool (*rows)(struct session *s, struct rows_shown *out);
    /* Records that command @name was run or continues in the background. May be NULL. */
    void (*ran)(struct session *s, const char *name);
};

void session_init(struct session *s);
void session_done(struct session *s);
/* Frees the contents of a snapshot, or of a session that was read from a directory. Does the same
 * as session_done, but background jobs continue. */
void session_release(struct session *s);
/* Returns the id of this CPU's machine for HERE_NAME, else @id. Returns NULL with err if no
 * machine matches this CPU. */
const char *session_machine_id(const struct session *s, const char *id, struct err *err);
/* Returns whether machine @id is loaded. */
bool session_has_machine(const struct session *s, const char *id);
/* Returns machine @id, borrowed. Loads it on first use. Returns NULL with err. */
struct machine *session_machine(struct session *s, const char *id, struct err *err);
/* Adds @take_machine, or replaces the machine with the same id. */
void session_add_machine(struct session *s, struct machine *take_machine);
/* Replaces machine @m of the session with a copy that may be modified. Returns the copy. @what:
 * name of the change for undo. */
struct machine *session_change_machine(struct session *s, struct machine *m, const char *what);
/* Does the same as session_change_machine with the prepared copy @take_copy. */
struct machine *session_take_changed(struct session *s, struct machine *m,
                                     struct machine *take_copy, const char *what);
/* Replaces the session's experiments with *@made, which is set to NULL. @base: table that *@made
 * extends, to which the caller has a reference; running measurements continue to fill it. NULL:
 * *@made is unrelated. Returns false with err if the session's experiments are no longer @base. */
bool session_set_experiments(struct session *s, struct experiments **made,
                             const struct experiments *base, struct err *err);
/* Returns the session's experiments for modification. A copy replaces them first if there are other
 * references. */
struct experiments *session_change_experiments(struct session *s);
/* Returns the first selected machine. Loads it on first use. Returns NULL with err. */
struct machine *session_current(struct session *s, struct err *err);
/* Records that @line, a command or a job's title, failed. `export` then has neither its result nor
 * the previous result. NULL: clears the record. */
void session_note_failure(struct session *s, const char *line);
/* Frees the messages of jobs that ended between commands. */
void session_clear_output(struct session *s);
/* Selects the machines @ids. Returns false with err unless all load and have the same instruction
 * set. */
bool session_select(struct session *s, char **ids, size_t count, struct err *err);
/* Selects machines like session_select, for a choice by the user, which is not replaced
 * automatically. Returns false with err. */
bool session_choose(struct session *s, char **ids, size_t count, struct err *err);
/* Selects the machines @ids of @isa, without loading them. session_analyses omits machines that
 * fail to load. */
void session_show(struct session *s, enum isa isa, const char *const *ids, size_t count);
/* Returns the analyses of the kernel on the selected machines. They are cached until kernel or
 * machines change, and borrowed until the next command. In the workbench a job analyses a long
 * loop. Until the job ends there are no analyses (session_analysing). Sets *@count to the number of
 * analyses. */
struct analysis *const *session_analyses(struct session *s, size_t *count);
bool session_analysing(const struct session *s);
/* Returns the simulation of analysis @index. It is cached, and borrowed until the next command.
 * Returns NULL while a job of the workbench computes it, after a failure, and for very long
 * loops. */
const struct simulation *session_simulation(struct session *s, size_t index);
/* Passes @verb with @argument (may be NULL) to the views. Returns false with err if there are no
 * views, or if the views reject the command. */
bool session_view(struct session *s, const char *verb, const char *argument, struct result *result,
                  struct err *err);
/* Returns the default number of threads of commands, at least 1. */
unsigned session_threads(const struct session *s);
/* Returns the form table of @isa, borrowed. Loads it on first use. Returns NULL with err. */
struct forms *session_forms(struct session *s, enum isa isa, struct err *err);
/* Replaces the form table of one instruction set with @take_forms. References to the old table
 * remain valid. */
void session_set_forms(struct session *s, struct forms *take_forms);
/* Sets the patterns that select forms; @count 0: all forms. */
void session_select_forms(struct session *s, char **patterns, size_t count);
/* Returns whether one of @patterns selects @form. No patterns select all forms. Any thread. */
bool form_patterns_match(char *const *patterns, size_t count, const char *form);
/* Returns whether a kernel is loaded; false with err otherwise. */
bool session_has_kernel(const struct session *s, struct err *err);
/* Returns whether the file of @r may be opened. Refuses a path from a session file at the first
 * request, with the path in err, because the user did not type it. A repeated command opens the
 * file. UI thread. */
bool session_may_open(struct session *s, const struct recipe *r, struct err *err);
/* Returns whether the loaded kernel has the instruction set of @m; false with err otherwise. */
bool session_fits(const struct session *s, const struct machine *m, struct err *err);
/* Returns false with err if the user selected machines of an instruction set other than the
 * kernel's. */
bool session_shown_fit(const struct session *s, struct err *err);
/* Returns the machine of a command about the kernel: @id, or else the machine last named to kernel
 * analyze, or else the current machine. Returns NULL with err if it is missing or has another
 * instruction set. */
struct machine *session_kernel_machine(struct session *s, const char *id, struct err *err);
/* Records @id (NULL: none), the machine given to kernel analyze. */
void session_note_analysed(struct session *s, const char *id);
/* Makes @take_kernel with loop @loop the session's kernel (NULL: none). Displays the machines of
 * its instruction set if another set is displayed. */
void session_set_kernel(struct session *s, const struct kernel *take_kernel, size_t loop);
/* Stores the index of the current loop in the kernel's shelf entry. */
void session_keep_loop(struct session *s);
/* Selects kernel @at of the shelf (0 to its count - 1) with loop @loop. */
void session_use_shelved(struct session *s, size_t at, size_t loop);
#endif
