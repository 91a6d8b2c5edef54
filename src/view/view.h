/* A view is the content of a pane. Its ops table draws the session on a grid and handles keys.
 * `view NAME` and help use the same list of views; place.h has the layout. */
#ifndef PORTOLAN_VIEW_VIEW_H
#define PORTOLAN_VIEW_VIEW_H

#include "cmd/action.h"
#include "cmd/session.h"
#include "view/grid.h"
#include "view/table.h"

/* Moves *@at as @action requires, by @page rows for a page. The caller limits the result to the
 * range 0 to @last. Returns false for other actions. */
bool view_row(enum action action, long *at, long page, long last);
/* Scrolls to keep the cursor, one of @count rows, visible. @body rows are visible from row *@top.
 * Leaves no empty screen rows after the last row. Limits *@cursor to the rows. */
void view_place(size_t *cursor, size_t *top, size_t body, size_t count);

struct view_ops;

struct view_ops {
    const char *name;      /* name for `view`: "kernel" */
    const char *label;     /* title of the pane; NULL: @name */
    /* Appends the displayed object to the title, such as ": dot.c". NULL: appends nothing. */
    void (*title)(void *state, struct session *s, struct str *out);
    const char *help;      /* description of the view in one line */
    const char *marks;     /* lines "mark\tmeaning"; NULL: the view has no marks */
    /* Performs @action. Returns whether it applies to the view. May append a command for the frame
     * to run, or, after ':', a command to edit in the prompt. NULL: no actions. cmd/key_rows.c
     * binds keys to actions. */
    bool (*act)(void *state, struct session *s, enum action action, struct str *command);
    size_t state_size;            /* size of the view's state */
    void (*open)(void *state);    /* Initialises the zeroed state. NULL: a zeroed state is
                                   * valid. */
    void (*close)(void *state);   /* Frees the memory that the state owns. NULL: it owns none. */
    /* Draws the view on all of @g, which has at least 40x8 cells. */
    void (*draw)(void *state, struct session *s, struct grid *g);
    /* Returns whether the view needs the whole place when it is focused. NULL: it does not. */
    bool (*whole)(void *state, struct session *s);
    /* Draws next to other panes of the place, which show parts of draw's content. NULL: like
     * draw. */
    void (*draw_with_panes)(void *state, struct session *s, struct grid *g);
    /* Returns the number of rows with content at this width. @other_panes: whether other
     * panes are displayed. NULL: the view can fill any number of rows. */
    unsigned (*wants)(void *state, struct session *s, unsigned width, bool other_panes);
    /* Handles a click at cell (x, y). May be NULL. */
    void (*click)(void *state, struct session *s, int x, int y);
    /* Selects the next (+1) or previous (-1) row that contains @text. Returns false if there is
     * none. May be NULL. */
    bool (*find)(void *state, struct session *s, const char *text, int direction);
    /* Set the sorting or the filter; "" removes it. Return false with err if the text is invalid.
     * May be NULL. */
    bool (*sort)(void *state, struct session *s, const char *column, struct err *err);
    bool (*filter)(void *state, struct session *s, const char *expression, struct err *err);
    /* Returns the current filter expression, for editing in the prompt; "": none. May be NULL. */
    const char *(*filtered)(void *state);
    /* Returns the current table, whose columns sort and filter accept. Returns false if there is
     * none. May be NULL. */
    bool (*source)(void *state, struct session *s, struct table_source *out);
    /* Appends position, sorting and filter for the status line. May be NULL. */
    void (*status)(void *state, struct session *s, struct str *out);
    /* Collects the filtered and sorted rows for `export`. Returns false if there are none. May be
     * NULL. */
    bool (*rows)(void *state, struct session *s, struct rows_shown *out);
    /* Appends @part of the view's rows (table_copy), or its text. Returns false with err if there
     * are none. May be NULL. */
    bool (*copy)(void *state, struct session *s, enum copied part, struct str *out,
                 struct err *err);
    /* Appends the selected form. Returns false if there is none. May be NULL. */
    bool (*form_at)(void *state, struct session *s, struct str *out);
    /* Appends the cursor's position as text for recall. Returns false if there is none. May be
     * NULL. */
    bool (*mark)(void *state, struct session *s, struct str *out);
    /* Selects the position that `mark` returned, or the row or line of form @mark. Returns false if
     * the view does not have this position. NULL if `mark` is NULL. */
    bool (*recall)(void *state, struct session *s, const char *mark);
    /* Returns whether the content changes without input. The frame then redraws ten times per
     * second. May be NULL. */
    bool (*live)(void *state, struct session *s);
    /* Returns whether work is left. Each drawing does part of it. The frame redraws until a key is
     * pressed. May be NULL. */
    bool (*busy)(void *state);
};

/* Words that `view` accepts in addition to names. */
#define VIEW_NEXT "next"
#define VIEW_PREVIOUS "previous"

extern const struct view_ops *const views[];   /* all views, ended by NULL */
/* Calls @add for the words that `view` and `pane` accept: names of views, next and previous. */
void view_words(void (*add)(void *to, const char *word), void *to);
/* Draws on the empty @g the purpose of the pane (@says) and the key that fills it. This is the key
 * of @command in @view, with the effect @does. */
void view_draw_empty(const struct session *s, const struct view_ops *view, struct grid *g,
                     const char *says, const char *command, const char *does);
/* Displays the next (+1) or previous (-1) selected machine. */
void view_next_machine(struct session *s, int direction);
/* view_open returns a new state of view @index; view_close frees it. */
void *view_open(size_t index);
void view_close(size_t index, void *state);
size_t view_count(void);
/* Returns the index of the view named @name, or of the only view whose name begins with @name;
 * view_count(): none or several. */
size_t view_find(const char *name);
/* Returns the index of @view in the array views. */
size_t view_index(const struct view_ops *view);
/* Sets err for an unknown view @name, with a similar name or all names. Returns false. */
bool view_refuse(const char *name, struct err *err);

/* All views. The last three are overlays; place.h has the places of the others. */
#define VIEWS(VIEW)                                                                                \
    VIEW(kernel)                                                                                   \
    VIEW(why) VIEW(faster) VIEW(whatif) VIEW(compare) VIEW(machines) VIEW(timeline) VIEW(source)   \
        VIEW(program) VIEW(functions) VIEW(code) VIEW(cost) VIEW(lines) VIEW(mapping) VIEW(matrix) \
            VIEW(evolution) VIEW(accuracy) VIEW(search) VIEW(tables) VIEW(machine)                 \
                VIEW(experiments) VIEW(check) VIEW(output) VIEW(log) VIEW(help)
#define VIEW_DECLARED(name) extern const struct view_ops name##_view;
VIEWS(VIEW_DECLARED)

/* Sets the text of the output view: several lines of output of the last command or job. @take_text
 * is moved. */
void output_view_set(void *state, const char *title, char *take_text);

/* Makes the help view show the keys of view @index first. */
void help_view_set(void *state, const struct session *s, size_t index);

#endif
