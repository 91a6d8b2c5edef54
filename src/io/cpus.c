/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/cpus.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "io/machine_image.h"

static const char *const columns[CPUS_COLUMNS] = {"name",   "product", "core",   "machine",
                                                  "vendor", "family",  "models", "steppings",
                                                  "kind",   "needs",   "lacks",  "aliases"};

/* Checks that the columns are in the order of enum cpu_column. */
static bool check(const struct csv_table *t, const char *path, struct err *err)
{
    for (int i = 0; i < CPUS_COLUMNS; i++)
        if (csv_table_column(t, columns[i]) != i) {
            err_set(
                err, ERR_DATA,
                "the first line must be "
                "name,product,core,machine,vendor,family,models,steppings,kind,needs,lacks,aliases",
                "column %d is not %s", i + 1, columns[i]);
            return err_at(err, path, 1, (size_t)i + 1);
        }
    return true;
}

static struct cpus *of_rows(size_t count)
{
    struct cpus *cpus = mem_zero(1, sizeof *cpus);

    cpus->rows = mem_alloc((count + 1) * sizeof *cpus->rows);
    cpus->count = count;
    return cpus;
}

static struct cpus *of_image(const struct str *bytes)
{
    const uint32_t *cells;
    const char *texts;
    size_t count = machine_image_cpus(bytes->data, bytes->length, &cells, &texts);
    struct cpus *cpus = count ? of_rows(count) : NULL;

    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < CPUS_COLUMNS; k++)
            cpus->rows[i][k] = texts + *cells++;
    return cpus;
}

static struct cpus *of_text(const char *path, const struct str *bytes, struct err *err)
{
    struct csv_table *t = csv_table_parse(path, str_text(bytes), bytes->length, err);

    if (!t || !check(t, path, err)) {
        csv_table_free(t);
        return NULL;
    }
    struct cpus *cpus = of_rows(t->count);
    for (size_t i = 0; i < t->count; i++)
        memcpy(cpus->rows[i], t->rows[i], sizeof cpus->rows[i]);
    cpus->text = t;
    return cpus;
}

struct cpus *cpus_load(struct err *err)
{
    char *path = file_data_path("cpus.csv");
    struct str bytes = {0};
    struct cpus *cpus = NULL;

    if (!path)
        err_set(err, ERR_MISSING, "install Portolan, or set PORTOLAN_DATA to its data directory",
                "table of processors cpus.csv not found");
    else if (file_read(path, CPUS_LIMIT, &bytes, err) && !(cpus = of_image(&bytes)))
        cpus = of_text(path, &bytes, err);
    str_done(&bytes);
    free(path);
    return cpus;
}

void cpus_free(struct cpus *cpus)
{
    if (!cpus)
        return;
    csv_table_free(cpus->text);
    free(cpus->rows);
    free(cpus);
}

size_t cpus_count(const struct cpus *cpus)
{
    return cpus->count;
}

struct cpu_product cpus_at(const struct cpus *cpus, size_t index)
{
    const char *const *row = cpus->rows[index];
    return (struct cpu_product){row[CPUS_NAME], row[CPUS_PRODUCT], row[CPUS_CORE],
                                row[CPUS_MACHINE], index};
}

static bool is_alias(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = list, *end; *at; at = end + (*end != '\0')) {
        end = strchrnul(at, ';');
        if ((size_t)(end - at) == length && strncasecmp(at, name, length) == 0)
            return true;
    }
    return false;
}

bool cpus_named(const struct cpus *cpus, const char *name, struct cpu_product *out)
{
    for (int alias = 0; alias < 2; alias++)
        for (size_t i = 0; *name && i < cpus->count; i++)
            if (alias ? is_alias(cpus->rows[i][CPUS_ALIASES], name)
                      : strcmp(cpus->rows[i][CPUS_NAME], name) == 0) {
                *out = cpus_at(cpus, i);
                return true;
            }
    return false;
}

/* Returns whether @list ("143;173-174;0xd0c") contains @value. An empty list contains every
 * value. */
static bool among(const char *list, unsigned value)
{
    for (const char *at = list; *at; at += strcspn(at, ";"), at += *at == ';') {
        char *end;
        unsigned long first = strtoul(at, &end, 0),
                      last = *end == '-' ? strtoul(end + 1, NULL, 0) : first;
        if (value >= first && value <= last)
            return true;
    }
    return !*list;
}

static bool fits(const char *const *row, const struct cpu_identity *id)
{
    return strcmp(row[CPUS_VENDOR], id->vendor) == 0 && among(row[CPUS_FAMILY], id->family) &&
           among(row[CPUS_MODELS], id->model) && among(row[CPUS_STEPPINGS], id->stepping) &&
           (!*row[CPUS_KIND] || strcmp(row[CPUS_KIND], id->kind) == 0) &&
           (!*row[CPUS_NEEDS] || cpu_identity_has(id, row[CPUS_NEEDS])) &&
           !(*row[CPUS_LACKS] && cpu_identity_has(id, row[CPUS_LACKS]));
}

static bool cpus_identified(const struct cpus *cpus, const struct cpu_identity *id,
                            struct cpu_product *out)
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

/* Appends an identity such as "GenuineIntel family 6 model 207 stepping 2". */
static void cpu_identity_print(const struct cpu_identity *id, struct str *out)
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
        return err_set(err, ERR_MISSING, "machine list lists the machines",
                       "this CPU cannot be identified");
    struct cpus *cpus = cpus_load(err);
    if (!cpus)
        return false;
    bool known = cpus_identified(cpus, &id, &p), ok = known && cpu_product_known(&p);
    if (ok) {
        cpu_product_title(&p, &text);
        *out = (struct cpu_native){id.isa, mem_strdup(*p.name ? p.name : p.machine),
                                   mem_strdup(p.machine), str_take(&text)};
    } else if (known) {
        err_set(err, ERR_MISSING, "machine list lists the machines",
                "no tables for this CPU: %s, %s core", p.product, p.core);
    } else {
        cpu_identity_print(&id, &text);
        err_set(err, ERR_MISSING, "machine list lists the machines", "no tables for this CPU: %s",
                str_text(&text));
    }
    str_done(&text);
    cpus_free(cpus);
    return ok;
}

void cpu_native_done(struct cpu_native *n)
{
    free(n->name);
    free(n->machine);
    free(n->title);
    *n = (struct cpu_native){0};
}
