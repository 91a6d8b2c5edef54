/* Cycles of experiments while a search changes usages. Each form has a float table with one lane
 * per port set Q of the columns: the mass of its µops that fit only into Q, over |Q|. Cycles of an
 * experiment = max over columns of the sum of its forms' tables (PMEvo eq. 1). The lane of the
 * empty set holds slots / width instead: the issue bound. */
#ifndef PORTOLAN_THROUGHPUT_TABLES_H
#define PORTOLAN_THROUGHPUT_TABLES_H

#include "throughput/columns.h"

#define GENE_UOPS 6          /* distinct µops per form */

/* Usage of one form on up to 16 ports: µops sorted by port set, without duplicates or empty sets;
 * unused entries are zero. */
struct gene {
    uint16_t set[GENE_UOPS];
    uint8_t count[GENE_UOPS];
    uint8_t uops;
    uint8_t slots;           /* issue slots; 0 without an issue width */
};

struct table_term {
    uint32_t form;
    float count;
};

/* An experiment as seen from one of its forms: the other forms are others[first .. first +
 * count). */
struct table_link {
    uint32_t experiment, first, count;
    float own;               /* multiplicity of the form itself */
};

/* Input of an evaluation; everything is borrowed. */
struct tables {
    const uint32_t *term_start;         /* experiments + 1 offsets into terms */
    const struct table_term *terms;
    const uint32_t *link_start;         /* forms + 1 offsets into links */
    const struct table_link *links;
    const struct table_term *others;
    /* per experiment: an error is |cycles * inverse - weight| */
    const float *inverse, *weight;
    const struct columns *columns;
    const struct gene *genes;
    /* a table per form, each of @stride lanes, at least columns_lanes(columns->count) */
    float *values;
    size_t stride;
};

/* A compiled version; any thread. */
struct table_engine {
    const char *name;
    /* Fills a form's table from the vector of lane @first on. */
    void (*fill)(const struct gene *gene, const struct columns *columns, unsigned first,
                 double width, float *table);
    /* Cycles of experiment @e. */
    float (*cycles)(const struct tables *t, uint32_t e);
    /* Weighted relative errors of all experiments with @form, in link order, as if @fresh were its
     * table. The other forms' tables are valid in the first @ready columns (a multiple of
     * COLUMNS_LANES, or all); the rest is computed from their genes. Returns the sum; stops above
     * @limit (errors are incomplete then). */
    float (*errors)(const struct tables *t, size_t ready, uint32_t form, const float *fresh,
                    float limit, float *errors);
};

/* Returns the best of this CPU; @name NULL or "portable", "avx2", "avx512" (NULL when this CPU
 * lacks it). */
const struct table_engine *table_engine(const char *name);
/* Zeroed storage for @forms tables, aligned to 64 bytes; free() it. */
float *tables_new(size_t forms, size_t stride);

#endif
