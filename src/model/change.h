/* Changes of a machine by name, for `kernel whatif`. */
#ifndef PORTOLAN_MODEL_CHANGE_H
#define PORTOLAN_MODEL_CHANGE_H

#include "model/machine.h"

#define CHANGE_USAGE "usage:"       /* usage:FORM=USAGE */
#define CHANGE_LATENCY "latency:"   /* latency:FORM=CYCLES */

/* Sets @name on @m: a fact of the schema within its type and range, or a form's usage or latency.
 * False with err, and @m unchanged. */
bool machine_change(struct machine *m, const char *name, const char *value, struct err *err);
/* Parses "32..128", a sweep over integers, at most @most. True with *@from and *@to. False with
 * err->code set if @name does not accept it, and without if it is no sweep. @err must be clear. */
bool change_range(const char *name, const char *value, long most, long *from, long *to,
                  struct err *err);

#endif
