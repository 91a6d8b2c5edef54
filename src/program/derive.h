/* Counts that follow from the code: the control flow (control.h) is walked with the words of a
 * command line, loops by their trip counts, without a run. */
#ifndef PORTOLAN_PROGRAM_DERIVE_H
#define PORTOLAN_PROGRAM_DERIVE_H

#include "program/program.h"

struct derivation;

/* What is fixed for all walks of @p, which is borrowed. Any thread. */
struct derivation *derivation_new(const struct program *p);
void derivation_free(struct derivation *d);
/* How often each block of the program is executed with the command line @words, and how often it is
 * left by the first of two ways; NaN: that depends on data, or on what is not followed. The counts
 * hold if libraries' functions return, memory that is asked for is given, and nothing is thrown.
 * False: the walk took too many steps, all are NaN. One thread. */
bool derivation_counts(struct derivation *d, char *const *words, size_t word_count, double *counts,
                       double *taken);

#endif
