/* Analyses as text, CSV and JSON (COMMANDS.md keys). */
#ifndef PORTOLAN_REPORT_REPORT_H
#define PORTOLAN_REPORT_REPORT_H

#include <jansson.h>

#include "analysis/analysis.h"

struct report_style {
    bool color, ascii;
    unsigned width;   /* columns to fit, 0: no limit */
};
/* Pressure table, totals, bounds, bottleneck sentence; several machines: a comparison table first. */
void report_text(const struct kernel *k, struct analysis *const *a, size_t n, const struct report_style *style, struct str *out);
void report_csv(struct analysis *const *a, size_t n, struct str *out);
/* New reference. */
json_t *report_json(const struct analysis *a);

#endif
