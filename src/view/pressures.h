/* Port loads of each form of a machine, and forms with equal loads: computed at once for a small
 * mapping, in the background for a large one. */
#ifndef PORTOLAN_VIEW_PRESSURES_H
#define PORTOLAN_VIEW_PRESSURES_H

#include "cmd/session.h"

#define PRESSURES_AT_ONCE 20000   /* forms computed while the screen waits: some ten milliseconds */

/* Holds its machine, so that another pointer means other forms. */
struct pressures;

/* Begins; on the screen a job makes those of a large mapping. UI thread. */
struct pressures *pressures_new(struct session *s, struct machine *m);
/* Adds a holder, on any thread, which calls pressures_free (NULL is fine). */
struct pressures *pressures_hold(struct pressures *p);
void pressures_free(struct pressures *p);
/* As pressures_free, and cancels the computation, since nobody waits for it. UI thread. */
void pressures_drop(struct pressures *p);
/* Returns whether they are computed: required by the following functions. */
bool pressures_made(const struct pressures *p);
/* Returns whether a job computes them. */
bool pressures_pending(const struct pressures *p);
/* Cycles of form @row alone on port @port, balanced; and its total cycles. */
double pressures_port(const struct pressures *p, size_t row, unsigned port);
double pressures_cycles(const struct pressures *p, size_t row);
/* Number of distinct µops in the mapping. */
size_t pressures_distinct(const struct pressures *p);
/* Rows with the usage of form @row, including itself. */
const size_t *pressures_alike(const struct pressures *p, size_t row, size_t *count);

#endif
