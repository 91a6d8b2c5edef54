/* Cycles of experiments while a search changes usages. Each form has a float table with one lane
 * per port set Q of the columns: the mass of its µops that fit only in Q, divided by |Q|. The
 * cycles of an experiment are the maximum over columns of the sum of its forms' tables (PMEvo eq.
 * 1). The lane of the empty set contains slots / width, the issue bound. */
#ifndef PORTOLAN_THROUGHPUT_TABLES_H
#define PORTOLAN_THROUGHPUT_TABLES_H

#include "throughput/columns.h"

#define GENE_UOPS 6          /* maximum number of distinct µops per form */

/* Usage of one form on up to 16 ports: µops sorted by port set, without duplicates or empty sets.
 * Unused entries are zero. */
struct gene {
    uint16_t set[GENE_UOPS];
    uint8_t count[GENE_UOPS];
    uint8_t uops;
    uint8_t slots;           /* issue slots; 0: no issue width */
};

struct table_term {
    uint32_t form;
    float count;
};

/* An experiment that contains a form. The other forms of the experiment are others[first .. first
 * + count). */
struct table_link {
    uint32_t experiment, first, count;
    float own;               /* multiplicity of the form */
};

/* Input of an evaluation. All members are borrowed. */
struct tables {
    const uint32_t *term_start;         /* experiments + 1 offsets in @terms */
    const struct table_term *terms;
    const uint32_t *link_start;         /* forms + 1 offsets in @links */
    const struct table_link *links;
    const struct table_term *others;
    /* per experiment; an error is |cycles * inverse - weight| */
    const float *inverse, *weight;
    const struct columns *columns;
    const struct gene *genes;
    /* one table of @stride lanes per form; @stride is at least columns_lanes(columns->count) */
    float *values;
    size_t stride;
};

/* Evaluation compiled for one instruction set. Any thread. */
struct table_engine {
    const char *name;
    /* Fills a form's table from the vector that contains lane @first. */
    void (*fill)(const struct gene *gene, const struct columns *columns, unsigned first,
                 double width, float *table);
    /* Returns the cycles of experiment @e. */
    float (*cycles)(const struct tables *t, uint32_t e);
    /* Computes the weighted relative errors of all experiments with @form, in link order, with
     * @fresh as its table. The tables of all other forms are valid in the first @ready columns (a
     * multiple of COLUMNS_LANES, or all). The other columns are computed from the genes. Returns
     * the sum. Stops if the sum exceeds @limit; the errors are then incomplete. */
    float (*errors)(const struct tables *t, size_t ready, uint32_t form, const float *fresh,
                    float limit, float *errors);
};

/* Returns the engine named @name ("portable", "avx2" or "avx512"), or this CPU's best engine if
 * @name is NULL. Returns NULL if this CPU does not support the engine. */
const struct table_engine *table_engine(const char *name);
/* Returns zeroed memory for @forms + 1 tables, aligned to 64 bytes. The caller calls free(). */
float *tables_new(size_t forms, size_t stride);

#endif
