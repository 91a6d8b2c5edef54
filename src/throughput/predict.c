/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/shortage.h"
#include "base/vec.h"
#include "base/watch.h"
#include "isa/isa.h"
#include "throughput/throughput.h"

void throughput_predict(const struct mapping *m, const struct experiments *t, double *cycles)
{
    struct throughput *engine =
        throughput_new(mapping_ports(m)->count ? mapping_ports(m)->count : 1);
    VEC(struct mass) masses = {0};
    double width = mapping_issue_width(m);
    const struct mapping_entry **entries = shortage_alloc((t->forms.count + 1) * sizeof *entries);

    for (size_t i = 0; entries && i < t->forms.count; i++)
        entries[i] = mapping_find(m, t->forms.items[i]);
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(t, i);
        bool known = !watch_steps(1) && entries;   /* After a cancellation, the remaining results
                                                    * are NaN. */
        double slots = 0;
        masses.count = 0;
        for (uint32_t k = 0; known && k < t->rows.items[i].count; k++) {
            const struct mapping_entry *entry = entries[terms[k].form];
            known = entry != NULL;
            slots += known ? (double)entry->micro_ops * terms[k].count : 0;
            for (unsigned u = 0; known && u < entry->usage.count; u++)
                vec_push(&masses, ((struct mass){entry->usage.uops[u].ports,
                                                 entry->usage.uops[u].count * terms[k].count}));
        }
        cycles[i] = known ? throughput_of_masses(engine, masses.items, masses.count) : NAN;
        if (known && width > 0)
            cycles[i] = fmax(cycles[i], slots / width);
    }
    free(entries);
    vec_done(&masses);
    throughput_free(engine);
}

/* Returns the port set of the first µop of @form, or 0 if unknown. */
static portset first_ports(const struct machine *m, const char *form)
{
    const struct mapping_entry *e = mapping_find(m->mapping, form);
    return e && e->usage.count ? e->usage.uops[0].ports : 0;
}

static bool has_ports(const struct mapping_entry *e, portset ports)
{
    for (unsigned i = 0; i < e->usage.count; i++)
        if (e->usage.uops[i].ports == ports)
            return true;
    return false;
}

/* Returns the machine's instruction set, which determines the meaning of form names. */
static enum isa isa_of(const struct machine *m)
{
    enum isa isa = ISA_UNSAID;
    isa_parse(m->isa, &isa);
    return isa;
}

/* Returns whether @e contains every µop of a simple store. */
static bool stores(const struct machine *m, const struct mapping_entry *e)
{
    const struct mapping_entry *plain = mapping_find(m->mapping, isa_ops(isa_of(m))->store_form);
    bool all = plain && plain->usage.count;

    for (unsigned i = 0; all && i < plain->usage.count; i++)
        all = has_ports(e, plain->usage.uops[i].ports);
    return all;
}

/* Returns the blocking pipes of @m (dividers). A cycle on a pipe is no µop. */
static portset pipes_of(const struct machine *m)
{
    const struct ports *ports = mapping_ports(m->mapping);
    portset set = 0;

    for (unsigned j = 0; j < ports->count; j++)
        set |= machine_has(m, "pipes", ports->names[j]) ? (portset)1 << j : 0;
    return set;
}

unsigned machine_slots(const struct machine *m, const struct mapping_entry *e)
{
    unsigned uops = e->micro_ops, pairs = 0;
    portset pipes = uops ? 0 : pipes_of(m), load;

    for (unsigned i = 0; !e->micro_ops && i < e->usage.count; i++)
        uops += e->usage.uops[i].ports & pipes ? 0 : e->usage.uops[i].count;
    if (machine_has(m, "issue_domain", "fused") && isa_form_has(isa_of(m), e->form, FORM_MEMORY) &&
        (load = first_ports(m, isa_ops(isa_of(m))->load_form)) != 0) {
        unsigned stored = stores(m, e);
        pairs = (has_ports(e, load) && uops > 1 + 2 * stored) + (stored && uops > 1);
    }
    return uops > pairs + 1 ? uops - pairs : 1;
}

void machine_predict(const struct machine *m, const struct experiments *t, double *cycles)
{
    double width = machine_number(m, "issue_width"), lock = machine_number(m, "lock_latency");
    double *issue = shortage_alloc((t->forms.count + 1) * sizeof *issue),
           *locked = shortage_alloc((t->forms.count + 1) * sizeof *locked);

    throughput_predict(m->mapping, t, cycles);
    /* Adds no slots, because the mapping of an inferred machine already includes them, also for
     * forms without µops. */
    if (mapping_issue_width(m->mapping) > 0)
        width = 0;
    for (size_t i = 0; issue && locked && i < t->forms.count; i++) {
        const struct mapping_entry *e = mapping_find(m->mapping, t->forms.items[i]);
        issue[i] = e && width > 0 ? machine_slots(m, e) / width : 0;
        locked[i] = lock > 0 && isa_form_has(isa_of(m), t->forms.items[i], FORM_LOCKED) ? lock : 0;
    }
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(t, i);
        double slots = 0, chain = issue && locked ? 0 : NAN;
        for (uint32_t k = 0; issue && locked && k < t->rows.items[i].count; k++) {
            slots += issue[terms[k].form] * terms[k].count;
            chain += locked[terms[k].form] * terms[k].count;
        }
        cycles[i] = isnan(cycles[i]) || isnan(chain) ? NAN : fmax(cycles[i], fmax(slots, chain));
    }
    free(issue);
    free(locked);
}
