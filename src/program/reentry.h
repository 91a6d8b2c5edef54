/* Overlap of the end of a loop with its next entry. A loop that waits for a chain of dependent
 * instructions fills the core's buffers. If the next entry starts another chain, this chain
 * executes while the previous one ends. A mispredicted exit does not prevent the overlap, because
 * the exit rarely depends on the chain. */
#ifndef PORTOLAN_PROGRAM_REENTRY_H
#define PORTOLAN_PROGRAM_REENTRY_H

#include "analysis/deps.h"
#include "program/code.h"

/* Returns whether each entry of the path @part starts a new chain of @deps: code around the loop
 * sets the register or the stack slot that carries the chain. Chains through other memory are
 * assumed to start anew. @deps: dependencies of the part's instructions. */
bool reentry_is_fresh(const struct program_code *c, const struct code_part *part,
                      struct deps *deps);
/* Returns the number of instructions per iteration that wait for the chain of @deps. @count:
 * instructions of the part. */
size_t reentry_waiting(struct deps *deps, size_t count);
/* Returns the cycles per entry that overlap with the next entry. @trips: iterations per entry.
 * @core: cycles per iteration. @flow: cycles per iteration without the chain. @reach: iterations in
 * flight. Pure. */
double reentry_overlap(double trips, double core, double flow, double reach);

#endif
