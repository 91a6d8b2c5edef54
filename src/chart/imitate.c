/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/imitate.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "throughput/predict.h"

struct imitation {
    struct mapping *mapping;    /* with the issue width */
    struct chart_cpu cpu;
};

struct imitation *imitation_new(const struct machine *m, double noise, uint64_t seed)
{
    struct imitation *i = mem_zero(1, sizeof *i);
    double width = machine_number(m, "issue_width");

    i->mapping = mapping_copy(m->mapping);
    if (width > 0) {
        for (size_t k = 0; k < mapping_count(m->mapping); k++) {
            struct mapping_entry entry = *mapping_at(m->mapping, k);
            entry.micro_ops = machine_slots(m, &entry);
            mapping_set(i->mapping, &entry);
        }
        mapping_set_issue_width(i->mapping, width);
    }
    i->cpu = (struct chart_cpu){.source = source_simulated(i->mapping, noise, seed)};
    return i;
}

void imitation_free(struct imitation *i)
{
    if (!i)
        return;
    source_free(i->cpu.source);
    mapping_free(i->mapping);
    free(i);
}

const struct chart_cpu *imitation_cpu(struct imitation *i)
{
    return &i->cpu;
}

const struct mapping *imitation_truth(const struct imitation *i)
{
    return i->mapping;
}
