/* Measures variants of one loop together: they share a process, and each idle moment serves as many
 * as possible. One thread. */
#ifndef PORTOLAN_MEASURE_KERNEL_SET_H
#define PORTOLAN_MEASURE_KERNEL_SET_H

#include "measure/kernel_passes.h"

struct kernel_set;
/* Creates a set; both are borrowed, and the sandbox runs nothing else during its life. */
struct kernel_set *kernel_set_new(struct sandbox *s, const struct calibration *c);
void kernel_set_free(struct kernel_set *set);
/* Adds a loop and copies its instructions; returns its number, or that of an identical one. Runs as
 * KERNEL_CACHED. */
size_t kernel_set_add(struct kernel_set *set, const struct insn *insns, size_t count);
/* Visits loops without an answer in turn until they have one or @seconds are over. False with err
 * when measuring is impossible or cancelled. */
bool kernel_set_measure(struct kernel_set *set, double seconds, struct err *err);
/* Returns cycles per iteration of loop @at and their spread. False with err: not measurable
 * (ERR_DATA), or not settled yet (ERR_LIMIT). */
bool kernel_set_result(const struct kernel_set *set, size_t at, double *cycles, double *spread,
                       struct err *err);
/* Measures cycles per iteration of @n loops, NaN without a stable time. @code returns the
 * instructions of loop @i of @of, which are copied, and *@kind if not KERNEL_CACHED. Takes a second
 * in total, or more for many loops, up to @most. False with err when measuring is impossible or
 * cancelled. */
bool kernel_set_times(struct sandbox *s, const struct calibration *c,
                      const struct insn *(*code)(const void *of, size_t i, size_t *count,
                                                 enum kernel_copies *kind),
                      const void *of, size_t n, double most, double *cycles, struct err *err);
/* Drops the loop's results. */
void kernel_set_again(struct kernel_set *set, size_t at);

#endif
