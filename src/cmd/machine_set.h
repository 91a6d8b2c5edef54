/* The machines that a command's --machine names: some by id, or all that the instruction set has.
 * UI thread, but for what reads them. */
#ifndef PORTOLAN_CMD_MACHINE_SET_H
#define PORTOLAN_CMD_MACHINE_SET_H

#include "cmd/parameter.h"
#include "cmd/session.h"

/* stands for every shipped machine, the user's own and the session's */
#define MACHINES_ALL "all"

struct machine_set { VEC(struct machine *) list; };

/* The machines called @names, the selected ones where it is empty; with MACHINES_ALL among them all
 * of @isa. Held: machine_set_done frees them, also after false with err. */
bool machine_set_find(struct session *s, const struct word_list *names, enum isa isa,
                      struct machine_set *out, struct err *err);
void machine_set_done(struct machine_set *set);

#endif
