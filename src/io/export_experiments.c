/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "io/export_mapping.h"
#include "io/pmevo_names.h"

static json_t *result_of(const struct experiments *t, size_t row)
{
    const struct experiment_row *e = &t->rows.items[row];

    if (experiments_measured(t, row))
        return json_pack("{s:f}", "cycles", e->cycles);
    return strcmp(e->state, EXPERIMENT_PENDING) == 0
               ? NULL
               : json_pack("{s:n, s:s}", "cycles", "error_cause", e->state);
}

/* Returns row @index as a sequence of names: the row's original names or, if there are none, the
 * names of its forms in @own. Appends names that are new to @insns. @seen has the names in @insns
 * as keys. */
static json_t *sequence_of(const struct experiments *t, size_t index, json_t *own, json_t *insns,
                           json_t *seen)
{
    json_t *sequence = pmevo_names_of_row(t, index), *name;
    size_t i;

    if (!sequence) {
        sequence = json_array();
        for (uint32_t k = 0; k < t->rows.items[index].count; k++) {
            const struct flat_term *term = &experiments_terms(t, index)[k];
            for (uint32_t n = 0; n < term->count; n++)
                json_array_append(sequence, json_array_get(own, term->form));
        }
    }
    json_array_foreach(sequence, i, name)
        if (!json_object_get(seen, json_string_value(name))) {
            json_object_set_new(seen, json_string_value(name), json_true());
            json_array_append(insns, name);
        }
    return sequence;
}

void export_pmevo_experiments(const struct experiments *t, const struct forms *forms,
                              struct str *out)
{
    json_t *own = json_array(), *insns = json_array(), *seen = json_object(), *list = json_array();
    struct str name = {0};

    for (size_t i = 0; i < t->forms.count; i++) {
        const struct form_row *row = forms ? forms_find(forms, t->forms.items[i]) : NULL;
        str_clear(&name);
        if (row)
            pmevo_name_of(row, &name);
        json_array_append_new(own, json_string(name.length ? str_text(&name) : t->forms.items[i]));
    }
    for (size_t i = 0; i < t->rows.count && !watch_steps(1 + t->rows.items[i].count); i++) {
        json_t *item = json_object(), *result = result_of(t, i);
        json_object_set_new(item, "kind", json_string("Experiment"));
        json_object_set_new(item, "iseq", sequence_of(t, i, own, insns, seen));
        if (result)
            json_object_set_new(item, "result", result);
        json_array_append_new(list, item);
    }
    json_decref(own);
    json_decref(seen);
    json_t *root =
        json_pack("{s:s, s:{s:s, s:s, s:o}, s:o}", "kind", "ExperimentList", "arch", "kind",
                  "Architecture", "name", "portolan", "insns", insns, "exps", list);
    json_dump_callback(root, json_piece_add, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    str_add_char(out, '\n');
    json_decref(root);
    str_done(&name);
}
