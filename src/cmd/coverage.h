/* Finds machines whose tables have all forms of a loop, if a selected machine lacks some. */
#ifndef PORTOLAN_CMD_COVERAGE_H
#define PORTOLAN_CMD_COVERAGE_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "base/vec.h"

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
