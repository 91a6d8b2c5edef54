/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "isa/cpu.h"

#define CPU_COLUMNS 3
static const char *const cpu_columns[CPU_COLUMNS] = {"cpu", "signature", "microcode"};

const struct kept_file memory_kept = {
    "memory.csv", {"date", "fact", "value", "unit", "bytes", "spread", "clock_hz"}};

void kept_today(char day[KEPT_DAY])
{
    time_t now = time(NULL);
    struct tm parts;

    *day = '\0';
    if (localtime_r(&now, &parts))
        strftime(day, KEPT_DAY, "%Y-%m-%d", &parts);
}

/* Appends the microcode revision if the kernel reports it. */
static void microcode_add(struct str *out)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "microcode", 9) == 0 && strchr(line, ':')) {
            const char *value = strchr(line, ':') + 1;
            value += strspn(value, " \t");
            str_add_bytes(out, value, strcspn(value, "\n"));
            break;
        }
    if (file)
        fclose(file);
}

void kept_identity(struct str *name, struct str *signature, struct str *microcode)
{
    char buffer[64];

    str_add(name, cpu_name(buffer, sizeof buffer));
    str_addf(signature, "%08x", cpu_signature());
    microcode_add(microcode);
}

static void identity_of(struct str identity[CPU_COLUMNS])
{
    kept_identity(&identity[0], &identity[1], &identity[2]);
}

static void identity_done(struct str identity[CPU_COLUMNS])
{
    for (int c = 0; c < CPU_COLUMNS; c++)
        str_done(&identity[c]);
}

/* Reads the table of all CPUs. Sets @at to the indices of its columns, and @cpu to those of the
 * columns that identify a CPU. Returns NULL if the file is unreadable. */
static struct csv_table *table_read(const struct kept_file *file, int cpu[CPU_COLUMNS],
                                    int at[KEPT_COLUMNS])
{
    struct err ignored = {0};
    char *path = path_state(file->name);
    struct csv_table *t = path ? csv_table_read(path, &ignored) : NULL;
    bool whole = t != NULL;

    free(path);
    for (int c = 0; whole && c < CPU_COLUMNS; c++) {
        cpu[c] = csv_table_column(t, cpu_columns[c]);
        whole = cpu[c] >= 0;
    }
    for (int c = 0; c < KEPT_COLUMNS; c++)
        at[c] = whole && file->columns[c] ? csv_table_column(t, file->columns[c]) : -1;
    if (whole)
        return t;
    csv_table_free(t);
    return NULL;
}

static bool row_is(char *const *row, const int cpu[CPU_COLUMNS],
                   const struct str identity[CPU_COLUMNS])
{
    for (int c = 0; c < CPU_COLUMNS; c++)
        if (strcmp(row[cpu[c]], str_text(&identity[c])) != 0)
            return false;
    return true;
}

void kept_read(const struct kept_file *file, struct kept_rows *out)
{
    struct str identity[CPU_COLUMNS] = {{0}};
    int cpu[CPU_COLUMNS];

    *out = (struct kept_rows){0};
    out->table = table_read(file, cpu, out->at);
    identity_of(identity);
    for (size_t i = 0; out->table && i < out->table->count; i++)
        if (row_is(out->table->rows[i], cpu, identity))
            vec_push(&out->rows, out->table->rows[i]);
    identity_done(identity);
}

void kept_done(struct kept_rows *k)
{
    csv_table_free(k->table);
    vec_done(&k->rows);
    *k = (struct kept_rows){0};
}

static void row_add(struct kept_writer *w, const char *const cpu[CPU_COLUMNS],
                    const char *const fields[KEPT_COLUMNS])
{
    for (int c = 0; c < CPU_COLUMNS; c++)
        csv_add_field(&w->text, cpu[c], false);
    for (int c = 0; c < KEPT_COLUMNS && w->file->columns[c]; c++)
        csv_add_field(&w->text, fields[c],
                      c + 1 == KEPT_COLUMNS || !w->file->columns[c + 1]);
}

void kept_replace(struct kept_writer *w, const struct kept_file *file,
                  bool (*replaced)(const char *const fields[KEPT_COLUMNS]))
{
    int cpu[CPU_COLUMNS], at[KEPT_COLUMNS];
    struct csv_table *t = table_read(file, cpu, at);

    *w = (struct kept_writer){.file = file};
    identity_of(w->identity);
    row_add(w, cpu_columns, file->columns);
    for (size_t i = 0; t && i < t->count; i++) {
        char *const *row = t->rows[i];
        const char *const of[CPU_COLUMNS] = {row[cpu[0]], row[cpu[1]], row[cpu[2]]};
        const char *fields[KEPT_COLUMNS];
        for (int c = 0; c < KEPT_COLUMNS; c++)
            fields[c] = at[c] >= 0 ? row[at[c]] : "";
        if (!row_is(row, cpu, w->identity) || (replaced && !replaced(fields)))
            row_add(w, of, fields);
    }
    csv_table_free(t);
}

void kept_add(struct kept_writer *w, const char *const fields[KEPT_COLUMNS])
{
    const char *const cpu[CPU_COLUMNS] = {str_text(&w->identity[0]), str_text(&w->identity[1]),
                                          str_text(&w->identity[2])};
    row_add(w, cpu, fields);
}

void kept_write(struct kept_writer *w, const char *what)
{
    struct err err = {0};
    char *path = path_state(w->file->name), why[512];

    if (path && (!path_make_parents(path, 0777, &err) ||
                 !file_write(path, w->text.data, w->text.length, &err)))
        log_add(LOG_WARN, "cannot save %s: %s", what, err_text(&err, why, sizeof why));
    free(path);
    str_done(&w->text);
    identity_done(w->identity);
}
