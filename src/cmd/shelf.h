/* Kernels of a session: earlier ones can be selected and compared. One thread. */
#ifndef PORTOLAN_CMD_SHELF_H
#define PORTOLAN_CMD_SHELF_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"

#define SHELF_MOST 64   /* kernels; beyond that the oldest is dropped */

struct shelved {
    const struct kernel *kernel;   /* held */
    size_t loop;                   /* index in use, or used last */
};

/* Zero-initialised is empty and valid. */
struct shelf {
    VEC(struct shelved) list;      /* in the order of loading */
    size_t at;                     /* index in use */
};

void shelf_done(struct shelf *s);
/* Makes the empty @to hold the same kernels. */
void shelf_copy(const struct shelf *from, struct shelf *to);
/* Appends @k, of any source; the one in use stays. */
void shelf_append(struct shelf *s, const struct kernel *k, size_t loop);
/* Makes @k with loop @loop the one in use. It replaces an entry made from the same file and
 * function in the same way; if there is none it is appended, so that differently compiled versions
 * are kept. */
void shelf_put(struct shelf *s, const struct kernel *k, size_t loop);
/* Appends "dot.c -O3 -march=skylake: innermost loop .L4", as a list has it. */
void shelf_name(const struct shelved *item, struct str *out);

#endif
