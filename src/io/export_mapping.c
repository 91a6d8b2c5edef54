/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/export_mapping.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/watch.h"
#include "io/pmevo_names.h"
#include "throughput/throughput.h"

#define FORM_STEPS 8   /* steps (base/steps.h) per form */

/* Returns the cycles of the µops of @usage that cannot use a port in @skip. */
static double cycles_without(struct throughput *engine, const struct usage *usage, portset skip)
{
    struct mass *masses = mem_alloc((usage->count + 1) * sizeof *masses);
    size_t n = 0;
    for (unsigned i = 0; i < usage->count; i++)
        if (!(usage->uops[i].ports & skip))
            masses[n++] = (struct mass){usage->uops[i].ports, usage->uops[i].count};
    double cycles = throughput_of_masses(engine, masses, n);
    free(masses);
    return cycles;
}

int json_piece_add(const char *piece, size_t length, void *out)
{
    str_add_bytes(out, piece, length);
    return watch_steps(1 + length / 64) ? -1 : 0;
}

void export_uops_info(const struct machine *m, const struct forms *forms, struct str *out)
{
    const struct ports *ports = mapping_ports(m->mapping);
    struct throughput *engine = throughput_new(ports->count ? ports->count : 1);
    struct str usage = {0};

    str_add(out, "instruction,family,latency,throughput,uops,ports\n");
    for (size_t i = 0; i < mapping_count(m->mapping) && !watch_steps(FORM_STEPS); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        const struct form_row *row = forms ? forms_find(forms, entry->form) : NULL;
        str_clear(&usage);
        usage_print(&entry->usage, ports, &usage);
        csv_add_field(out, entry->form, false);
        csv_add_field(out, row ? row->extension : "", false);
        if (!isnan(entry->latency))
            str_addf(out, "%.15g", entry->latency);
        str_addf(out, ",%.2f / %.2f,", cycles_without(engine, &entry->usage, ports->pipes),
                 cycles_without(engine, &entry->usage, 0));
        if (entry->micro_ops)
            str_addf(out, "%u", entry->micro_ops);
        str_add_char(out, ',');
        csv_add_field(out, str_text(&usage), true);
    }
    str_done(&usage);
    throughput_free(engine);
}

/* Appends PMEvo's notation of a placeholder such as "{RW:R64}" in a template. Returns false for
 * other types. */
static bool placeholder_name(const char *access, const char *type, struct str *out)
{
    static const char *const sizes[][2] = {{"M8", "byte"},      {"M16", "word"},
                                           {"M32", "dword"},    {"M64", "qword"},
                                           {"M128", "xmmword"}, {"M256", "ymmword"}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(type, sizes[i][0]) == 0) {
            str_addf(out, "%s_ptr_[((MEM:64))_+_((MIMM:16))]", sizes[i][1]);
            return true;
        }
    if (type[0] == 'I' && isdigit((unsigned char)type[1]))
        str_addf(out, "((IMM:%s))", type + 1);
    else if (*access && type[0] == 'R' && isdigit((unsigned char)type[1]) &&
             strcmp(type, "R8h") != 0)
        str_addf(out, "((REG:%s:G:%s))", access, strcmp(type, "R8l") == 0 ? "8" : type + 1);
    else if (*access && (strcmp(type, "XMM") == 0 || strcmp(type, "YMM") == 0))
        str_addf(out, "((REG:%s:V:%s))", access, type[0] == 'X' ? "128" : "256");
    else
        return false;
    return true;
}

void pmevo_name_of(const struct form_row *row, struct str *out)
{
    size_t start = out->length;
    struct str back = {0};
    bool ok = true, mnemonic = true;

    for (const char *at = row->template; ok && *at;) {
        if (at[0] == '{' && at[1] != '{') {
            char access[4] = "", type[24] = "";
            const char *close = strchr(at, '}');
            ok = close &&
                 (sscanf(at, "{%3[RW]:%23[A-Za-z0-9]}", access, type) == 2 ||
                  (access[0] = '\0', sscanf(at, "{%23[A-Za-z0-9]}", type) == 1)) &&
                 placeholder_name(access, type, out);
            at = close ? close + 1 : at;
        } else {
            mnemonic &= *at != ' ';
            str_add_char(out, *at == ' ' ? '_'
                              : mnemonic ? (char)toupper((unsigned char)*at)
                                         : *at);
            at++;
        }
    }
    /* A name is used only if it can be converted back, because PMEvo has no notation for fixed
     * registers and prefixes. */
    if (!ok || !pmevo_form_name(str_text(out) + start, &back) ||
        strcmp(str_text(&back), row->form) != 0) {
        out->length = start;
        if (out->data)
            out->data[start] = '\0';
    }
    str_done(&back);
}

