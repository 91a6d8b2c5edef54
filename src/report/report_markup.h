/* Writes analyses as Markdown, and as a self-contained HTML page without a script. */
#ifndef PORTOLAN_REPORT_REPORT_MARKUP_H
#define PORTOLAN_REPORT_REPORT_MARKUP_H

#include "analysis/analysis.h"

/* Appends a comparison of the machines if there are several, then for each the sentence, bounds and
 * pressure table. @a: analyses of loop @loop of @k. Source lines of a compiled kernel precede their
 * instructions. */
void report_markdown(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                     struct str *out);
/* Appends the same as report_markdown in HTML, with the pressure table as a heat map. Cells near
 * the loop's cycles are red. */
void report_html(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                 struct str *out);

/* Append the same as report_markdown and report_html as a part of a document, with a heading of
 * @level (1 to 5). */
void report_markdown_part(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                          unsigned level, struct str *out);
void report_html_part(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                      unsigned level, struct str *out);
/* Append the text of a page before and after the parts of report_html_part. */
void report_html_begin(const char *title, struct str *out);
void report_html_end(struct str *out);

#endif
