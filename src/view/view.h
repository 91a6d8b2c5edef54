/* A view is the content of a pane, given by an ops table: it draws the session on a grid and
 * handles keys. One list serves `view NAME` and help; place.h has the layout. */
#ifndef PORTOLAN_VIEW_VIEW_H
#define PORTOLAN_VIEW_VIEW_H

#include "cmd/action.h"
#include "cmd/session.h"
#include "view/grid.h"
#include "view/table.h"

/* Moves *@at as @action says, @page rows at a time; the result may be outside 0 to @last, and the
 * caller clamps it. False for other actions. */
bool view_row(enum action action, long *at, long page, long last);
/* Scrolls so that the cursor among @count rows, @body of them visible from *@top on, is visible,
 * without empty rows below the last. */
void view_place(size_t *cursor, size_t *top, size_t body, size_t count);

struct view_ops;

struct view_ops {
    const char *name;      /* "kernel" */
    const char *label;     /* title of its pane; NULL: @name */
    /* appends the object shown to the title, ": dot.c"; NULL: nothing */
    void (*title)(void *state, struct session *s, struct str *out);
    const char *help;      /* description, one line */
    const char *marks;     /* lines "mark\tmeaning"; NULL: none */
    /* Performs @action; returns whether it applies. May append a command for the frame to run, or,
     * after ':', to edit in the prompt. NULL: no actions. cmd/key_rows.c binds keys to actions. */
    bool (*act)(void *state, struct session *s, enum action action, struct str *command);
    size_t state_size;            /* of its own state */
    void (*open)(void *state);    /* fills that, which is zeroed; NULL: it is good as it is */
    void (*close)(void *state);   /* frees what the state holds; NULL: nothing */
    /* Draws on the whole of @g, at least 40x8. */
    void (*draw)(void *state, struct session *s, struct grid *g);
    /* Returns whether the focused view needs the whole place. NULL: never. */
    bool (*whole)(void *state, struct session *s);
    /* Draws next to other panes of the place that show the rest; NULL: as draw. */
    void (*draw_beside)(void *state, struct session *s, struct grid *g);
    /* Number of rows with content at this width, with or without other panes (@beside); NULL: any
     * number. */
    unsigned (*wants)(void *state, struct session *s, unsigned width, bool beside);
    /* Handles a click at cell (x, y). May be NULL. */
    void (*click)(void *state, struct session *s, int x, int y);
    /* Moves to the next (+1) or previous (-1) row with @text; false when none has it. May be
     * NULL. */
    bool (*find)(void *state, struct session *s, const char *text, int direction);
    /* Sets sorting or filter; "" removes it. May be NULL. */
    bool (*sort)(void *state, struct session *s, const char *column, struct err *err);
    bool (*filter)(void *state, struct session *s, const char *expression, struct err *err);
    /* Current expression, "": none; for editing in the prompt. May be NULL. */
    const char *(*filtered)(void *state);
    /* Current table, whose columns sort and filter accept; false when there is none. May be
     * NULL. */
    bool (*source)(void *state, struct session *s, struct table_source *out);
    /* Appends position, sorting and filter for the status line. May be NULL. */
    void (*status)(void *state, struct session *s, struct str *out);
    /* Collects its filtered and sorted rows for `export`; false when there are none. May be
     * NULL. */
    bool (*rows)(void *state, struct session *s, struct rows_shown *out);
    /* Appends @part of its rows (table_copy), or its text. False with err when there are none. May
     * be NULL. */
    bool (*copy)(void *state, struct session *s, enum copied part, struct str *out,
                 struct err *err);
    /* Appends the form under the cursor; false when there is none. May be NULL. */
    bool (*form_at)(void *state, struct session *s, struct str *out);
    /* Appends the cursor's position as text for recall; false when there is none. May be NULL. */
    bool (*mark)(void *state, struct session *s, struct str *out);
    /* Moves its cursor to a position from mark, or to a row or line of form @mark; false when that
     * is not shown. NULL where mark is. */
    bool (*recall)(void *state, struct session *s, const char *mark);
    /* Returns whether its content changes by itself: the frame redraws ten times a second. May be
     * NULL. */
    bool (*live)(void *state, struct session *s);
    /* Returns whether it has unfinished work, done in parts per drawing: the frame redraws unless a
     * key is pressed. May be NULL. */
    bool (*busy)(void *state);
};

/* Words for `view` besides names. */
#define VIEW_NEXT "next"
#define VIEW_PREVIOUS "previous"

extern const struct view_ops *const views[];   /* NULL-terminated */
/* Passes @add the words for `view` and `pane`: names of views, next and previous. */
void view_words(void (*add)(void *to, const char *word), void *to);
/* Fills the empty @g with the pane's purpose, @says, and the key of @view that fills it: the one
 * bound to @command, with its effect @does. */
void view_draw_empty(const struct session *s, const struct view_ops *view, struct grid *g,
                     const char *says, const char *command, const char *does);
/* Shows the next (+1) or previous selected machine. */
void view_next_machine(struct session *s, int direction);
/* A new state of view @index, and its end. */
void *view_open(size_t index);
void view_close(size_t index, void *state);
size_t view_count(void);
/* Index by unambiguous prefix; view_count() if none. */
size_t view_find(const char *name);
/* Index of @view in views. */
size_t view_index(const struct view_ops *view);
/* Reports an unknown @name: false with err, which names a similar one, or all. */
bool view_refuse(const char *name, struct err *err);

/* All views; the last three are overlays (place.h has the others). */
#define VIEWS(VIEW)                                                                                \
    VIEW(kernel)                                                                                   \
    VIEW(why) VIEW(faster) VIEW(whatif) VIEW(compare) VIEW(machines) VIEW(timeline) VIEW(source)   \
        VIEW(program) VIEW(functions) VIEW(code) VIEW(cost) VIEW(lines) VIEW(mapping) VIEW(matrix) \
            VIEW(evolution) VIEW(accuracy) VIEW(search) VIEW(tables) VIEW(machine)                 \
                VIEW(experiments) VIEW(check) VIEW(output) VIEW(log) VIEW(help)
#define VIEW_DECLARED(name) extern const struct view_ops name##_view;
VIEWS(VIEW_DECLARED)

/* Sets the output view's state to the text of the last command or job with several lines. Takes
 * @take_text. */
void output_view_set(void *state, const char *title, char *take_text);

/* Makes the help view start with the keys of view @index. */
void help_view_set(void *state, const struct session *s, size_t index);

#endif
