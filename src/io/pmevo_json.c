/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/pmevo_json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/watch.h"
#include "io/export_mapping.h"
#include "io/json_text.h"
#include "io/pmevo_names.h"
#include "isa/forms.h"

#define FILE_LIMIT ((size_t)256 << 20)
/* steps (base/watch.h) per name */
#define NAME_STEPS 16

/* PMEvo's and Portolan's names of the same forms, by index. */
struct translation {
    struct names theirs;
    char **ours;
};

static void translation_done(struct translation *t)
{
    for (size_t i = 0; t->ours && i < t->theirs.count; i++)
        free(t->ours[i]);
    free(t->ours);
    names_done(&t->theirs);
}

/* Converts the names. Several of PMEvo's names can denote one form, such as MOV that reads or does
 * not read its first register. Returns false with err when cancelled. */
static bool translate(struct translation *t, struct err *err)
{
    struct str name = {0};

    t->ours = mem_zero(t->theirs.count + 1, sizeof *t->ours);
    for (size_t i = 0; i < t->theirs.count && !watch_steps(NAME_STEPS); i++) {
        str_clear(&name);
        if (!pmevo_form_name(t->theirs.items[i], &name))
            str_add(&name, t->theirs.items[i]);
        t->ours[i] = mem_strdup(str_text(&name));
    }
    str_done(&name);
    return watch_goes_on(err);
}

/* Returns, for each of PMEvo's names, whether an export restores it from Portolan's form. If not,
 * the name is stored with its rows. Returns NULL if no forms are available; no name is then
 * restored. The caller frees the array. */
static bool *names_that_return(const struct translation *t)
{
    struct err none = {0};
    struct forms *forms = forms_load(ISA_UNSAID, NULL, &none);
    bool *returns = forms ? mem_zero(t->theirs.count + 1, sizeof *returns) : NULL;
    struct str name = {0};

    for (size_t i = 0; returns && i < t->theirs.count && !watch_steps(NAME_STEPS); i++) {
        const struct form_row *row = forms_find(forms, t->ours[i]);
        str_clear(&name);
        if (row)
            pmevo_name_of(row, &name);
        returns[i] = strcmp(name.length ? str_text(&name) : t->ours[i], t->theirs.items[i]) == 0;
    }
    str_done(&name);
    forms_free(forms);
    return returns;
}

/* Stores the names of @sequence with row @row if an export would not restore them. */
static void keep_names(struct experiments *e, size_t row, json_t *sequence,
                       const struct translation *t, const bool *returns)
{
    bool same = returns != NULL;
    json_t *form;
    size_t i;

    json_array_foreach(sequence, i, form)
        same = same && returns[names_find(&t->theirs, json_string_value(form))];
    char *text = same ? NULL : json_dumps(sequence, JSON_COMPACT);
    if (text)
        experiments_set_extra(e, row, PMEVO_NAMES, text);
    free(text);
}

/* Returns for each original name the source of its form in Portolan: all original names of the
 * form, or NULL if an export would restore them. The caller frees the strings and the list. */
static char **mapping_sources(const struct translation *t, json_t *assignment, const bool *returns)
{
    char **sources = mem_zero(t->theirs.count + 1, sizeof *sources);
    json_t **lists = mem_zero(t->theirs.count + 1, sizeof *lists);
    bool *same = mem_zero(t->theirs.count + 1, sizeof *same);
    struct names seen = {0};
    const char *form;
    json_t *value;

    json_object_foreach(assignment, form, value) {
        if (watch_steps(NAME_STEPS))
            break;
        size_t i = names_find(&t->theirs, form), k = names_add(&seen, t->ours[i]);
        same[k] = !lists[k] && returns && returns[i];
        lists[k] = lists[k] ? lists[k] : json_array();
        json_array_append_new(lists[k], json_string(form));
    }
    for (size_t i = 0; i < t->theirs.count && !watch_steps(NAME_STEPS); i++) {
        uint32_t k = names_find(&seen, t->ours[i]);
        char *text = k < seen.count && !same[k] ? json_dumps(lists[k], JSON_COMPACT) : NULL;
        if (text) {
            sources[i] = mem_alloc(sizeof PMEVO_SOURCE + strlen(text));
            sprintf(sources[i], PMEVO_SOURCE "%s", text);
        }
        free(text);
    }
    for (size_t k = 0; k < seen.count; k++)
        json_decref(lists[k]);
    names_done(&seen);
    free(lists);
    free(same);
    return sources;
}

