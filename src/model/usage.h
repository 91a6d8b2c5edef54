/* Port usage of a form: a multiset of µops, written 1*p0156+1*p23. A struct that is initialised to
 * zero is the empty usage (no port). */
#ifndef PORTOLAN_MODEL_USAGE_H
#define PORTOLAN_MODEL_USAGE_H

#include "model/portset.h"

struct uop {
    portset ports;      /* port set, not empty */
    uint32_t count;     /* multiplicity, at least 1; for a blocking pipe, cycles */
};

/* limits of the parser */
#define USAGE_COUNT_MAX 100000u     /* maximum count of one set */
#define USAGE_SETS_MAX 256u         /* maximum number of distinct sets */

struct usage {
    struct uop *uops;   /* µops in canonical form: sorted by port set, without duplicate sets */
    unsigned count;
};

void usage_done(struct usage *usage);
/* Copies @from. @to must be empty or zero-initialised. */
void usage_copy(struct usage *to, const struct usage *from);
/* Adds @count µops in canonical order. The count of a set saturates at 2^32 - 1. */
void usage_add(struct usage *usage, portset ports, uint32_t count);
bool usage_equal(const struct usage *a, const struct usage *b);
/* Returns the PMEvo volume: sum of count * |ports|. */
uint64_t usage_volume(const struct usage *usage);
/* Appends the text in canonical order, which is "" for the empty usage. usage_parse restores an
 * equal usage. */
void usage_print(const struct usage *usage, const struct ports *ports, struct str *out);
/* Parses the complete @text. "" is the empty usage. "p01" without a count means 1*p01. A count is
 * at most USAGE_COUNT_MAX, the number of distinct sets at most USAGE_SETS_MAX. On failure, @out is
 * empty and err->column is set. */
bool usage_parse(const char *text, const struct ports *ports, struct usage *out, struct err *err);

#endif
