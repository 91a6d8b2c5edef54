/* Accuracy of a machine's model on measured blocks (hex, cycles), in constant memory. */
#ifndef PORTOLAN_REPORT_EVALUATE_H
#define PORTOLAN_REPORT_EVALUATE_H

#include <stdio.h>

#include "base/pack.h"
#include "simulate/simulate.h"

enum evaluate_model { MODEL_BOUNDS, MODEL_SIMULATE };

/* Measurement protocol of the blocks. */
enum evaluate_protocol {
    /* many consecutive copies, decoded each time; equal registers, one page for all addresses */
    PROTOCOL_BHIVE,
    PROTOCOL_PORTOLAN,   /* by `kernel measure` */
};

/* A measured block; texts are borrowed. */
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
    double sum;        /* of relative errors of the blocks with it */
    double signed_sum; /* of (predicted - measured) / measured */
    size_t blocks;
    double excess;     /* sum minus that of as many average blocks */
};

struct evaluation;   /* State of one thread. */

struct evaluation_result {
    size_t n;          /* blocks with a prediction */
    /* rows without positive cycles, which are ignored */
    size_t untimed;
    size_t refused;    /* rows with a time whose bytes are no code */
    size_t complete;   /* of n: no unknown form */
    /* @coverage: share of the rows with a time whose code has only known forms. */
    double coverage, mape, median, kendall;   /* fractions; NaN without blocks */
    bool sampled;      /* median and kendall are from a uniform sample of the blocks */
    struct worst_block *worst;  /* largest relative error first */
    size_t worst_count;
    struct form_error *forms;   /* by the excess error of their blocks, largest first */
    size_t form_count;
};

/* @m is borrowed */
struct evaluation *evaluation_new(const struct machine *m, enum evaluate_model model);
void evaluation_free(struct evaluation *e);
/* Sets the protocol of the following blocks; default PROTOCOL_BHIVE. */
void evaluation_measured_by(struct evaluation *e, enum evaluate_protocol protocol);
/* Writes each following block as a row hex,measured,predicted,bottleneck and bounds to @rows
 * (borrowed; may be shared by threads). */
void evaluation_write_blocks(struct evaluation *e, FILE *rows);
/* Writes the header of these rows. */
void evaluation_write_header(FILE *rows);
void evaluation_add(struct evaluation *e, const struct measured_block *block);
/* Moves the results of @from to @to; @from is empty afterwards. */
void evaluation_merge(struct evaluation *to, struct evaluation *from);
/* Serialises the results of @e for another process (base/pack.h), and merges such results into @to;
 * false for invalid bytes. */
void evaluation_pack(const struct evaluation *e, struct str *out);
bool evaluation_take(struct evaluation *to, struct unpacking *from);
/* Computes @out; evaluation_result_done frees it. */
void evaluation_finish(struct evaluation *e, struct evaluation_result *out);
void evaluation_result_done(struct evaluation_result *r);
/* Kendall's tau-b of n pairs; sorts both arrays. NaN when a side is constant. */
double kendall_tau(double (*pairs)[2], size_t n);

#endif
