/* Note on larger arrays, for an analysis that assumes all data in the first level. */
#ifndef PORTOLAN_ANALYSIS_MEMORY_NOTE_H
#define PORTOLAN_ANALYSIS_MEMORY_NOTE_H

#include "analysis/analysis.h"
#include "analysis/memory_time.h"

/* Fills the input of memory_time_at from the bounds or analysis of a loop. @cycles: with all data
 * in the first level; @bounds: BOUND_COUNT of them. Pure. */
struct memory_core memory_core_of(const struct machine *m, double cycles, const double *bounds);
/* Iterations of the loop @insns that starts a register at 0, advances it by constants and ends at a
 * constant; *@reg is that register. 0: unknown. Pure. */
double memory_iterations(const struct insn *insns, size_t count, uint8_t *reg);
/* Appends to @levels the cycles per iteration by the level that holds the arrays, where they exceed
 * @a's: "L2 5.5, L3 17.5, memory 29". Appends to @size a sentence on array sizes that follow from
 * the trip count. Nothing without the machine's facts or moving accesses. Any thread. */
void memory_note(const struct analysis *a, const struct kernel *k, size_t loop, struct str *levels,
                 struct str *size);

#endif
