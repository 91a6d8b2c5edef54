/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "analysis/advice.h"

#define NAMED_MOST 3 /* maximum number of mnemonics in a sentence */

static bool is_estimate(const struct analysis_row *row)
{
    return row->estimate != NULL;
}

static bool is_guessed(const struct analysis_row *row)
{
    return row->latency_guessed;
}

/* Appends the mnemonics of the rows that @has selects, each form once. Appends "..." instead of
 * those after the first NAMED_MOST. */
static void name_forms(const struct analysis *a, bool (*has)(const struct analysis_row *row),
                       struct str *out)
{
    size_t named = 0;

    for (size_t i = 0; i < a->count && named <= NAMED_MOST; i++) {
        bool again = !has(&a->rows[i]);
        for (size_t k = 0; k < i && !again; k++)
            again = has(&a->rows[k]) && strcmp(a->rows[k].insn->form, a->rows[i].insn->form) == 0;
        if (again)
            continue;
        str_addf(out, "%s %s", named ? "," : "",
                 named == NAMED_MOST ? "..." : a->rows[i].insn->mnemonic);
        named++;
    }
}

void advice_guessed(const struct analysis *a, struct str *out)
{
    str_add(out, " No table has the latency of");
    name_forms(a, is_guessed, out);
    str_add(out, ": one cycle is assumed, so dependency chains may take longer.");
}

void advice_estimates(const struct analysis *a, const char *width, struct str *out)
{
    if (a->estimate) {
        str_add(out, " This is an estimate, because the machine's values are estimates for");
        name_forms(a, is_estimate, out);
        str_add_char(out, '.');
    }
    if (width && machine_fact_estimate(a->machine, width))
        str_addf(out, " The machine's %s of %g is an estimate.", width,
                 machine_number(a->machine, width));
}
