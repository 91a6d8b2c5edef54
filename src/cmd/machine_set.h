/* Sets of machines: those that a command names, and those that have all forms of a loop. */
#ifndef PORTOLAN_CMD_MACHINE_SET_H
#define PORTOLAN_CMD_MACHINE_SET_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmd/parameter.h"
#include "cmd/session.h"

/* value of --machine: all shipped machines, the user's, and the session's */
#define MACHINES_ALL "all"

struct machine_set { VEC(struct machine *) list; };

/* Finds the machines @names, or the selected machines if the list is empty. MACHINES_ALL: all
 * machines of @isa. @out has counted references. Returns false with err. The caller always calls
 * machine_set_done. */
bool machine_set_find(struct session *s, const struct word_list *names, enum isa isa,
                      struct machine_set *out, struct err *err);
void machine_set_done(struct machine_set *set);

/* machines whose tables have all forms of a loop, if a selected machine lacks some */
struct machine_names { VEC(char *) list; };

/* Lists the shipped and the user's machines that have all forms of loop @loop of @k: first this
 * CPU's machine, then the machines of the initial selection, then others. If the thread's watch
 * cancels, the list is incomplete. */
void coverage_find(const struct kernel *k, size_t loop, struct machine_names *out);
bool machine_names_have(const struct machine_names *names, const char *id);
/* Appends a sentence such as "skylake lacks VADDPD (ZMM, ZMM, M512) and 1 more form;
 * sapphirerapids, znver4 and 3 more machines have all forms". */
void coverage_print(const struct analysis *a, const struct machine_names *coverage,
                    struct str *out);

#endif
