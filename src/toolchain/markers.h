/* Marks of a region in a text: comments of llvm-mca and OSACA, stores of IACA. */
#ifndef PORTOLAN_TOOLCHAIN_MARKERS_H
#define PORTOLAN_TOOLCHAIN_MARKERS_H

#include <stddef.h>

#include "base/vec.h"

enum marker_kind { MARKER_BEGIN, MARKER_END };
struct marker {
    enum marker_kind kind;
    size_t line;
    char *text;           /* "LLVM-MCA-BEGIN triad" */
};
struct marker_list { VEC(struct marker) list; };

/* All marks of @text in order; comments begin with #, // or ;. markers_done frees. Any thread. */
void markers_find(const char *text, size_t length, struct marker_list *out);
void markers_done(struct marker_list *m);
/* The number of IACA's marker that Visual C++ writes, a store to a place of its own behind gs: 111
 * begins, 222 ends; 0: the statement from @p to @end is none. */
unsigned marker_of_iaca(const char *p, const char *end);

#endif
