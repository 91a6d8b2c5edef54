/* Changes values of a machine, for `kernel whatif`. */
#ifndef PORTOLAN_MODEL_CHANGE_H
#define PORTOLAN_MODEL_CHANGE_H

#include "model/machine.h"

#define CHANGE_USAGE "usage:"       /* usage:FORM=USAGE */
#define CHANGE_LATENCY "latency:"   /* latency:FORM=CYCLES */

/* Sets @name on @m to @value. @name is a fact of the schema, or a form's usage or latency. The
 * value of a fact must have the fact's type and be in its range. Returns false with err and an
 * unchanged @m on an error. */
bool machine_change(struct machine *m, const char *name, const char *value, struct err *err);
/* Parses a sweep over at most @most integers, such as "32..128". Returns true with *@from and
 * *@to. Returns false with err if fact @name does not allow the sweep, and false without err if
 * @value is not a sweep. @err must be clear before the call. */
bool change_range(const char *name, const char *value, long most, long *from, long *to,
                  struct err *err);

#endif
