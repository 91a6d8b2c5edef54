/* A simulation as a page that one looks at with a browser: instructions over cycles, drawn by the
 * page's own script, which zooms. */
#ifndef PORTOLAN_REPORT_REPORT_TRACE_H
#define PORTOLAN_REPORT_REPORT_TRACE_H

#include "base/str.h"
#include "simulate/simulate.h"

/* Appends an HTML document of the steps that @sim kept of @insns on @m. Nothing is fetched. Any
 * thread. */
void report_trace(const char *name, const struct machine *m, const struct simulation *sim,
                  const struct insn *insns, size_t count, struct str *out);

#endif
