/* Analyses as a result. Any thread. */
#ifndef PORTOLAN_REPORT_REPORT_H
#define PORTOLAN_REPORT_REPORT_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "simulate/simulate.h"
#include "table/result.h"

/* @a: of loop @loop of @k. Adds per machine its pressure table, bounds and bottleneck sentence,
 * after a comparison when there are several; in CSV a row per instruction and port, in JSON an
 * object per machine. @ascii: bars of #. */
void report_add(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                bool ascii, struct result *result);

/* report_graph.c: a loop's dependences as a graph in the language DOT of Graphviz. */

/* Appends the graph of @a: a node per instruction with its line, text and latency, an arrow from
 * each writer to its readers; arrows into a later iteration are dashed, and the limiting chain is
 * red. Any thread. */
void report_dot(const struct analysis *a, struct str *out);

/* report_trace.c: a simulation as a page that one looks at with a browser: instructions over
 * cycles, drawn by the page's own script, which zooms. */

/* Appends an HTML document of the steps that @sim kept of @insns on @m. Nothing is fetched. Any
 * thread. */
void report_trace(const char *name, const struct machine *m, const struct simulation *sim,
                  const struct insn *insns, size_t count, struct str *out);

#endif
