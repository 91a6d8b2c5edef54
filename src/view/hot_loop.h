/* The loop selected in a profile, which the panes of PROGRAM show. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_HOT_LOOP_H
#define PORTOLAN_VIEW_HOT_LOOP_H

#include "cmd/session.h"
#include "profile/profile.h"
#include "view/grid.h"

/* Returns the selected loop; NULL if there is no profile or it has no loops. */
const struct profile_loop *hot_loop(const struct session *s);
/* Returns the instructions of the loop; NULL if unknown. Sets *@count to the number of instructions
 * unless these are unknown. */
const struct insn *hot_loop_insns(const struct profile_loop *l, size_t *count);
/* Appends the reason why loop @l of @p has no bound. */
void hot_loop_unpredicted(const struct run_profile *p, const struct profile_loop *l,
                          struct str *out);
/* Draws @percent of all samples at (@x, @y) in seven columns, or nothing for NaN. The heat is
 * @percent relative to @full. */
void hot_percent_draw(struct grid *g, int x, int y, double percent, double full, bool cursor);

#endif
