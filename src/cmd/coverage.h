/* Finds machines whose tables cover a loop that the selected ones do not. */
#ifndef PORTOLAN_CMD_COVERAGE_H
#define PORTOLAN_CMD_COVERAGE_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "base/vec.h"

struct machine_names { VEC(char *) list; };

/* Instructions of @a that its machine does not know. */
size_t unknown_count(const struct analysis *a);
/* Adds the shipped machines and the user's own that know every instruction of loop @loop of @k:
 * this CPU's before the initial ones, and these before others. Ends early, with the result so far,
 * when the thread's watch ends. Any thread. */
void coverage_find(const struct kernel *k, size_t loop, struct machine_names *out);
void machine_names_done(struct machine_names *names);
/* Appends "skylake does not know VADDPD (ZMM, ZMM, M512) and 1 more form; sapphirerapids, znver4
 * and 3 more machines do". */
void coverage_print(const struct analysis *a, const struct machine_names *coverage,
                    struct str *out);

#endif
