/* Finds loops of computed gotos: the code of each operation of an interpreter ends with a jump
 * through one table of addresses. No instruction of such a loop is in every iteration. */
#ifndef PORTOLAN_ANALYSIS_DISPATCH_H
#define PORTOLAN_ANALYSIS_DISPATCH_H

#include <stddef.h>

#include "isa/insn.h"

/* First and last instruction of a loop of computed gotos */
struct dispatch_range {
    size_t first, last;
};

/* Finds a loop of computed gotos in the function @first to @end - 1. @targets: index of each direct
 * jump's target; SIZE_MAX: none. Returns false if code that only indirect jumps reach leads to
 * fewer than two jumps through a table. Also returns false if the function is too complex, or when
 * cancelled. Any thread. */
bool dispatch_find(const struct insn *insns, const size_t *targets, size_t first, size_t end,
                   struct dispatch_range *out);
/* Returns whether instruction @at jumps through a table of addresses. */
bool dispatch_jumps(const struct insn *insns, size_t at);

#endif
