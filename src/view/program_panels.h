/* Panels of the program view next to its table: edges between blocks, reuse distances, misses, time
 * over an input, sensitivities, and functions of a profile. UI thread; the data is immutable. */
#ifndef PORTOLAN_VIEW_PROGRAM_PANELS_H
#define PORTOLAN_VIEW_PROGRAM_PANELS_H

#include "cmd/document.h"
#include "profile/profile.h"
#include "program/study.h"
#include "view/grid.h"

enum program_panel {
    PANEL_WAYS, PANEL_REUSE, PANEL_MISSES, PANEL_TIME, PANEL_EFFECTS, PANEL_COUNT
};

/* Draws @panel of @s into the rectangle. @selected is the selected block. Draws nothing in fewer
 * than 3 rows or 20 columns. */
void program_panel_draw(enum program_panel panel, const struct study *s, size_t selected,
                        const struct program_points *measured, struct grid *g, int x, int y,
                        unsigned width, unsigned height);
/* Returns the number of rows that @panel needs; UINT_MAX: no limit. */
unsigned program_panel_rows(enum program_panel panel, const struct study *s, size_t selected);
/* Draws the functions of a profile from index @first. */
void program_functions_draw(const struct run_profile *p, size_t first, struct grid *g, int x, int y,
                            unsigned width, unsigned height);
/* Draws the instructions of a loop, or nothing if they are unknown. */
void program_loop_draw(const struct profile_loop *l, struct grid *g, int x, int y, unsigned width,
                       unsigned height);

#endif
