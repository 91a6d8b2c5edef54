/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compare.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "io/cpus.h"
#include "io/machine_file.h"
#include "isa/cpu.h"
#include "model/facts.h"

#define FILE_NAME "baseline.csv"
#define FILE_LIMIT ((size_t)1 << 20)
#define CLUSTER_WIDTH 0.005   /* relative: rounds that confirm each other */
#define CLUSTER_LEAST 4       /* rounds */
#define AS_FAST 0.985         /* of what is known, or of a cluster's rate */
/* of the issue width a loop of nops reaches on a quiet core: 5.58 of 6 on Golden Cove, 3.9 of 4 on
 * Skylake */
#define OF_EXPECTED 0.9
#define TRUSTED_SHARE 0.5     /* of rounds that agree when nothing is known of the core */
#define BETTER 1.003

enum baseline_column {
    CPU, SIGNATURE, MICROCODE, NOPS, PORTS, LOAD_WINDOW, DOUBTFUL, DAY, ROOM, COLUMNS
};
static const char *const names[COLUMNS] = {
    "cpu",         "signature", "microcode", "nops_per_cycle", "ports_per_cycle",
    "load_window", "doubtful",  "date",      "room_per_cycle"};

struct baseline_look baseline_look(double *cycles, size_t n)
{
    struct baseline_look look = {0, 0};
    size_t needed = n / 16 > CLUSTER_LEAST ? n / 16 : CLUSTER_LEAST;

    qsort(cycles, n, sizeof *cycles, compare_doubles);
    for (size_t i = 0; i + needed <= n && !(look.rate > 0); i++)
        if (cycles[i] > 0 && cycles[i + needed - 1] <= cycles[i] * (1 + CLUSTER_WIDTH))
            look.rate = 1 / cycles[i + needed / 2];
    for (size_t i = 0; i < n && look.rate > 0; i++)
        look.share += (cycles[i] > 0 && 1 / cycles[i] >= AS_FAST * look.rate) / (double)n;
    return look;
}

enum baseline_verdict baseline_judge(const struct baseline *known, const struct baseline_look *nops,
                                     const struct baseline_look *ports, double expected)
{
    if (known->nops > 0 && !known->doubtful)
        return nops->rate >= AS_FAST * known->nops ? BASELINE_QUIET : BASELINE_BUSY;
    if (!(nops->rate > 0))
        return BASELINE_DOUBTFUL;
    if (expected > 0)
        return nops->rate >= OF_EXPECTED * expected ? BASELINE_QUIET : BASELINE_DOUBTFUL;
    bool most = nops->share >= TRUSTED_SHARE && ports->share >= TRUSTED_SHARE;
    return most && nops->rate >= AS_FAST * known->nops && ports->rate >= AS_FAST * known->ports
               ? BASELINE_QUIET
               : BASELINE_DOUBTFUL;
}

bool baseline_better(const struct baseline *known, const struct baseline *seen)
{
    if (!(known->nops > 0) || (known->doubtful && !seen->doubtful))
        return seen->nops > 0;
    if (seen->doubtful && !known->doubtful)
        return false;
    return seen->nops > BETTER * known->nops || seen->ports > BETTER * known->ports ||
           seen->room > BETTER * known->room || (!known->load_window && seen->load_window);
}

/* Issue slots per cycle, and nops in each of them. */
static double width_by_facts(double *nops)
{
    struct err err = {0};
    struct cpu_native native;
    double width = NAN;

    if (!cpu_native_find(&native, &err))
        return NAN;
    struct machine *m = machine_load_shipped(native.machine, &err);
    if (m) {
        width = fact_number(m, "issue_width");
        *nops = fact_switch(m, "fuse_nop") ? 2 : 1;
    }
    machine_free(m);
    cpu_native_done(&native);
    return width > 0 ? width : NAN;
}

double baseline_width(void)
{
    double nops;
    return width_by_facts(&nops);
}

double baseline_expected(void)
{
    double nops = 1, width = width_by_facts(&nops);
    return width * nops;
}

void baseline_today(char day[BASELINE_DAY])
{
    time_t now = time(NULL);
    struct tm parts;

    *day = '\0';
    if (localtime_r(&now, &parts))
        strftime(day, BASELINE_DAY, "%Y-%m-%d", &parts);
}

/* What the kernel says of the microcode; nothing on processors that have none. */
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

