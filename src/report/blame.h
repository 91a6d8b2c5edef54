/* Why a loop's measured time differs from the model's: it is measured with each instruction
 * removed, with a nop in its place, and with single dependences cut (analysis/variants.h); the
 * model predicts the same variants. The time saved by a change is the cost of the part, measured
 * and predicted; the largest difference between the two is reported. */
#ifndef PORTOLAN_REPORT_BLAME_H
#define PORTOLAN_REPORT_BLAME_H

#include "analysis/analysis.h"
#include "analysis/variants.h"

/* relative: measured and predicted cycles this close need no explanation */
#define BLAME_AGREES 0.05

struct blame;

/* Where times come from: this CPU, or in tests a simulated one. */
struct blame_source {
    /* Cycles per iteration and how far repeated measurements lie apart, relative. False with err:
     * ERR_LIMIT or ERR_DATA when this one has no stable time or cannot be run, anything else ends
     * all. */
    bool (*measure)(void *self, const struct insn *insns, size_t count, double *cycles,
                    double *spread, struct err *err);
    bool (*cancelled)(void *self);   /* may be NULL */
    void (*progress)(void *self, size_t done, size_t total);   /* may be NULL */
    /* @insns will be measured soon: known variants can be measured together. May be NULL. */
    void (*expect)(void *self, const struct insn *insns, size_t count);
    /* Something more was measured: @so_far has no sentence yet, and is valid during the call only.
     * May be NULL. */
    void (*found)(void *self, const struct blame *so_far);
    void *self;
};

#define BLAME_TIMES 4

/* Cost of a part: cycles per iteration that are saved without it. */
struct blame_cost {
    double here, error;       /* NaN: see state; error: of both measurements together, in cycles */
    double model;             /* NaN: the model has no prediction */
    bool copies;              /* moves of registers stand in its place */
    double times[BLAME_TIMES];   /* of the loop without it, as they were measured */
    double spread;            /* relative, the largest of them */
    unsigned count;           /* of times */
    char state[96];           /* "ok", why there is no time, "" when it was not measured */
};

struct blame_row {
    struct blame_cost out, nop;   /* left out; a nop in its place */
};

struct blame_edge {
    struct dependence of;
    struct blame_cost cut;
};

struct blame {
    char *machine;            /* id */
    double measured, spread;  /* of the loop itself */
    double predicted;
    /* least: a form is unknown to the machine; estimate: a form's row is one */
    bool least, estimate;
    size_t count;             /* of instructions */
    struct blame_row *rows;
    size_t edge_count;
    struct blame_edge *edges;
    char *sentence;           /* largest difference; NULL while it is being measured */
    size_t worst;             /* the instruction that the sentence is about; count: none */
    size_t variants;          /* run, the loop itself included */
    double seconds;
};

/* Measures and predicts; @seconds: later variants stay unmeasured. NULL with err when the loop
 * itself has no stable time, or cancelled. One thread. */
struct blame *blame_new(const struct insn *insns, size_t count, const struct machine *m,
                        const struct blame_source *source, double seconds, struct err *err);
void blame_free(struct blame *b);
struct blame *blame_copy(const struct blame *b);

/* blame_verdict.c: result of blame's measurements, in a sentence. */

/* Fills sentence and worst of @b from all else in it. */
void blame_judge(struct blame *b, const struct insn *insns, const struct machine *m);

#endif
