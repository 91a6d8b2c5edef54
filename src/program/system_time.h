/* System time of a program on this CPU: for starting it and for its pages. */
#ifndef PORTOLAN_PROGRAM_SYSTEM_TIME_H
#define PORTOLAN_PROGRAM_SYSTEM_TIME_H

#include "base/err.h"
#include "program/pages.h"

/* Seconds of system time for starting a run and its page faults, from estimator_pages; measured
 * now, for some 20 ms. NaN with err when no process can be started. */
double system_seconds(const struct run_pages *pages, struct err *err);

#endif
