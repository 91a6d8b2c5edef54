/* Finds the single change of a model that corrects it: a latency, usage or fact of the machine.
 * Tries every change that the block suggests, then successful ones on many blocks. */
#ifndef PORTOLAN_HUNT_EXPLAIN_H
#define PORTOLAN_HUNT_EXPLAIN_H

#include "base/str.h"
#include "analysis/frontend.h"
#include "hunt/blocks.h"
#include "model/machine.h"

/* A block, its time, and a model's prediction. */
struct judged {
    struct random_block block;
    double truth, predicted;     /* cycles per iteration; predicted NaN: unknown */
    /* mutated from a differing block: excluded from the sample's statistics */
    bool mutant;
};

/* Predicts blocks with one machine. One thread. */
struct model;
/* Borrows @m. @simulated: cycle by cycle; if not, by bounds. */
struct model *model_new(const struct machine *m, bool simulated);
void model_free(struct model *model);
/* Cycles per iteration of the repeated block; NaN when a form is unknown. */
double model_cycles(struct model *model, const struct random_block *b);
/* The same for any repeating code; copies that end in a branch are joined by taken branches, like a
 * loop. */
double model_cycles_of(struct model *model, const struct insn *insns, size_t count);
/* The same for consecutive copies without a branch, laid out as @shape. */
double model_cycles_as(struct model *model, const struct insn *insns, size_t count,
                       enum shape shape);

/* Relative to the larger one, and at least a tenth of a cycle. */
bool cycles_differ(double a, double b, double tolerance);

/* "latency:IMUL (R64, R64)" = "4", instead of "3". */
struct remedy {
    char *name, *value, *before;   /* owned; name NULL: none */
    /* enum latency_end of a rule between operands; else both LATENCY_ANY */
    int from, to;
    /* For a family: the same change of each form; value and before are those of the first.
     * form_count 0: only the named one. */
    struct form_change { char *name, *value; } *forms;   /* owned */
    size_t form_count;
};
void change_done(struct remedy *c);
/* Applies it to @m. */
void change_make(struct machine *m, const struct remedy *c);
/* Returns whether both change the same thing. */
bool change_same(const struct remedy *a, const struct remedy *b);
void change_print(const struct remedy *c, struct str *out);

/* Forms that behave equally where a block differs. */
struct family {
    char *title;               /* "any IMUL" */
    const char **forms;        /* borrowed names, the block's instruction first */
    size_t count;
};

/* Input of trying changes. */
struct trial {
    const struct judged *blocks;   /* the first is to be explained */
    size_t count;
    const struct judged *like;     /* mutated from the first: most of them must also agree */
    size_t like_count;
    const struct family *families; /* of instructions that represent several forms */
    size_t family_count;
    double tolerance;              /* of cycles_differ */
    bool simulated;                /* of model_new */
};
/* Finds the change of @m with which most of the blocks agree, including the first, and hardly any
 * agreeing one is lost; false when there is none. The caller calls change_done. */
bool explain(const struct machine *m, const struct trial *t, struct remedy *out);

#endif
