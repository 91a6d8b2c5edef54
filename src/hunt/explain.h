/* Finds the single change of a machine (latency, usage or fact) that corrects the prediction of a
 * block. Tries every change that the block suggests. Tries those that correct the block on many
 * other blocks. */
#ifndef PORTOLAN_HUNT_EXPLAIN_H
#define PORTOLAN_HUNT_EXPLAIN_H

#include "base/str.h"
#include "analysis/frontend.h"
#include "hunt/blocks.h"
#include "model/machine.h"

/* A block with its time and its prediction */
struct judged {
    struct random_block block;
    double truth, predicted;     /* cycles per iteration; @predicted is NaN if a form is unknown */
    /* whether the block is a mutation of a mispredicted block; the statistics of the sample exclude
     * it */
    bool mutant;
};

/* Predicts blocks by one machine. One thread. */
struct model;
/* Creates a model and borrows @m. If @simulated is true, predicts with the simulation instead of
 * the bounds. */
struct model *model_new(const struct machine *m, bool simulated);
void model_free(struct model *model);
/* Returns the cycles per iteration of the repeated block; NaN if a form is unknown. */
double model_cycles(struct model *model, const struct random_block *b);
/* Returns the same as model_cycles for any repeated code. Code that ends with a branch is a
 * loop. */
double model_cycles_of(struct model *model, const struct insn *insns, size_t count);
/* Returns the same as model_cycles_of for consecutive copies without a branch, with layout
 * @shape. */
double model_cycles_as(struct model *model, const struct insn *insns, size_t count,
                       enum shape shape);

/* Returns whether two times differ by more than a tenth of a cycle, and by more than @tolerance
 * times the larger time. */
bool cycles_differ(double a, double b, double tolerance);

/* A change of a machine, such as "latency:IMUL (R64, R64)" = "4" instead of "3" */
struct remedy {
    char *name, *value, *before;   /* name of the change, and values after and before it; owned;
                                    * name NULL: no change */
    /* operands of a latency rule (enum latency_end); LATENCY_ANY for other changes */
    int from, to;
    /* changes of all forms of a family; the first change has @value and @before. Empty: only the
     * named form changes. */
    struct form_change { char *name, *value; } *forms;   /* owned by the remedy */
    size_t form_count;
};
void change_done(struct remedy *c);
/* Applies the change to @m. */
void change_make(struct machine *m, const struct remedy *c);
/* Returns whether @a and @b change the same property of the machine. */
bool change_same(const struct remedy *a, const struct remedy *b);
void change_print(const struct remedy *c, struct str *out);

/* forms that have the same effect in a mispredicted block */
struct family {
    char *title;               /* title, such as "any IMUL" */
    const char **forms;        /* names of the forms, borrowed; the first is the form in the
                                * block */
    size_t count;
};

/* Input of explain */
struct trial {
    const struct judged *blocks;   /* the first block is the block to explain */
    size_t count;
    /* blocks drawn from the pattern of the first block, most of which a change must correct */
    const struct judged *like;
    size_t like_count;
    const struct family *families; /* families of the block's instructions */
    size_t family_count;
    double tolerance;              /* tolerance for cycles_differ */
    bool simulated;                /* whether to use the simulation (model_new) */
};
/* Finds the change of @m that corrects most of the blocks, including the first, and makes hardly
 * any correct block wrong. Returns false if there is no such change. The caller calls
 * change_done. */
bool explain(const struct machine *m, const struct trial *t, struct remedy *out);

#endif
