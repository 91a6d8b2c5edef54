/* Tables of probes (data/probes/ISA.probes): loops, and rules that compute facts from their times.
 * docs/probes.md has the format. A table does not change after reading, so any thread may use
 * it. */
#ifndef PORTOLAN_CHART_PROBE_TABLE_H
#define PORTOLAN_CHART_PROBE_TABLE_H

#include "chart/probes.h"

struct probe_table;

/* Reads the shipped table of @isa. Returns NULL with err. probe_table_free frees the result. */
struct probe_table *probe_table_load(enum isa isa, struct err *err);
/* Reads a table from @text. @path: its name in errors. Returns NULL with err: file, line, column
 * and rule. */
struct probe_table *probe_table_parse(const char *text, const char *path, struct err *err);
void probe_table_free(struct probe_table *t);

struct probe_run;

/* Adds all loops of @t, which must outlive the result, to @p. The code of the loops depends on
 * p->width, p->filler and p->dense_is_slow. Returns NULL with err if a loop is too long or needs
 * too many steps. probe_run_free frees the result. */
struct probe_run *probe_run_new(const struct probe_table *t, struct probes *p, struct err *err);
/* Infers each fact from the measured loops, in table order. Returns false with err if the table
 * needs too many steps. */
bool probe_run_conclude(struct probe_run *run, struct err *err);
void probe_run_free(struct probe_run *run);

#endif
