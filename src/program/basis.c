/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/basis.h"

#include <math.h>

#include "program/derived.h"

enum count_basis count_basis_of(const struct program_model *m, size_t block, const double *inputs)
{
    if (program_run_with(m->runs, inputs))
        return COUNT_RUN;
    return !isnan(derived_count(m->derived, inputs, block))                ? COUNT_CODE
           : program_model_fits(m, &m->formulas[m->counts[block]], inputs) ? COUNT_FITS
                                                                           : COUNT_ESTIMATE;
}

void count_print(const struct program_model *m, size_t block, const double *inputs, double count,
                 struct str *out)
{
    const struct formula *f = program_model_count(m, block);

    if (count_basis_of(m, block, inputs) == COUNT_CODE &&
        formula_value(f, inputs, m->runs->name_count) != count)
        str_add(out, "from trip counts");
    else
        formula_print(f, (const char *const *)m->runs->names, m->runs->name_count, out);
}

void count_formula_range(const struct program_model *m, uint32_t formula, const double *inputs,
                         double *least, double *most)
{
    const struct formula *f = &m->formulas[formula];

    if (program_run_with(m->runs, inputs))
        *least = *most = formula_value(f, inputs, m->runs->name_count);
    else
        range_at(&m->ranges[formula], f, inputs, m->runs->name_count, least, most);
}

void count_range(const struct program_model *m, size_t block, const double *inputs, double *least,
                 double *most)
{
    const struct program_run *seen = program_run_with(m->runs, inputs);
    const double derived = seen ? seen->counts[block] : derived_count(m->derived, inputs, block);

    if (isnan(derived))
        count_formula_range(m, m->counts[block], inputs, least, most);
    else
        *least = *most = derived;
}
