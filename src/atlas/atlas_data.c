/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "atlas/atlas_data.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/watch.h"
#include "model/facts.h"
#include "table/result.h"
#include "throughput/predict.h"

/* Lists the forms of the form table first, so their indices are the rows of data/isa. */
void atlas_forms_init(const struct atlas_options *o, enum isa isa, struct atlas_forms *out)
{
    const struct forms *table = o->sets[isa].forms;

    *out = (struct atlas_forms){.singles = experiments_new()};
    for (size_t i = 0; table && i < forms_count(table); i++)
        names_add(&out->names, forms_at(table, i)->form);
    for (size_t m = 0; m < o->count; m++) {
        const struct mapping *mapping = o->machines[m].machine->mapping;
        for (size_t i = 0;
             strcmp(o->machines[m].machine->isa, isa_name(isa)) == 0 && i < mapping_count(mapping);
             i++)
            names_add(&out->names, mapping_at(mapping, i)->form);
    }
    for (size_t i = 0; i < out->names.count; i++) {
        struct experiment e = {0};
        experiment_add(&e, out->names.items[i], 1);
        experiments_add_named(out->singles, &e);
        experiment_done(&e);
    }
}

void atlas_forms_done(struct atlas_forms *f)
{
    names_done(&f->names);
    experiments_free(f->singles);
}

static void add_json(struct str *out, json_t *take_value)
{
    char *text = json_dumps(take_value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_COMPACT);
    str_add(out, text ? text : "null");
    free(text);
    json_decref(take_value);
}

static void add_text(struct str *out, const char *text)
{
    add_json(out, json_text(text));
}

static void add_number(struct str *out, double value)
{
    if (isfinite(value))
        str_addf(out, "%.5g", value);
    else
        str_add(out, "null");
}

/* Begins member @key of an object, after a comma unless the member is the first. */
static void add_key(struct str *out, const char *key)
{
    str_addf(out, "%s\"%s\":", out->length && out->data[out->length - 1] == '{' ? "" : ",", key);
}

static void add_names(struct str *out, const struct names *names)
{
    str_add_char(out, '[');
    for (size_t i = 0; i < names->count; i++) {
        str_add(out, i ? ",\n" : "");
        add_text(out, names->items[i]);
    }
    str_add_char(out, ']');
}

static void add_numbers(struct str *out, const double *values, size_t count)
{
    str_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        str_add(out, i ? "," : "");
        add_number(out, values[i]);
    }
    str_add_char(out, ']');
}

static json_t *facts_json(const struct machine *m)
{
    json_t *facts = json_array();

    for (size_t i = 0; i < m->fact_count; i++) {
        const struct machine_fact *f = &m->facts[i];
        const struct fact *schema = fact_find(f->key);
        json_t *row = json_array();
        json_array_append_new(row, json_text(f->key));
        json_array_append_new(row, json_text(f->value));
        json_array_append_new(row, json_text(f->unit));
        json_array_append_new(row, json_text(f->source));
        json_array_append_new(row, json_text(schema ? schema->meaning : NULL));
        json_array_append_new(row, json_boolean(schema && schema->kind == FACT_FITTED));
        json_array_append_new(facts, row);
    }
    return facts;
}

void atlas_data_index(const struct atlas_options *o, const struct atlas_forms *forms,
                      struct str *out)
{
    json_t *root = json_object(), *machines = json_array(), *sets = json_array();

