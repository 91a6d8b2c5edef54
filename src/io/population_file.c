/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/population_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/steps.h"
#include "base/vec.h"
#include "base/watch.h"
#include "io/json_text.h"

#define FILE_LIMIT ((size_t)256 << 20)
static const char kind[] = "PortolanPopulation";

void population_done(struct population *p)
{
    for (size_t i = 0; i < p->count; i++)
        mapping_free(p->mappings[i]);
    free(p->mappings);
    *p = (struct population){0};
}

static json_t *mapping_json(const struct mapping *m)
{
    json_t *forms = json_object();
    struct str usage = {0};

    for (size_t i = 0; i < mapping_count(m); i++) {
        const struct mapping_entry *entry = mapping_at(m, i);
        str_clear(&usage);
        usage_print(&entry->usage, mapping_ports(m), &usage);
        json_object_set_new(forms, entry->form,
                            json_pack("[s,i]", str_text(&usage), (int)entry->micro_ops));
    }
    str_done(&usage);
    return forms;
}

bool population_save(const struct population *p, const char *path, struct err *err)
{
    char fingerprint[20], best_of[20];
    json_t *ports = json_array(), *list = json_array();

    for (unsigned i = 0; p->count && i < mapping_ports(p->mappings[0])->count; i++)
        json_array_append_new(ports, json_string(mapping_ports(p->mappings[0])->names[i]));
    for (size_t i = 0; i < p->count; i++)
        json_array_append_new(list, mapping_json(p->mappings[i]));
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, p->fingerprint);
    json_t *root = json_pack(
        "{s:s, s:s, s:f, s:f, s:b, s:b, s:b, s:b, s:b, s:o, s:f, s:o}", "kind", kind, "fingerprint",
        fingerprint, "seconds", p->seconds, "limit", p->limit, "live", p->live, "ports_given",
        p->ports_given, "ports_no_time", p->ports_no_time, "ports_unexplained",
        p->ports_unexplained, "width_measured", p->width_measured, "ports", ports, "issue_width",
        p->count ? mapping_issue_width(p->mappings[0]) : 0.0, "individuals", list);
    if (root && isfinite(p->best_so_far)) {
        snprintf(best_of, sizeof best_of, "%016" PRIx64, p->best_so_far_of);
        json_object_set_new(root, "best_so_far", json_real(p->best_so_far));
        json_object_set_new(root, "best_so_far_of", json_string(best_of));
    }
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    bool ok = text ? file_write(path, text, strlen(text), err)
                   : err_set(err, ERR_DATA, NULL, "a name is not UTF-8");
    free(text);
    json_decref(root);
    return ok;
}

static bool read_ports(json_t *list, struct ports *ports, struct err *err)
{
    json_t *name;
    size_t i;

    json_array_foreach(list, i,
                       name) if (!json_is_string(name) || !ports_add(ports, json_string_value(name),
                                                                     err)) return err->what[0]
        ? false
        : err_set(err, ERR_DATA, "give an evolve start checkpoint file",
                  "a port name is not a string");
    return ports->count || err_set(err, ERR_DATA, "give an evolve start checkpoint file",
                                   "the file has no ports");
}

static struct mapping *read_mapping(json_t *forms, const struct ports *ports, double width,
                                    struct err *err)
{
    struct mapping *m = mapping_new(ports);
    const char *form;
    json_t *value;

    mapping_set_issue_width(m, width);
    json_object_foreach(forms, form, value) {
        steps_add(1);
        const char *usage = json_string_value(json_array_get(value, 0));
        json_int_t slots = json_integer_value(json_array_get(value, 1));
        struct mapping_entry entry = {.form = (char *)form,
                                      .latency = NAN,
                                      .micro_ops = slots > 0 && slots < 256 ? (unsigned)slots : 0};
        if (!*form || !usage || !usage_parse(usage, ports, &entry.usage, err)) {
            if (!usage)
                err_set(err, ERR_DATA, "give an evolve start checkpoint file",
                        "\"%s\" has no usage", form);
            mapping_free(m);
            return NULL;
        }
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

bool population_parse(const char *name, const char *bytes, size_t length, struct population *out,
                      struct err *err)
{
    struct err own = {0};
    json_error_t fault = {0};
    json_t *root = json_text_parse(bytes, length, &fault), *item;
    const char *found = json_string_value(json_object_get(root, "kind")),
               *print = json_string_value(json_object_get(root, "fingerprint"));
    const char *best_of = json_string_value(json_object_get(root, "best_so_far_of"));
    const json_t *best = json_object_get(root, "best_so_far");
    double width = json_number_value(json_object_get(root, "issue_width"));
    struct ports ports = {0};
    VEC(struct mapping *) mappings = {0};
    size_t i;

    *out = (struct population){0};
    bool ok = root != NULL;
    if (!ok && watch_goes_on(&own))
        err_set(&own, ERR_DATA, NULL, "%s", fault.text);
    else if (ok && (!found || strcmp(found, kind) != 0))
        ok = err_set(&own, ERR_DATA, "give an evolve start checkpoint file",
                     "not an evolve start checkpoint file");
    ok = ok && read_ports(json_object_get(root, "ports"), &ports, &own);
    json_array_foreach(json_object_get(root, "individuals"), i, item) {
        struct mapping *m =
            ok ? read_mapping(item, &ports, width >= 0 && width < 1e6 ? width : 0, &own) : NULL;
        ok = m != NULL;
        if (ok)
            vec_push(&mappings, m);
    }
    *out = (struct population){
        .mappings = mappings.items,
        .count = mappings.count,
        .fingerprint = print ? strtoull(print, NULL, 16) : 0,
        .best_so_far = best_of && json_is_number(best) && json_number_value(best) >= 0
                           ? json_number_value(best)
                           : NAN,
        .best_so_far_of = best_of ? strtoull(best_of, NULL, 16) : 0,
        .seconds = fmax(0, json_number_value(json_object_get(root, "seconds"))),
        .limit = fmax(0, json_number_value(json_object_get(root, "limit"))),
        .live = json_is_true(json_object_get(root, "live")),
        .ports_given = json_is_true(json_object_get(root, "ports_given")),
        .ports_no_time = json_is_true(json_object_get(root, "ports_no_time")),
        .ports_unexplained = json_is_true(json_object_get(root, "ports_unexplained")),
        .width_measured = json_is_true(json_object_get(root, "width_measured")),
    };
    if (!ok) {
        population_done(out);
        err_set(err, own.code, own.todo, "%s", own.what);
        err_at(err, name, fault.line > 0 ? (size_t)fault.line : 0,
               fault.line > 0 ? (size_t)fault.column : 0);
    }
    json_decref(root);
    return ok;
}

bool population_load(const char *path, struct population *out, struct err *err)
{
    struct str text = {0};
    *out = (struct population){0};
    bool ok = file_read(path, FILE_LIMIT, &text, err) &&
              population_parse(path, str_text(&text), text.length, out, err);
    str_done(&text);
    return ok;
}
