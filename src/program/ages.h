/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts reuse distances, in distinct lines, to time between two uses. */
#ifndef PORTOLAN_PROGRAM_AGES_H
#define PORTOLAN_PROGRAM_AGES_H

#include "program/runs.h"

/* Mean share of the run in which the program touches @lines other lines. */
struct age { double distance, part; };
struct ages { VEC(struct age) list; };   /* both members ascending */

/* Computes ages from all references of @run, assumed to be spread evenly over its time. ages_done
 * frees @out. */
void ages_of(const struct program *p, const struct program_run *run, struct ages *out);
/* Returns the share of the run's time, 0 to 1; 0 if unknown. */
double ages_at(const struct ages *ages, double distance);
void ages_done(struct ages *ages);

#endif
