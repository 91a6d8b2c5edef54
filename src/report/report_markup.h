/* Writes analyses as Markdown and as a self-contained HTML page without script. */
#ifndef PORTOLAN_REPORT_REPORT_MARKUP_H
#define PORTOLAN_REPORT_REPORT_MARKUP_H

#include "analysis/analysis.h"

/* @a: of loop @loop of @k. A comparison of several machines; then for each machine the sentence,
 * bounds and pressure table. Source lines of a compiled kernel precede their instructions. */
void report_markdown(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                     struct str *out);
/* The same with the pressure table as a heat map: red cells are near the loop's cycles. */
void report_html(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                 struct str *out);

/* The same as part of a document, with a heading of @level (1 to 5). */
void report_markdown_part(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                          unsigned level, struct str *out);
void report_html_part(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                      unsigned level, struct str *out);
/* Text before and after such parts in a page. */
void report_html_begin(const char *title, struct str *out);
void report_html_end(struct str *out);

#endif
