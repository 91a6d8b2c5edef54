/* Basis of a model's counts (a run, the code, a fitted formula or an estimate), and ranges of
 * counts. All functions are pure except for the cache of derived.h. Any thread. */
#ifndef PORTOLAN_PROGRAM_BASIS_H
#define PORTOLAN_PROGRAM_BASIS_H

#include "base/str.h"
#include "program/model.h"

/* Basis of a block's count, from most to least certain */
enum count_basis {
    COUNT_RUN,        /* a run had these inputs, so the count is the run's count */
    COUNT_CODE,       /* the code determines the count */
    /* A formula with fewer terms than runs is exact for all runs. With other inputs, the program
     * may take another path. */
    COUNT_FITS,
    COUNT_ESTIMATE,   /* the formula that best predicts left-out runs */
};

/* Returns the basis of the count of @block at @inputs. */
enum count_basis count_basis_of(const struct program_model *m, size_t block, const double *inputs);
/* Appends the formula of @block's count, or the statement that the code determines @count at
 * @inputs. */
void count_print(const struct program_model *m, size_t block, const double *inputs, double count,
                 struct str *out);
/* Finds the smallest and largest count of @block at @inputs over all formulas that explain the runs
 * about equally well. Both are equal if the count follows from the code or from a run. Stores the
 * counts in *@least and *@most. */
void count_range(const struct program_model *m, size_t block, const double *inputs, double *least,
                 double *most);
/* Finds the range, like count_range, of the count that formula @formula predicts. Ignores counts
 * that follow from the code. Stores the range in *@least and *@most. */
void count_formula_range(const struct program_model *m, uint32_t formula, const double *inputs,
                         double *least, double *most);

#endif
