/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/uops_table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/shortage.h"
#include "base/csv.h"

void uops_table_done(struct uops_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->rows[i].name);
        free(t->rows[i].ports);
    }
    free(t->rows);
    *t = (struct uops_table){0};
}

void uops_table_add(struct uops_table *t, const struct uops_row *row)
{
    /* A missing row is not reported here, because the import fails when memory is exhausted. */
    if (shortage_met())
        return;
    if (t->count == t->capacity)
        t->rows = mem_grow(t->rows, &t->capacity, sizeof *t->rows);
    if (t->count == t->capacity)
        return;
    t->rows[t->count] = *row;
    t->rows[t->count].name = mem_strdup(row->name);
    t->rows[t->count].ports = mem_strdup(row->ports);
    t->count++;
}

double uops_latency(const char *text, bool *upper_bound)
{
    double most = NAN;

    *upper_bound = false;
    for (const char *at = text; *at;) {
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        char *end;
        double value = strtod(at, &end);
        bool bound = at - text >= 3 && memcmp(at - 3, "≤", 3) == 0;
        if (isnan(most) || value > most || (value == most && !bound)) {
            most = value;
            *upper_bound = bound;
        }
        at = end;
    }
    return most;
}

/* Returns the second number of "1 / 2" (µops before fusion), or the only number; NaN: not a number,
 * or negative. */
static double last_number(const char *text)
{
    const char *slash = strrchr(text, '/'), *at = slash ? slash + 1 : text;
    char *end;
    double value = strtod(at, &end);
    return end == at || !isfinite(value) || value < 0 ? NAN : value;
}

/* Returns the cycles on the divider, which tables lack. Assumes that a division occupies the
 * divider for its whole time if it is slower than its ports. */
static unsigned divider_cycles(const char *instruction, const char *throughput)
{
    double computed = strtod(throughput, NULL), measured = last_number(throughput);
    bool divides = strstr(instruction, "DIV") != NULL || strstr(instruction, "SQRT") != NULL;
    return divides && strchr(throughput, '/') && measured < 10000 && measured > computed + 0.4
               ? (unsigned)floor(measured + 0.49)
               : 0;
}

bool uops_table_csv(struct uops_table *t, const char *name, const char *text, size_t length,
                    struct err *err)
{
    static const char *const names[] = {"instruction", "latency", "throughput", "uops", "ports"};
    struct csv_table *csv = csv_table_parse(name, text, length, err);
    int column[5];
    bool ok = csv != NULL;

    for (int i = 0; ok && i < 5; i++)
        if ((column[i] = csv_table_column(csv, names[i])) < 0) {
            err_set(err, ERR_DATA,
                    "the first line must be instruction,family,latency,throughput,uops,ports",
                    "the column %s is missing", names[i]);
            ok = err_at(err, name, 1, 1);
        }
    for (size_t i = 0; ok && i < csv->count; i++) {
        char **cells = csv->rows[i];
        double micro_ops = last_number(cells[column[3]]);
        struct uops_row row = {
            .name = cells[column[0]], .ports = cells[column[4]], .line = csv->lines[i]};
        row.latency = uops_latency(cells[column[1]], &row.upper_bound);
        row.micro_ops = micro_ops < 1e6 ? (unsigned)micro_ops : 0;
        row.divider = divider_cycles(row.name, cells[column[2]]);
        row.cycles = last_number(cells[column[2]]);
        uops_table_add(t, &row);
    }
    csv_table_free(csv);
    return ok;
}
