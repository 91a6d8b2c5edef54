/* Input of the search for a core's ports (chart/venn.h): rows of the table, and issue slots per
 * form. */
#ifndef PORTOLAN_CHART_VENN_ROWS_H
#define PORTOLAN_CHART_VENN_ROWS_H

#include "base/vec.h"
#include "chart/residual.h"
#include "model/experiments.h"

#define VENN_FORMS_MOST 96
#define VENN_TERMS_MOST 8

/* Kind of a form by its operation. */
enum venn_kind { VENN_GENERAL, VENN_VECTOR, VENN_MEMORY };

/* A row of the table; forms are numbered by join order. */
struct venn_row {
    struct { uint8_t place; uint32_t count; } terms[VENN_TERMS_MOST];
    uint8_t n;
    double cycles;
    struct residual_limit late;
};

struct venn_rows {
    const struct experiments *table;
    const uint32_t *forms;
    size_t n;
    double alone[VENN_FORMS_MOST];
    /* the form has several operations, so probably several µops */
    bool several[VENN_FORMS_MOST];
    uint8_t slots[VENN_FORMS_MOST];
    bool slots_known[VENN_FORMS_MOST];   /* per form: the number of slots is exact */
    enum venn_kind kind[VENN_FORMS_MOST];
    VEC(struct venn_row) rows[VENN_FORMS_MOST];   /* rows by form */
    double width;                   /* issue slots per cycle */
    bool scattered;                 /* times scatter by more than noise */
};

/* Fills @out for the first VENN_FORMS_MOST of the @n @forms of @t from the rows without other
 * forms. Borrows @t and @forms. venn_rows_done frees. */
void venn_rows_make(struct venn_rows *out, const struct experiments *t, const uint32_t *forms,
                    size_t n, double width, bool scattered);
void venn_rows_done(struct venn_rows *v);

#endif
