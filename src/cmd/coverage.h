/* Finds machines that have all forms of a loop, if a selected one lacks some. */
#ifndef PORTOLAN_CMD_COVERAGE_H
#define PORTOLAN_CMD_COVERAGE_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "base/vec.h"

struct machine_names { VEC(char *) list; };

/* Number of instructions of @a whose forms its machine lacks. */
size_t unknown_count(const struct analysis *a);
/* Lists shipped and user machines with all forms of loop @loop of @k: first this CPU's, then
 * initial ones, then others. When cancelled by the thread's watch, returns the result so far. */
void coverage_find(const struct kernel *k, size_t loop, struct machine_names *out);
void machine_names_done(struct machine_names *names);
/* Appends "skylake does not know VADDPD (ZMM, ZMM, M512) and 1 more form; sapphirerapids, znver4
 * and 3 more machines do". */
void coverage_print(const struct analysis *a, const struct machine_names *coverage,
                    struct str *out);

#endif