/* Keeps PMEvo's names of forms that are one form of Portolan, but have different usages. */
static void keep_disputed(struct translation *t, json_t *assignment)
{
    struct names seen = {0};
    json_t **usages = mem_zero(t->theirs.count + 1, sizeof(json_t *));
    bool *disputed = mem_zero(t->theirs.count + 1, sizeof *disputed);

    for (size_t i = 0; i < t->theirs.count && !watch_steps(NAME_STEPS); i++) {
        json_t *usage = json_object_get(assignment, t->theirs.items[i]);
        uint32_t form = names_add(&seen, t->ours[i]);
        if (usage && usages[form])
            disputed[form] |= !json_equal(usage, usages[form]);
        else if (usage)
            usages[form] = usage;
    }
    for (size_t i = 0; i < t->theirs.count && !watch_steps(1); i++) {
        const uint32_t form = names_find(&seen, t->ours[i]);
        /* Tests the index, because the loop above may have been cancelled. */
        if (form < seen.count && disputed[form]) {
            free(t->ours[i]);
            t->ours[i] = mem_strdup(t->theirs.items[i]);
        }
    }
    names_done(&seen);
    free(usages);
    free(disputed);
}

static json_t *parse_json(const char *name, const char *bytes, size_t length,
                          const char *const kinds[], const char **kind, struct err *err)
{
    json_error_t fault;
    json_t *root = json_text_parse(bytes, length, &fault);

    if (!root && !watch_goes_on(err))
        return NULL;
    if (!root && json_error_code(&fault) == json_error_out_of_memory) {
        err_memory(err, name, length);
        return NULL;
    }
    if (!root) {
        err_set(err, ERR_DATA, "correct the JSON", "%s", fault.text);
        err_at(err, name, fault.line > 0 ? (size_t)fault.line : 0,
               fault.column > 0 ? (size_t)fault.column : 0);
        return NULL;
    }
    const char *found = json_string_value(json_object_get(root, "kind"));
    for (size_t i = 0; found && kinds[i]; i++)
        if (strcmp(found, kinds[i]) == 0) {
            *kind = kinds[i];
            return root;
        }
    err_set(err, ERR_DATA, "give a PMEvo JSON file", "expected kind %s, not \"%s\"", kinds[0],
            found ? found : "");
    err_at(err, name, 0, 0);
    json_decref(root);
    return NULL;
}

static void collect_architecture(json_t *root, struct translation *t)
{
    json_t *forms = json_object_get(json_object_get(root, "arch"), "insns"), *form;
    size_t i;
    json_array_foreach(forms, i, form)
        if (json_is_string(form))
            names_add(&t->theirs, json_string_value(form));
}

/* Sets err with the item's number, because jansson stores no lines. */
static bool item_fault(struct err *err, const char *name, const char *what, size_t index)
{
    err_set(err, ERR_DATA, "give a PMEvo JSON file", "%s %zu does not have PMEvo's format", what,
            index + 1);
    return err_at(err, name, 0, 0);
}

static bool collect_sequences(const char *name, json_t *list, struct translation *t,
                              struct err *err)
{
    json_t *item, *form;
    size_t i, k;

    json_array_foreach(list, i, item) {
        watch_at("experiments", (double)i, (double)json_array_size(list));
        if (watch_steps(1))
            return watch_goes_on(err);
        json_t *sequence = json_object_get(item, "iseq");
        if (!json_is_array(sequence) || json_array_size(sequence) == 0)
            return item_fault(err, name, "experiment", i);
        json_array_foreach(sequence, k, form) {
            watch_steps(1);
            if (!json_is_string(form) || !*json_string_value(form))
                return item_fault(err, name, "experiment", i);
            names_add(&t->theirs, json_string_value(form));
        }
    }
    return true;
}

