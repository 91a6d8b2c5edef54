/* Measures variants of a loop, as many as possible in one process while the core is idle. One
 * thread. */
#ifndef PORTOLAN_MEASURE_KERNEL_SET_H
#define PORTOLAN_MEASURE_KERNEL_SET_H

#include "measure/kernel_passes.h"

struct kernel_set;
/* Creates a set. Borrows @s and @c. No other code may run in the sandbox until kernel_set_free. */
struct kernel_set *kernel_set_new(struct sandbox *s, const struct calibration *c);
void kernel_set_free(struct kernel_set *set);
/* Adds a loop (KERNEL_CACHED) and copies its instructions. Returns its index, or the index of an
 * identical loop. */
size_t kernel_set_add(struct kernel_set *set, const struct insn *insns, size_t count);
/* Visits the loops without a result in turn, each at least once, until all have a result or
 * @seconds have passed. Returns false with err when measurement fails or is cancelled. */
bool kernel_set_measure(struct kernel_set *set, double seconds, struct err *err);
/* Stores the cycles per iteration of loop @at in *@cycles, and their relative spread in *@spread.
 * Returns false with err: ERR_DATA if the loop cannot be measured, ERR_LIMIT if the times have not
 * settled. */
bool kernel_set_result(const struct kernel_set *set, size_t at, double *cycles, double *spread,
                       struct err *err);
/* Measures the cycles per iteration of @n loops and stores them in @cycles. A loop without a stable
 * time has NaN. @code returns the instructions of loop @i of @of, which are copied. @code may set
 * *@kind (default KERNEL_CACHED). Limits the time to a quarter of a second per loop, at least one
 * second, and at most @most seconds. Returns false with err when measurement fails or is
 * cancelled. */
bool kernel_set_times(struct sandbox *s, const struct calibration *c,
                      const struct insn *(*code)(const void *of, size_t i, size_t *count,
                                                 enum kernel_copies *kind),
                      const void *of, size_t n, double most, double *cycles, struct err *err);
/* Discards the results of loop @at. */
void kernel_set_again(struct kernel_set *set, size_t at);

#endif
