/* Note on larger arrays, for an analysis with all data in the first-level cache */
#ifndef PORTOLAN_ANALYSIS_MEMORY_NOTE_H
#define PORTOLAN_ANALYSIS_MEMORY_NOTE_H

#include "analysis/analysis.h"
#include "analysis/memory_time.h"

/* Returns the core's time of a loop, as input of memory_time_at. @cycles: cycles per iteration with
 * all data in the first-level cache. @bounds: BOUND_COUNT bounds. Pure. */
struct memory_core memory_core_of(const struct machine *m, double cycles, const double *bounds);
/* Returns the trip count of a loop whose counter advances by a constant and ends at a constant; 0:
 * unknown. Assumes that the counter starts at 0. Sets *@reg to the counter's register. Pure. */
double memory_iterations(const struct insn *insns, size_t count, uint8_t *reg);
/* Appends the cycles per iteration with arrays in each slower level to @levels: "L2 5.5, L3 17.5,
 * memory 29". Appends a sentence with the array sizes that follow from the trip count to @size.
 * Appends nothing if the machine lacks the facts, or if all addresses are constant or one is
 * unsupported. Any thread. */
void memory_note(const struct analysis *a, const struct kernel *k, size_t loop, struct str *levels,
                 struct str *size);

#endif
