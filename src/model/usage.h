/* Port usage of a form: a multiset of µops, written 1*p0156+1*p23. Zero-initialised is the empty
 * usage (no port at all). */
#ifndef PORTOLAN_MODEL_USAGE_H
#define PORTOLAN_MODEL_USAGE_H

#include "model/portset.h"

struct uop {
    portset ports;      /* not empty */
    uint32_t count;     /* multiplicity, or cycles for a blocking pipe; not 0 */
};

/* Limits when parsing: */
#define USAGE_COUNT_MAX 100000u     /* per set */
#define USAGE_SETS_MAX 256u         /* distinct sets */

struct usage {
    struct uop *uops;   /* canonical: sorted by port set, each set once */
    unsigned count;
};

void usage_done(struct usage *usage);
/* @to must be empty or zeroed */
void usage_copy(struct usage *to, const struct usage *from);
/* Adds in canonical order; the sum saturates at 2^32 - 1. */
void usage_add(struct usage *usage, portset ports, uint32_t count);
bool usage_equal(const struct usage *a, const struct usage *b);
/* PMEvo volume: sum of count * |ports|. */
uint64_t usage_volume(const struct usage *usage);
/* Text in canonical order; "" for the empty usage. usage_parse restores it exactly. */
void usage_print(const struct usage *usage, const struct ports *ports, struct str *out);
/* The whole of @text; "" is the empty usage. "p01" alone means 1*p01. Counts go up to
 * USAGE_COUNT_MAX, distinct sets to USAGE_SETS_MAX. On failure @out stays empty and err->column is
 * set. */
bool usage_parse(const char *text, const struct ports *ports, struct usage *out, struct err *err);

#endif
