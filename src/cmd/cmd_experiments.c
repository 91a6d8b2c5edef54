/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/experiments_host.h"
#include "cmd/task.h"
#include "io/experiments_file.h"
#include "io/export_mapping.h"
#include "io/pmevo_json.h"
#include "table/experiment_columns.h"

bool experiments_required(const struct session *s, struct err *err)
{
    return s->document.experiments ||
           err_set(err, ERR_USAGE, "run experiments generate or experiments load first",
                   "no experiments");
}

struct experiments_load_values {
    const char *file;
    bool append;
};

static const struct parameter load_options[] = {
    {PARAMETER(FLAG, "--append", struct experiments_load_values, append),
     .fallback = "replace the session's experiments",
     .help = "add the file's experiments to the session's experiments"},
    {0},
};

struct experiments_loading {
    const char *file;
    struct experiments *(*read)(const char *path, struct err *err);
    struct experiments *base;      /* table that --append extends (counted reference); NULL: none */
    struct experiments *made;
};

static void loading_free(void *state)
{
    struct experiments_loading *l = state;
    experiments_free(l->base);
    experiments_free(l->made);
    free(l);
}

static void tell_table(const struct experiments *t, struct result *result)
{
    size_t measured = 0;
    for (size_t i = 0; i < t->rows.count; i++)
        measured += experiments_measured(t, i);
    result_line(result, "%zu experiment%s with %zu form%s; measured experiments: %zu",
                t->rows.count, plural(t->rows.count), t->forms.count, plural(t->forms.count),
                measured);
    result_count(result, "experiments", (int64_t)t->rows.count);
    result_count(result, "forms", (int64_t)t->forms.count);
    result_count(result, "measured", (int64_t)measured);
}

static bool load_work(void *state, struct result *result, struct err *err)
{
    struct experiments_loading *l = state;
    struct experiments *read = l->read(l->file, err);

    l->made = read && l->base ? experiments_copy(l->base, NULL) : read;
    if (read && l->base) {
        experiments_append(l->made, read);
        experiments_free(read);
    }
    if (!read || !watch_goes_on(err))
        return false;
    tell_table(l->made, result);
    return true;
}

static bool load_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct experiments_loading *l = state;
    return session_set_experiments(s, &l->made, l->base, err);
}

/* Calls @read on @v's file in a job. The complete table replaces the session's table. */
static bool load(struct session *s, const struct experiments_load_values *v,
                 struct experiments *(*read)(const char *path, struct err *err), struct task *task)
{
    static const struct task_ops ops = {"loads", load_work, load_publish, .free = loading_free};
    struct experiments_loading *l = mem_zero(1, sizeof *l);

    l->file = v->file;
    l->read = read;
    l->base =
        v->append && s->document.experiments ? experiments_hold(s->document.experiments) : NULL;
    return task_give(task, &ops, l);
}

static bool prepare_load(struct session *s, const void *values, struct task *task, struct err *err)
{
    return load(s, values, experiments_load, task);
}

const struct command command_experiments_load = {
    .name = "experiments load",
    .help = "load experiments from CSV",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct experiments_load_values, file), .required = true,
         .complete = COMPLETE_FILE,
         .help = "CSV with the column experiment and optionally cycles, spread, repeats and "
                 "state"}),
    .options = load_options,
    .examples = EXAMPLES("experiments load table.csv", "experiments load more.csv --append"),
    .values_size = sizeof(struct experiments_load_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_load,
};

static bool prepare_import(struct session *s, const void *values, struct task *task,
                           struct err *err)
{
    return load(s, values, pmevo_experiments_load, task);
}

const struct command command_experiments_import = {
    .name = "experiments import",
    .help = "load experiments from PMEvo's JSON",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct experiments_load_values, file), .required = true,
         .complete = COMPLETE_FILE, .help = "PMEvo's JSON"}),
    .options = load_options,
    .examples = EXAMPLES("experiments import experiments.json",
                         "experiments import more.json --append"),
    .values_size = sizeof(struct experiments_load_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_import,
};

struct experiments_save_values {
    const char *file;
    bool host;
};

static bool save_json(const struct experiments *t, enum isa isa, const char *file, struct err *err)
{
    struct forms *forms = forms_load(isa, NULL, err);
    struct str text = {0};

    if (!forms)
        return false;
    export_pmevo_experiments(t, forms, &text);
    bool ok = watch_goes_on(err) && file_write(file, text.data, text.length, err);
    str_done(&text);
    forms_free(forms);
    return ok;
}

static bool save_with_host(const struct experiments *table, const char *file, struct err *err)
{
    struct experiments *t = experiments_copy(table, NULL);

    experiments_host_fill(t);
    bool ok = watch_goes_on(err) && experiments_save(t, file, err);
    experiments_free(t);
    return ok;
}

