/* Variants of one loop, measured together: they share a process, and each quiet moment serves as
 * many of them as fit into it. One thread. */
#ifndef PORTOLAN_MEASURE_KERNEL_SET_H
#define PORTOLAN_MEASURE_KERNEL_SET_H

#include "measure/kernel_passes.h"

struct kernel_set;
/* Both borrowed; the sandbox runs nothing else while the set lives. */
struct kernel_set *kernel_set_new(struct sandbox *s, const struct calibration *c);
void kernel_set_free(struct kernel_set *set);
/* Adds a loop, whose instructions are copied; returns its number, that of the first one when the
 * same code is there already. It runs as KERNEL_CACHED. */
size_t kernel_set_add(struct kernel_set *set, const struct insn *insns, size_t count);
/* Visits all that have no answer yet, in turn, until they have or @seconds are over. False with err
 * when measuring itself is impossible or was cancelled. */
bool kernel_set_measure(struct kernel_set *set, double seconds, struct err *err);
/* Cycles per iteration of loop @at and how far its measurements lie apart. False with err: why it
 * cannot be measured (ERR_DATA), or that it did not settle yet (ERR_LIMIT). */
bool kernel_set_result(const struct kernel_set *set, size_t at, double *cycles, double *spread,
                       struct err *err);
/* Cycles per iteration of each of @n loops, NaN without a stable time. @code gives the instructions
 * of loop @i of @of, which are copied, and, in *@kind, how to run it if not as KERNEL_CACHED. Takes
 * a second for all of them, or the time that many need, but no more than @most. False with err when
 * measuring itself is impossible or was cancelled. */
bool kernel_set_times(struct sandbox *s, const struct calibration *c,
                      const struct insn *(*code)(const void *of, size_t i, size_t *count,
                                                 enum kernel_copies *kind),
                      const void *of, size_t n, double most, double *cycles, struct err *err);
/* Forgets what was found of it. */
void kernel_set_again(struct kernel_set *set, size_t at);

#endif
