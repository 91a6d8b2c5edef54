/* The five steps of the LAB place, as a line above its panes: forms, experiments, measured,
 * mapping, adopt; and the run shown. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_LAB_STEPS_H
#define PORTOLAN_VIEW_LAB_STEPS_H

#include "view/view.h"
#include "work/evolve_job.h"

#define LAB_INFER "evolve start; view matrix"   /* command that starts a search */

/* Returns the newest run of inference, or NULL. */
struct evolve_run *lab_run(const struct session *s);
/* Returns whether it runs and is not paused. */
bool lab_run_goes_on(const struct session *s);
/* Appends the command that pauses or continues @run (NULL: nothing). */
void lab_pause(struct evolve_run *run, struct str *command);
/* Draws the text @says of an empty pane of @view about a run, and the key of the next step towards
 * one. */
void lab_draw_empty(const struct session *s, const struct view_ops *view, struct grid *g,
                    const char *says);
/* Draws the steps on row 0 of @g: the result of each, and the key of the next. */
void lab_steps_draw(struct session *s, struct grid *g);

#endif