static bool run_save(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct experiments_save_values *v = values;
    const struct experiments *t = s->document.experiments;
    const char *slash = strrchr(v->file, '/'), *dot = strrchr(slash ? slash : v->file, '.');

    if (!experiments_required(s, err))
        return false;
    if (dot && strcmp(dot, ".csv") != 0 && strcmp(dot, ".json") != 0)
        return err_set(err, ERR_USAGE, "use .csv, or .json for PMEvo",
                       "unknown file extension \"%s\"", dot);
    bool json = dot && strcmp(dot, ".json") == 0;
    if (json && v->host)
        return err_set(err, ERR_USAGE, "save as .csv", "PMEvo's JSON cannot store the host");
    result_note(result, "%zu experiment%s saved to %s", t->rows.count, plural(t->rows.count),
                v->file);
    return json      ? save_json(t, s->document.isa, v->file, err)
           : v->host ? save_with_host(t, v->file, err)
                     : experiments_save(t, v->file, err);
}

const struct command command_experiments_save = {
    .name = "experiments save",
    .help = "write the experiments as CSV, or as PMEvo's JSON",
    .arguments = PARAMETERS({PARAMETER(TEXT, "FILE", struct experiments_save_values, file),
                             .required = true, .complete = COMPLETE_FILE,
                             .help = "FILE.csv, or FILE.json for PMEvo; a name without an "
                                     "extension, such as /dev/stdout, selects CSV"}),
    .options = PARAMETERS({PARAMETER(FLAG, "--host", struct experiments_save_values, host),
                           .help = "CSV: in rows without a host, write this host's values to the "
                                   "columns host, cpu and microcode"}),
    .examples = EXAMPLES("experiments save table.csv", "experiments save experiments.json",
                         "experiments save node3.csv --host"),
    .values_size = sizeof(struct experiments_save_values),
    .doing = "saves",
    .read = run_save,
};

struct experiments_list_values {
    const char *filter;
};

/* Lists row @i. Text omits the state of a measured row. */
static void list_row(const struct experiments *t, size_t i, struct str *buffer,
                     struct result_table *table)
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
    cell_count_if(table, row->repeats, row->repeats);
    cell_text(table, row->state);
    cell_text(table, experiments_measured(t, i) ? "" : row->state);
    str_clear(buffer);
    experiment_column_text(&columns, i, EXPERIMENT_COLUMN_LENGTHS, buffer);
    cell_text(table, str_text(buffer));
    cell_count(table, (int64_t)i + 1);
}

static bool run_list(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "number", .kind = CELL_COUNT, .width = 6, .hide = NOT_CSV | NOT_JSON},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 3, .width = 9,
         .hide = NOT_CSV | NOT_JSON},
        {.key = "experiment", .kind = CELL_TEXT, .width = RAGGED},
        {.key = "cycles", .kind = CELL_NUMBER, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "spread", .kind = CELL_NUMBER, .decimals = SHORTEST, .hide = NOT_TEXT},
        {.key = "repeats", .kind = CELL_COUNT, .hide = NOT_TEXT},
        {.key = "state", .kind = CELL_TEXT, .hide = NOT_TEXT},
        {.key = "remark", .kind = CELL_TEXT, .width = RAGGED, .hide = ONLY_TEXT},
        {.key = EXPERIMENT_LENGTHS, .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "number", .kind = CELL_COUNT, .hide = NOT_TEXT | NOT_DOCUMENT},
    };
    const struct experiments_list_values *v = values;
    struct str buffer = {0};

    if (!experiments_required(s, err))
        return false;
    bool *fits = experiments_fitting(s, v->filter ? v->filter : "", err);
    if (!fits)
        return false;
    struct result_table *t = RESULT_TABLE(result, "experiments", columns);
    t->headless = true;
    for (size_t i = 0; i < s->document.experiments->rows.count && !watch_steps(4); i++)
        if (fits[i])
            list_row(s->document.experiments, i, &buffer, t);
    if (!table_rows(t))
        result_line(result, s->document.experiments->rows.count ? "no experiment matches"
                                                                : "no experiments");
    str_done(&buffer);
    free(fits);
    return true;
}

const struct command command_experiments_list = {
    .name = "experiments list",
    .help = "list the experiments with their measured cycles",
    .arguments = PARAMETERS(
        {PARAMETER(JOINED, "FILTER", struct experiments_list_values, filter),
         .fallback = "all experiments",
         .help = "conditions joined by &, such as cycles>2 & form~VADD"}),
    .examples = EXAMPLES("experiments list", "experiments list cycles>2 & form~VADD"),
    .values_size = sizeof(struct experiments_list_values),
    .read = run_list,
};

static bool run_clear(struct session *s, const void *values, struct result *result, struct err *err)
{
    const size_t count = s->document.experiments ? s->document.experiments->rows.count : 0;

    result_note(result, "%zu experiment%s deleted", count, plural(count));
    experiments_free(s->document.experiments);
    s->document.experiments = NULL;
    return true;
}

const struct command command_experiments_clear = {
    .name = "experiments clear",
    .help = "delete all experiments",
    .examples = EXAMPLES("experiments clear"),
    .flags = COMMAND_CHANGES,
    .run = run_clear,
};
