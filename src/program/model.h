/* Extrapolates runs at small inputs to any input: formulas of block counts, and of the number of
 * references by reuse distance. */
#ifndef PORTOLAN_PROGRAM_MODEL_H
#define PORTOLAN_PROGRAM_MODEL_H

#include <pthread.h>

#include "program/formula.h"
#include "program/range.h"
#include "program/runs.h"

/* References of one instruction that behave alike: a cluster of distances that all runs have, or a
 * part of them where clusters differ. */
struct model_mode {
    /* of the reference's references, of the inputs' reciprocals: their limit as the inputs grow */
    struct formula share;
    /* the same at inputs of which number @input leaves @rest when divided by @divisor; divisor 0:
     * there is none */
    struct formula share_alike;
    uint16_t input, divisor, rest;
    bool cold; /* first uses */
    struct formula distance;
    struct formula irregular; /* share of it that is at no steady step, of the reciprocals */
    struct formula step;      /* bytes */
};

struct model_reference {
    uint32_t total; /* formula */
    struct model_mode *modes;
    size_t mode_count;
};

/* Alternative to regression for counts that it does not predict. */
enum count_fit { COUNTS_GENETIC, COUNTS_NETWORK, COUNTS_REGRESSION };

struct program_code;
struct derived;
struct pages_model;

struct program_model {
    const struct program_runs *runs; /* held */
    struct formula *formulas;        /* each once */
    size_t formula_count;
    struct formula_range *ranges; /* of each formula */
    struct derived *derived;      /* counts that follow from the code */
    struct nalu **networks;       /* of formulas that are one */
    size_t network_count;
    uint32_t *counts, *taken; /* per block: formula */
    /* per block: cycles of one execution in functions that are not the program's; error below 0:
     * not known */
    struct formula *calls;
    struct model_reference *references;
    struct formula footprint;  /* distinct lines */
    struct pages_model *pages; /* NULL: the runs know nothing of them */
    bool traced;               /* the runs had references */
    struct program_code *code; /* NULL: not requested yet; under code_lock */
    pthread_mutex_t code_lock;
    _Atomic unsigned holders;
};

/* Called now and then with the share done; false: stop. */
typedef bool (*model_progress)(void *state, double share);

/* Fits @runs, at least one. NULL with err when @progress (may be NULL) ended it. Any thread. */
struct program_model *program_model_new(const struct program_runs *runs, enum count_fit fit,
                                        model_progress progress, void *state, struct err *err);
void program_model_free(const struct program_model *m);
const struct program_model *program_model_hold(const struct program_model *m);
/* The program's machine code, assembled once; it never changes, and lives as long as the model.
 * NULL with err. Any thread. */
const struct program_code *program_model_code(const struct program_model *m, struct err *err);
/* 1 / @input, of any input: variable of the formulas of shares. */
double model_reciprocal(double input);
/* A run at @inputs: recorded if there was one, else by the formulas. program_run_done frees
 * @out. */
void program_model_at(const struct program_model *m, const double *inputs, struct program_run *out);
const struct formula *program_model_count(const struct program_model *m, size_t block);
/* Whether @f gives the count of every run, and the runs leave nothing open about @inputs that a
 * formula of its kind could have. Any thread. */
bool program_model_fits(const struct program_model *m, const struct formula *f,
                        const double *inputs);
/* Whether that many references of reference @reference are made as its block is executed, in all
 * runs. Pure. */
bool program_model_with_block(const struct program_model *m, size_t reference);

#endif
