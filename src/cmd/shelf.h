/* Kernels of a session apart from the current one: earlier ones can be selected and compared.
 * One thread. */
#ifndef PORTOLAN_CMD_SHELF_H
#define PORTOLAN_CMD_SHELF_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"

#define SHELF_MOST 64   /* kernels; the oldest goes for one more */

struct shelved {
    const struct kernel *kernel;   /* held */
    size_t loop;                   /* in use, or when it was last */
};

/* Zero-initialised is empty and valid. */
struct shelf {
    VEC(struct shelved) list;      /* in the order of loading */
    size_t at;                     /* the one in use */
};

void shelf_done(struct shelf *s);
/* @to, which is empty, holds the same kernels. */
void shelf_copy(const struct shelf *from, struct shelf *to);
/* Appends @k, of any source; the one in use stays. */
void shelf_append(struct shelf *s, const struct kernel *k, size_t loop);
/* Makes @k with loop @loop the one in use: replaces the one made of the same file and function in
 * the same way, else is appended: versions that were compiled differently all stay. */
void shelf_put(struct shelf *s, const struct kernel *k, size_t loop);
/* Appends "dot.c -O3 -march=skylake: innermost loop .L4", as a list has it. */
void shelf_name(const struct shelved *item, struct str *out);

#endif