    json_object_set_new(root, "version", json_text(o->version));
    json_object_set_new(root, "chunk", json_integer(ATLAS_CHUNK));
    json_object_set_new(root, "experimentsShown", json_integer(ATLAS_EXPERIMENTS));
    for (size_t i = 0; i < o->count; i++) {
        const struct machine *m = o->machines[i].machine;
        const struct ports *ports = mapping_ports(m->mapping);
        json_t *object = json_object(), *names = json_array();
        for (unsigned p = 0; p < ports->count; p++)
            json_array_append_new(names, json_text(ports->names[p]));
        json_object_set_new(object, "id", json_text(m->id));
        json_object_set_new(object, "title", json_text(machine_plain_title(m)));
        json_object_set_new(object, "isa", json_text(m->isa));
        json_object_set_new(object, "checked", json_text(machine_fact(m, "checked")));
        json_object_set_new(object, "source", json_text(machine_fact(m, "source")));
        json_object_set_new(object, "forms", json_integer((json_int_t)mapping_count(m->mapping)));
        json_object_set_new(object, "ports", names);
        json_object_set_new(object, "pipes", json_integer(ports->pipes));
        json_object_set_new(object, "facts", facts_json(m));
        json_object_set_new(object, "experiments",
                            o->machines[i].experiments
                                ? json_text(o->machines[i].experiments_source)
                                : json_null());
        json_array_append_new(machines, object);
    }
    json_object_set_new(root, "machines", machines);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        json_t *object = json_object();
        json_object_set_new(object, "name", json_text(isa_name(isa)));
        json_object_set_new(object, "forms", json_integer((json_int_t)forms[isa].names.count));
        json_array_append_new(sets, object);
    }
    json_object_set_new(root, "sets", sets);
    str_add(out, "atlas.begin(");
    add_json(out, root);
    str_add(out, ");\n");
}

void atlas_data_forms(const struct atlas_options *o, enum isa isa, const struct atlas_forms *f,
                      struct str *out)
{
    const struct atlas_set *set = &o->sets[isa];
    struct names extensions = {0};
    double *extension = mem_zero(f->names.count + 1, sizeof *extension),
           *uses = mem_zero(f->names.count + 1, sizeof *uses);
    struct str code = {0};

    for (size_t i = 0; i < f->names.count; i++) {
        const struct form_row *row = set->forms ? forms_find(set->forms, f->names.items[i]) : NULL;
        extension[i] = names_add(&extensions, row ? row->extension : "");
    }
    for (size_t i = 0; i < set->used_count; i++) {
        uint32_t at = names_find(&f->names, set->used[i]);
        if (at != UINT32_MAX)
            uses[at] = set->uses[i];
    }
    str_addf(out, "atlas.forms(\"%s\",{", isa_name(isa));
    add_key(out, "names");
    add_names(out, &f->names);
    add_key(out, "extensions");
    add_names(out, &extensions);
    add_key(out, "extension");
    add_numbers(out, extension, f->names.count);
    add_key(out, "uses");
    add_numbers(out, uses, f->names.count);
    add_key(out, "code");
    for (size_t i = 0; i < f->names.count; i++) {
        const struct form_row *row = set->forms ? forms_find(set->forms, f->names.items[i]) : NULL;
        str_add(out, i ? ",\n" : "[");
        str_clear(&code);
        if (row)
            form_instance(row, &code);
        add_text(out, str_text(&code));
    }
    str_add(out, f->names.count ? "]});\n" : "[]});\n");
    free(extension);
    free(uses);
    names_done(&extensions);
    str_done(&code);
}

/* Appends a usage: ["1*p01+1*p23", count, set, count, set, ...]. */
static void add_usage(struct str *out, const struct usage *usage, const struct ports *ports)
{
    struct str text = {0};

    usage_print(usage, ports, &text);
    str_add_char(out, '[');
    add_text(out, str_text(&text));
    for (unsigned i = 0; i < usage->count; i++)
        str_addf(out, ",%u,%u", usage->uops[i].count, usage->uops[i].ports);
    str_add_char(out, ']');
    str_done(&text);
}

/* Appends the latency rules of @form, the first rule for each pair of operands: [from, to, cycles,
 * source], ... Returns whether there is such a rule. */
static bool add_operands(const struct machine *m, const char *form, const char *before,
                         struct names *sources, struct str *out)
{
    VEC(const struct latency_rule *) taken = {0};
    struct str from = {0}, to = {0};

