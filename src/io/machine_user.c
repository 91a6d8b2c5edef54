/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/machine_user.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/file_set.h"
#include "base/path.h"
#include "io/machine_file.h"
#include "io/machine_save.h"

static void head(const char *const *names, size_t count, struct str *out)
{
    for (size_t k = 0; k < count; k++)
        csv_add_field(out, names[k], k + 1 == count);
}

/* Appends the header @names, then the rows of @dir/@file that @replaced does not select. Returns
 * false with err if the file is invalid. */
static bool keep_rows(const char *dir, const char *file, const char *const *names, size_t count,
                      bool (*replaced)(const struct corrections *c, char *const *fields),
                      const struct corrections *c, struct str *out, struct err *err)
{
    struct str path = {0};
    bool ok = true;

    str_addf(&path, "%s/%s", dir, file);
    head(names, count, out);
    struct csv_table *t =
        access(str_text(&path), F_OK) == 0 ? csv_table_read(str_text(&path), err) : NULL;
    ok = t || access(str_text(&path), F_OK) != 0;
    for (size_t i = 0; t && i < t->count; i++) {
        char *fields[8] = {0};
        for (size_t k = 0; k < count; k++) {
            int column = csv_table_column(t, names[k]);
            fields[k] = column < 0 ? (char *)"" : t->rows[i][column];
        }
        bool kept = !replaced(c, fields);
        for (size_t k = 0; k < count && kept; k++)
            csv_add_field(out, fields[k], k + 1 == count);
    }
    csv_table_free(t);
    str_done(&path);
    return ok;
}

static bool entry_replaced(const struct corrections *c, char *const *fields)
{
    for (size_t i = 0; i < c->entry_count; i++)
        if (strcmp(c->entries[i].form, fields[0]) == 0)
            return true;
    return false;
}

static bool rule_replaced(const struct corrections *c, char *const *fields)
{
    int from, to;

    for (size_t i = 0; i < c->rule_count; i++)
        if (strcmp(c->rules[i].form, fields[0]) == 0 && latency_end_parse(fields[1], &from) &&
            latency_end_parse(fields[2], &to) && from == c->rules[i].from && to == c->rules[i].to)
            return true;
    return false;
}

static void add_rules(const struct corrections *c, struct str *out)
{
    for (size_t i = 0; i < c->rule_count; i++) {
        csv_add_field(out, c->rules[i].form, false);
        latency_end_print(c->rules[i].from, out);
        str_add_char(out, ',');
        latency_end_print(c->rules[i].to, out);
        str_addf(out, ",%.4g,", c->rules[i].cycles);
        csv_add_field(out, c->rules[i].source, true);
    }
}

static void add_facts(const char *base, const char *title, struct str *out)
{
    str_add(out, "key,value,unit,source\nbase,");
    csv_add_field(out, base, false);
    str_add(out, ",\ntitle,");
    csv_add_field(out, title, false);
    str_add(out, ",\n");
}

static bool fill(struct file_set *set, const char *dir, const char *base, const char *title,
                 const struct corrections *c, const struct ports *ports, struct err *err)
{
    static const char *const entry_names[] = {"form", "usage", "latency", "micro_ops", "source"},
                             *const rule_names[] = {"form", "from", "to", "cycles", "source"};
    struct str text = {0}, path = {0};
    bool ok = true;

    str_addf(&path, "%s/machine.csv", dir);
    if (access(str_text(&path), F_OK) != 0) {
        add_facts(base, title, &text);
        ok = file_set_write(set, "machine.csv", text.data, text.length, err);
    }
    if (ok && c->entry_count) {
        str_clear(&text);
        ok = keep_rows(dir, "overrides.csv", entry_names, 5, entry_replaced, c, &text, err);
        for (size_t i = 0; ok && i < c->entry_count; i++)
            machine_mapping_row(&c->entries[i], ports, &text);
        ok = ok && file_set_write(set, "overrides.csv", text.data, text.length, err);
    }
    if (ok && c->rule_count) {
        str_clear(&text);
        ok = keep_rows(dir, "latencies.csv", rule_names, 5, rule_replaced, c, &text, err);
        add_rules(c, &text);
        ok = ok && file_set_write(set, "latencies.csv", text.data, text.length, err);
    }
    str_done(&text);
    str_done(&path);
    return ok;
}

bool machine_user_correct(const char *id, const char *base, const char *title,
                          const struct corrections *c, const struct ports *ports, char **path,
                          struct err *err)
{
    char *dir = machine_user_directory(id);

    *path = NULL;
    if (!dir)
        return err_set(err, ERR_IO, "set HOME or XDG_DATA_HOME",
                       "no directory for your own machines");
    struct file_set *set = path_make_parents(dir, 0777, err) ? file_set_new(dir, false, err) : NULL;
    bool ok = set && fill(set, dir, base, title, c, ports, err) && file_set_commit(set, err);
    file_set_free(set);
    if (ok)
        *path = dir;
    else
        free(dir);
    return ok;
}
