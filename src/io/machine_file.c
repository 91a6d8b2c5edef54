/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/machine_file.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/choices.h"
#include "base/compare.h"
#include "base/similar.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/file_set.h"
#include "base/log.h"
#include "base/path.h"
#include "base/vec.h"
#include "base/watch.h"
#include "io/cpus.h"
#include "io/machine_image.h"
#include "io/overrides.h"
#include "model/dispatch_limits.h"
#include "model/facts.h"

#define MICRO_OPS_MAX 1e6
/* Largest number of rows of facts. Each row is compared with all facts or forms, so the limit
 * bounds the work for hostile files. */
#define FACTS_MAX 10000
#define WARNINGS_MAX 20   /* maximum number of warnings per file */
#define OVERRIDES_MAX 10000
/* steps (base/steps.h) per row */
#define ROW_STEPS 8

static void path_in(struct str *path, const char *dir, const char *name)
{
    str_clear(path);
    str_addf(path, "%s/%s", dir, name);
}

/* Checks a fact against the schema. The ports are not known yet. */
static bool check_row(const char *key, const char *value, struct err *err)
{
    const struct fact *f = fact_find(key);
    const char *meant = f ? NULL : fact_meant(key);

    if (dispatch_limits_former(key))   /* Accepts the two obsolete facts of dispatch limits, which
                                        * are combined later. */
        return true;
    if (!f)
        return err_set(err, ERR_DATA, "help facts lists all facts",
                       "unknown fact \"%.80s\"%s%s%s, ignored", key, meant ? "; did you mean " : "",
                       meant ? meant : "", meant ? "?" : "");
    return fact_check(f, value, NULL, err);
}

static void warn(struct err *ambiguity, const char *path, size_t line)
{
    char text[2048];
    err_at(ambiguity, path, line, 0);
    log_add(LOG_WARN, "%s", err_text(ambiguity, text, sizeof text));
}

/* Reads machine.csv or facts.csv into @facts. Later rows take precedence. Rows outside of the
 * schema cause a warning and are preserved. */
static bool take_facts(const struct csv_table *t, const char *path, struct machine *facts,
                       struct err *err)
{
    int key = csv_table_column(t, "key"), value = csv_table_column(t, "value"),
        unit = csv_table_column(t, "unit"), source = csv_table_column(t, "source");

    if (key < 0 || value < 0) {
        err_set(err, ERR_DATA, "the first line must be key,value,unit,source",
                "the column %s is missing", key < 0 ? "key" : "value");
        return err_at(err, path, 1, 1);
    }
    if (t->count > FACTS_MAX) {
        err_set(err, ERR_LIMIT, "remove rows", "the file has more than %d facts", FACTS_MAX);
        return err_at(err, path, t->lines[FACTS_MAX], 0);
    }
    struct err ambiguity = {0};
    for (size_t i = 0, warned = 0; i < t->count; i++) {
        const char *named = t->rows[i][key];
        /* Looks up the fact by its present key, because it may have been renamed. */
        const struct fact *fact = fact_find(named);
        if (!check_row(named, t->rows[i][value], &ambiguity) && warned++ < WARNINGS_MAX)
            warn(&ambiguity, path, t->lines[i]);
        machine_set_fact(facts, fact && !dispatch_limits_former(named) ? fact->key : named,
                         t->rows[i][value], unit < 0 ? "" : t->rows[i][unit],
                         source < 0 ? "" : t->rows[i][source]);
    }
    if (!dispatch_limits_from_former(facts, &ambiguity))
        warn(&ambiguity, path, 0);
    return true;
}

static bool read_facts(const char *path, struct machine *facts, struct err *err)
{
    struct csv_table *t = csv_table_read(path, err);
    bool ok = t && take_facts(t, path, facts, err);
    csv_table_free(t);
    return ok;
}

/* Parses "0,1,DV" into @ports, and marks the blocking pipes in ports->pipes. Returns false with
 * err. */