static json_t *port_list(portset set, const struct ports *ports)
{
    json_t *list = json_array();
    for (unsigned j = 0; j < ports->count; j++)
        if (set >> j & 1)
            json_array_append_new(list, json_string(ports->names[j]));
    return list;
}

static json_t *uop_lists(const struct usage *usage, const struct ports *ports)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < usage->count; i++)
        for (uint32_t n = 0; n < usage->uops[i].count; n++)
            json_array_append_new(list, port_list(usage->uops[i].ports, ports));
    return list;
}

/* Records in @all that form @form has the name @name in a source. "" represents the exported
 * name. */
static void note_name(json_t *all, const char *form, const char *name)
{
    json_t *names = json_object_get(all, form);

    if (!names) {
        names = json_object();
        json_object_set_new(all, form, names);
    }
    json_object_set_new(names, name, json_true());
}

/* Returns the original names of each form in @e, for a mapping inferred from @e. The caller
 * releases the result. */
static json_t *names_of_experiments(const struct experiments *e)
{
    json_t *all = json_object(), *name;
    struct str form = {0};
    size_t k;

    for (size_t i = 0; e && i < e->rows.count && !watch_steps(1 + e->rows.items[i].count); i++) {
        json_t *names = pmevo_names_of_row(e, i);
        for (uint32_t j = 0; !names && j < e->rows.items[i].count; j++)
            note_name(all, e->forms.items[experiments_terms(e, i)[j].form], "");
        json_array_foreach(names, k, name) {
            str_clear(&form);
            if (!pmevo_form_name(json_string_value(name), &form))
                str_add(&form, json_string_value(name));
            note_name(all, str_text(&form), json_string_value(name));
        }
        json_decref(names);
    }
    str_done(&form);
    return all;
}

/* Returns the names of @entry. Uses the first of these that exists: the names in the member source
 * of @entry, those in @all, PMEvo's notation, Portolan's name. The caller releases the result. */
static json_t *names_of(const struct mapping_entry *entry, const struct form_row *row, json_t *all)
{
    json_t *names = strncmp(entry->source, PMEVO_SOURCE, sizeof PMEVO_SOURCE - 1) == 0
                        ? pmevo_names_read(entry->source + sizeof PMEVO_SOURCE - 1)
                        : NULL;
    json_t *known = json_object_get(all, entry->form), *value;
    struct str own = {0};
    const char *name;

    if (names)
        return names;
    if (row)
        pmevo_name_of(row, &own);
    if (!own.length)
        str_add(&own, entry->form);
    names = json_array();
    json_object_foreach(known, name, value)
        json_array_append_new(names, json_string(*name ? name : str_text(&own)));
    if (!known)
        json_array_append_new(names, json_string(str_text(&own)));
    str_done(&own);
    return names;
}

static void write_json(const struct machine *m, const struct forms *forms,
                       const struct experiments *e, const char *kind, bool flat, struct str *out)
{
    const struct ports *ports = mapping_ports(m->mapping);
    json_t *insns = json_array(), *assignment = json_object(), *all = names_of_experiments(e);

    for (size_t i = 0; i < mapping_count(m->mapping) && !watch_steps(FORM_STEPS); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        const struct form_row *row = forms ? forms_find(forms, entry->form) : NULL;
        json_t *names = names_of(entry, row, all), *item;
        size_t k;
        json_array_foreach(names, k, item) {
            if (!json_object_get(assignment, json_string_value(item)))
                json_array_append(insns, item);
            json_object_set_new(assignment, json_string_value(item),
                                !flat                ? uop_lists(&entry->usage, ports)
                                : entry->usage.count ? port_list(entry->usage.uops[0].ports, ports)
                                                     : json_array());
        }
        json_decref(names);
    }
    json_decref(all);
    json_t *port_names = json_array();
    for (unsigned j = 0; j < ports->count; j++)
        json_array_append_new(port_names, json_string(ports->names[j]));
    json_t *root = json_pack("{s:s, s:{s:s, s:s, s:o, s:o}, s:o}", "kind", kind, "arch", "kind",
                             "Architecture", "name", m->id, "insns", insns, "ports", port_names,
                             "assignment", assignment);
    json_dump_callback(root, json_piece_add, out, JSON_INDENT(1));
    str_add_char(out, '\n');
    json_decref(root);
}

void export_pmevo(const struct machine *m, const struct forms *forms, const struct experiments *e,
                  struct str *out)
{
    write_json(m, forms, e, "Mapping3", false, out);
}

bool export_pmevo_flat(const struct machine *m, const struct forms *forms,
                       const struct experiments *e, struct str *out, struct err *err)
{
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        if (entry->usage.count > 1 || (entry->usage.count && entry->usage.uops[0].count > 1))
            return err_set(err, ERR_DATA, "export as pmevo (three-level)",
                           "%s has several µops; the two-level format stores only one per form",
                           entry->form);
    }
    write_json(m, forms, e, "Mapping", true, out);
    return true;
}
