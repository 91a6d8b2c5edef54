/* Counts that follow from the code: the control flow (control.h) is walked with the words of a
 * command line, loops by their trip counts, without a run. */
#ifndef PORTOLAN_PROGRAM_DERIVE_H
#define PORTOLAN_PROGRAM_DERIVE_H

#include "program/program.h"

struct derivation;

/* Data shared by all walks of @p, which is borrowed. Any thread. */
struct derivation *derivation_new(const struct program *p);
void derivation_free(struct derivation *d);
/* Executions of each block of the program with the command line @words, and of the first of its two
 * exits; NaN: it depends on data, or on code that is not followed. The counts hold if library
 * functions return, allocations succeed, and nothing is thrown. False: the walk took too many
 * steps, all are NaN. One thread. */
bool derivation_counts(struct derivation *d, char *const *words, size_t word_count, double *counts,
                       double *taken);
/* Whether that walk met a word that the program reads as a whole number (atoi, strtol) and that is
 * none, or below 0. */
bool derivation_misread(const struct derivation *d);

#endif
