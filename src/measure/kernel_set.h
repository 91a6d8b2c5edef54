/* Measures variants of one loop together. They share a process, and each idle moment serves as many
 * loops as possible. One thread. */
#ifndef PORTOLAN_MEASURE_KERNEL_SET_H
#define PORTOLAN_MEASURE_KERNEL_SET_H

#include "measure/kernel_passes.h"

struct kernel_set;
/* Creates a set. Borrows both arguments; the sandbox must not run other code meanwhile. */
struct kernel_set *kernel_set_new(struct sandbox *s, const struct calibration *c);
void kernel_set_free(struct kernel_set *set);
/* Adds a loop and copies its instructions. Returns its number, or that of an identical loop. Runs
 * it as KERNEL_CACHED. */
size_t kernel_set_add(struct kernel_set *set, const struct insn *insns, size_t count);
/* Visits the loops without a result in turn, until all have one or @seconds have passed. False with
 * err when measurement fails or is cancelled. */
bool kernel_set_measure(struct kernel_set *set, double seconds, struct err *err);
/* Returns cycles per iteration of loop @at and their relative spread. False with err: not
 * measurable (ERR_DATA), or not settled yet (ERR_LIMIT). */
bool kernel_set_result(const struct kernel_set *set, size_t at, double *cycles, double *spread,
                       struct err *err);
/* Measures cycles per iteration of @n loops; NaN without a stable time. @code returns the
 * instructions of loop @i of @of, which are copied, and *@kind if not KERNEL_CACHED. Takes a second
 * in total, or more for many loops, up to @most seconds. False with err when measurement fails or
 * is cancelled. */
bool kernel_set_times(struct sandbox *s, const struct calibration *c,
                      const struct insn *(*code)(const void *of, size_t i, size_t *count,
                                                 enum kernel_copies *kind),
                      const void *of, size_t n, double most, double *cycles, struct err *err);
/* Discards the loop's results. */
void kernel_set_again(struct kernel_set *set, size_t at);

#endif
