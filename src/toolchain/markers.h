/* Finds region markers in a text: comments of llvm-mca and OSACA, stores of IACA. */
#ifndef PORTOLAN_TOOLCHAIN_MARKERS_H
#define PORTOLAN_TOOLCHAIN_MARKERS_H

#include <stddef.h>

#include "base/vec.h"

enum marker_kind { MARKER_BEGIN, MARKER_END };
struct marker {
    enum marker_kind kind;
    size_t line;
    char *text;           /* text of the marker, such as "LLVM-MCA-BEGIN triad" */
};
struct marker_list { VEC(struct marker) list; };

/* Finds all markers of @text in order. Comments begin with #, // or ;. The caller frees @out with
 * markers_done. */
void markers_find(const char *text, size_t length, struct marker_list *out);
void markers_done(struct marker_list *m);
/* Returns the number of IACA's marker in Visual C++ output, a store relative to gs: 111 (begin) or
 * 222 (end). Returns 0 if the statement from @p to @end is no marker. */
unsigned marker_of_iaca(const char *p, const char *end);

#endif
