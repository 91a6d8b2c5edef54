/* Counts selects that became branches in the machine code. The code generator replaces conditional
 * moves with branches in some loops, and has no conditional move of floating-point values. The
 * numbered blocks have no such branch. Pure. */
#ifndef PORTOLAN_PROGRAM_COMPILER_SELECTS_H
#define PORTOLAN_PROGRAM_COMPILER_SELECTS_H

#include <stddef.h>

/* Counts the conditional branches within each of @blocks blocks. Both successors of such a
 * branch are code of the same block. In @assembly the source line of .loc directives is 1 +
 * block number. */
void selects_count(const char *assembly, size_t blocks, unsigned *counts);

#endif
