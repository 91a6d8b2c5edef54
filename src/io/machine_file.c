/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/machine_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"
#include "io/csv.h"

#define MICRO_OPS_MAX 1e6
/* Each row is compared with all facts, or with all forms: more rows than a person writes would hang the program. */
#define FACTS_MAX 10000
#define OVERRIDES_MAX 10000

static void path_in(struct str *path, const char *dir, const char *name)
{
    str_clear(path);
    str_addf(path, "%s/%s", dir, name);
}

/* machine.csv or facts.csv into @facts, later rows win. */
static bool take_facts(const struct csv_table *t, const char *path, struct machine *facts, struct err *err)
{
    int key = csv_table_column(t, "key"), value = csv_table_column(t, "value"), unit = csv_table_column(t, "unit"),
        source = csv_table_column(t, "source");

    if (key < 0 || value < 0) {
        err_set(err, ERR_DATA, "begin with key,value,unit,source", "the header lacks a column");
        return err_at(err, path, 1, 1);
    }
    if (t->count > FACTS_MAX) {
        err_set(err, ERR_LIMIT, NULL, "more than %d facts", FACTS_MAX);
        return err_at(err, path, t->lines[FACTS_MAX], 0);
    }
    for (size_t i = 0; i < t->count; i++)
        machine_set_fact(facts, t->rows[i][key], t->rows[i][value], unit < 0 ? "" : t->rows[i][unit], source < 0 ? "" : t->rows[i][source]);
    return true;
}

static bool read_facts(const char *path, struct machine *facts, struct err *err)
{
    struct csv_table *t = csv_table_read(path, err);
    bool ok = t && take_facts(t, path, facts, err);
    csv_table_free(t);
    return ok;
}

/* "0,1,DV" into @ports; @pipes marks the blocking ones. */
static bool read_ports(const struct machine *facts, struct ports *ports, struct err *err)
{
    const char *list = machine_fact(facts, "ports");
    if (!list)
        return err_set(err, ERR_DATA, "add a row ports,\"0,1,2\"", "the fact ports is missing");
    while (*list) {
        char name[PORT_NAME_MAX + 1];
        size_t length = strcspn(list, ", ");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
        if (!ports_add(ports, name, err))
            return false;
        if (machine_has(facts, "pipes", name))
            ports->pipes |= (portset)1 << (ports->count - 1);
        list += length;
        list += strspn(list, ", ");
    }
    if (!ports->count)
        return err_set(err, ERR_DATA, "name them: ports,\"0,1,2\"", "the fact ports names none");
    return true;
}

static bool row_fault(struct err *err, const char *path, size_t line, int column)
{
    return err_at(err, path, line, (size_t)column + 1);
}

/* A number from 0 up; NaN when @text is empty. */
static bool parse_number(const char *text, double *out)
{
    char *end;
    *out = NAN;
    if (!*text)
        return true;
    if (!isdigit((unsigned char)*text) && *text != '.')
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && *out >= 0 && isfinite(*out);
}

/* Applies one row to every form that its name or pattern means; a plain name not there yet is added. */
static bool apply(struct mapping *m, struct mapping_entry *entry, bool pattern, const bool given[3], struct err *err)
{
    size_t hits = 0;
    for (size_t i = 0; pattern && i < mapping_count(m); i++) {
        const struct mapping_entry *old = mapping_at(m, i);
        if (!str_match(entry->form, old->form))
            continue;
        struct mapping_entry fresh = {old->form, given[0] ? entry->usage : old->usage, given[1] ? entry->latency : old->latency,
                                      given[2] ? entry->micro_ops : old->micro_ops, entry->source};
        struct mapping_entry copy = fresh;
        copy.form = mem_strdup(old->form);
        usage_copy(&copy.usage, &fresh.usage);
        mapping_set(m, &copy);
        free(copy.form);
        usage_done(&copy.usage);
        hits++;
    }
    if (pattern && !hits)
        return err_set(err, ERR_DATA, "correct the pattern", "no form matches \"%s\"", entry->form);
    if (!pattern) {
        const struct mapping_entry *old = mapping_find(m, entry->form);
        if (!old && !given[0])
            return err_set(err, ERR_DATA, "give its usage, none for no µops", "the form %s is new and has no usage", entry->form);
        struct mapping_entry fresh = *entry;
        struct usage kept = {0};
        if (old && !given[0]) {
            usage_copy(&kept, &old->usage);
            fresh.usage = kept;
        }
        if (old && !given[1])
            fresh.latency = old->latency;
        if (old && !given[2])
            fresh.micro_ops = old->micro_ops;
        mapping_set(m, &fresh);
        usage_done(&kept);
    }
    return true;
}

struct mapping_columns {
    int form, usage, latency, micro_ops, source;   /* -1: not there */
};