static void read_result(struct experiments *e, size_t row, json_t *item)
{
    json_t *result = json_object_get(item, "result"), *cycles = json_object_get(result, "cycles"),
           *other;
    json_t *others = json_object_get(item, "other_results");
    const char *cause = json_string_value(json_object_get(result, "error_cause"));
    double value = json_is_number(cycles) ? json_number_value(cycles) : NAN;
    size_t i;

    if (value > 0)
        experiments_set(e, row, value, NAN, 0, EXPERIMENT_OK);
    else if (cause || !isnan(value))
        experiments_set(e, row, NAN, NAN, 0, cause ? cause : "no valid cycles");
    json_array_foreach(others, i, other) {
        const char *id = json_string_value(json_object_get(other, "id"));
        json_t *theirs = json_object_get(other, "cycles");
        char text[32];
        if (!id || !json_is_number(theirs))
            continue;
        snprintf(text, sizeof text, "%.17g", json_number_value(theirs));
        experiments_set_extra(e, row, id, text);
    }
}

struct experiments *pmevo_experiments_parse(const char *name, const char *bytes, size_t length,
                                            struct err *err)
{
    static const char *const kinds[] = {"ExperimentList", NULL};
    struct translation t = {0};
    struct experiments *e = NULL;
    bool *returns = NULL;
    const char *kind;
    json_t *root = parse_json(name, bytes, length, kinds, &kind, err), *item;
    json_t *list = json_object_get(root, "exps");
    size_t i, k;

    if (!root)
        return NULL;
    collect_architecture(root, &t);
    if (!json_is_array(list)) {
        err_set(err, ERR_DATA, "give a PMEvo JSON file", "the list \"exps\" is missing");
        err_at(err, name, 0, 0);
        goto out;
    }
    if (!collect_sequences(name, list, &t, err) || !translate(&t, err))
        goto out;
    returns = names_that_return(&t);
    e = experiments_new();
    json_array_foreach(list, i, item) {
        watch_at("experiments", (double)i, (double)json_array_size(list));
        if (watch_steps(1))
            break;
        VEC(struct flat_term) terms = {0};
        json_t *form;
        json_array_foreach(json_object_get(item, "iseq"), k, form) {
            watch_steps(1);
            uint32_t index =
                names_add(&e->forms, t.ours[names_find(&t.theirs, json_string_value(form))]);
            vec_push(&terms, ((struct flat_term){index, 1}));
        }
        size_t row = experiments_add(e, terms.items, terms.count);
        read_result(e, row, item);
        keep_names(e, row, json_object_get(item, "iseq"), &t, returns);
        vec_done(&terms);
    }
    if (!watch_goes_on(err)) {
        experiments_free(e);
        e = NULL;
    }
out:
    free(returns);
    translation_done(&t);
    json_decref(root);
    return e;
}

/* Converts a text such as "7", or a number such as 7, to a port name. Returns false if invalid. */
static bool port_text(json_t *port, char text[PORT_NAME_MAX])
{
    if (json_is_integer(port) && json_integer_value(port) >= 0)
        return snprintf(text, PORT_NAME_MAX, "%lld", (long long)json_integer_value(port)) <
               PORT_NAME_MAX;
    return json_is_string(port) && *json_string_value(port) &&
           snprintf(text, PORT_NAME_MAX, "%s", json_string_value(port)) < PORT_NAME_MAX;
}

/* Collects the ports of one form. @depth is 1 for a list of ports, 2 for a list of lists. Returns
 * false if the list is invalid. */
static bool collect_ports(json_t *list, unsigned depth, struct names *ports)
{
    char text[PORT_NAME_MAX];
    json_t *item;
    size_t i;

    if (!json_is_array(list))
        return false;
    json_array_foreach(list, i, item) {
        if (depth > 1 ? !collect_ports(item, depth - 1, ports) : !port_text(item, text))
            return false;
        if (depth == 1)
            names_add(ports, text);
    }
    return true;
}

