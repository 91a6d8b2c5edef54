/* A loop's dependences as a graph in the language DOT of Graphviz. */
#ifndef PORTOLAN_REPORT_REPORT_GRAPH_H
#define PORTOLAN_REPORT_REPORT_GRAPH_H

#include "analysis/analysis.h"
#include "base/str.h"

/* Appends the graph of @a: a node per instruction with its line, text and latency, an arrow from
 * what writes to what reads; arrows into a later iteration are dashed, and what bounds the loop as
 * a chain is red. Any thread. */
void report_dot(const struct analysis *a, struct str *out);

#endif
