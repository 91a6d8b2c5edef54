/* Machines of a command's --machine: some by id, or all of the instruction set. UI thread, except
 * for readers. */
#ifndef PORTOLAN_CMD_MACHINE_SET_H
#define PORTOLAN_CMD_MACHINE_SET_H

#include "cmd/parameter.h"
#include "cmd/session.h"

/* every shipped machine, and those of user and session */
#define MACHINES_ALL "all"

struct machine_set { VEC(struct machine *) list; };

/* Finds the machines @names, the selected ones if empty; MACHINES_ALL means all of @isa. Held:
 * machine_set_done frees them, also after false with err. */
bool machine_set_find(struct session *s, const struct word_list *names, enum isa isa,
                      struct machine_set *out, struct err *err);
void machine_set_done(struct machine_set *set);

#endif
