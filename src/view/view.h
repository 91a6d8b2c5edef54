/* A view is the content of a pane, one ops table: it draws the session on a grid and handles keys.
 * One list feeds `view NAME` and help; place.h says where each stands. */
#ifndef PORTOLAN_VIEW_VIEW_H
#define PORTOLAN_VIEW_VIEW_H

#include "cmd/action.h"
#include "cmd/session.h"
#include "view/grid.h"
#include "view/table.h"

/* Moves *@at to the row that @action goes to, @page rows at a time; it may lie outside 0 to @last,
 * for the caller to judge. False when it moves between no rows. */
bool view_row(enum action action, long *at, long page, long last);
/* The cursor among @count rows, @body of which are visible from *@top on: it is visible, and no
 * empty rows are below the last. */
void view_place(size_t *cursor, size_t *top, size_t body, size_t count);

struct view_ops;

struct view_ops {
    const char *name;      /* "kernel" */
    const char *label;     /* title of its pane; NULL: the name */
    /* appends to the title what is shown, ": dot.c"; NULL: nothing */
    void (*title)(void *state, struct session *s, struct str *out);
    const char *help;      /* one line: what it shows */
    const char *marks;     /* lines "mark\twhat it means"; NULL: none */
    /* Does @action, true when the view has a use for it now; may append a command for the frame to
     * run, or with ':' before it for the user to edit in the prompt. NULL: it does nothing. Which
     * keys act is the table's (cmd/key_rows.c). */
    bool (*act)(void *state, struct session *s, enum action action, struct str *command);
    void *(*open)(void);   /* the view's own state; never NULL */
    void (*close)(void *state);
    /* Draws on the whole of @g, any size from 40x8 up. */
    void (*draw)(void *state, struct session *s, struct grid *g);
    /* Whether it needs all the room of the place while keys go to it. NULL: never. */
    bool (*whole)(void *state, struct session *s);
    /* Draws where other panes of the place are shown too, which have the rest; NULL: as draw. */
    void (*draw_beside)(void *state, struct session *s, struct grid *g);
    /* The number of rows with content at this width, @beside others or not; NULL: any number. */
    unsigned (*wants)(void *state, struct session *s, unsigned width, bool beside);
    /* A press at cell (x, y) of the view. May be NULL. */
    void (*click)(void *state, struct session *s, int x, int y);
    /* Moves to the next (+1) or previous (-1) row that holds @text; false when none does. May be
     * NULL. */
    bool (*find)(void *state, struct session *s, const char *text, int direction);
    /* Sorts, filters; "" takes it away. May be NULL. */
    bool (*sort)(void *state, struct session *s, const char *column, struct err *err);
    bool (*filter)(void *state, struct session *s, const char *expression, struct err *err);
    /* The expression that is in force, "": none; to be edited in the prompt. May be NULL. */
    const char *(*filtered)(void *state);
    /* Its table as it is now, whose columns sort and filter take; false when it shows none. May be
     * NULL. */
    bool (*source)(void *state, struct session *s, struct table_source *out);
    /* Appends position, sort and filter for the status line. May be NULL. */
    void (*status)(void *state, struct session *s, struct str *out);
    /* Its rows as they are shown, filtered and sorted, for `export`; false when there are none. May
     * be NULL. */
    bool (*rows)(void *state, struct session *s, struct rows_shown *out);
    /* Appends @part of its rows (table_copy), or its text. False with err when there are none. May
     * be NULL. */
    bool (*copy)(void *state, struct session *s, enum copied part, struct str *out,
                 struct err *err);
    /* Appends the form under the cursor; false when there is none. May be NULL. */
    bool (*form_at)(void *state, struct session *s, struct str *out);
    /* Appends the place of its cursor, in words for recall; false when it has none. May be NULL. */
    bool (*mark)(void *state, struct session *s, struct str *out);
    /* Moves its cursor to what mark said, or to a row or line of the form @mark; false when that is
     * not shown. NULL where mark is. */
    bool (*recall)(void *state, struct session *s, const char *mark);
    /* True while what it shows changes by itself: the frame redraws ten times a second. May be
     * NULL. */
    bool (*live)(void *state, struct session *s);
    /* True while it has work of its own in progress, a piece with each drawing: the frame draws
     * again unless a key is pressed. May be NULL. */
    bool (*busy)(void *state);
};

/* Besides names, for `view`. */
#define VIEW_NEXT "next"
#define VIEW_PREVIOUS "previous"

extern const struct view_ops *const views[];   /* ends with NULL */
/* Gives @add what `view` and `pane` take: the names of views, next and previous. */
void view_words(void (*add)(void *to, const char *word), void *to);
/* Fills the empty @g with the purpose of the pane, in @says, and the key of @view that fills it:
 * that of @command, and its effect (@does). */
void view_draw_empty(const struct session *s, const struct view_ops *view, struct grid *g,
                     const char *says, const char *command, const char *does);
/* The next selected machine (+1), or the one before (-1), is shown. */
void view_next_machine(struct session *s, int direction);
size_t view_count(void);
/* Index by unambiguous prefix; view_count() when there is none. */
size_t view_find(const char *name);
/* Index of @view. */
size_t view_index(const struct view_ops *view);
/* There is none of @name: false with err, which names one that is alike, or all. */
bool view_refuse(const char *name, struct err *err);

/* The views; the last three are overlays (place.h has the others). */
#define VIEWS(VIEW)                                                                                \
    VIEW(kernel)                                                                                   \
    VIEW(why) VIEW(faster) VIEW(whatif) VIEW(compare) VIEW(machines) VIEW(timeline) VIEW(source)   \
        VIEW(program) VIEW(functions) VIEW(code) VIEW(cost) VIEW(lines) VIEW(mapping) VIEW(matrix) \
            VIEW(evolution) VIEW(accuracy) VIEW(search) VIEW(tables) VIEW(machine)                 \
                VIEW(experiments) VIEW(check) VIEW(output) VIEW(log) VIEW(help)
#define VIEW_DECLARED(name) extern const struct view_ops name##_view;
VIEWS(VIEW_DECLARED)

/* The output view's state is the text of the last command or job that printed more than a line.
 * Takes @take_text. */
void output_view_set(void *state, const char *title, char *take_text);

/* The help view begins with the keys of view @index. */
void help_view_set(void *state, const struct session *s, size_t index);

#endif
