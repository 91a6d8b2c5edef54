/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/predict.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "throughput/throughput.h"

void throughput_predict(const struct mapping *m, const struct experiments *t, double *cycles)
{
    struct throughput *engine = throughput_new(mapping_ports(m)->count ? mapping_ports(m)->count : 1);
    VEC(struct mass) masses = {0};
    double width = mapping_issue_width(m);
    const struct mapping_entry **entries = mem_alloc((t->forms.count + 1) * sizeof *entries);

    for (size_t i = 0; i < t->forms.count; i++)
        entries[i] = mapping_find(m, t->forms.items[i]);
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(t, i);
        bool known = true;
        double slots = 0;
        masses.count = 0;
        for (uint32_t k = 0; known && k < t->rows.items[i].count; k++) {
            const struct mapping_entry *entry = entries[terms[k].form];
            known = entry != NULL;
            slots += known ? (double)entry->micro_ops * terms[k].count : 0;
            for (unsigned u = 0; known && u < entry->usage.count; u++)
                vec_push(&masses, ((struct mass){entry->usage.uops[u].ports, entry->usage.uops[u].count * terms[k].count}));
        }
        cycles[i] = known ? throughput_of_masses(engine, masses.items, masses.count) : NAN;
        if (known && width > 0)
            cycles[i] = fmax(cycles[i], slots / width);
    }
    free(entries);
    vec_done(&masses);
    throughput_free(engine);
}
