/* Note on larger arrays for an analysis, which has all data in the first level. */
#ifndef PORTOLAN_ANALYSIS_MEMORY_NOTE_H
#define PORTOLAN_ANALYSIS_MEMORY_NOTE_H

#include "analysis/analysis.h"
#include "analysis/memory_time.h"

/* The loop as memory_time_at has it, from bounds or an analysis of it. @cycles: with all data in
 * the first level; @bounds: BOUND_COUNT of them. Pure. */
struct memory_core memory_core_of(const struct machine *m, double cycles, const double *bounds);
/* Iterations of the loop @insns, where it ends when a register that moves by constants alone
 * reaches a constant, and begins at 0: then *@reg is that register. 0: not known. Pure. */
double memory_iterations(const struct insn *insns, size_t count, uint8_t *reg);
/* Appends to @levels cycles per iteration by the level that holds the arrays, where these exceed
 * @a's: "L2 5.5, L3 17.5, memory 29"; to @size a sentence on the arrays whose size the loop's end
 * shows. By the facts of the machine; nothing if it has none, or the loop no accesses that move.
 * Any thread. */
void memory_note(const struct analysis *a, const struct kernel *k, size_t loop, struct str *levels,
                 struct str *size);

#endif
