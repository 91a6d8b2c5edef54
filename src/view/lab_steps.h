/* The line above the panes of the LAB place, with the five steps of LAB (forms, experiments,
 * measured, mapping, adopt) and the displayed run. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_LAB_STEPS_H
#define PORTOLAN_VIEW_LAB_STEPS_H

#include "view/view.h"
#include "work/evolve_job.h"

/* commands that start an inference run and show its mapping */
#define LAB_INFER "evolve start; view matrix"

/* Returns whether the newest inference run is running and not paused. */
bool lab_run_goes_on(const struct session *s);
/* Returns whether the run, chart, check or hunt of LAB changes its views (struct view_ops). */
bool lab_live(void *state, struct session *s);
/* Appends the command that pauses or resumes @run, or nothing if @run is NULL. */
void lab_pause(struct evolve_run *run, struct str *command);
/* Draws an empty pane of @view. If there is no run, shows @says and the key of the next step
 * towards a run. */
void lab_draw_empty(const struct session *s, const struct view_ops *view, struct grid *g,
                    const char *says);
/* Draws the steps on row 0 of @g with their results and the key of the next step. */
void lab_steps_draw(struct session *s, struct grid *g);

#endif
