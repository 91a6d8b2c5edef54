/* The kernels of a session. Earlier kernels can be selected and compared. One thread. */
#ifndef PORTOLAN_CMD_SHELF_H
#define PORTOLAN_CMD_SHELF_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"

#define SHELF_MOST 64   /* maximum number of kernels; a further kernel replaces the oldest kernel */

struct shelved {
    const struct kernel *kernel;   /* counted reference */
    size_t loop;                   /* index of the current loop, or of the last used loop */
};

struct shelf {
    VEC(struct shelved) list;      /* kernels in order of loading */
    size_t at;                     /* index of the current kernel */
    char *dropped;                 /* name of a removed entry that was not reported; NULL: none */
};

void shelf_done(struct shelf *s);
/* Fills the empty @to with references to the same kernels. */
void shelf_copy(const struct shelf *from, struct shelf *to);
/* Appends @k, even if an entry has the same source. The current kernel remains the same. */
void shelf_append(struct shelf *s, const struct kernel *k, size_t loop);
/* Makes @k with loop @loop the current kernel. It replaces an entry made in the same way from the
 * same file and function, or from the same pasted text. If there is no such entry, appends it. If
 * the shelf is full, the first entry is removed. Differently compiled versions therefore remain.
 * Returns the replaced entry, whose kernel the caller frees; NULL: none. */
struct shelved shelf_put(struct shelf *s, const struct kernel *k, size_t loop);
/* Appends the name of an entry that a full shelf removed, once, for the message of the command. */
void shelf_tell_dropped(struct shelf *s, struct str *out);
/* Appends a name for lists, such as "dot.c -O3 -march=skylake: innermost loop .L4". */
void shelf_name(const struct shelved *item, struct str *out);

#endif
