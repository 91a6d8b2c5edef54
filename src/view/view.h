/* A view = one ops table entry: it draws the session on a grid and turns keys into command strings. No curses. */
#ifndef PORTOLAN_VIEW_VIEW_H
#define PORTOLAN_VIEW_VIEW_H

#include "cmd/command.h"
#include "view/grid.h"

enum view_key {   /* beyond plain characters */
    KEY_VIEW_UP = 0x110000, KEY_VIEW_DOWN, KEY_VIEW_LEFT, KEY_VIEW_RIGHT, KEY_VIEW_PAGE_UP, KEY_VIEW_PAGE_DOWN, KEY_VIEW_HOME,
    KEY_VIEW_END, KEY_VIEW_ENTER, KEY_VIEW_ESCAPE, KEY_VIEW_TAB, KEY_VIEW_BACKTAB, KEY_VIEW_F1, KEY_VIEW_F12 = KEY_VIEW_F1 + 11,
};

struct view_state;   /* each view's own */

struct view_ops {
    const char *name;      /* "kernel": `view kernel`, Tab order, help */
    const char *title;
    const char *help;      /* one line */
    struct view_state *(*open)(void);
    void (*close)(struct view_state *v);
    /* Draws the whole area; must fit any size from 40x10 (minus frame). */
    void (*draw)(struct view_state *v, struct session *s, struct grid *g);
    /* Handles a key; may append a command string to @command for the main loop to run. True when it used the key. */
    bool (*key)(struct view_state *v, struct session *s, int key, struct str *command);
    /* Mouse press at cell (x, y) of the view's area; wheel -1/+1, 0 = click. */
    bool (*mouse)(struct view_state *v, struct session *s, int x, int y, int wheel);
    /* Search: moves to the next (+1) or previous (-1) match of @text; false when none. */
    bool (*find)(struct view_state *v, struct session *s, const char *text, int direction);
    /* "12/40  sort: line  filter: -": the bottom line's left part. */
    void (*status)(struct view_state *v, struct session *s, struct str *out);
};
extern const struct view_ops *const views[];   /* NULL-terminated; order = keys 1-9 */

#endif
