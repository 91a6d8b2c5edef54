/* Text editor of `kernel paste`, with a cursor. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_EDITOR_H
#define PORTOLAN_VIEW_EDITOR_H

#include "view/grid.h"

struct editor {
    struct str text;
    size_t cursor;        /* byte offset of the cursor */
    size_t top;           /* first visible line, from 0 */
    size_t rows;          /* number of rows in the last drawing */
    size_t marked;        /* line with an error, from 1; 0: none */
};

void editor_done(struct editor *e);
/* Starts with @length bytes of @text. Line @marked is drawn as an error and receives the cursor; 0:
 * the cursor is at the end of the text. */
void editor_set(struct editor *e, const char *text, size_t length, size_t marked);
/* Handles a key. Returns false if the editor does not use it. */
bool editor_key(struct editor *e, int key);
/* Draws the lines around the cursor with their numbers on @g, from row @y. */
void editor_draw(struct editor *e, struct grid *g, int y);

#endif
