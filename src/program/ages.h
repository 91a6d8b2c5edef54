/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reuse distances as time: counts of distinct lines between two uses. */
#ifndef PORTOLAN_PROGRAM_AGES_H
#define PORTOLAN_PROGRAM_AGES_H

#include "program/runs.h"

/* The mean part of the run in which the program touches @lines other lines. */
struct age { double distance, part; };
struct ages { VEC(struct age) list; };   /* ascending in both */

/* Of all references of @run, which are taken to be spread evenly over its time. ages_done frees
 * @out. */
void ages_of(const struct program *p, const struct program_run *run, struct ages *out);
/* Part of the run's time, 0 to 1; 0 when nothing is known. */
double ages_at(const struct ages *ages, double distance);
void ages_done(struct ages *ages);

#endif
