/* Panels of the Program view next to its table: ways between blocks, reuse distances, misses, the
 * time over an input, sensitivities; of a profile its functions. UI thread; everything is drawn
 * from data that does not change. */
#ifndef PORTOLAN_VIEW_PROGRAM_PANELS_H
#define PORTOLAN_VIEW_PROGRAM_PANELS_H

#include "cmd/document.h"
#include "profile/profile.h"
#include "program/study.h"
#include "view/grid.h"

enum program_panel {
    PANEL_WAYS, PANEL_REUSE, PANEL_MISSES, PANEL_TIME, PANEL_EFFECTS, PANEL_COUNT
};

/* Draws @panel of @s into the rectangle; @selected is the block under the cursor. */
void program_panel_draw(enum program_panel panel, const struct study *s, size_t selected,
                        const struct program_points *measured, struct grid *g, int x, int y,
                        unsigned width, unsigned height);
/* The rows that @panel has something for; UINT_MAX: any number. */
unsigned program_panel_rows(enum program_panel panel, const struct study *s, size_t selected);
/* The functions of a profile, from the @first on. */
void program_functions_draw(const struct run_profile *p, size_t first, struct grid *g, int x, int y,
                            unsigned width, unsigned height);
/* The instructions of one of its loops; nothing if they are unknown. */
void program_loop_draw(const struct profile_loop *l, struct grid *g, int x, int y, unsigned width,
                       unsigned height);

#endif