static bool read_ports(const struct machine *facts, struct ports *ports, struct err *err)
{
    const char *list = machine_fact(facts, "ports");
    if (!list)
        return err_set(err, ERR_DATA, "add a row ports,\"0,1,2\"", "the fact ports is missing");
    if (!ports_parse(list, ports, err))
        return false;
    for (unsigned i = 0; i < ports->count; i++)
        if (machine_has(facts, "pipes", ports->names[i]))
            ports->pipes |= (portset)1 << i;
    return true;
}

static bool row_fault(struct err *err, const char *path, size_t line, int column)
{
    return err_at(err, path, line, (size_t)column + 1);
}

/* Stores a non-negative number in *@out; NaN: @text is empty. Returns false for other text. */
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

struct mapping_columns {
    int form, usage, latency, micro_ops, source;   /* column numbers; -1 if missing */
};

/* Parses a row into @o, which the caller frees with override_done. Stores the column of an error in
 * *@column. Returns false with err. */
static bool parse_row(char *const *row, const struct mapping_columns *c, const struct ports *ports,
                      struct override *o, int *column, struct err *err)
{
    *o = (struct override){.forms = row[c->form],
                           .latency = NAN,
                           .micro_ops = NAN,
                           .source = c->source < 0 ? "" : row[c->source]};
    *column = c->form;
    if (!*row[c->form])
        return err_set(err, ERR_DATA, "give an instruction form", "the form is empty");
    *column = c->usage;
    if (!override_parse_usage(row[c->usage], ports, o, err))
        return false;
    *column = c->latency;
    if (c->latency >= 0 && !parse_number(row[c->latency], &o->latency))
        return err_set(err, ERR_DATA, "give a number of at least 0, or leave the field empty",
                       "invalid latency \"%s\"", row[c->latency]);
    *column = c->micro_ops;
    bool number = c->micro_ops < 0 || parse_number(row[c->micro_ops], &o->micro_ops);
    if (!number || (!isnan(o->micro_ops) &&
                    (o->micro_ops > MICRO_OPS_MAX || o->micro_ops != rint(o->micro_ops))))
        return err_set(err, ERR_DATA,
                       "give a whole number from 0 to 1000000, or leave the field empty",
                       "invalid µop count \"%s\"", row[c->micro_ops]);
    return true;
}

/* Adds a row of mapping.csv, which must have a new form and a usage. */
static bool add_row(struct mapping *m, const struct override *o, const struct mapping_columns *c,
                    int *column, struct err *err)
{
    struct mapping_entry entry = {(char *)o->forms, o->usage, o->latency,
                                  isnan(o->micro_ops) ? 0 : (unsigned)o->micro_ops,
                                  (char *)o->source};

    *column = c->usage;
    if (o->how != OVERRIDE_SET)
        return err_set(err, ERR_DATA, "give the usage of the form, or none if it has no µops",
                       "the form %s has no usage", o->forms);
    *column = c->form;
    if (mapping_find(m, o->forms))
        return err_set(err, ERR_DATA, "remove one of the rows", "duplicate form %s", o->forms);
    mapping_set(m, &entry);
    return true;
}

/* Reads mapping.csv or overrides.csv. An empty field of overrides.csv leaves the value unchanged,
 * and its forms may be patterns. */
static bool take_mapping(const struct csv_table *t, const char *path, bool overrides,
                         struct mapping *m, struct err *err)
{
    const struct mapping_columns columns = {
        csv_table_column(t, "form"), csv_table_column(t, "usage"), csv_table_column(t, "latency"),
        csv_table_column(t, "micro_ops"), csv_table_column(t, "source")};
    struct override_list *list = NULL;
    bool ok = true;

