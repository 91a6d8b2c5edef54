/* Explains the difference between a loop's measured and predicted time. Variants of the loop are
 * measured and predicted: each instruction removed, each replaced by a nop, and single dependences
 * cut (analysis/variants.h). The cycles that a variant saves are the cost of the changed part, both
 * measured and predicted. The part with the largest difference is reported. */
#ifndef PORTOLAN_REPORT_BLAME_H
#define PORTOLAN_REPORT_BLAME_H

#include "analysis/analysis.h"
#include "analysis/variants.h"

/* relative difference of measured and predicted cycles up to which no explanation is needed */
#define BLAME_AGREES 0.05

struct blame;

/* Source of times: this CPU or, in tests, a simulated CPU */
struct blame_source {
    /* Measures cycles per iteration and their relative spread. Returns false with err. ERR_LIMIT or
     * ERR_DATA: the code has no stable time or cannot run. Other errors end the analysis. */
    bool (*measure)(void *self, const struct insn *insns, size_t count, double *cycles,
                    double *spread, struct err *err);
    /* reports the number of completed variants; may be NULL */
    void (*progress)(void *self, size_t done, size_t total);
    /* Announces @insns, so that several variants can be measured together. May be NULL. */
    void (*expect)(void *self, const struct insn *insns, size_t count);
    /* Called after further measurements. @so_far has no sentence, and is valid only during the
     * call. May be NULL. */
    void (*found)(void *self, const struct blame *so_far);
    void *self;
};

#define BLAME_TIMES 4

/* Cost of a part: the cycles per iteration that its removal saves */
struct blame_cost {
    /* @here: measured cost; NaN: none, for the reason in @state. @error: uncertainty from both
     * measurements, in cycles. */
    double here, error;
    double model;             /* predicted; NaN: no prediction */
    bool copies;              /* whether register moves replace the instruction */
    double times[BLAME_TIMES];   /* measured cycles per iteration of the loop without the part */
    double spread;            /* largest relative spread of the times */
    unsigned count;           /* number of times */
    char state[96];           /* "ok", the reason why there is no time, or "" if not measured */
};

struct blame_row {
    struct blame_cost out, nop;   /* costs by removal, and by replacement with a nop */
};

struct blame_edge {
    struct dependence of;
    struct blame_cost cut;
};

struct blame {
    char *machine;            /* id of the machine */
    double measured, spread;  /* cycles per iteration of the unchanged loop, and their relative
                               * spread */
    double predicted;
    /* @least: whether @predicted is a lower bound, because a form is unknown. @estimate: whether
     * values of a form are estimates. */
    bool least, estimate;
    size_t count;             /* number of instructions */
    struct blame_row *rows;
    size_t edge_count;
    struct blame_edge *edges;
    char *sentence;           /* sentence about the largest difference; NULL while measuring */
    size_t worst;             /* index of the instruction that the sentence is about; equal to
                               * count: none */
    size_t variants;          /* number of measurements, including those of the unchanged loop */
    double seconds;
};

/* Measures and predicts all variants. After @seconds, no further variants are measured. Returns
 * NULL with err if the unchanged loop has no stable time or if cancelled. One thread. */
struct blame *blame_new(const struct insn *insns, size_t count, const struct machine *m,
                        const struct blame_source *source, double seconds, struct err *err);
void blame_free(struct blame *b);
struct blame *blame_copy(const struct blame *b);

/* blame_verdict.c: describes the result of the measurements in a sentence. */

/* Computes sentence and worst of @b from its other members. */
void blame_judge(struct blame *b, const struct insn *insns, const struct machine *m);

#endif