    for (size_t i = 0; i < m->latency_count; i++) {
        const struct latency_rule *rule = &m->latencies[i];
        bool applies = str_match(rule->form, form);
        for (size_t k = 0; applies && k < taken.count; k++)
            applies = taken.items[k]->from != rule->from || taken.items[k]->to != rule->to;
        if (!applies)
            continue;
        str_clear(&from);
        str_clear(&to);
        latency_end_print(rule->from, &from);
        latency_end_print(rule->to, &to);
        str_add(out, taken.count ? "," : before);
        str_add_char(out, '[');
        add_text(out, str_text(&from));
        str_add_char(out, ',');
        add_text(out, str_text(&to));
        str_add_char(out, ',');
        add_number(out, rule->cycles);
        str_addf(out, ",%u]", names_add(sources, rule->source ? rule->source : ""));
        vec_push(&taken, rule);
    }
    bool any = taken.count > 0;
    str_add(out, any ? "]" : "");
    vec_done(&taken);
    str_done(&from);
    str_done(&to);
    return any;
}

/* The rows of one machine, by column */
struct atlas_columns {
    double *form, *usage, *latency, *micro_ops, *cycles, *confidence, *source;
    size_t count;
};

void atlas_data_machine(const struct atlas_options *o, size_t index, const struct atlas_forms *f,
                        struct str *out)
{
    const struct machine *m = o->machines[index].machine;
    const struct ports *ports = mapping_ports(m->mapping);
    size_t count = mapping_count(m->mapping), forms = f->names.count;
    double *block = mem_zero(7 * count + forms + 1, sizeof *block), *predicted = block + 7 * count;
    struct atlas_columns c = {block,
                              block + count,
                              block + 2 * count,
                              block + 3 * count,
                              block + 4 * count,
                              block + 5 * count,
                              block + 6 * count,
                              0};
    struct names usages = {0}, sources = {0};
    struct str key = {0}, usage_rows = {0}, operands = {0}, before = {0};

    machine_predict(m, f->singles, predicted);
    for (size_t i = 0; i < count && !watch_over(); i++) {
        const struct mapping_entry *e = mapping_at(m->mapping, i);
        uint32_t form = names_find(&f->names, e->form);
        str_clear(&key);
        usage_print(&e->usage, ports, &key);
        uint32_t usage = names_find(&usages, str_text(&key));
        if (usage == UINT32_MAX) {
            usage = names_add(&usages, str_text(&key));
            str_add(&usage_rows, usage ? ",\n" : "");
            add_usage(&usage_rows, &e->usage, ports);
        }
        c.form[i] = form;
        c.usage[i] = usage;
        c.latency[i] = e->latency;
        c.micro_ops[i] = e->micro_ops ? e->micro_ops : NAN;
        c.cycles[i] = predicted[form];
        c.confidence[i] = mapping_entry_confidence(e);
        c.source[i] = names_add(&sources, e->source);
        str_clear(&before);
        str_addf(&before, "%s\"%u\":[", operands.length ? ",\n" : "", form);
        add_operands(m, e->form, str_text(&before), &sources, &operands);
    }
    str_addf(out, "atlas.machine(%zu,{", index);
    add_key(out, "usages");
    str_addf(out, "[%s]", str_text(&usage_rows));
    const struct {
        const char *key;
        const double *values;
    } listed[] = {{"form", c.form},      {"usage", c.usage},   {"latency", c.latency},
                  {"uops", c.micro_ops}, {"cycles", c.cycles}, {"confidence", c.confidence},
                  {"source", c.source}};
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        add_key(out, listed[i].key);
        add_numbers(out, listed[i].values, count);
    }
    add_key(out, "sources");
    add_names(out, &sources);
    add_key(out, "operands");
    str_addf(out, "{%s}});\n", str_text(&operands));
    free(block);
    names_done(&usages);
    names_done(&sources);
    str_done(&key);
    str_done(&usage_rows);
    str_done(&operands);
    str_done(&before);
}

struct atlas_evidence {
    const struct experiments *table;
    size_t machine;
    /* per form of the table: index in the atlas; UINT32_MAX: none */
    uint32_t *form_of;
    struct atlas_form_rows { VEC(uint32_t) rows; } *forms;   /* rows with each form; indexed like
                                                              * the atlas */
    size_t count, left_out;
};

