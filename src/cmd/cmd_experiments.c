/* SPDX-License-Identifier: GPL-3.0-or-later */
/* experiments load, import, save, list, clear */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd/command.h"
#include "io/experiments_file.h"
#include "io/export_experiments.h"
#include "io/pmevo_json.h"
#include "table/experiment_columns.h"

bool experiments_required(const struct session *s, struct err *err)
{
    return s->document.experiments || err_set(err, ERR_USAGE, "experiments generate or experiments load first", "no experiments");
}

struct load_values {
    const char *file;
    bool append;
};

static const struct parameter load_arguments[] = {
    {.name = "FILE", .kind = PARAMETER_TEXT, .at = offsetof(struct load_values, file), .required = true, .complete = COMPLETE_FILE,
     .help = "CSV with the column experiment and optionally cycles, spread, repeats and state"},
    {0},
};
static const struct parameter import_arguments[] = {
    {.name = "FILE", .kind = PARAMETER_TEXT, .at = offsetof(struct load_values, file), .required = true, .complete = COMPLETE_FILE, .help = "PMEvo's JSON"},
    {0},
};
static const struct parameter load_options[] = {
    {.name = "--append", .kind = PARAMETER_FLAG, .at = offsetof(struct load_values, append), .otherwise = "replace the session's experiments",
     .help = "add to the session's experiments"},
    {0},
};

/* Takes @take_table in place of the session's, or adds it there; false when it is NULL. */
static bool take(struct session *s, struct experiments *take_table, bool append, struct result *result)
{
    if (!take_table)
        return false;
    if (append && s->document.experiments) {
        experiments_append(s->document.experiments, take_table);
        experiments_free(take_table);
    } else {
        experiments_free(s->document.experiments);
        s->document.experiments = take_table;
    }
    const struct experiments *t = s->document.experiments;
    size_t measured = 0;
    for (size_t i = 0; i < t->rows.count; i++)
        measured += experiments_measured(t, i);
    result_line(result, "%zu experiment%s with %zu form%s, %zu of them measured", t->rows.count, t->rows.count == 1 ? "" : "s", t->forms.count,
                t->forms.count == 1 ? "" : "s", measured);
    result_count(result, "experiments", (int64_t)t->rows.count);
    result_count(result, "forms", (int64_t)t->forms.count);
    result_count(result, "measured", (int64_t)measured);
    return true;
}

static bool run_load(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct load_values *v = values;
    return take(s, experiments_load(v->file, err), v->append, result);
}

static const char *const load_examples[] = {"experiments load table.csv", "experiments load more.csv --append", NULL};

const struct command command_experiments_load = {
    .name = "experiments load",
    .help = "load experiments from CSV",
    .arguments = load_arguments,
    .options = load_options,
    .examples = load_examples,
    .values_size = sizeof(struct load_values),
    .flags = COMMAND_CHANGES,
    .run = run_load,
};

static bool run_import(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct load_values *v = values;
    return take(s, pmevo_experiments_load(v->file, err), v->append, result);
}

static const char *const import_examples[] = {"experiments import experiments.json", NULL};

const struct command command_experiments_import = {
    .name = "experiments import",
    .help = "load experiments from PMEvo's JSON",
    .arguments = import_arguments,
    .options = load_options,
    .examples = import_examples,
    .values_size = sizeof(struct load_values),
    .flags = COMMAND_CHANGES,
    .run = run_import,
};

struct save_values {
    const char *file;
};

static const struct parameter save_arguments[] = {
    {.name = "FILE", .kind = PARAMETER_TEXT, .at = offsetof(struct save_values, file), .required = true, .complete = COMPLETE_FILE,
     .help = "FILE.csv, or FILE.json for PMEvo; CSV when there is no extension, as in /dev/stdout"},
    {0},
};

static bool save_json(struct session *s, const char *file, struct err *err)
{
    const struct forms *forms = session_forms(s, s->document.isa, err);
    struct str text = {0};

    if (!forms)
        return false;
    export_pmevo_experiments(s->document.experiments, forms, &text);
    bool ok = file_write(file, text.data, text.length, err);
    str_done(&text);
    return ok;
}

