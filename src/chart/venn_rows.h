/* Input of the search for a core's ports (chart/venn.h): rows of the table, and the issue slots of
 * each form. */
#ifndef PORTOLAN_CHART_VENN_ROWS_H
#define PORTOLAN_CHART_VENN_ROWS_H

#include "base/vec.h"
#include "chart/residual.h"
#include "model/experiments.h"

#define VENN_FORMS_MOST 96
#define VENN_TERMS_MOST 8

/* Kind of a form's operation */
enum venn_kind { VENN_GENERAL, VENN_VECTOR, VENN_MEMORY };

/* A row of the table. @place: index of a form in join order. */
struct venn_row {
    struct { uint8_t place; uint32_t count; } terms[VENN_TERMS_MOST];
    uint8_t n;
    double cycles;
    struct residual_limit limits;
};

struct venn_rows {
    const struct experiments *table;
    const uint32_t *forms;
    size_t n;
    double alone[VENN_FORMS_MOST];
    /* whether the form has several operations, and so probably several µops */
    bool several[VENN_FORMS_MOST];
    uint8_t slots[VENN_FORMS_MOST];
    bool slots_known[VENN_FORMS_MOST];   /* whether the element of @slots is exact */
    enum venn_kind kind[VENN_FORMS_MOST];
    VEC(struct venn_row) rows[VENN_FORMS_MOST];   /* rows that contain the form */
    double width;                   /* issue slots per cycle */
    bool scattered;                 /* whether times scatter by more than the noise */
};

/* Fills @out with the first VENN_FORMS_MOST of the @n @forms, and with the rows of @t that contain
 * no other forms. Sets @width and @scattered. Borrows @t and @forms. The caller frees @out with
 * venn_rows_done. */
void venn_rows_make(struct venn_rows *out, const struct experiments *t, const uint32_t *forms,
                    size_t n, double width, bool scattered);
void venn_rows_done(struct venn_rows *v);

#endif
