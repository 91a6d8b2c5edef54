/* Text editor of `kernel paste`, with a cursor. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_EDITOR_H
#define PORTOLAN_VIEW_EDITOR_H

#include "view/grid.h"

/* Zero-initialised is empty and valid. */
struct editor {
    struct str text;
    size_t cursor;        /* byte offset of the cursor */
    size_t top;           /* first visible line, from 0 */
    size_t rows;          /* visible rows of the last drawing */
    size_t marked;        /* erroneous line, from 1; 0: none */
};

void editor_done(struct editor *e);
/* Starts with @length bytes of @text and the cursor at line @marked, which is drawn as an error; 0:
 * at the end. */
void editor_set(struct editor *e, const char *text, size_t length, size_t marked);
/* Handles a key; false if unused. */
bool editor_key(struct editor *e, int key);
/* Draws the lines around the cursor with numbers on @g from row @y on. */
void editor_draw(struct editor *e, struct grid *g, int y);

#endif