    if (columns.form < 0 || columns.usage < 0) {
        err_set(err, ERR_DATA,
                "the first line must be form,usage,latency,micro_ops,source; mapping import reads "
                "other tools' tables",
                "the column %s is missing", columns.form < 0 ? "form" : "usage");
        return err_at(err, path, 1, 1);
    }
    if (overrides && t->count > OVERRIDES_MAX) {
        err_set(err, ERR_LIMIT, "combine rows by patterns", "the file has more than %d overrides",
                OVERRIDES_MAX);
        return err_at(err, path, t->lines[OVERRIDES_MAX], 0);
    }
    if (overrides)
        list = override_list_new(m);
    for (size_t i = 0; ok && i < t->count; i++) {
        struct override o;
        int column;
        if (watch_steps(ROW_STEPS)) {
            ok = watch_goes_on(err);
            break;
        }
        ok = parse_row(t->rows[i], &columns, mapping_ports(m), &o, &column, err);
        if (ok && overrides) {
            column = columns.form;
            ok = override_apply(list, &o, err);
        } else if (ok) {
            ok = add_row(m, &o, &columns, &column, err);
        }
        override_done(&o);
        if (!ok)
            row_fault(err, path, t->lines[i], column);
    }
    override_list_free(list);
    return ok && (mapping_check(m, err) || err_at(err, path, 0, 0));
}

static bool read_mapping(const char *path, bool overrides, struct mapping *m, struct err *err)
{
    struct csv_table *t = csv_table_read(path, err);
    bool ok = t && take_mapping(t, path, overrides, m, err);
    csv_table_free(t);
    return ok;
}

bool machine_override(struct machine *m, const char *path, struct err *err)
{
    return read_mapping(path, true, m->mapping, err);
}

/* Collects the ports of a usage such as p0156 or p[V0,DV]. read_mapping reports invalid usages.
 * Returns false with err if there are too many ports. */
static bool collect_ports(const char *usage, struct ports *ports, struct err *err)
{
    for (const char *at = usage; (at = strchr(at, 'p')); ) {
        bool list = *++at == '[';
        at += list;
        while (*at && (list ? *at != ']' : *at != '+')) {
            size_t length = list ? strcspn(at, ",]") : 1;
            char name[PORT_NAME_MAX + 1];
            snprintf(name, sizeof name, "%.*s",
                     (int)(length < PORT_NAME_MAX ? length : PORT_NAME_MAX), at);
            if (ports_find(ports, name, strlen(name)) < 0 && !ports_add(ports, name, err))
                return false;
            at += length;
            at += list && *at == ',';
        }
    }
    return true;
}

static int order_ports(const void *a, const void *b)
{
    return strcmp(a, b);
}

struct machine *machine_load_csv(const char *id, const char *path, struct err *err)
{
    struct csv_table *t = csv_table_read(path, err);
    struct ports ports = {0};
    struct machine *m = NULL;
    int usage = t ? csv_table_column(t, "usage") : -1;

    if (!t)
        return NULL;
    for (size_t i = 0; usage >= 0 && i < t->count; i++)
        if (watch_steps(1) || !collect_ports(t->rows[i][usage], &ports, err)) {
            if (watch_goes_on(err))
                row_fault(err, path, t->lines[i], usage);
            goto out;
        }
    qsort(ports.names, ports.count, sizeof ports.names[0], order_ports);
    for (unsigned i = 0; i < ports.count; i++)
        if (port_name_divides(ports.names[i]))
            ports.pipes |= (portset)1 << i;
    m = machine_new(id, &ports);
    machine_set_fact(m, "source", path, "", "");
    if (!read_mapping(path, false, m->mapping, err)) {
        machine_free(m);
        m = NULL;
    }
out:
    csv_table_free(t);
    return m;
}

struct latency_row {
    struct machine *machine;
    int from, to;
    double cycles;
    const char *source;
};

static bool add_latency(const char *forms, void *data, struct err *err)
{
    const struct latency_row *row = data;

    machine_add_latency(row->machine, forms, row->from, row->to, row->cycles, row->source);
    return true;
}