static int compare_port_names(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    long p = strtol(x, NULL, 10), q = strtol(y, NULL, 10);
    return p != q ? (p > q) - (p < q) : strcmp(x, y);
}

static portset set_of(json_t *list, const struct ports *ports)
{
    char text[PORT_NAME_MAX];
    portset set = 0;
    json_t *port;
    size_t i;

    json_array_foreach(list, i, port)
        if (port_text(port, text))
            set |= (portset)1 << ports_find(ports, text, strlen(text));
    return set;
}

static bool read_ports(const char *name, json_t *assignment, bool three_level, struct ports *ports,
                       struct err *err)
{
    struct names found = {0};
    const char *form;
    json_t *value;
    bool ok = json_is_object(assignment);

    if (!ok)
        err_set(err, ERR_DATA, "give a PMEvo JSON file", "the object \"assignment\" is missing");
    json_object_foreach(assignment, form, value)
        if (ok && (!*form || !collect_ports(value, three_level ? 2 : 1, &found)))
            ok = err_set(err, ERR_DATA, "give lists of ports", "invalid ports of \"%s\"", form);
    if (ok && found.count > 1)
        qsort(found.items, found.count, sizeof *found.items, compare_port_names);
    for (size_t i = 0; ok && i < found.count; i++)
        ok = ports_add(ports, found.items[i], err);
    if (!ok)
        err_at(err, name, 0, 0);
    /* Sorting has invalidated the index, but not the strings. */
    names_done(&found);
    return ok;
}

struct mapping *pmevo_mapping_parse(const char *name, const char *bytes, size_t length,
                                    struct err *err)
{
    static const char *const kinds[] = {"Mapping3", "Mapping2", "Mapping", NULL};
    struct translation t = {0};
    struct ports ports = {0};
    struct mapping *m = NULL;
    bool *returns = NULL;
    char **sources = NULL;
    const char *kind, *form;
    json_t *root = parse_json(name, bytes, length, kinds, &kind, err), *value, *uop;
    json_t *assignment = json_object_get(root, "assignment");
    bool three_level = root && kind == kinds[0];
    size_t i;

    if (!root)
        return NULL;
    if (!read_ports(name, assignment, three_level, &ports, err))
        goto out;
    collect_architecture(root, &t);
    json_object_foreach(assignment, form, value)
        names_add(&t.theirs, form);
    if (!translate(&t, err))
        goto out;
    keep_disputed(&t, assignment);
    returns = names_that_return(&t);
    sources = mapping_sources(&t, assignment, returns);
    m = mapping_new(&ports);
    json_object_foreach(assignment, form, value) {
        if (watch_steps(1 + json_array_size(value)))
            break;
        uint32_t index = names_find(&t.theirs, form);
        struct mapping_entry entry = {
            .form = t.ours[index], .latency = NAN, .source = sources[index]};
        json_array_foreach(value, i, uop) {
            portset set = three_level ? set_of(uop, &ports) : i == 0 ? set_of(value, &ports) : 0;
            if (set)
                usage_add(&entry.usage, set, 1);
        }
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    if (!watch_goes_on(err)) {
        mapping_free(m);
        m = NULL;
    }
out:
    for (i = 0; sources && i < t.theirs.count; i++)
        free(sources[i]);
    free(sources);
    free(returns);
    translation_done(&t);
    json_decref(root);
    return m;
}

struct experiments *pmevo_experiments_load(const char *path, struct err *err)
{
    struct str text = {0};
    struct experiments *e = file_read(path, FILE_LIMIT, &text, err)
                                ? pmevo_experiments_parse(path, str_text(&text), text.length, err)
                                : NULL;
    str_done(&text);
    return e;
}

struct mapping *pmevo_mapping_load(const char *path, struct err *err)
{
    struct str text = {0};
    struct mapping *m = file_read(path, FILE_LIMIT, &text, err)
                            ? pmevo_mapping_parse(path, str_text(&text), text.length, err)
                            : NULL;
    str_done(&text);
    return m;
}
