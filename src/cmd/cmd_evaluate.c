/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "io/experiments_file.h"
#include "io/pmevo_json.h"
#include "model/metrics.h"
#include "throughput/predict.h"

#define WORST_SHOWN 10
#define LISTED 0.005   /* smallest relative error listed in text */

static bool is_json(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static struct machine *machine_in_file(const char *path, struct err *err)
{
    struct mapping *mapping = pmevo_mapping_load(path, err);
    struct machine *m = mapping ? machine_new(path, mapping_ports(mapping)) : NULL;
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

ORDER_BY(compare_misses, struct miss, DESCENDING(error))

/* Returns the rows with a measured and a predicted value, largest error first. The caller frees
 * them. Sets *@count to the number of rows. Returns NULL if memory is exhausted. */
static struct miss *find_misses(const struct experiments *t, const double *predicted, size_t *count)
{
    struct miss *misses = shortage_alloc((t->rows.count + 1) * sizeof *misses);

    *count = 0;
    for (size_t i = 0; misses && i < t->rows.count; i++)
        if (experiments_measured(t, i) && !isnan(predicted[i]))
            misses[(*count)++] = (struct miss){i, fabs(predicted[i] - t->rows.items[i].cycles) /
                                                      t->rows.items[i].cycles};
    if (*count)
        qsort(misses, *count, sizeof *misses, compare_misses);
    return misses;
}

static json_t *heat_json(const struct heat_map *map)
{
    json_t *rows = json_array(), *object = json_object();

    for (int y = 0; y < METRICS_CELLS; y++) {
        json_t *row = json_array();
        for (int x = 0; x < METRICS_CELLS; x++)
            json_array_append_new(row, json_integer(map->cell[y][x]));
        json_array_append_new(rows, row);
    }
    json_object_set_new(object, "limit", json_number(map->limit));
    json_object_set_new(object, "cells", rows);
    return object;
}

/* Draws the heat map: measured values increase to the right, predicted values upwards. A darker
 * character shows more experiments. */
static void heat_text(const struct heat_map *map, struct result *result)
{
    static const char ramp[] = " .:-=+*#%@";
    struct str text = {0};

    for (int y = METRICS_CELLS - 1; y >= 0; y--) {
        str_addf(&text, "%7.2f |", (y + 1) * map->limit / METRICS_CELLS);
        for (int x = 0; x < METRICS_CELLS; x++) {
            double part = map->highest > 1 ? log(map->cell[y][x] + 1.0) / log(map->highest + 1.0)
                                           : map->cell[y][x];
            str_addf(&text, "%c%c", ramp[(int)(part * 9)], ramp[(int)(part * 9)]);
        }
        str_add_char(&text, '\n');
    }
    str_addf(
        &text,
        "        0 measured %*.2f cycles; vertical axis: predicted cycles; darkest cell: %u "
        "experiment%s\n",
        2 * METRICS_CELLS - 18, map->limit, map->highest, plural(map->highest));
    result_line(result, "%s", str_text(&text));
    str_done(&text);
}

static void heat_map_of(const struct experiments *t, const double *predicted, struct heat_map *map)
{
    size_t n;
    struct miss *pairs = find_misses(t, predicted, &n);
    double *p = shortage_alloc((2 * n + 1) * sizeof *p), *m = p + n;
    memset(map, 0, sizeof *map);
    for (size_t i = 0; p && i < n; i++) {
        p[i] = predicted[pairs[i].row];
        m[i] = t->rows.items[pairs[i].row].cycles;
    }
    if (p)
        metrics_heat_map(p, m, n, 0, map);
    free(p);
    free(pairs);
}

static json_t *worst_json(const struct experiments *t, const struct miss *misses, size_t count,
                          const double *predicted)
{
    json_t *worst = json_array();
    struct str text = {0};

    for (size_t i = 0; i < count && i < WORST_SHOWN; i++) {
        json_t *object = json_object();
        str_clear(&text);
        experiments_print(t, misses[i].row, &text);
        json_object_set_new(object, "experiment", json_text(str_text(&text)));
        json_object_set_new(object, "measured", json_number(t->rows.items[misses[i].row].cycles));
        json_object_set_new(object, "predicted", json_number(predicted[misses[i].row]));
        json_array_append_new(worst, object);
    }
    str_done(&text);
    return worst;
}

static void worst_rows(struct result_table *t, const char *name, const struct experiments *e,
                       const struct miss *misses, size_t count, const double *predicted)
{
    struct str text = {0};

    for (size_t i = 0; i < count && i < WORST_SHOWN; i++) {
        str_clear(&text);
        experiments_print(e, misses[i].row, &text);
        cell_text(t, name);
        cell_text(t, str_text(&text));
        cell_number(t, e->rows.items[misses[i].row].cycles);
        cell_number(t, predicted[misses[i].row]);
    }
    str_done(&text);
}

static void worst_lines(const struct experiments *t, const struct miss *misses, size_t count,
                        const double *predicted, struct result *result)
{
    struct str text = {0};

    for (size_t i = 0; i < count && i < WORST_SHOWN && misses[i].error > LISTED; i++) {
        str_clear(&text);
        experiments_print(t, misses[i].row, &text);
        result_line(result, "    predicted %8.3f, measured %8.3f  %s", predicted[misses[i].row],
                    t->rows.items[misses[i].row].cycles, str_text(&text));
    }
    str_done(&text);
}

enum { COLUMNS = 9 };   /* The last column exists only with --heatmap. */
static const struct result_column columns[COLUMNS] = {
    {.key = "mapping", .kind = CELL_TEXT, .width = 24},
    {.key = "n", .kind = CELL_COUNT, .width = 7},
    {.key = "mape", .title = "MAPE", .unit = "%", .kind = CELL_NUMBER, .decimals = 2, .width = 10,
     .hide = NOT_CSV | NOT_JSON},
    {.key = "mape", .kind = CELL_NUMBER, .hide = NOT_TEXT | NOT_DOCUMENT},
    {.key = "pearson", .title = "Pearson", .kind = CELL_NUMBER, .decimals = 4, .width = 8},
    {.key = "spearman", .title = "Spearman", .kind = CELL_NUMBER, .decimals = 4, .width = 8},
    {.key = "unknown", .kind = CELL_COUNT, .hide = NOT_TEXT},
    {.key = "worst", .kind = CELL_NESTED},
    {.key = "heatmap", .kind = CELL_NESTED},
};

static const struct result_column worst_columns[] = {{.key = "mapping", .kind = CELL_TEXT},
                                                     {.key = "experiment", .kind = CELL_TEXT},
                                                     {.key = "measured", .kind = CELL_NUMBER},
                                                     {.key = "predicted", .kind = CELL_NUMBER}};

/* Adds one mapping: its row to @table, its worst predictions to @worst and its text to @details.
 * @heat: whether to add a heat map. @headed: whether the text begins with @name. */
static void add_accuracy(const char *name, const struct experiments *t, const double *predicted,
                         bool heat, bool headed, struct result_table *table,
                         struct result_table *worst, struct result *details)
{
    struct accuracy a = metrics_accuracy(t, predicted);
    struct heat_map map;
    size_t n;
    struct miss *misses = find_misses(t, predicted, &n);

    cell_text(table, name);
    cell_count(table, (int64_t)a.n);
    cell_number(table, 100 * a.mape);
    cell_number(table, a.mape);
    cell_number(table, a.pearson);
    cell_number(table, a.spearman);
    cell_count(table, (int64_t)a.unknown);
    cell_nested(table, worst_json(t, misses, n, predicted));
    if (headed && (a.unknown || heat || (n && misses[0].error > LISTED)))
        result_line(details, "%s:", name);
    if (a.unknown)
        result_line(details, "    not evaluated: %zu experiment%s with unknown forms", a.unknown,
                    plural(a.unknown));
    worst_lines(t, misses, n, predicted, details);
    worst_rows(worst, name, t, misses, n, predicted);
    if (heat) {
        heat_map_of(t, predicted, &map);
        cell_nested(table, heat_json(&map));
        heat_text(&map, details);
    }
    free(misses);
}

struct evaluate_values {
    const char *file;
    struct word_list mappings;
    bool heat;
};

static bool evaluate_all(struct session *s, const struct evaluate_values *v,
                         const struct experiments *t, struct result *result, struct err *err)
{
    const char *current = s->document.selected[0];
    const char *const *names = v->mappings.count ? v->mappings.items : &current;
    const size_t count = v->mappings.count ? v->mappings.count : 1;
    struct result_table *table =
        result_table(result, "mappings", columns, v->heat ? COLUMNS : COLUMNS - 1);
    struct result_table *worst = RESULT_TABLE(result, "worst", worst_columns);
    size_t bytes = (t->rows.count + 1) * sizeof(double);
    double *predicted = mem_try_alloc(bytes);
    bool ok = predicted || err_memory_for(err, "the predictions", bytes);

    table->shape = TABLE_SPREAD;
    worst->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    for (size_t i = 0; ok && i < count; i++) {
        struct machine *read = is_json(names[i]) ? machine_in_file(names[i], err) : NULL;
        const struct machine *m = is_json(names[i]) ? read : session_machine(s, names[i], err);
        watch_at("mappings", (double)i, (double)count);
        if (m)
            machine_predict(m, t, predicted);
        ok = m && watch_goes_on(err);
        if (ok)
            add_accuracy(names[i], t, predicted, v->heat, count > 1, table, worst, result);
        machine_free(read);
    }
    free(predicted);
    return ok;
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct evaluate_values *v = values;
    struct experiments *t = NULL;

    if (!v->file && !s->document.experiments)
        return err_set(err, ERR_USAGE, "use evaluate FILE, or experiments load FILE first",
                       "no experiments");
    for (size_t i = 0; i < v->mappings.count; i++)
        if (!is_json(v->mappings.items[i]) && !session_machine(s, v->mappings.items[i], err))
            return false;
    if (v->file && !(t = is_json(v->file) ? pmevo_experiments_load(v->file, err)
                                          : experiments_load(v->file, err)))
        return false;
    bool ok = evaluate_all(s, v, t ? t : s->document.experiments, result, err);
    experiments_free(t);
    return ok;
}

const struct command command_evaluate = {
    .name = "evaluate",
    .help = "show the accuracy of mappings on measured experiments, and the worst predictions",
    .description = "MAPE is the mean of |predicted - measured| / measured. Pearson and Spearman "
                   "are correlations. Predictions include the machine's issue width.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct evaluate_values, file), .complete = COMPLETE_FILE,
         .fallback = "the session's experiments",
         .help = "measured experiments: CSV, or PMEvo's JSON"}),
    .options = PARAMETERS(
        {PARAMETER(WORDS, "--mapping", struct evaluate_values, mappings), .value = "ID",
         .complete = COMPLETE_MACHINE, .fallback = "the current machine",
         .help = "a machine, or a file with a mapping in PMEvo's JSON format"},
        {PARAMETER(FLAG, "--heatmap", struct evaluate_values, heat),
         .help = "also print a heat map of predicted against measured cycles"}),
    .examples = EXAMPLES("evaluate --mapping skylake --mapping znver4",
                         "evaluate measured.csv --heatmap"),
    .values_size = sizeof(struct evaluate_values),
    .doing = "evaluates",
    .read = run,
};
