/* Analyses as Markdown and as one HTML page that needs no script, no style sheet and no network. */
#ifndef PORTOLAN_REPORT_REPORT_MARKUP_H
#define PORTOLAN_REPORT_REPORT_MARKUP_H

#include "analysis/analysis.h"

/* @a: of loop @loop of @k. Comparison of machines when there are several; then per machine the
 * sentence, the bounds and the pressure table. Source lines of a compiled kernel stand above the
 * instructions that they became. Any thread. */
void report_markdown(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                     struct str *out);
/* The same with the pressure table as a heat map: the redder, the nearer the cell is to the loop's
 * cycles. */
void report_html(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                 struct str *out);

/* The same as a part of a document, its heading of @level (1 to 5). */
void report_markdown_part(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                          unsigned level, struct str *out);
void report_html_part(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                      unsigned level, struct str *out);
/* Text before and after such parts in a page. */
void report_html_begin(const char *title, struct str *out);
void report_html_end(struct str *out);

#endif
