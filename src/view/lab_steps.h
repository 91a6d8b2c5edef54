/* The five steps of the laboratory, as a line above its panes: forms, experiments, measured, mapping, adopt. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_LAB_STEPS_H
#define PORTOLAN_VIEW_LAB_STEPS_H

#include "cmd/session.h"
#include "view/grid.h"

/* Experiments of @e that have a time. */
size_t lab_measured(const struct experiments *e);
/* Draws the steps on row 0 of @g: what each has made, and the key of the next one. */
void lab_steps_draw(struct session *s, struct grid *g);

#endif