static bool read_latencies(const char *path, struct machine *m, struct err *err)
{
    static const char *const names[] = {"form", "from", "to", "cycles", "source"};
    struct csv_table *t = csv_table_read(path, err);
    int column[5];
    bool ok = false;

    if (!t)
        return false;
    for (int i = 0; i < 5; i++)
        if ((column[i] = csv_table_column(t, names[i])) < 0) {
            err_set(err, ERR_DATA, "the first line must be form,from,to,cycles,source",
                    "the column %s is missing", names[i]);
            err_at(err, path, 1, 1);
            goto out;
        }
    for (size_t i = 0; i < t->count; i++) {
        if (watch_steps(ROW_STEPS)) {
            ok = watch_goes_on(err);
            goto out;
        }
        char **row = t->rows[i];
        struct latency_row read = {.machine = m, .source = row[column[4]]};
        int fault = !latency_end_parse(row[column[1]], &read.from) ? 1
                    : !latency_end_parse(row[column[2]], &read.to) ? 2
                                                                   : -1;
        if (fault >= 0)
            err_set(err, ERR_DATA,
                    "use 1 to 9, base, index, address, memory, flags, alone, slowest or any",
                    "invalid operand \"%s\"", row[column[fault]]);
        else if ((latency_end_whole(read.from) || latency_end_whole(read.to)) &&
                 read.from != read.to)
            err_set(err, ERR_DATA, "use the same value in the columns from and to",
                    "\"%s\" cannot be combined with \"%s\"",
                    row[column[latency_end_whole(read.from) ? 1 : 2]],
                    row[column[fault = latency_end_whole(read.from) ? 2 : 1]]);
        else if (!parse_number(row[column[3]], &read.cycles) || isnan(read.cycles))
            err_set(err, ERR_DATA, "give a number of at least 0", "invalid latency \"%s\"",
                    row[column[fault = 3]]);
        else if (!choices_each(row[column[0]], add_latency, &read, err))
            fault = 0;
        if (fault >= 0) {
            row_fault(err, path, t->lines[i], column[fault]);
            goto out;
        }
    }
    ok = true;
out:
    csv_table_free(t);
    return ok;
}

bool machine_parse_mapping(struct mapping *m, const char *name, const char *bytes, size_t length,
                           bool overrides, struct err *err)
{
    struct csv_table *t = csv_table_parse(name, bytes, length, err);
    bool ok = t && take_mapping(t, name, overrides, m, err);
    csv_table_free(t);
    return ok;
}

bool machine_parse_facts(struct machine *facts, struct ports *ports, const char *name,
                         const char *bytes, size_t length, struct err *err)
{
    struct csv_table *t = csv_table_parse(name, bytes, length, err);
    bool ok = t && take_facts(t, name, facts, err);
    if (ok && ports && !read_ports(facts, ports, err))
        ok = err_at(err, name, 0, 0);
    csv_table_free(t);
    return ok;
}

static struct machine *load_directory(const char *id, const char *dir, struct err *err);

/* Loads the machine that the fact base names, as @id. Returns NULL with err. A base must not have a
 * base itself. */
static struct machine *load_base(const char *id, const char *base, struct err *err)
{
    struct machine *m = machine_load_shipped(base, err);

    if (m && machine_fact(m, "base")) {
        err_set(err, ERR_DATA, "give a machine that has no base itself",
                "the base %s has a base itself", base);
        machine_free(m);
        return NULL;
    }
    if (m) {
        free(m->id);
        m->id = mem_strdup(id);
    }
    return m;
}

/* Reads the directory's own latencies.csv. Inserts its rules before the rules of the base, because
 * the first matching rule applies. Returns false with err on failure. */
static bool read_latencies_first(const char *path, struct machine *m, struct err *err)
{
    size_t before = m->latency_count;

    if (!read_latencies(path, m, err))
        return false;
    size_t added = m->latency_count - before;
    struct latency_rule *all = mem_alloc((m->latency_count + 1) * sizeof *all);
    memcpy(all, m->latencies + before, added * sizeof *all);
    memcpy(all + added, m->latencies, before * sizeof *all);
    free(m->latencies);
    m->latencies = all;
    return true;
}

/* Reads a directory with a base and differences: facts, overrides and latencies. */
static struct machine *read_derived(const char *id, const char *dir, const struct machine *facts,
                                    struct err *err)
{
    struct machine *m = load_base(id, machine_fact(facts, "base"), err);
    struct str path = {0};
    bool ok = m != NULL;

