/* Writes analyses to the result of a command. */
#ifndef PORTOLAN_REPORT_REPORT_H
#define PORTOLAN_REPORT_REPORT_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "simulate/simulate.h"
#include "table/result.h"

/* Adds the analyses @a of loop @loop of @k: for each machine a pressure table, bounds and the
 * bottleneck sentence. A comparison precedes the analyses of several machines. CSV has a row per
 * instruction and port, and JSON has an object per machine. If @ascii is true, draws bars with
 * #. */
void report_add(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                bool ascii, struct result *result);
/* Adds a cell with the instruction's address in objdump's format, "0x1258"; missing: unknown. */
void cell_insn_address(struct result_table *t, const struct insn *insn);

/* Appends the graph of @a. Each instruction is a node with line, text and latency; an arrow leads
 * from each writer to its readers. Arrows to a later iteration are dashed, and the limiting chain
 * is red. */
void report_dot(const struct analysis *a, struct str *out);

/* Appends an HTML document of the steps that @sim recorded for @insns on @m. It needs no network
 * access. */
void report_trace(const char *name, const struct machine *m, const struct simulation *sim,
                  const struct insn *insns, size_t count, struct str *out);

#endif
