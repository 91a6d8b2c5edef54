/* Writes analyses to a result. */
#ifndef PORTOLAN_REPORT_REPORT_H
#define PORTOLAN_REPORT_REPORT_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "simulate/simulate.h"
#include "table/result.h"

/* @a: of loop @loop of @k. Adds for each machine its pressure table, bounds and bottleneck
 * sentence, preceded by a comparison of several; in CSV a row per instruction and port, in JSON an
 * object per machine. @ascii: bars of #. */
void report_add(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                bool ascii, struct result *result);

/* report_graph.c: a loop's dependences in Graphviz's language DOT. */

/* Appends the graph of @a: a node per instruction with line, text and latency, an arrow from each
 * writer to its readers; arrows to a later iteration are dashed, and the limiting chain is red. */
void report_dot(const struct analysis *a, struct str *out);

/* report_trace.c: a simulation as an HTML page: instructions over cycles, with a script for
 * zooming. */

/* Appends an HTML document of the steps that @sim recorded for @insns on @m. It loads nothing from
 * the network. */
void report_trace(const char *name, const struct machine *m, const struct simulation *sim,
                  const struct insn *insns, size_t count, struct str *out);

#endif