    for (size_t i = 0; ok && i < facts->fact_count; i++)
        machine_set_fact(m, facts->facts[i].key, facts->facts[i].value, facts->facts[i].unit,
                         facts->facts[i].source);
    if (ok && machine_fact(facts, "title")) {
        free(m->title);
        m->title = mem_strdup(machine_fact(facts, "title"));
    }
    path_in(&path, dir, "overrides.csv");
    if (ok && access(str_text(&path), F_OK) == 0)
        ok = machine_override(m, str_text(&path), err);
    path_in(&path, dir, "latencies.csv");
    if (ok && access(str_text(&path), F_OK) == 0)
        ok = read_latencies_first(str_text(&path), m, err);
    if (!ok) {
        machine_free(m);
        m = NULL;
    }
    str_done(&path);
    return m;
}

static struct machine *read_directory(const char *id, const char *dir, struct err *err)
{
    struct ports none = {0}, ports = {0};
    struct machine *m;
    struct str path = {0};
    bool ok;

    if (!machine_image_load(id, dir, &m, err) || m)
        return m;
    struct machine *facts = machine_new(id, &none);
    path_in(&path, dir, "machine.csv");
    ok = read_facts(str_text(&path), facts, err);
    path_in(&path, dir, "facts.csv");
    if (ok && access(str_text(&path), F_OK) == 0)
        ok = read_facts(str_text(&path), facts, err);
    path_in(&path, dir, "mapping.csv");
    /* Uses the base only without a mapping.csv, because a saved machine already includes its
     * base. */
    if (ok && machine_fact(facts, "base") && access(str_text(&path), F_OK) != 0) {
        m = read_derived(id, dir, facts, err);
        goto out;
    }
    path_in(&path, dir, "machine.csv");
    if (ok && !read_ports(facts, &ports, err))
        ok = err_at(err, str_text(&path), 0, 0);
    if (!ok)
        goto out;
    m = machine_new(id, &ports);
    for (size_t i = 0; i < facts->fact_count; i++)
        machine_set_fact(m, facts->facts[i].key, facts->facts[i].value, facts->facts[i].unit,
                         facts->facts[i].source);
    if (machine_fact(m, "title")) {
        free(m->title);
        m->title = mem_strdup(machine_fact(m, "title"));
    }
    /* In an inferred mapping, micro_ops are issue slots, so they also limit the cycles. */
    const char *slots = machine_fact(m, "issue_slots");
    double width = fact_number(m, "issue_width");
    if (slots && strcmp(slots, "inferred") == 0 && width > 0)
        mapping_set_issue_width(m->mapping, width);
    path_in(&path, dir, "mapping.csv");
    ok = read_mapping(str_text(&path), false, m->mapping, err);
    path_in(&path, dir, "overrides.csv");
    if (ok && access(str_text(&path), F_OK) == 0)
        ok = machine_override(m, str_text(&path), err);
    static const char *const rules[] = {"latencies.csv", "advances.csv"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        path_in(&path, dir, rules[i]);
        if (ok && access(str_text(&path), F_OK) == 0)
            ok = read_latencies(str_text(&path), m, err);
    }
    if (!ok) {
        machine_free(m);
        m = NULL;
    }
out:
    str_done(&path);
    machine_free(facts);
    return m;
}

/* Loads a directory in a consistent state, even while another process saves into it. */
static struct machine *load_directory(const char *id, const char *dir, struct err *err)
{
    struct stat info;
    bool there = stat(dir, &info) == 0 && S_ISDIR(info.st_mode);
    int held = there ? file_set_open(dir, err) : -1;
    bool before = file_only_files(true);
    struct machine *m = there && held < 0 ? NULL : read_directory(id, dir, err);

    file_only_files(before);
    if (held >= 0)
        close(held);
    return m;
}

static void no_machine(const char *id, struct err *err)
{
    char *machines = file_data_path("machines");
    struct similar similar = {.word = id};
    char **ids = machine_ids(), todo[SIMILAR_TODO];

    for (char **at = ids; *at; at++)
        similar_try(&similar, *at);
    if (machines)
        err_set(err, ERR_MISSING, similar_todo(&similar, "machine list lists all machines", todo),
                "no machine \"%s\"", id);
    else
        err_set(err, ERR_MISSING, "install Portolan, or set PORTOLAN_DATA to its data directory",
                "neither the machine tables nor \"%s\" found", id);
    for (char **at = ids; *at; at++)
        free(*at);
    free(ids);
    free(machines);
}

