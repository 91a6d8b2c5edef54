/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/native_kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "isa/cpu.h"
#include "model/facts.h"

#define FILE_NAME "native.csv"
#define LOOKS 3

enum native_column { CPU, SIGNATURE, DAY, KEY, VALUE, UNIT, COLUMNS };
static const char *const names[COLUMNS] = {"cpu", "signature", "date", "fact", "value", "unit"};

/* The table, NULL when there is none that can be read. */
static struct csv_table *table_read(const char *path, int columns[COLUMNS])
{
    struct err ignored = {0};
    struct csv_table *t = csv_table_read(path, &ignored);
    bool whole = t != NULL;

    for (int c = 0; whole && c < COLUMNS; c++) {
        columns[c] = csv_table_column(t, names[c]);
        whole = columns[c] >= 0;
    }
    if (whole)
        return t;
    csv_table_free(t);
    return NULL;
}

struct this_cpu { char name[64], signature[16]; };

static void find_cpu(struct this_cpu *cpu)
{
    char buffer[sizeof cpu->name];
    snprintf(cpu->name, sizeof cpu->name, "%s", cpu_name(buffer, sizeof buffer));
    snprintf(cpu->signature, sizeof cpu->signature, "%08x", cpu_signature());
}

static bool is_of(char *const *row, const int columns[COLUMNS], const struct this_cpu *cpu)
{
    return strcmp(row[columns[CPU]], cpu->name) == 0 &&
           strcmp(row[columns[SIGNATURE]], cpu->signature) == 0;
}

static void add_fact(struct str *out, const struct this_cpu *cpu, const char *day,
                     const struct machine_fact *fact)
{
    const char *const fields[COLUMNS] = {cpu->name, cpu->signature, day,
                                         fact->key, fact->value,    fact->unit ? fact->unit : ""};
    for (int c = 0; c < COLUMNS; c++)
        csv_add_field(out, fields[c], c == COLUMNS - 1);
}

void native_keep(const struct machine *m)
{
    char *path = path_state(FILE_NAME), why[512], day[NATIVE_DAY] = "";
    struct str text = {0};
    struct err err = {0};
    struct this_cpu cpu;
    struct tm parts;
    time_t now = time(NULL);
    int columns[COLUMNS];

    if (!path)
        return;
    find_cpu(&cpu);
    if (localtime_r(&now, &parts))
        strftime(day, sizeof day, "%Y-%m-%d", &parts);
    for (int c = 0; c < COLUMNS; c++)
        csv_add_field(&text, names[c], c == COLUMNS - 1);
    struct csv_table *t = table_read(path, columns);
    for (size_t i = 0; t && i < t->count; i++)
        for (int c = 0; c < COLUMNS && !is_of(t->rows[i], columns, &cpu); c++)
            csv_add_field(&text, t->rows[i][columns[c]], c == COLUMNS - 1);
    for (size_t i = 0; i < m->fact_count; i++)
        if (m->facts[i].source && strcmp(m->facts[i].source, NATIVE_SOURCE) == 0)
            add_fact(&text, &cpu, day, &m->facts[i]);
    if (!path_make_parents(path, 0777, &err) || !file_write(path, text.data, text.length, &err))
        log_add(LOG_WARN, "cannot save what was measured of the memory: %s",
                err_text(&err, why, sizeof why));
    csv_table_free(t);
    str_done(&text);
    free(path);
}

bool native_recall(struct machine *m, char day[NATIVE_DAY])
{
    char *path = path_state(FILE_NAME);
    struct this_cpu cpu;
    int columns[COLUMNS];
    struct csv_table *t = path ? table_read(path, columns) : NULL;
    bool found = false;

    find_cpu(&cpu);
    *day = '\0';
    for (size_t i = 0; t && i < t->count; i++) {
        char *const *row = t->rows[i];
        const struct fact *f = fact_find(row[columns[KEY]]);
        struct err ignored = {0};
        if (!is_of(row, columns, &cpu) || !f || strcmp(row[columns[KEY]], "clock") == 0 ||
            !fact_check(f, row[columns[VALUE]], NULL, &ignored))
            continue;
        machine_set_fact(m, row[columns[KEY]], row[columns[VALUE]], row[columns[UNIT]],
                         row[columns[DAY]]);
        snprintf(day, NATIVE_DAY, "%s", row[columns[DAY]]);
        found = true;
    }
    csv_table_free(t);
    free(path);
    return found;
}

bool native_known(struct machine *m, bool fresh, char day[NATIVE_DAY], struct err *err)
{
    struct native_probe *probe;
    struct native native;
    char why[512];
    bool ok;

    if (!fresh && native_recall(m, day))
        return true;
    probe = native_probe_new(m, err);
    ok = probe != NULL;
    for (int i = 0; ok && i < LOOKS; i++)
        ok = native_probe_look(probe, err);
    if (ok) {
        native_probe_result(probe, NULL, &native);
        native_apply(&native, m);
        native_keep(m);
        snprintf(day, NATIVE_DAY, "today");
    }
    native_probe_free(probe);
    if (!ok && !fresh) {
        log_add(LOG_WARN, "cannot measure caches and memory, their facts are the table's: %s",
                err_text(err, why, sizeof why));
        snprintf(day, NATIVE_DAY, NATIVE_NEVER);
    }
    return ok || !fresh;
}
