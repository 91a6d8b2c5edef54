/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "charted_facts.h"

#include <math.h>
#include <string.h>

#include "chart/stages.h"
#include "support.h"

void lab_on(struct stage_lab *l, const struct chart_cpu *cpu)
{
    *l = (struct stage_lab){.options = {.name = "charted"},
                            .watch = {.stages = 1 << CHART_FACTS | 1 << CHART_LATENCIES}};
    l->hooks = chart_watched(&l->watch);
    l->lab = (struct lab){.cpu = cpu, .options = &l->options, .hooks = &l->hooks};
}

struct chart *chart_at(struct machine *take_m, const struct forms *forms, const char *const *names,
                       size_t n)
{
    struct chart *c = mem_zero(1, sizeof *c);

    c->machine = take_m;
    c->forms = mem_zero(n + 1, sizeof *c->forms);
    for (; c->form_count < n; c->form_count++)
        c->forms[c->form_count] =
            (struct chart_form){.row = forms_find(forms, names[c->form_count]), .alone = NAN};
    return c;
}

static const char *const addition[] = {"ADD (R64, R64)"};

struct chart *chart_of_forms(const struct chart_cpu *cpu, double width, const struct forms *forms,
                             const char *const *form)
{
    struct stage_lab l;
    struct ports ports;
    struct err err = {0};

    ports_number(&ports, 4);
    struct chart *c = chart_at(machine_new("charted", &ports), forms, form, 1);
    mapping_set(c->machine->mapping,
                &(struct mapping_entry){.form = "PADDD (XMM, XMM)", .latency = 1, .micro_ops = 1});
    c->width = width;
    lab_on(&l, cpu);
    struct probe_table *table = probe_table_load(c->forms[0].row->isa, &err);
    if (!table || !facts_find(&l.lab, c, table, &err))
        fail_msg("%s", err.what);
    probe_table_free(table);
    return c;
}

struct chart *facts_on(const struct chart_cpu *cpu, double width, struct forms *forms)
{
    return chart_of_forms(cpu, width, forms, addition);
}

struct chart *facts_of(const struct machine *truth, struct forms *forms)
{
    struct imitation *cpu = imitation_new(truth, 0.002, 1);
    struct chart *c = facts_on(imitation_cpu(cpu), machine_number(truth, "issue_width"), forms);

    imitation_free(cpu);
    return c;
}

const struct chart_fact *fact_of(const struct chart *c, const char *key)
{
    for (size_t i = 0; i < c->facts.count; i++)
        if (strcmp(c->facts.items[i].key, key) == 0)
            return &c->facts.items[i];
    return NULL;
}