/* Returns the directory of @id in the data directory, or NULL. */
static char *shipped_directory(const char *id)
{
    struct str relative = {0};

    str_addf(&relative, "machines/%s", id);
    char *dir =
        *id && id[0] != '.' && !strchr(id, '/') ? file_data_path(str_text(&relative)) : NULL;
    str_done(&relative);
    return dir;
}

/* Loads the machine of a processor's core by the processor's name (data/cpus.csv). Returns NULL
 * with err. */
static struct machine *load_alias(const char *id, struct err *err)
{
    struct cpus *cpus = cpus_load(NULL);
    struct cpu_product p;
    struct machine *m = NULL;
    struct str title = {0};

    char *dir = cpus && cpus_named(cpus, id, &p) ? shipped_directory(p.machine) : NULL;
    if (!dir)
        no_machine(id, err);
    else if ((m = load_directory(p.name, dir, err)) != NULL && strcmp(p.name, p.machine) != 0) {
        cpu_product_title(&p, &title);
        free(m->title);
        m->title = str_take(&title);
    }
    free(dir);
    cpus_free(cpus);
    return m;
}

struct machine *machine_load_shipped(const char *id, struct err *err)
{
    char *dir = shipped_directory(id);
    struct machine *m = dir ? load_directory(id, dir, err) : load_alias(id, err);

    free(dir);
    return m;
}

struct machine *machine_load(const char *id_or_dir, struct err *err)
{
    const char *base = strrchr(id_or_dir, '/');

    if (base)
        return load_directory(base[1] ? base + 1 : id_or_dir, id_or_dir, err);
    char *dir = shipped_directory(id_or_dir);
    if (!dir)
        dir = machine_user_directory(id_or_dir);
    struct machine *m = dir && access(dir, F_OK) == 0 ? load_directory(id_or_dir, dir, err)
                                                      : load_alias(id_or_dir, err);
    free(dir);
    return m;
}

char *machine_own_id(const char *id)
{
    struct err none = {0};
    struct cpus *cpus = NULL;
    struct cpu_product p;
    char *dir = strchr(id, '/') ? NULL : shipped_directory(id);

    if (!dir && !strchr(id, '/'))
        dir = machine_user_directory(id);
    const bool there = strchr(id, '/') || (dir && access(dir, F_OK) == 0);
    char *own = mem_strdup(
        !there && (cpus = cpus_load(&none)) && cpus_named(cpus, id, &p) && *p.name ? p.name : id);
    cpus_free(cpus);
    free(dir);
    return own;
}

/* Returns the sorted names of the machine directories in @take_path, which may be NULL. Frees
 * @take_path. */
static char **ids_below(char *take_path)
{
    VEC(char *) ids = {0};
    DIR *dir = take_path ? file_open_directory(take_path) : NULL;
    struct str file = {0};

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        path_in(&file, take_path, entry->d_name);
        str_add(&file, "/machine.csv");
        if (entry->d_name[0] != '.' && access(str_text(&file), R_OK) == 0)
            vec_push(&ids, mem_strdup(entry->d_name));
    }
    if (dir)
        closedir(dir);
    free(take_path);
    str_done(&file);
    if (ids.count)
        qsort(ids.items, ids.count, sizeof *ids.items, compare_texts);
    vec_push(&ids, NULL);
    return ids.items;
}

char **machine_ids(void)
{
    return ids_below(file_data_path("machines"));
}

char **machine_user_ids(void)
{
    return ids_below(path_data("machines"));
}

char *machine_user_directory(const char *id)
{
    struct str relative = {0};

    str_addf(&relative, "machines/%s", id);
    char *path = *id && id[0] != '.' && !strchr(id, '/') ? path_data(str_text(&relative)) : NULL;
    str_done(&relative);
    return path;
}

bool machine_user_has(const char *id)
{
    char *directory = machine_user_directory(id);
    struct str file = {0};

    if (directory)
        path_in(&file, directory, "machine.csv");
    bool there = directory && access(str_text(&file), R_OK) == 0;
    free(directory);
    str_done(&file);
    return there;
}
