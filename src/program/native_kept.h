/* Measurements of this CPU's memory (native.h), kept between runs in memory.csv together with the
 * costs of lines (measure/kept.h). */
#ifndef PORTOLAN_PROGRAM_NATIVE_KEPT_H
#define PORTOLAN_PROGRAM_NATIVE_KEPT_H

#include "measure/kept.h"
#include "program/native.h"

#define NATIVE_NEVER "never"   /* a day: nothing is known, and nothing could be measured */

/* Keeps the facts that native_apply has put into @m, as of today; those of other CPUs stay. Logs a
 * failed write. Any thread. */
void native_keep(const struct machine *m);
/* Puts the kept facts of this CPU into @m, except the clock; false when none are kept. @day: their
 * date. Any thread. */
bool native_recall(struct machine *m, char day[KEPT_DAY]);
/* Makes @m, a copy of the machine that this CPU is, one with the memory that was measured here: the
 * kept one or, where there is none or @fresh, looked at now, which takes some 0.3 s, and kept.
 * Where that cannot be measured, as under a low limit of memory, @m's facts stay and @day is
 * NATIVE_NEVER; with @fresh it is false with err. One thread. */
bool native_known(struct machine *m, bool fresh, char day[KEPT_DAY], struct err *err);

#endif
