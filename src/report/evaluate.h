/* Accuracy of a machine's model against measured blocks (hex, cycles), block by block, in constant
 * memory. */
#ifndef PORTOLAN_REPORT_EVALUATE_H
#define PORTOLAN_REPORT_EVALUATE_H

#include <stdio.h>

#include "base/pack.h"
#include "simulate/simulate.h"

enum evaluate_model { MODEL_BOUNDS, MODEL_SIMULATE };

/* How the blocks were measured. */
enum evaluate_protocol {
    /* many copies in sequence, decoded each time; registers all alike, one page behind all
     * addresses */
    PROTOCOL_BHIVE,
    PROTOCOL_PORTOLAN,   /* by `kernel measure` */
};

/* One measured block; the texts are borrowed. */
struct measured_block {
    const char *hex;
    double cycles;
};

struct worst_block {
    char *hex;
    double measured, predicted;
    enum bound_kind bottleneck;
};

struct form_error {
    char *form;
    double sum;        /* of the relative errors of the blocks it occurs in */
    double signed_sum; /* of (predicted - measured) / measured */
    size_t blocks;
    double excess;     /* sum less that of as many average blocks */
};

struct evaluation;   /* one thread's share */

struct evaluation_result {
    size_t n;          /* blocks with a prediction */
    /* rows whose cycles are no positive number: nothing to hold a prediction against */
    size_t untimed;
    size_t refused;    /* rows with a time whose bytes are no code */
    size_t complete;   /* of n: no unknown form */
    /* @coverage: of the rows with a time, those with code all of whose forms are known. */
    double coverage, mape, median, kendall;   /* fractions; NaN without blocks */
    bool sampled;      /* median and kendall are of a uniform sample of the blocks */
    struct worst_block *worst;  /* greatest relative error first */
    size_t worst_count;
    struct form_error *forms;   /* by the error of their blocks above the mean, greatest first */
    size_t form_count;
};

/* borrows @m */
struct evaluation *evaluation_new(const struct machine *m, enum evaluate_model model);
void evaluation_free(struct evaluation *e);
/* Blocks from now on were measured with that protocol; default PROTOCOL_BHIVE. */
void evaluation_measured_by(struct evaluation *e, enum evaluate_protocol protocol);
/* Each block from now on also becomes a row hex,measured,predicted,bottleneck and the bounds in
 * @rows (borrowed; may be shared by threads). */
void evaluation_write_blocks(struct evaluation *e, FILE *rows);
/* The header of those rows. */
void evaluation_write_header(FILE *rows);
void evaluation_add(struct evaluation *e, const struct measured_block *block);
/* Adds the results of @from to @to; @from is empty afterwards. */
void evaluation_merge(struct evaluation *to, struct evaluation *from);
/* The results of @e, for another process (base/pack.h), and as evaluation_merge of that into @to;
 * false when the bytes are broken. */
void evaluation_pack(const struct evaluation *e, struct str *out);
bool evaluation_take(struct evaluation *to, struct unpacking *from);
/* Fills @out; evaluation_result_done frees it. */
void evaluation_finish(struct evaluation *e, struct evaluation_result *out);
void evaluation_result_done(struct evaluation_result *r);
/* Kendall's tau-b of n pairs; sorts both arrays. NaN when a side is constant. */
double kendall_tau(double (*pairs)[2], size_t n);

#endif
