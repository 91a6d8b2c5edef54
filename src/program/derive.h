/* Derives counts from the code without a run: walks the control flow (control.h), including the
 * loops' trip counts, with the words of a command line. */
#ifndef PORTOLAN_PROGRAM_DERIVE_H
#define PORTOLAN_PROGRAM_DERIVE_H

#include "program/program.h"

struct derivation;

/* Creates the data that all walks of program @p share. Borrows @p. */
struct derivation *derivation_new(const struct program *p);
void derivation_free(struct derivation *d);
/* Computes the executions of each block (@counts) and of its first exit (@taken) with the command
 * line @words. NaN: the count depends on data or external code. Assumes that library functions
 * return, that allocations succeed, and that nothing throws. Returns false if there is no main or
 * the walk takes too many steps; all counts are then NaN. One thread. */
bool derivation_counts(struct derivation *d, char *const *words, size_t word_count, double *counts,
                       double *taken);
/* Returns whether, in the last walk, the program parsed a negative word or a fraction as a whole
 * number (atoi, strtol). */
bool derivation_misread(const struct derivation *d);

#endif
