/* Time that a watched program loses by stops, and by page faults after copies of its process.
 * Limits it to a share of the program's time. Seconds. */
#ifndef PORTOLAN_INSITU_BUDGET_H
#define PORTOLAN_INSITU_BUDGET_H

#include <stdbool.h>

#include "insitu/maps.h"

/* Largest share of the time that is lost: the program then takes at most 15 % and BUDGET_SECONDS
 * longer */
#define BUDGET_SHARE 0.13
#define BUDGET_SECONDS 0.01

struct watch_budget {
    double page;               /* time of a program's first write to a page after a copy */
    double stopped;            /* time for which the program was stopped, until the last stop */
    double faults;             /* time of first writes to pages, until the last copies */
    struct maps_faults copied; /* state at the last copies; pid 0: no copy */
    double moment, copies;     /* time of the last moment's stops, and of the last copies */
    double pages;              /* expected number of written pages after the next copies */
};

/* Returns the time lost so far. */
double budget_lost(const struct watch_budget *b);
/* Returns the time that the program may still lose, @elapsed after watching began; below 0: more
 * was lost. */
double budget_left(const struct watch_budget *b, double elapsed);
/* Returns the time that the next copies are expected to take. Before the first ones, each of the
 * process's pages may be written afterwards, and they take as long as a moment's stops. Later, up to
 * twice as many pages are written as after the last ones. */
double budget_copies(const struct watch_budget *b, pid_t pid);
/* Returns whether a moment may begin, @elapsed after watching began. Up to half of the time that may
 * be lost remains for the copies of process @pid. */
bool budget_moment(const struct watch_budget *b, pid_t pid, double elapsed);
/* Adds copies of process @pid that took @seconds of a stop. */
void budget_copy(struct watch_budget *b, pid_t pid, double seconds);

#endif
