/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "base/csv.h"
#include "io/experiments_file.h"
#include "io/pmevo_json.h"
#include "model/metrics.h"
#include "throughput/predict.h"

#define WORST_SHOWN 10

static bool is_json(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* A machine's mapping, or one in a PMEvo file. *@owned: to be freed. */
static struct machine *machine_named(struct session *s, const char *name, bool *owned, struct err *err)
{
    *owned = is_json(name);
    if (!*owned)
        return session_machine(s, name, err);
    struct mapping *mapping = pmevo_mapping_load(name, err);
    struct machine *m = mapping ? machine_new(name, mapping_ports(mapping)) : NULL;
    if (m) {
        mapping_free(m->mapping);
        m->mapping = mapping;
    }
    return m;
}

struct miss {
    size_t row;
    double error;
};

static int compare_misses(const void *a, const void *b)
{
    double x = ((const struct miss *)a)->error, y = ((const struct miss *)b)->error;
    return (x < y) - (x > y);
}

/* Rows with both numbers, the worst first; the caller frees. */
static struct miss *find_misses(const struct experiments *t, const double *predicted, size_t *count)
{
    struct miss *misses = mem_alloc((t->rows.count + 1) * sizeof *misses);

    *count = 0;
    for (size_t i = 0; i < t->rows.count; i++)
        if (experiments_measured(t, i) && !isnan(predicted[i]))
            misses[(*count)++] = (struct miss){i, fabs(predicted[i] - t->rows.items[i].cycles) / t->rows.items[i].cycles};
    if (*count)
        qsort(misses, *count, sizeof *misses, compare_misses);
    return misses;
}

static json_t *heat_json(const struct heat_map *map)
{
    json_t *rows = json_array();
    for (int y = 0; y < METRICS_CELLS; y++) {
        json_t *row = json_array();
        for (int x = 0; x < METRICS_CELLS; x++)
            json_array_append_new(row, json_integer(map->cell[y][x]));
        json_array_append_new(rows, row);
    }
    return json_pack("{s:f, s:o}", "limit", map->limit, "cells", rows);
}

/* Predicted upwards, measured to the right; darker is more. */
static void heat_text(struct session *s, const struct heat_map *map)
{
    static const char ramp[] = " .:-=+*#%@";

    for (int y = METRICS_CELLS - 1; y >= 0; y--) {
        str_addf(&s->output, "%7.2f |", (y + 1) * map->limit / METRICS_CELLS);
        for (int x = 0; x < METRICS_CELLS; x++) {
            double part = map->highest > 1 ? log(map->cell[y][x] + 1.0) / log(map->highest + 1.0) : map->cell[y][x];
            str_addf(&s->output, "%c%c", ramp[(int)(part * 9)], ramp[(int)(part * 9)]);
        }
        str_add(&s->output, "\n");
    }
    str_addf(&s->output, "        0 measured %*.2f cycles; predicted upwards; darkest: %u experiments a cell\n", 2 * METRICS_CELLS - 18, map->limit,
             map->highest);
}

static void heat_map_of(const struct experiments *t, const double *predicted, struct heat_map *map)
{
    size_t n;
    struct miss *pairs = find_misses(t, predicted, &n);
    double *p = mem_alloc((2 * n + 1) * sizeof *p), *m = p + n;

    for (size_t i = 0; i < n; i++) {
        p[i] = predicted[pairs[i].row];
        m[i] = t->rows.items[pairs[i].row].cycles;
    }
    metrics_heat_map(p, m, n, 0, map);
    free(p);
    free(pairs);
}

static json_t *number_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static void print_accuracy(struct session *s, const char *name, const struct experiments *t, const double *predicted, bool heat)
{
    struct accuracy a = metrics_accuracy(t, predicted);
    struct heat_map map;
    struct str text = {0};
    size_t n;

    if (heat)
        heat_map_of(t, predicted, &map);
    struct miss *misses = find_misses(t, predicted, &n);
    json_t *worst = json_array();
    if (s->settings.format == FORMAT_CSV)
        str_addf(&s->output, "%s,%zu,%.17g,%.17g,%.17g,%zu\n", name, a.n, a.mape, a.pearson, a.spearman, a.unknown);
    if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%-24s %7zu %9.2f %% %9.4f %9.4f\n", name, a.n, 100 * a.mape, a.pearson, a.spearman);
    if (s->settings.format == FORMAT_TEXT && a.unknown)
        str_addf(&s->output, "    left out: %zu experiments with a form that it does not know\n", a.unknown);
    for (size_t i = 0; i < n && i < WORST_SHOWN; i++) {
        str_clear(&text);
        experiments_print(t, misses[i].row, &text);
        double cycles = t->rows.items[misses[i].row].cycles;
        json_array_append_new(worst, json_pack("{s:s, s:f, s:f}", "experiment", str_text(&text), "measured", cycles, "predicted", predicted[misses[i].row]));
        if (s->settings.format == FORMAT_TEXT && misses[i].error > 0.005)
            str_addf(&s->output, "    %8.3f instead of %8.3f  %s\n", predicted[misses[i].row], cycles, str_text(&text));
    }
    if (s->settings.format == FORMAT_TEXT && heat)
        heat_text(s, &map);
    if (s->settings.format == FORMAT_JSON) {
        json_t *object = json_pack("{s:s, s:I, s:o, s:o, s:o, s:I, s:O}", "mapping", name, "n", (json_int_t)a.n, "mape", number_or_null(a.mape), "pearson",
                                   number_or_null(a.pearson), "spearman", number_or_null(a.spearman), "unknown", (json_int_t)a.unknown, "worst", worst);
        if (heat)
            json_object_set_new(object, "heatmap", heat_json(&map));
        session_json(s, object);
    }
    json_decref(worst);
    free(misses);
    str_done(&text);
}

bool cmd_evaluate(struct session *s, int argc, char **argv, struct err *err)
{
    struct option_list names = {0};
    bool heat = false;
    const struct legacy_option options[] = {{"--mapping", OPTION_LIST, &names}, {"--heatmap", OPTION_FLAG, &heat}, {NULL, OPTION_FLAG, NULL}};
    struct experiments *loaded = NULL;
    const char *file = NULL;
    size_t words;
    bool ok = true;

    if (!options_parse(argc, argv, options, &file, 1, &words, err))
        return false;
    if (words && !(loaded = is_json(file) ? pmevo_experiments_load(file, err) : experiments_load(file, err)))
        return false;
    const struct experiments *t = loaded ? loaded : s->document.experiments;
    if (!t)
        return err_set(err, ERR_USAGE, "evaluate FILE, or experiments load FILE first", "there are no experiments");
    if (!names.count)
        names.items[names.count++] = s->document.selected[0];
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "mapping,n,mape,pearson,spearman,unknown\n");
    else if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%-24s %7s %11s %9s %9s\n", "mapping", "n", "MAPE", "Pearson", "Spearman");
    double *predicted = mem_alloc((t->rows.count + 1) * sizeof *predicted);
    for (size_t i = 0; ok && i < names.count; i++) {
        bool owned;
        struct machine *m = machine_named(s, names.items[i], &owned, err);
        ok = m != NULL;
        if (!ok)
            break;
        machine_predict(m, t, predicted);
        print_accuracy(s, names.items[i], t, predicted, heat);
        if (owned)
            machine_free(m);
    }
    free(predicted);
    experiments_free(loaded);
    return ok;
}
