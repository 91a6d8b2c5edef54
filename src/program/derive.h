/* Derives counts from the code without a run: walks the control flow (control.h) with the words of
 * a command line, and loops by their trip counts. */
#ifndef PORTOLAN_PROGRAM_DERIVE_H
#define PORTOLAN_PROGRAM_DERIVE_H

#include "program/program.h"

struct derivation;

/* Creates data shared by all walks of @p, which is borrowed. */
struct derivation *derivation_new(const struct program *p);
void derivation_free(struct derivation *d);
/* Computes executions of each block with the command line @words, and of its first exit; NaN:
 * depends on data or on external code. Assumes that library functions return, allocations succeed
 * and nothing throws. False: the walk took too many steps, all are NaN. One thread. */
bool derivation_counts(struct derivation *d, char *const *words, size_t word_count, double *counts,
                       double *taken);
/* Whether that walk met a word that the program reads as a whole number (atoi, strtol) and that is
 * none, or below 0. */
bool derivation_misread(const struct derivation *d);

#endif
