/* Compares two mappings: corresponding ports, and forms that use them differently. */
#ifndef PORTOLAN_MODEL_MAPPING_DIFF_H
#define PORTOLAN_MODEL_MAPPING_DIFF_H

#include "model/mapping.h"

enum diff_kind {
    DIFF_NONE,
    DIFF_PIPES,      /* equal except for blocking pipes (dividers) */
    DIFF_NARROWER,   /* as many µops, A's on subsets of the ports */
    DIFF_WIDER,      /* as many µops, A's on supersets of the ports */
    DIFF_PORTS,      /* as many µops, on other ports */
    DIFF_FEWER,      /* A has fewer µops */
    DIFF_MORE,       /* A has more µops */
    DIFF_COUNT
};

struct form_diff {
    const struct mapping_entry *a, *b;   /* borrowed from the mappings */
    /* B's usage in A's ports; ports without a partner are omitted */
    struct usage b_usage;
    enum diff_kind kind;
};

struct mapping_diff {
    int to_a[PORTS_MAX];       /* port of A for each port of B; -1: none */
    /* common share of the loads of each port of B and its partner by shared forms, 0 to 1; NaN
     * without a partner, or if matched by name */
    double agrees[PORTS_MAX];
    bool renamed;              /* ports were not matched by name */
    double equal_uses;         /* share of the uses of shared forms that are equal; NaN: unknown */
    size_t shared, only_a, only_b;
    size_t kinds[DIFF_COUNT];  /* number of shared forms by kind; [DIFF_NONE] are equal */
    struct form_diff *forms;   /* different ones, in A's order */
    size_t count;
};

/* Ports of equal names correspond if the smaller mapping has no other names (unless @by_name is
 * false). Otherwise finds the one-to-one assignment with the most similar loads by shared forms:
 * the best sum over pairs, then exchanges of two and three ports while more forms agree. @uses:
 * frequency of each form of @a in programs, which counts half, as much as the form itself; NULL:
 * unknown. Free with mapping_diff_free. */
struct mapping_diff *mapping_diff_new(const struct mapping *a, const struct mapping *b,
                                      bool by_name, const double *uses);
void mapping_diff_free(struct mapping_diff *d);
const char *diff_kind_name(enum diff_kind kind);   /* "pipes", "narrower", ... */
/* Finds the assignment of columns to rows of the n x n matrix @gain (row major) with the largest
 * sum: column_of[row]. O(n^3). */
void assignment_best(const double *gain, unsigned n, unsigned *column_of);

#endif
