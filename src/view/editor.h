/* A text being typed or corrected, a cursor in it: what `kernel paste` collects. No curses. UI
 * thread. */
#ifndef PORTOLAN_VIEW_EDITOR_H
#define PORTOLAN_VIEW_EDITOR_H

#include "view/grid.h"

/* Zero-initialised is empty and valid. */
struct editor {
    struct str text;
    size_t cursor;        /* byte of the text that it stands on */
    size_t top;           /* first line shown, from 0 */
    size_t rows;          /* of the last drawing */
    size_t marked;        /* line that is wrong, from 1; 0: none */
};

void editor_done(struct editor *e);
/* Starts with @length bytes of @text, the cursor at the beginning of line @marked, which is drawn
 * as wrong; 0: at the end. */
void editor_set(struct editor *e, const char *text, size_t length, size_t marked);
/* Takes a key; false: it has no use for it. */
bool editor_key(struct editor *e, int key);
/* Draws the lines around the cursor with their numbers on @g from row @y on. */
void editor_draw(struct editor *e, struct grid *g, int y);

#endif
