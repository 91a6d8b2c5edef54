/* Two mappings side by side: which port of one is which of the other, and which forms use them
 * differently. */
#ifndef PORTOLAN_MODEL_MAPPING_DIFF_H
#define PORTOLAN_MODEL_MAPPING_DIFF_H

#include "model/mapping.h"

enum diff_kind {
    DIFF_NONE,
    DIFF_PIPES,      /* all the same except for blocking pipes (dividers) */
    DIFF_NARROWER,   /* as many µops, those of A on fewer of the same ports */
    DIFF_WIDER,      /* as many µops, those of A on more ports */
    DIFF_PORTS,      /* as many µops, on other ports */
    DIFF_FEWER,      /* A has fewer µops */
    DIFF_MORE,       /* A has more µops */
    DIFF_COUNT
};

struct form_diff {
    const struct mapping_entry *a, *b;   /* borrowed from the mappings */
    /* of B in A's ports; ports without a partner are left out */
    struct usage b_usage;
    enum diff_kind kind;
};

struct mapping_diff {
    int to_a[PORTS_MAX];       /* port of A for each port of B; -1 none */
    /* common part of the loads of each port of B and its partner from the shared forms, 0 to 1; NaN
     * without a partner, or if matched by name */
    double agrees[PORTS_MAX];
    bool renamed;              /* the names did not settle it */
    double equal_uses;         /* share of the uses of shared forms in equal ones; NaN: not known */
    size_t shared, only_a, only_b;
    size_t kinds[DIFF_COUNT];  /* of the shared forms; [DIFF_NONE] are equal */
    struct form_diff *forms;   /* those that differ, in A's order */
    size_t count;
};

/* Ports with the same names in both are the same when the smaller mapping has no name of its own
 * (@by_name is false: look at the use alone). Else it is the one-to-one assignment under which the
 * shared forms load their ports most alike: the best sum over pairs of ports, then exchanges of two
 * and three ports for as long as more forms agree. @uses is how often programs use each form of
 * @a, which counts half, as its number does; NULL: not known. Free with mapping_diff_free. */
struct mapping_diff *mapping_diff_new(const struct mapping *a, const struct mapping *b,
                                      bool by_name, const double *uses);
void mapping_diff_free(struct mapping_diff *d);
const char *diff_kind_name(enum diff_kind kind);   /* "pipes", "narrower", ... */
/* The assignment of columns to rows of the n x n matrix @gain (row major) with the largest sum:
 * column_of[row]. O(n^3). */
void assignment_best(const double *gain, unsigned n, unsigned *column_of);

#endif
