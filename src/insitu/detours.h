/* Code to which patches jump if the loop itself is not copied. It counts and stamps, executes the
 * displaced instructions, and jumps back to the original. */
#ifndef PORTOLAN_INSITU_DETOURS_H
#define PORTOLAN_INSITU_DETOURS_H

#include "insitu/copies_state.h"

/* Appends the code to which the patch at anchor @at jumps. @twice adds another count and jump at
 * the start of that code. Returns the label of the code. */
uint32_t detours_anchor(struct copy_maker *m, uint32_t at, bool twice);
/* Appends the code of all parts of a loop of computed gotos for m->mode. */
void detours_parts(struct copy_maker *m);
/* Appends the code to which the patches jump, if each iteration of the loop executes code of the
 * original. */
void detours_pivot(struct copy_maker *m);

#endif
