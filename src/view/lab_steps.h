/* The five steps of the laboratory, as a line above its panes: forms, experiments, measured,
 * mapping, adopt; and the run that its panes show. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_LAB_STEPS_H
#define PORTOLAN_VIEW_LAB_STEPS_H

#include "view/view.h"
#include "work/evolve_job.h"

#define LAB_INFER "evolve start; view matrix"   /* what the key runs that starts a search */

/* The newest run of inference; NULL: there is none. */
struct evolve_run *lab_run(const struct session *s);
/* Whether it runs and is not paused. */
bool lab_run_goes_on(const struct session *s);
/* Appends the command that pauses @run (NULL: nothing), or has it continue. */
void lab_pause(struct evolve_run *run, struct str *command);
/* Text of an empty pane of @view about a run, in @says, and the key of the next step on the way to
 * one. */
void lab_draw_empty(const struct session *s, const struct view_ops *view, struct grid *g,
                    const char *says);
/* Draws the steps on row 0 of @g: the result of each, and the key of the next one. */
void lab_steps_draw(struct session *s, struct grid *g);

#endif
