/* Explains the difference between a loop's measured and predicted time: it is measured with each
 * instruction removed, with a nop in its place, and with single dependences cut
 * (analysis/variants.h); the model predicts the same variants. The saved time is the cost of a
 * part, measured and predicted; the largest difference is reported. */
#ifndef PORTOLAN_REPORT_BLAME_H
#define PORTOLAN_REPORT_BLAME_H

#include "analysis/analysis.h"
#include "analysis/variants.h"

/* relative difference of measured and predicted cycles that needs no explanation */
#define BLAME_AGREES 0.05

struct blame;

/* Source of times: this CPU, or in tests a simulated one. */
struct blame_source {
    /* Measures cycles per iteration and their relative spread. False with err: ERR_LIMIT or
     * ERR_DATA for a loop without a stable time or that cannot run; other errors end everything. */
    bool (*measure)(void *self, const struct insn *insns, size_t count, double *cycles,
                    double *spread, struct err *err);
    bool (*cancelled)(void *self);   /* may be NULL */
    void (*progress)(void *self, size_t done, size_t total);   /* may be NULL */
    /* Announces @insns, so that variants can be measured together. May be NULL. */
    void (*expect)(void *self, const struct insn *insns, size_t count);
    /* Called after further measurements: @so_far has no sentence yet, and is valid during the call
     * only. May be NULL. */
    void (*found)(void *self, const struct blame *so_far);
    void *self;
};

#define BLAME_TIMES 4

/* Cost of a part: cycles per iteration saved without it. */
struct blame_cost {
    double here, error;       /* NaN: see state; error: of both measurements, in cycles */
    double model;             /* NaN: no prediction */
    bool copies;              /* register moves replace it */
    double times[BLAME_TIMES];   /* measured times of the loop without it */
    double spread;            /* largest relative one */
    unsigned count;           /* of times */
    char state[96];           /* "ok", why there is no time, or "" when not measured */
};

struct blame_row {
    struct blame_cost out, nop;   /* removed; replaced by a nop */
};

struct blame_edge {
    struct dependence of;
    struct blame_cost cut;
};

struct blame {
    char *machine;            /* id */
    double measured, spread;  /* of the loop itself */
    double predicted;
    /* least: a form is unknown; estimate: a form's data are estimates */
    bool least, estimate;
    size_t count;             /* of instructions */
    struct blame_row *rows;
    size_t edge_count;
    struct blame_edge *edges;
    char *sentence;           /* on the largest difference; NULL while measuring */
    size_t worst;             /* instruction that the sentence is about; count: none */
    size_t variants;          /* number of variants run, including the loop itself */
    double seconds;
};

/* Measures and predicts; variants beyond @seconds stay unmeasured. NULL with err when the loop
 * itself has no stable time, or cancelled. One thread. */
struct blame *blame_new(const struct insn *insns, size_t count, const struct machine *m,
                        const struct blame_source *source, double seconds, struct err *err);
void blame_free(struct blame *b);
struct blame *blame_copy(const struct blame *b);

/* blame_verdict.c: states the result of the measurements in a sentence. */

/* Fills sentence and worst of @b from the rest. */
void blame_judge(struct blame *b, const struct insn *insns, const struct machine *m);

#endif
