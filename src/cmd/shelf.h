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
    VEC(struct shelved) list;      /* in the order in which they came */
    size_t at;                     /* the one in use */
};

void shelf_done(struct shelf *s);
/* @to, which is empty, holds the same kernels. */
void shelf_copy(const struct shelf *from, struct shelf *to);
/* @k behind all others, whatever it is made of; the one in use stays. */
void shelf_append(struct shelf *s, const struct kernel *k, size_t loop);
/* @k with loop @loop in use is the one in use from now on: in place of the one that is made of the
 * same file and function in the same way, else behind all others: versions that were
 * compiled otherwise stay beside each other. */
void shelf_put(struct shelf *s, const struct kernel *k, size_t loop);
/* Appends "dot.c -O3 -march=skylake: innermost loop .L4", as a list has it. */
void shelf_name(const struct shelved *item, struct str *out);

#endif
