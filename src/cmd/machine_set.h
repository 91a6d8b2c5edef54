/* Sets of the machines that a command names. */
#ifndef PORTOLAN_CMD_MACHINE_SET_H
#define PORTOLAN_CMD_MACHINE_SET_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmd/parameter.h"
#include "cmd/session.h"

/* value of --machine: the selected machines, all shipped machines and the user's */
#define MACHINES_ALL "all"

struct machine_set { VEC(struct machine *) list; };

/* Finds the machines @names, or the selected machines if the list is empty. MACHINES_ALL: all
 * machines of @isa. @out has counted references. Returns false with err. The caller always calls
 * machine_set_done. */
bool machine_set_find(struct session *s, const struct word_list *names, enum isa isa,
                      struct machine_set *out, struct err *err);
void machine_set_done(struct machine_set *set);

#endif
