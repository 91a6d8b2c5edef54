/* The single change of a model that makes it agree: a latency, a usage or a fact of the machine.
 * Every change that the block suggests is tried on it, then those that help there on many
 * blocks. */
#ifndef PORTOLAN_HUNT_EXPLAIN_H
#define PORTOLAN_HUNT_EXPLAIN_H

#include "base/str.h"
#include "analysis/frontend.h"
#include "hunt/blocks.h"
#include "model/machine.h"

/* A block, its time, and a model's prediction. */
struct judged {
    struct random_block block;
    double truth, predicted;     /* cycles per iteration; predicted NaN: not known */
    /* made from another that differed: it counts for nothing in statistics of the sample */
    bool mutant;
};

/* Predicts blocks by one machine. One thread. */
struct model;
/* Borrows @m. @simulated: cycle by cycle; else the bounds. */
struct model *model_new(const struct machine *m, bool simulated);
void model_free(struct model *model);
/* Cycles per iteration of the block repeated; NaN when a form of it is not known. */
double model_cycles(struct model *model, const struct random_block *b);
/* The same of any code that repeats; copies that end in a branch are joined by taken ones, as a
 * loop is. */
double model_cycles_of(struct model *model, const struct insn *insns, size_t count);
/* The same of copies in sequence without a branch, in the order of @shape. */
double model_cycles_as(struct model *model, const struct insn *insns, size_t count,
                       enum shape shape);

/* Relative to the larger one and at least a tenth of a cycle. */
bool cycles_differ(double a, double b, double tolerance);

/* "latency:IMUL (R64, R64)" = "4", in place of "3". */
struct remedy {
    char *name, *value, *before;   /* owned; name NULL: none */
    /* enum latency_end of a rule between operands; both LATENCY_ANY otherwise */
    int from, to;
    /* Of a family: the same change of each form, value and before are those of the first.
     * form_count 0: of the named one alone. */
    struct form_change { char *name, *value; } *forms;   /* owned */
    size_t form_count;
};
void change_done(struct remedy *c);
/* Makes it on @m. */
void change_make(struct machine *m, const struct remedy *c);
/* Whether both change one and the same thing. */
bool change_same(const struct remedy *a, const struct remedy *b);
void change_print(const struct remedy *c, struct str *out);

/* Forms that behave alike where a block differs. */
struct family {
    char *title;               /* "any IMUL" */
    const char **forms;        /* borrowed names, that of the block's instruction first */
    size_t count;
};

/* Input of trial changes. */
struct trial {
    const struct judged *blocks;   /* the first is the one to explain */
    size_t count;
    const struct judged *like;     /* made like the first one: most of them must agree as well */
    size_t like_count;
    const struct family *families; /* of instructions that stand for more than one form */
    size_t family_count;
    double tolerance;              /* of cycles_differ */
    bool simulated;                /* of model_new */
};
/* The change of @m under which most of the blocks agree, the first among them, and hardly any that
 * agreed do no more; false when there is none. The caller calls change_done. */
bool explain(const struct machine *m, const struct trial *t, struct remedy *out);

#endif
