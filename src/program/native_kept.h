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
/* Measures the facts of this CPU's memory except page_fault_user, until two measurements agree,
 * which takes 0.6 to 2 s. Logs a warning if they differ by more than 5 %. Sets the facts in @m,
 * this CPU's machine, and stores them. Returns false with err, and @m unchanged, if memory is too
 * low or other programs disturb all measurements. One thread. */
bool native_renew(struct machine *m, struct err *err);
/* Sets the facts of this CPU's memory in @m, a copy of its machine. Uses stored facts, and measures
 * and stores missing ones. If @fresh is true, measures and stores all facts. If this fails, @m is
 * unchanged. With @fresh it then returns false with err, otherwise @day is NATIVE_NEVER, and the
 * log has a warning. One thread. */
bool native_known(struct machine *m, bool fresh, char day[KEPT_DAY], struct err *err);

#endif
