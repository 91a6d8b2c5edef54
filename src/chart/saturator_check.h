/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validates saturators by measurement. Only validated ones are used to place forms. */
#ifndef PORTOLAN_CHART_SATURATOR_CHECK_H
#define PORTOLAN_CHART_SATURATOR_CHECK_H

#include "chart/lab.h"
#include "chart/saturate.h"

/* As saturators_find, but measures each saturator alone first. One that contradicts the core
 * (stores that slow each other, for example) is replaced by the next best for its ports; if none is
 * valid the ports have no saturator. @form_of: index into the lab's table, per entry of @m. False
 * with err when measuring is impossible or was cancelled. One thread. */
bool saturators_validate(struct lab *lab, const struct mapping *m, const struct lattice *g,
                         const uint32_t *form_of, struct saturators *out, struct err *err);

#endif