/* One row into @entry, which the caller clears by usage_done; @given says which of usage, latency and micro_ops are not empty. */
static bool parse_row(char *const *row, const struct mapping_columns *c, const struct ports *ports, struct mapping_entry *entry,
                      bool given[3], int *column, struct err *err)
{
    double micro_ops = NAN;

    *entry = (struct mapping_entry){.form = row[c->form], .latency = NAN, .source = c->source < 0 ? "" : row[c->source]};
    *column = c->form;
    if (!*row[c->form])
        return err_set(err, ERR_DATA, "name an instruction form", "the form is empty");
    *column = c->usage;
    if (!usage_parse(strcmp(row[c->usage], "none") == 0 ? "" : row[c->usage], ports, &entry->usage, err))
        return false;
    *column = c->latency;
    if (c->latency >= 0 && !parse_number(row[c->latency], &entry->latency))
        return err_set(err, ERR_DATA, "give a number from 0 up, or nothing", "the latency \"%s\" is no number", row[c->latency]);
    *column = c->micro_ops;
    bool number = c->micro_ops < 0 || parse_number(row[c->micro_ops], &micro_ops);
    if (!number || (!isnan(micro_ops) && (micro_ops > MICRO_OPS_MAX || micro_ops != rint(micro_ops))))
        return err_set(err, ERR_DATA, "give a whole number from 0 to 1000000, or nothing", "\"%s\" is no number of µops", row[c->micro_ops]);
    entry->micro_ops = isnan(micro_ops) ? 0 : (unsigned)micro_ops;
    given[0] = *row[c->usage] != '\0';
    given[1] = !isnan(entry->latency);
    given[2] = !isnan(micro_ops);
    return true;
}

/* mapping.csv, where a form stands once, or overrides.csv, whose empty fields keep what is there and whose forms may be patterns. */
static bool take_mapping(const struct csv_table *t, const char *path, bool overrides, struct mapping *m, struct err *err)
{
    const struct mapping_columns columns = {csv_table_column(t, "form"), csv_table_column(t, "usage"), csv_table_column(t, "latency"),
                                            csv_table_column(t, "micro_ops"), csv_table_column(t, "source")};

    if (columns.form < 0 || columns.usage < 0) {
        err_set(err, ERR_DATA, "begin with form,usage,latency,micro_ops,source", "the header lacks a column");
        return err_at(err, path, 1, 1);
    }
    if (overrides && t->count > OVERRIDES_MAX) {
        err_set(err, ERR_LIMIT, "use patterns", "more than %d overrides", OVERRIDES_MAX);
        return err_at(err, path, t->lines[OVERRIDES_MAX], 0);
    }
    for (size_t i = 0; i < t->count; i++) {
        struct mapping_entry entry;
        bool given[3] = {false};
        int column;
        bool ok = parse_row(t->rows[i], &columns, mapping_ports(m), &entry, given, &column, err);
        if (ok && overrides) {
            column = columns.form;
            ok = apply(m, &entry, strpbrk(entry.form, "*?") != NULL, given, err);
        } else if (ok && !given[0]) {
            column = columns.usage;
            ok = err_set(err, ERR_DATA, "write none for no µops", "the form %s has no usage", entry.form);
        } else if (ok && mapping_find(m, entry.form)) {
            column = columns.form;
            ok = err_set(err, ERR_DATA, "keep one of the rows", "the form %s is there twice", entry.form);
        } else if (ok) {
            mapping_set(m, &entry);
        }
        usage_done(&entry.usage);
        if (!ok)
            return row_fault(err, path, t->lines[i], column);
    }
    return mapping_check(m, err) || err_at(err, path, 0, 0);
}

static bool read_mapping(const char *path, bool overrides, struct mapping *m, struct err *err)
{
    struct csv_table *t = csv_table_read(path, err);
    bool ok = t && take_mapping(t, path, overrides, m, err);
    csv_table_free(t);
    return ok;
}

bool machine_parse_mapping(struct mapping *m, const char *name, const char *bytes, size_t length, bool overrides, struct err *err)
{
    struct csv_table *t = csv_table_parse(name, bytes, length, err);
    bool ok = t && take_mapping(t, name, overrides, m, err);
    csv_table_free(t);
    return ok;
}

bool machine_parse_facts(struct machine *facts, struct ports *ports, const char *name, const char *bytes, size_t length, struct err *err)
{
    struct csv_table *t = csv_table_parse(name, bytes, length, err);
    bool ok = t && take_facts(t, name, facts, err);
    if (ok && ports && !read_ports(facts, ports, err))
        ok = err_at(err, name, 0, 0);
    csv_table_free(t);
    return ok;
}

static struct machine *load_directory(const char *id, const char *dir, struct err *err)
{
    struct ports none = {0}, ports = {0};
    struct machine *facts = machine_new(id, &none), *m = NULL;
    struct str path = {0};
    bool ok;

