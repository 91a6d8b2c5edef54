/* Port loads of each form of a machine, and forms with equal ones: made at once for a small
 * mapping, in the background for a large one. */
#ifndef PORTOLAN_VIEW_PRESSURES_H
#define PORTOLAN_VIEW_PRESSURES_H

#include "cmd/session.h"

#define PRESSURES_AT_ONCE 20000   /* forms that the screen waits for: some ten milliseconds */

/* Of one machine, which it holds, so that another pointer means other forms. */
struct pressures;

/* Begins; on the screen a job makes those of a large mapping, and the session's revision changes
 * when it ends. UI thread. */
struct pressures *pressures_new(struct session *s, struct machine *m);
/* One more may read it, on any thread, and is to pressures_free it (NULL is fine). */
struct pressures *pressures_hold(struct pressures *p);
void pressures_free(struct pressures *p);
/* The same, and nobody waits for them any more: what still makes them ends. UI thread. */
void pressures_drop(struct pressures *p);
/* Whether they are made: none of what follows may be asked before. */
bool pressures_made(const struct pressures *p);
/* Whether a job makes them. */
bool pressures_pending(const struct pressures *p);
/* Cycles of form @row on port @port, of its throughput when it runs alone, balanced; and those
 * cycles. */
double pressures_port(const struct pressures *p, size_t row, unsigned port);
double pressures_cycles(const struct pressures *p, size_t row);
/* Distinct µops in the mapping. */
size_t pressures_distinct(const struct pressures *p);
/* The rows with the usage of form @row, itself among them, from the first. */
const size_t *pressures_alike(const struct pressures *p, size_t row, size_t *count);

#endif