void baseline_identity(struct str *name, struct str *signature, struct str *microcode)
{
    char buffer[64];

    str_add(name, cpu_name(buffer, sizeof buffer));
    str_addf(signature, "%08x", cpu_signature());
    microcode_add(microcode);
}

/* The table of all CPUs, NULL when there is none that can be read; @own is the row of this one, or
 * its count. */
static struct csv_table *table_read(const char *path, const struct str identity[3],
                                    int columns[COLUMNS], size_t *own)
{
    struct err err = {0};
    struct csv_table *t = csv_table_read(path, &err);
    bool whole = t != NULL;

    for (int c = 0; whole && c < COLUMNS; c++) {
        columns[c] = csv_table_column(t, names[c]);
        whole &= columns[c] >= 0 || c == ROOM;   /* older files have none */
    }
    if (!whole) {
        csv_table_free(t);
        return NULL;
    }
    for (*own = 0; *own < t->count; ++*own) {
        bool same = true;
        for (int c = CPU; c <= MICROCODE; c++)
            same &= strcmp(t->rows[*own][columns[c]], str_text(&identity[c])) == 0;
        if (same)
            break;
    }
    return t;
}

static void identity_done(struct str identity[3])
{
    for (int c = CPU; c <= MICROCODE; c++)
        str_done(&identity[c]);
}

void baseline_recall(struct baseline *out)
{
    struct str identity[3] = {{0}};
    int columns[COLUMNS];
    size_t own = 0;
    char *path = path_state(FILE_NAME);

    *out = (struct baseline){0};
    baseline_identity(&identity[CPU], &identity[SIGNATURE], &identity[MICROCODE]);
    struct csv_table *t = path ? table_read(path, identity, columns, &own) : NULL;
    if (t && own < t->count) {
        char **row = t->rows[own];
        double nops = strtod(row[columns[NOPS]], NULL), ports = strtod(row[columns[PORTS]], NULL),
               window = strtod(row[columns[LOAD_WINDOW]], NULL);
        if (nops > 0 && nops < 1000 && ports > 0 && ports < 1000) {
            double room = columns[ROOM] >= 0 ? strtod(row[columns[ROOM]], NULL) : 0;
            out->nops = nops;
            out->ports = ports;
            out->room = room > 0 && room < 1000 ? room : 0;
            out->load_window = window >= 64 && window <= 65536 ? (unsigned)window : 0;
            out->doubtful = strcmp(row[columns[DOUBTFUL]], "yes") == 0;
            snprintf(out->day, sizeof out->day, "%s", row[columns[DAY]]);
        }
    }
    csv_table_free(t);
    identity_done(identity);
    free(path);
}

static void row_add(struct str *out, const struct str identity[3], const struct baseline *b)
{
    char number[32];

    for (int c = CPU; c <= MICROCODE; c++)
        csv_add_field(out, str_text(&identity[c]), false);
    snprintf(number, sizeof number, "%.4f", b->nops);
    csv_add_field(out, number, false);
    snprintf(number, sizeof number, "%.4f", b->ports);
    csv_add_field(out, number, false);
    snprintf(number, sizeof number, "%u", b->load_window);
    csv_add_field(out, number, false);
    csv_add_field(out, b->doubtful ? "yes" : "no", false);
    csv_add_field(out, b->day, false);
    snprintf(number, sizeof number, "%.4f", b->room);
    csv_add_field(out, number, true);
}

void baseline_remember(struct baseline *b)
{
    struct str identity[3] = {{0}}, text = {0};
    struct err err = {0};
    int columns[COLUMNS];
    size_t own = 0;
    char *path = path_state(FILE_NAME), why[512];

    baseline_today(b->day);
    if (!path)
        return;
    baseline_identity(&identity[CPU], &identity[SIGNATURE], &identity[MICROCODE]);
    struct csv_table *t = table_read(path, identity, columns, &own);
    for (int c = 0; c < COLUMNS; c++)
        csv_add_field(&text, names[c], c == COLUMNS - 1);
    for (size_t i = 0; t && i < t->count; i++)
        for (int c = 0; i != own && c < COLUMNS; c++)
            csv_add_field(&text, columns[c] >= 0 ? t->rows[i][columns[c]] : "", c == COLUMNS - 1);
    row_add(&text, identity, b);
    if (!path_make_parents(path, 0777, &err) || !file_write(path, text.data, text.length, &err))
        log_add(LOG_WARN, "cannot save the idle baseline: %s", err_text(&err, why, sizeof why));
    csv_table_free(t);
    str_done(&text);
    identity_done(identity);
    free(path);
}
