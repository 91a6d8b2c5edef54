/* Port loads of each form of a machine, and forms with equal loads. The loads of a small mapping
 * are computed at once, of a large mapping in the background. */
#ifndef PORTOLAN_VIEW_PRESSURES_H
#define PORTOLAN_VIEW_PRESSURES_H

#include "cmd/session.h"

/* maximum number of forms computed while the screen waits */
#define PRESSURES_AT_ONCE 2000

/* Port loads of one machine, with a counted reference to the machine. Equal pointers therefore have
 * equal forms. */
struct pressures;

/* Computes the port loads. Uses a job for a large mapping of the workbench. UI thread. */
struct pressures *pressures_new(struct session *s, struct machine *m);
/* Adds a reference, which pressures_free releases. Any thread. */
struct pressures *pressures_hold(struct pressures *p);
void pressures_free(struct pressures *p);
/* Releases a reference, and cancels the computation. UI thread. */
void pressures_drop(struct pressures *p);
/* Returns whether the port loads are computed. The other functions, except pressures_pending,
 * require that they are. */
bool pressures_made(const struct pressures *p);
/* Returns whether a job is computing the port loads. */
bool pressures_pending(const struct pressures *p);
/* pressures_port returns the cycles of form @row alone on port @port after balancing.
 * pressures_cycles returns the form's cycles alone. */
double pressures_port(const struct pressures *p, size_t row, unsigned port);
double pressures_cycles(const struct pressures *p, size_t row);
/* Returns the number of distinct µops in the mapping. */
size_t pressures_distinct(const struct pressures *p);
/* Returns the rows with the usage of form @row, including @row. Sets *@count to their number. */
const size_t *pressures_alike(const struct pressures *p, size_t row, size_t *count);

#endif