    path_in(&path, dir, "machine.csv");
    ok = read_facts(str_text(&path), facts, err);
    path_in(&path, dir, "facts.csv");
    if (ok && access(str_text(&path), F_OK) == 0)
        ok = read_facts(str_text(&path), facts, err);
    path_in(&path, dir, "machine.csv");
    if (ok && !read_ports(facts, &ports, err))
        ok = err_at(err, str_text(&path), 0, 0);
    if (!ok)
        goto out;
    m = machine_new(id, &ports);
    for (size_t i = 0; i < facts->fact_count; i++)
        machine_set_fact(m, facts->facts[i].key, facts->facts[i].value, facts->facts[i].unit, facts->facts[i].source);
    if (machine_fact(m, "title")) {
        free(m->title);
        m->title = mem_strdup(machine_fact(m, "title"));
    }
    if (machine_fact(m, "isa")) {
        free(m->isa);
        m->isa = mem_strdup(machine_fact(m, "isa"));
    }
    path_in(&path, dir, "mapping.csv");
    ok = read_mapping(str_text(&path), false, m->mapping, err);
    path_in(&path, dir, "overrides.csv");
    if (ok && access(str_text(&path), F_OK) == 0)
        ok = read_mapping(str_text(&path), true, m->mapping, err);
    if (!ok) {
        machine_free(m);
        m = NULL;
    }
out:
    str_done(&path);
    machine_free(facts);
    return m;
}

struct machine *machine_load(const char *id_or_dir, struct err *err)
{
    struct str relative = {0};
    struct machine *m = NULL;
    const char *base = strrchr(id_or_dir, '/');

    if (base) {
        m = load_directory(base[1] ? base + 1 : id_or_dir, id_or_dir, err);
    } else {
        str_addf(&relative, "machines/%s", id_or_dir);
        char *dir = *id_or_dir && id_or_dir[0] != '.' ? file_data_path(str_text(&relative)) : NULL;
        if (dir)
            m = load_directory(id_or_dir, dir, err);
        else
            err_set(err, ERR_MISSING, "machine list shows the names", "there is no machine called \"%s\"", id_or_dir);
        free(dir);
    }
    str_done(&relative);
    return m;
}

static void save_facts(const struct machine *m, struct str *out)
{
    const struct ports *ports = mapping_ports(m->mapping);
    struct str list = {0}, pipes = {0};

    for (unsigned i = 0; i < ports->count; i++) {
        str_addf(&list, "%s%s", list.length ? "," : "", ports->names[i]);
        if (ports->pipes >> i & 1)
            str_addf(&pipes, "%s%s", pipes.length ? "," : "", ports->names[i]);
    }
    str_add(out, "key,value,unit,source\n");
    const char *own[][2] = {{"ports", str_text(&list)}, {"pipes", str_text(&pipes)}};
    for (int i = 0; i < 2; i++) {
        csv_add_field(out, own[i][0], false);
        csv_add_field(out, own[i][1], false);
        str_add(out, ",\n");
    }
    for (size_t i = 0; i < m->fact_count; i++) {
        const struct machine_fact *fact = &m->facts[i];
        if (strcmp(fact->key, "ports") == 0 || strcmp(fact->key, "pipes") == 0)
            continue;
        csv_add_field(out, fact->key, false);
        csv_add_field(out, fact->value, false);
        csv_add_field(out, fact->unit, false);
        csv_add_field(out, fact->source, true);
    }
    str_done(&list);
    str_done(&pipes);
}

static void save_mapping(const struct machine *m, struct str *out)
{
    struct str usage = {0};
    char number[32];

    str_add(out, "form,usage,latency,micro_ops,source\n");
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        str_clear(&usage);
        usage_print(&entry->usage, mapping_ports(m->mapping), &usage);
        csv_add_field(out, entry->form, false);
        csv_add_field(out, usage.length ? str_text(&usage) : "none", false);
        snprintf(number, sizeof number, "%.17g", entry->latency);
        csv_add_field(out, isnan(entry->latency) ? "" : number, false);
        snprintf(number, sizeof number, "%u", entry->micro_ops);
        csv_add_field(out, entry->micro_ops ? number : "", false);
        csv_add_field(out, entry->source, true);
    }
    str_done(&usage);
}

bool machine_save(const struct machine *m, const char *dir, struct err *err)
{
    struct str path = {0}, text = {0};
    bool ok = false;

    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        err_set(err, ERR_IO, "check the parent directory", "cannot make the directory: %s", strerror(errno));
        err_at(err, dir, 0, 0);
        goto out;
    }
    save_facts(m, &text);
    path_in(&path, dir, "machine.csv");
    if (!file_write(str_text(&path), text.data, text.length, err))
        goto out;
    str_clear(&text);
    save_mapping(m, &text);
    path_in(&path, dir, "mapping.csv");
    ok = file_write(str_text(&path), text.data, text.length, err);
out:
    str_done(&path);
    str_done(&text);
    return ok;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **machine_ids(void)
{
    VEC(char *) ids = {0};
    char *path = file_data_path("machines");
    DIR *dir = path ? opendir(path) : NULL;
    struct str file = {0};

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        path_in(&file, path, entry->d_name);
        str_add(&file, "/machine.csv");
        if (entry->d_name[0] != '.' && access(str_text(&file), R_OK) == 0)
            vec_push(&ids, mem_strdup(entry->d_name));
    }
    if (dir)
        closedir(dir);
    free(path);
    str_done(&file);
    if (ids.count)
        qsort(ids.items, ids.count, sizeof *ids.items, compare_names);
    vec_push(&ids, NULL);
    return ids.items;
}
