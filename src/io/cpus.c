/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/cpus.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum cpu_column { NAME, PRODUCT, CORE, MACHINE, VENDOR, FAMILY, MODELS, STEPPINGS, KIND, NEEDS, LACKS, COLUMNS };
static const char *const columns[COLUMNS] = {"name", "product", "core", "machine", "vendor", "family", "models", "steppings", "kind", "needs", "lacks"};

/* Whether the columns stand in this order, as cpus_at takes them. */
static bool check(const struct csv_table *t, const char *path, struct err *err)
{
    for (int i = 0; i < COLUMNS; i++)
        if (csv_table_column(t, columns[i]) != i) {
            err_set(err, ERR_DATA, "begin with name,product,core,machine,vendor,family,models,steppings,kind,needs,lacks", "column %d is not %s", i + 1, columns[i]);
            return err_at(err, path, 1, (size_t)i + 1);
        }
    return true;
}

struct csv_table *cpus_load(struct err *err)
{
    char *path = file_data_path("cpus.csv");
    struct csv_table *t = path ? csv_table_read(path, err) : NULL;

    if (!path)
        err_set(err, ERR_MISSING, "install Portolan, or set PORTOLAN_DATA to its data", "the table of processors, cpus.csv, not found");
    if (t && !check(t, path, err)) {
        csv_table_free(t);
        t = NULL;
    }
    free(path);
    return t;
}

size_t cpus_count(const struct csv_table *cpus)
{
    return cpus->count;
}

struct cpu_product cpus_at(const struct csv_table *cpus, size_t index)
{
    char *const *row = cpus->rows[index];
    return (struct cpu_product){row[NAME], row[PRODUCT], row[CORE], row[MACHINE]};
}

bool cpus_named(const struct csv_table *cpus, const char *name, struct cpu_product *out)
{
    for (size_t i = 0; *name && i < cpus->count; i++)
        if (strcmp(cpus->rows[i][NAME], name) == 0) {
            *out = cpus_at(cpus, i);
            return true;
        }
    return false;
}

/* Whether "143;173-174;0xd0c" holds @value; an empty list holds all. */
static bool among(const char *list, unsigned value)
{
    for (const char *at = list; *at; at += strcspn(at, ";"), at += *at == ';') {
        char *end;
        unsigned long first = strtoul(at, &end, 0), last = *end == '-' ? strtoul(end + 1, NULL, 0) : first;
        if (value >= first && value <= last)
            return true;
    }
    return !*list;
}

static bool fits(char *const *row, const struct cpu_identity *id)
{
    return strcmp(row[VENDOR], id->vendor) == 0 && among(row[FAMILY], id->family) && among(row[MODELS], id->model) && among(row[STEPPINGS], id->stepping) &&
           (!*row[KIND] || strcmp(row[KIND], id->kind) == 0) && (!*row[NEEDS] || cpu_identity_has(id, row[NEEDS])) &&
           !(*row[LACKS] && cpu_identity_has(id, row[LACKS]));
}

bool cpus_identified(const struct csv_table *cpus, const struct cpu_identity *id, struct cpu_product *out)
{
    for (size_t i = 0; i < cpus->count; i++)
        if (fits(cpus->rows[i], id)) {
            *out = cpus_at(cpus, i);
            return true;
        }
    return false;
}

void cpu_product_title(const struct cpu_product *p, struct str *out)
{
    str_addf(out, "%s (%s core, %s tables)", p->product, p->core, *p->machine ? p->machine : "no");
}

void cpu_identity_print(const struct cpu_identity *id, struct str *out)
{
    if (id->isa == isa_host() || !id->substituted)
        str_addf(out, "%s", id->vendor);
    else
        str_addf(out, "%s %s", isa_ops(id->isa)->title, id->vendor);
    if (id->family)
        str_addf(out, " family %u model %u stepping %u", id->family, id->model, id->stepping);
    else
        str_addf(out, " part 0x%03x", id->model);
    if (id->kind[0])
        str_addf(out, " (%s)", id->kind);
}

bool cpu_product_known(const struct cpu_product *p)
{
    struct str relative = {0};

    str_addf(&relative, "machines/%s/machine.csv", p->machine);
    char *path = *p->machine ? file_data_path(str_text(&relative)) : NULL;
    bool found = path != NULL;
    free(path);
    str_done(&relative);
    return found;
}

bool cpu_native_find(struct cpu_native *out, struct err *err)
{
    struct cpu_identity id;
    struct cpu_product p;
    struct str text = {0};

    *out = (struct cpu_native){0};
    if (!cpu_identify(&id))
        return err_set(err, ERR_MISSING, "machine list lists the machines", "this CPU cannot be identified");
    struct csv_table *cpus = cpus_load(err);
    if (!cpus)
        return false;
    bool known = cpus_identified(cpus, &id, &p), ok = known && cpu_product_known(&p);
    if (ok) {
        cpu_product_title(&p, &text);
        *out = (struct cpu_native){id.isa, mem_strdup(*p.name ? p.name : p.machine), mem_strdup(p.machine), str_take(&text)};
    } else if (known) {
        err_set(err, ERR_MISSING, "machine list lists the machines", "no tables for this CPU: %s, %s core", p.product, p.core);
    } else {
        cpu_identity_print(&id, &text);
        err_set(err, ERR_MISSING, "machine list lists the machines", "no tables for this CPU: %s", str_text(&text));
    }
    str_done(&text);
    csv_table_free(cpus);
    return ok;
}

void cpu_native_done(struct cpu_native *n)
{
    free(n->name);
    free(n->machine);
    free(n->title);
    *n = (struct cpu_native){0};
}
