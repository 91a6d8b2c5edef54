/* System time of a program on this CPU: for starting it and for its pages. */
#ifndef PORTOLAN_PROGRAM_SYSTEM_TIME_H
#define PORTOLAN_PROGRAM_SYSTEM_TIME_H

#include "base/err.h"
#include "program/pages.h"

/* Seconds of starting a run and of its page faults, as estimator_pages has them; measured
 * now, for some 20 ms. NaN with err when no process can be started. Any thread. */
double system_seconds(const struct run_pages *pages, struct err *err);

#endif
