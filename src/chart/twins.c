/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/saturate.h"

#define ALIKE 0.025          /* relative tolerance of equal times */
#define NAME_MOST 96

/* Returns the entry of @m for the class of form @f of the table; NULL if no form of the class has
 * one. */
static const struct mapping_entry *entry_of_class(const struct lab *lab,
                                                  const struct chart_core *core, uint32_t f,
                                                  const struct mapping *m)
{
    size_t of = SIZE_MAX;
    const struct mapping_entry *entry = NULL;

    for (size_t i = 0; i < core->candidates.count; i++)
        if (core->candidates.items[i] == f && core->class_of.items[i] < core->classes.count)
            of = core->class_of.items[i];
    if (of < SIZE_MAX)
        entry = mapping_find(m, lab->table->forms.items[core->classes.items[of].form]);
    /* Uses another member of the class if it has an entry, because an earlier run may have chosen
     * it for the core. */
    for (size_t i = 0; i < core->candidates.count && of < SIZE_MAX && !entry; i++)
        if (core->class_of.items[i] == of)
            entry = mapping_find(m, lab->table->forms.items[core->candidates.items[i]]);
    return entry;
}

/* Returns the VEX counterpart of @form in the table: the same name with a V, and possibly the
 * destination as another source. UINT32_MAX: none. */
static uint32_t twin_of(const struct lab *lab, const char *form)
{
    const char *operands = strstr(form, " (");
    char name[NAME_MOST];

    for (unsigned more = 0; more < 2 && operands; more++) {
        int length = more ? snprintf(name, sizeof name, "V%.*s (XMM, %s", (int)(operands - form),
                                     form, operands + 2)
                          : snprintf(name, sizeof name, "V%s", form);
        uint32_t twin = length < NAME_MOST ? names_find(&lab->table->forms, name) : UINT32_MAX;
        if (twin < lab->table->forms.count)
            return twin;
    }
    return UINT32_MAX;
}

size_t twins_add(const struct lab *lab, const struct chart_core *core, const double *alone,
                 size_t n, struct mapping *m)
{
    struct mapping *known = mapping_copy(m);
    struct mapping_entry *added = NULL;
    size_t count = 0;

    added = mem_zero(n + 1, sizeof *added);
    for (uint32_t f = 0; f < n; f++) {
        const char *form = lab->table->forms.items[f];
        uint32_t twin = vectors_of(form) == VECTORS_LEGACY && alone[f] > 0 && !mapping_find(m, form)
                            ? twin_of(lab, form)
                            : UINT32_MAX;
        const struct mapping_entry *as =
            twin != UINT32_MAX && fabs(alone[twin] - alone[f]) <= ALIKE * alone[f]
                ? entry_of_class(lab, core, twin, known)
                : NULL;
        bool fresh = as != NULL;
        for (size_t i = 0; i < count && fresh; i++)
            fresh =
                !usage_equal(&added[i].usage, &as->usage) || added[i].micro_ops != as->micro_ops;
        if (!fresh)
            continue;
        added[count] = *as;
        added[count].form = (char *)form;
        mapping_set(m, &added[count++]);
    }
    free(added);
    mapping_free(known);
    return count;
}
