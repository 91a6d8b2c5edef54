/* Port loads of each form of a machine, and forms with equal loads. A small mapping is computed at
 * once, a large one in the background. */
#ifndef PORTOLAN_VIEW_PRESSURES_H
#define PORTOLAN_VIEW_PRESSURES_H

#include "cmd/session.h"

#define PRESSURES_AT_ONCE 2000   /* maximum number of forms computed while the screen waits, within
                                  * a few milliseconds */

/* Port loads of one machine. It holds a counted reference to the machine, so equal pointers mean
 * equal forms. */
struct pressures;

/* Computes the loads, for a large mapping of the workbench in a job. UI thread. */
struct pressures *pressures_new(struct session *s, struct machine *m);
/* Adds a holder, which must call pressures_free (NULL is allowed). Any thread. */
struct pressures *pressures_hold(struct pressures *p);
void pressures_free(struct pressures *p);
/* Drops a reference and cancels the computation, whose result is no longer used. UI thread. */
void pressures_drop(struct pressures *p);
/* Returns whether the loads are computed. Only then may the following functions be called, except
 * for pressures_pending. */
bool pressures_made(const struct pressures *p);
/* Returns whether a job is computing the loads. */
bool pressures_pending(const struct pressures *p);
/* pressures_port: cycles of form @row alone on port @port after balancing; pressures_cycles: its
 * total cycles. */
double pressures_port(const struct pressures *p, size_t row, unsigned port);
double pressures_cycles(const struct pressures *p, size_t row);
/* Returns the number of distinct µops in the mapping. */
size_t pressures_distinct(const struct pressures *p);
/* Returns the rows with the usage of form @row, including @row. *@count is their number. */
const size_t *pressures_alike(const struct pressures *p, size_t row, size_t *count);

#endif