static bool run_save(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct save_values *v = values;
    const char *slash = strrchr(v->file, '/'), *dot = strrchr(slash ? slash : v->file, '.');

    (void)result;
    if (!experiments_required(s, err))
        return false;
    if (!dot || strcmp(dot, ".csv") == 0)
        return experiments_save(s->document.experiments, v->file, err);
    if (strcmp(dot, ".json") == 0)
        return save_json(s, v->file, err);
    return err_set(err, ERR_USAGE, "use .csv, or .json for PMEvo", "unknown file extension \"%s\"", dot);
}

static const char *const save_examples[] = {"experiments save table.csv", "experiments save experiments.json", NULL};

const struct command command_experiments_save = {
    .name = "experiments save",
    .help = "write the experiments as CSV, or as PMEvo's JSON",
    .arguments = save_arguments,
    .examples = save_examples,
    .values_size = sizeof(struct save_values),
    .run = run_save,
};

struct list_values {
    const char *filter;
};

static const struct parameter list_arguments[] = {
    {.name = "FILTER", .kind = PARAMETER_JOINED, .at = offsetof(struct list_values, filter), .otherwise = "all experiments",
     .help = "conditions joined by &, such as cycles>2 & form~VADD"},
    {0},
};

/* Row @i of the experiments; the state of what was measured is told to programs only. */
static void list_row(const struct experiments *t, size_t i, struct str *buffer, struct result_table *table)
{
    const struct experiment_columns columns = {t, NULL};
    const struct experiment_row *row = &t->rows.items[i];

    str_clear(buffer);
    experiments_print(t, i, buffer);
    cell_count(table, (int64_t)i + 1);
    cell_number(table, row->cycles);
    cell_text(table, str_text(buffer));
    cell_number(table, row->cycles);
    cell_number(table, row->spread);
    if (row->repeats)
        cell_count(table, row->repeats);
    else
        cell_missing(table);
    cell_text(table, row->state);
    cell_text(table, isnan(row->cycles) ? row->state : "");
    str_clear(buffer);
    experiment_column_text(&columns, i, EXPERIMENT_COLUMN_LENGTHS, buffer);
    cell_text(table, str_text(buffer));
}

static bool run_list(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "number", .kind = CELL_COUNT, .width = 6, .hide = NOT_CSV},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 3, .width = 9, .hide = NOT_CSV | NOT_JSON},
        {.key = "experiment", .kind = CELL_TEXT, .width = RAGGED},
        {.key = "cycles", .kind = CELL_NUMBER, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "spread", .kind = CELL_NUMBER, .decimals = SHORTEST, .hide = NOT_TEXT | NOT_JSON},
        {.key = "repeats", .kind = CELL_COUNT, .hide = NOT_TEXT | NOT_JSON},
        {.key = "state", .kind = CELL_TEXT, .hide = NOT_TEXT},
        {.key = "remark", .kind = CELL_TEXT, .width = RAGGED, .hide = ONLY_TEXT},
        {.key = EXPERIMENT_LENGTHS, .kind = CELL_TEXT, .hide = ONLY_JSON},
    };
    const struct list_values *v = values;
    struct str buffer = {0};

    if (!experiments_required(s, err))
        return false;
    bool *fits = experiments_fitting(s, v->filter ? v->filter : "", err);
    if (!fits)
        return false;
    struct result_table *t = result_table(result, "experiments", columns, sizeof columns / sizeof *columns);
    t->headless = true;
    for (size_t i = 0; i < s->document.experiments->rows.count; i++)
        if (fits[i])
            list_row(s->document.experiments, i, &buffer, t);
    if (!table_rows(t))
        result_line(result, s->document.experiments->rows.count ? "no experiment matches" : "no experiments");
    str_done(&buffer);
    free(fits);
    return true;
}

static const char *const list_examples[] = {"experiments list", "experiments list cycles>2 & form~VADD", NULL};

const struct command command_experiments_list = {
    .name = "experiments list",
    .help = "list the experiments with their measured cycles",
    .arguments = list_arguments,
    .examples = list_examples,
    .values_size = sizeof(struct list_values),
    .run = run_list,
};

static bool run_clear(struct session *s, const void *values, struct result *result, struct err *err)
{
    (void)values;
    (void)result;
    (void)err;
    experiments_free(s->document.experiments);
    s->document.experiments = NULL;
    return true;
}

static const char *const clear_examples[] = {"experiments clear", NULL};

const struct command command_experiments_clear = {
    .name = "experiments clear",
    .help = "delete all experiments",
    .examples = clear_examples,
    .flags = COMMAND_CHANGES,
    .run = run_clear,
};
