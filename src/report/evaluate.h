/* Accuracy of a machine's model on measured blocks (hex, cycles), in constant memory. */
#ifndef PORTOLAN_REPORT_EVALUATE_H
#define PORTOLAN_REPORT_EVALUATE_H

#include <stdio.h>

#include "base/pack.h"
#include "simulate/simulate.h"

enum evaluate_model { MODEL_BOUNDS, MODEL_SIMULATE };

/* Method by which the blocks were measured */
enum evaluate_protocol {
    /* many consecutive copies, which are decoded each time; all registers are equal, all addresses
     * are in one page */
    PROTOCOL_BHIVE,
    PROTOCOL_PORTOLAN,   /* loops, as in `kernel measure` */
};

/* A measured block. @hex is borrowed. */
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
    double sum;        /* sum of the relative errors of the blocks with this form */
    double signed_sum; /* sum of (predicted - measured) / measured */
    size_t blocks;
    double excess;     /* sum minus the sum of the same number of average blocks */
};

struct evaluation;   /* An evaluation by one thread. */

struct evaluation_result {
    size_t n;          /* number of blocks with a prediction */
    /* number of rows without positive cycles, which are not evaluated */
    size_t untimed;
    size_t refused;    /* number of rows with a time whose bytes are not valid code */
    size_t complete;   /* number of blocks among n without unknown forms */
    /* @coverage: fraction of the rows with a time whose code has only known forms */
    double coverage, mape, median, kendall;   /* fractions; NaN without blocks */
    bool sampled;      /* whether median and kendall are from a uniform sample of the blocks */
    struct worst_block *worst;  /* sorted by relative error, largest first */
    size_t worst_count;
    struct form_error *forms;   /* sorted by excess, largest first */
    size_t form_count;
};

/* Creates an evaluation; @m is borrowed. */
struct evaluation *evaluation_new(const struct machine *m, enum evaluate_model model);
void evaluation_free(struct evaluation *e);
/* Sets the protocol of the blocks that follow; default PROTOCOL_BHIVE. */
void evaluation_measured_by(struct evaluation *e, enum evaluate_protocol protocol);
/* Makes evaluation_add write each block to @rows as a CSV row: hex, measured, predicted,
 * bottleneck, and cycles of each bound. @rows is borrowed; several threads may share it. */
void evaluation_write_blocks(struct evaluation *e, FILE *rows);
/* Writes the header of the rows of evaluation_write_blocks to @rows. */
void evaluation_write_header(FILE *rows);
/* Evaluates @block. Without positive finite cycles, only counts it as untimed. If its bytes are not
 * valid code, only counts it as refused. */
void evaluation_add(struct evaluation *e, const struct measured_block *block);
/* Moves the results of @from to @to. @from is then empty. */
void evaluation_merge(struct evaluation *to, struct evaluation *from);
/* evaluation_pack serialises the results of @e for another process (base/pack.h). evaluation_take
 * merges the results into @to. It returns false for invalid bytes. */
void evaluation_pack(const struct evaluation *e, struct str *out);
bool evaluation_take(struct evaluation *to, struct unpacking *from);
/* Computes the results of @e and moves its lists to @out. Call it once. Free @out with
 * evaluation_result_done. */
void evaluation_finish(struct evaluation *e, struct evaluation_result *out);
void evaluation_result_done(struct evaluation_result *r);
/* Returns Kendall's tau-b of @n pairs; NaN if one side is constant. Reorders the pairs. */
double kendall_tau(double (*pairs)[2], size_t n);

#endif