struct atlas_evidence *atlas_evidence_new(const struct atlas_options *o, size_t index,
                                          const struct atlas_forms *f)
{
    const struct experiments *t = o->machines[index].experiments;

    if (!t)
        return NULL;
    struct atlas_evidence *e = mem_zero(1, sizeof *e);
    e->table = t;
    e->machine = index;
    e->count = f->names.count;
    e->form_of = mem_alloc((t->forms.count + 1) * sizeof *e->form_of);
    e->forms = mem_zero(e->count + 1, sizeof *e->forms);
    for (size_t i = 0; i < t->forms.count; i++)
        e->form_of[i] = names_find(&f->names, t->forms.items[i]);
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(t, i);
        bool known = true;
        if (!experiments_measured(t, i))
            continue;
        for (uint32_t k = 0; k < t->rows.items[i].count; k++)
            known &= e->form_of[terms[k].form] != UINT32_MAX;
        e->left_out += !known;
        for (uint32_t k = 0; known && k < t->rows.items[i].count; k++)
            vec_push(&e->forms[e->form_of[terms[k].form]].rows, (uint32_t)i);
    }
    return e;
}

void atlas_evidence_free(struct atlas_evidence *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->count; i++)
        vec_done(&e->forms[i].rows);
    free(e->forms);
    free(e->form_of);
    free(e);
}

size_t atlas_evidence_left_out(const struct atlas_evidence *e)
{
    return e->left_out;
}

/* Compares: small experiments first. Equal experiments are adjacent; of these, the last measured is
 * first. */
static int by_size(const void *a, const void *b, void *state)
{
    const struct experiments *t = state;
    uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
    uint64_t left = experiments_size(t, one), right = experiments_size(t, two);
    uint32_t count = t->rows.items[one].count, other = t->rows.items[two].count;

    if (left != right)
        return left < right ? -1 : 1;
    if (count != other)
        return count < other ? -1 : 1;
    int order = memcmp(experiments_terms(t, one), experiments_terms(t, two),
                       count * sizeof(struct flat_term));
    return order ? order : one > two ? -1 : 1;
}

static bool same_terms(const struct experiments *t, uint32_t a, uint32_t b)
{
    uint32_t count = t->rows.items[a].count;
    return count == t->rows.items[b].count &&
           memcmp(experiments_terms(t, a), experiments_terms(t, b),
                  count * sizeof(struct flat_term)) == 0;
}

/* Appends [cycles, spread, form, count, ...] of each distinct experiment, at most
 * ATLAS_EXPERIMENTS, then the number of omitted experiments. */
static void add_experiments(const struct atlas_evidence *e, const struct atlas_form_rows *of,
                            struct str *out)
{
    const struct experiments *t = e->table;
    size_t shown = 0, distinct = 0;

    qsort_r(of->rows.items, of->rows.count, sizeof *of->rows.items, by_size, (void *)t);
    str_add_char(out, '[');
    for (size_t i = 0; i < of->rows.count; i++) {
        uint32_t row = of->rows.items[i];
        if (i && same_terms(t, row, of->rows.items[i - 1]))
            continue;
        distinct++;
        if (shown == ATLAS_EXPERIMENTS)
            continue;
        str_add(out, shown++ ? ",[" : "[");
        add_number(out, t->rows.items[row].cycles);
        str_add_char(out, ',');
        add_number(out, t->rows.items[row].spread);
        for (uint32_t k = 0; k < t->rows.items[row].count; k++)
            str_addf(out, ",%u,%u", e->form_of[experiments_terms(t, row)[k].form],
                     experiments_terms(t, row)[k].count);
        str_add_char(out, ']');
    }
    str_addf(out, ",%zu]", distinct - shown);
}

void atlas_data_experiments(const struct atlas_evidence *e, size_t chunk, struct str *out)
{
    bool any = false;

    str_addf(out, "atlas.experiments(%zu,%zu,{", e->machine, chunk);
    for (size_t i = chunk * ATLAS_CHUNK; i < e->count && i < (chunk + 1) * ATLAS_CHUNK; i++) {
        if (!e->forms[i].rows.count)
            continue;
        str_addf(out, "%s\"%zu\":", any ? ",\n" : "", i);
        add_experiments(e, &e->forms[i], out);
        any = true;
    }
    str_add(out, "});\n");
}
