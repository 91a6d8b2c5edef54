/* Stores measurements of this CPU's memory (native.h) in memory.csv for later runs, together with
 * the costs of lines (measure/kept.h). */
#ifndef PORTOLAN_PROGRAM_NATIVE_KEPT_H
#define PORTOLAN_PROGRAM_NATIVE_KEPT_H

#include "measure/kept.h"
#include "program/native.h"

#define NATIVE_NEVER "never"   /* value of the date if nothing is stored and the measurement
                                * failed */

/* Stores the facts that native_apply set in @m, with today's date. Keeps entries of other CPUs.
 * Logs a failed write. */
void native_keep(const struct machine *m);
/* Sets the stored facts of this CPU in @m, except the clock, and @day to their date. Returns false
 * if none are stored. */
bool native_recall(struct machine *m, char day[KEPT_DAY]);
/* Sets the facts of this CPU's memory in @m, a copy of its machine. Uses stored facts. If there are
 * none, or if @fresh is true, measures for about 0.3 s and stores the result. If the measurement
 * fails, for example under a low memory limit, @m is unchanged. With @fresh it then returns false
 * with err, otherwise @day is NATIVE_NEVER. One thread. */
bool native_known(struct machine *m, bool fresh, char day[KEPT_DAY], struct err *err);

#endif
