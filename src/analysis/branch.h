/* Determines where execution continues after an instruction. Pure. Any thread. */
#ifndef PORTOLAN_ANALYSIS_BRANCH_H
#define PORTOLAN_ANALYSIS_BRANCH_H

#include "isa/insn.h"

/* Returns whether execution can continue with the next instruction after @insn. */
bool loop_falls_through(const struct insn *insn);
/* Returns whether @insn is an indirect jump, whose target may be any instruction of the
 * function. */
bool loop_jumps_anywhere(const struct insn *insn);

#endif
