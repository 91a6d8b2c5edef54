/* Derives counts from the code without a run: walks the control flow (control.h) with the words of
 * a command line, and uses the loops' trip counts. */
#ifndef PORTOLAN_PROGRAM_DERIVE_H
#define PORTOLAN_PROGRAM_DERIVE_H

#include "program/program.h"

struct derivation;

/* Creates the data that all walks of program @p share. Borrows @p. */
struct derivation *derivation_new(const struct program *p);
void derivation_free(struct derivation *d);
/* Computes the executions of each block (@counts) and of its first exit (@taken) with the command
 * line @words. NaN: the count depends on data or external code. Library functions are assumed to
 * return, allocations to succeed, and nothing to throw. Returns false if the walk takes too many
 * steps; all counts are then NaN. One thread. */
bool derivation_counts(struct derivation *d, char *const *words, size_t word_count, double *counts,
                       double *taken);
/* Returns whether, in the last walk, the program parsed as a whole number (atoi, strtol) a word
 * that is negative or a fraction. */
bool derivation_misread(const struct derivation *d);

#endif
