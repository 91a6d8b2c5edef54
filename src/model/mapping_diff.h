/* Compares two mappings. Finds corresponding ports, and forms that use different ports. */
#ifndef PORTOLAN_MODEL_MAPPING_DIFF_H
#define PORTOLAN_MODEL_MAPPING_DIFF_H

#include "model/mapping.h"

enum diff_kind {
    DIFF_NONE,
    DIFF_PIPES,      /* equal except for blocking pipes (dividers) */
    DIFF_NARROWER,   /* equally many µops, A's on subsets of B's ports */
    DIFF_WIDER,      /* equally many µops, A's on supersets of B's ports */
    DIFF_PORTS,      /* the same number of µops, on other ports */
    DIFF_FEWER,      /* A has fewer µops */
    DIFF_MORE,       /* A has more µops */
    DIFF_COUNT
};

struct form_diff {
    const struct mapping_entry *a, *b;   /* entries, borrowed from the mappings */
    /* B's usage expressed with A's ports; ports without a partner are omitted */
    struct usage b_usage;
    enum diff_kind kind;
};

struct mapping_diff {
    int to_a[PORTS_MAX];       /* per port of B, the corresponding port of A; -1: none */
    /* per port of B, the common share of its load and its partner's load over common forms, 0 to 1;
     * NaN: no partner, no load, or ports were matched by name */
    double agrees[PORTS_MAX];
    bool renamed;              /* whether ports were matched by load instead of by name */
    /* share of equal usages among common forms, weighted by their frequency; NaN: unknown */
    double equal_uses;
    size_t shared, only_a, only_b;
    size_t kinds[DIFF_COUNT];  /* number of common forms by kind; DIFF_NONE: equal forms */
    struct form_diff *forms;   /* forms with different usages, in A's order */
    size_t count;
};

/* Compares mappings @a and @b. With @by_name, ports with equal names correspond if all names of the
 * smaller mapping occur in the larger. Otherwise finds the one-to-one assignment with the most
 * similar loads of common forms. The search starts with the largest sum over pairs of ports, and
 * exchanges two or three ports while this makes more forms agree. @uses (may be NULL): frequency of
 * each form of @a in programs, which determines half of a form's weight. mapping_diff_free frees
 * the result. */
struct mapping_diff *mapping_diff_new(const struct mapping *a, const struct mapping *b,
                                      bool by_name, const double *uses);
void mapping_diff_free(struct mapping_diff *d);
/* Returns the name of a kind, such as "pipes" or "narrower". */
const char *diff_kind_name(enum diff_kind kind);
/* Finds the assignment of columns to rows with the largest sum of @gain, an n x n matrix in
 * row-major order. Stores the column of each row in @column_of. O(n^3). */
void assignment_best(const double *gain, unsigned n, unsigned *column_of);

#endif
