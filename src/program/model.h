/* Extrapolates runs with small inputs to inputs of any size. Formulas predict the execution counts
 * of blocks, and the references by reuse distance. */
#ifndef PORTOLAN_PROGRAM_MODEL_H
#define PORTOLAN_PROGRAM_MODEL_H

#include <pthread.h>

#include "program/formula.h"
#include "program/range.h"
#include "program/runs.h"

/* A cluster of one instruction's reuse distances that occurs in all runs, or a part of the
 * instruction's references if the clusters differ between runs. */
struct model_mode {
    /* share of the references: a formula of the inputs' reciprocals, which converges as inputs
     * grow */
    struct formula share;
    /* share if input @input has the remainder @rest when divided by @divisor; @divisor is 0 if
     * there is no such formula */
    struct formula share_alike;
    uint16_t input, divisor, rest;
    bool cold; /* whether the cluster consists of first uses */
    struct formula distance;
    /* Share of the cluster's references without a steady stride, as a formula of the inputs'
     * reciprocals. If @per_entry is true, the formula is this share times the iterations per entry
     * of the block's loop (program_run_trips). */
    struct formula irregular;
    bool per_entry;
    struct formula step;      /* steady stride in bytes */
};

struct model_reference {
    uint32_t total; /* index of the formula for the number of references */
    struct model_mode *modes;
    size_t mode_count;
};

/* Methods for counts that regression does not predict; COUNTS_REGRESSION: no other method */
enum count_fit { COUNTS_GENETIC, COUNTS_NETWORK, COUNTS_REGRESSION };

struct program_code;
struct derived;
struct pages_model;

struct program_model {
    const struct program_runs *runs; /* runs of the program; owned reference */
    struct formula *formulas;        /* formulas, all different */
    size_t formula_count;
    struct formula_range *ranges; /* ranges of the counts, one per formula */
    struct derived *derived;      /* counts that follow from the code */
    struct nalu **networks;       /* networks to which formulas point */
    size_t network_count;
    uint32_t *counts, *taken; /* per block: indices of the formulas of its count, and of the count
                               * of its first exit */
    /* Per block: cycles of external functions per execution, or per callback if they call the
     * program's functions. A formula with an error below 0: unknown. */
    struct formula *calls;
    uint32_t *callbacks; /* per block: index of the formula of its callbacks; UINT32_MAX: none */
    /* Per block: share of the branch's executions that are mispredicted, as a formula of the
     * inputs' reciprocals; a formula of count 0 if none are mispredicted. */
    struct formula *mispredicted;
    struct model_reference *references;
    struct formula footprint;  /* number of distinct lines */
    struct pages_model *pages; /* page faults; NULL: the runs have no page data */
    bool traced;               /* whether the runs have references */
    struct program_code *code; /* code; NULL until requested; code_lock protects it */
    pthread_mutex_t code_lock;
    _Atomic unsigned holders;
};

/* Called repeatedly with the completed share of the fit. Returns false to cancel. */
typedef bool (*model_progress)(void *state, double share);

/* Fits a model to @runs, which must have at least one run. Returns NULL with err if @progress (may
 * be NULL) cancelled. */
struct program_model *program_model_new(const struct program_runs *runs, enum count_fit fit,
                                        model_progress progress, void *state, struct err *err);
void program_model_free(const struct program_model *m);
const struct program_model *program_model_hold(const struct program_model *m);
/* Returns the program's machine code, which belongs to the model and is immutable. The first call
 * assembles it. Returns NULL with err on failure. */
const struct program_code *program_model_code(const struct program_model *m, struct err *err);
/* Returns 1 / @input, the variable of formulas for shares; 2 if @input is 0. */
double model_reciprocal(double input);
/* Sets @out to a run at @inputs: the recorded run if there is one, otherwise a run with the values
 * of the formulas. program_run_done frees @out. */
void program_model_at(const struct program_model *m, const double *inputs, struct program_run *out);
const struct formula *program_model_count(const struct program_model *m, size_t block);
/* Returns whether @f equals the count of every run, and the runs determine the formula at
 * @inputs. */
bool program_model_fits(const struct program_model *m, const struct formula *f,
                        const double *inputs);
/* Returns whether reference @reference has as many executions as its block in all runs. Pure. */
bool program_model_with_block(const struct program_model *m, size_t reference);

#endif
