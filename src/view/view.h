/* A view = one ops table: it draws the session on a grid and handles keys. One list feeds `view NAME`, Tab, the digits and help. */
#ifndef PORTOLAN_VIEW_VIEW_H
#define PORTOLAN_VIEW_VIEW_H

#include "cmd/session.h"
#include "view/grid.h"
#include "view/key.h"

struct view_ops {
    const char *name;      /* "kernel" */
    const char *help;      /* one line: what it shows */
    const char *keys;      /* lines "keys\twhat they do", and what its marks mean; NULL: those of all views */
    void *(*open)(void);   /* the view's own state; never NULL */
    void (*close)(void *state);
    /* Draws on the whole of @g, any size from 40x8 up. */
    void (*draw)(void *state, struct session *s, struct grid *g);
    /* True when it used the key; may append a command line for the frame to run to @command, or one with ':' before it for the
     * user to edit in the prompt. */
    bool (*key)(void *state, struct session *s, int key, struct str *command);
    /* A press at cell (x, y) of the view. May be NULL. */
    void (*click)(void *state, struct session *s, int x, int y);
    /* Moves to the next (+1) or previous (-1) row that holds @text; false when none does. May be NULL. */
    bool (*find)(void *state, struct session *s, const char *text, int direction);
    /* Sorts, filters; "" takes it away. May be NULL. */
    bool (*sort)(void *state, struct session *s, const char *column, struct err *err);
    bool (*filter)(void *state, struct session *s, const char *expression, struct err *err);
    /* Appends position, sort and filter for the status line. May be NULL. */
    void (*status)(void *state, struct session *s, struct str *out);
    /* True while what it shows changes by itself: the frame redraws ten times a second. May be NULL. */
    bool (*live)(void *state, struct session *s);
};

extern const struct view_ops *const views[];   /* ends with NULL; the order is that of Tab and the digits */
size_t view_count(void);
/* Index by unambiguous prefix; view_count() when there is none. */
size_t view_find(const char *name);

extern const struct view_ops kernel_view, timeline_view, whatif_view, experiments_view, evolution_view, mapping_view, accuracy_view, machine_view, output_view, log_view, help_view;

/* The output view's state is the text of the last command or job that printed more than a line. */
void output_view_set(void *state, const char *title, const char *text);

/* The help view begins with the keys of view @index. */
void help_view_set(void *state, size_t index);

#endif
