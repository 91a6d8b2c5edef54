/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/experiments_host.h"
#include "io/experiments_file.h"

#define THRESHOLD 5        /* default threshold in percent */
#define ABREAST 5          /* maximum number of hosts per table in text */
#define ROWS_SHOWN 40      /* maximum number of rows in text */

/* A file of measurements. @name is taken from its column host, or is the file's name if the file
 * lacks this column. */
struct fleet_host {
    const char *file;
    char *name, *cpu, *microcode;   /* cpu and microcode: "" if unknown */
    struct experiments *table;
    /* number of experiments that another host also measured, and number of these that differ from
     * the median */
    size_t compared, differing;
    /* sum of the relative differences from the median, over the compared experiments */
    double difference;
};

/* An experiment that at least two hosts measured */
struct fleet_row {
    char *text;
    double *cycles;        /* per host; NaN: not measured on that host */
    double difference;     /* ratio of the largest to the smallest cycles, minus 1 */
};

struct fleet_comparing {
    struct fleet_host *hosts;
    size_t count;
    double threshold;
    VEC(struct fleet_row) rows;
    size_t compared;       /* number of experiments that several hosts measured; @rows has only the
                            * experiments that differ */
};

static void comparing_done(struct fleet_comparing *w)
{
    for (size_t i = 0; i < w->count; i++) {
        struct fleet_host *h = &w->hosts[i];
        free(h->name);
        free(h->cpu);
        free(h->microcode);
        experiments_free(h->table);
    }
    for (size_t i = 0; i < w->rows.count; i++) {
        free(w->rows.items[i].text);
        free(w->rows.items[i].cycles);
    }
    vec_done(&w->rows);
    free(w->hosts);
}

/* Returns a copy of the first value in column @name of @t that is not empty; "" if there is none.
 * The caller frees it. */
static char *said(const struct experiments *t, const char *name)
{
    uint32_t column = names_find(&t->extra, name);

    for (size_t i = 0; column != UINT32_MAX && i < t->rows.count; i++) {
        const char *text = experiments_extra(t, i, column);
        if (text && *text)
            return mem_strdup(text);
    }
    return mem_strdup("");
}

static bool read_hosts(struct fleet_comparing *w, struct err *err)
{
    for (size_t i = 0; i < w->count; i++) {
        struct fleet_host *h = &w->hosts[i];
        if (!(h->table = experiments_load(h->file, err)))
            return false;
        h->name = said(h->table, HOST_COLUMN);
        h->cpu = said(h->table, HOST_CPU_COLUMN);
        h->microcode = said(h->table, HOST_MICROCODE_COLUMN);
        if (*h->name)
            continue;
        const char *slash = strrchr(h->file, '/');
        free(h->name);
        h->name = mem_strdup(slash ? slash + 1 : h->file);
    }
    return true;
}

struct fleet_value {
    char *text;
    size_t host;
    double cycles;
};

ORDER_BY(order_values, struct fleet_value, TEXTUAL(text) ?: ASCENDING(cycles))

/* Compares all measurements of one experiment. If a host has several measurements, uses the
 * fastest. */
static void compare(struct fleet_comparing *w, struct fleet_value *v, size_t n)
{
    double *cycles = mem_alloc(w->count * sizeof *cycles),
           *fastest = mem_alloc(w->count * sizeof *fastest);
    size_t hosts = 0;

    for (size_t i = 0; i < w->count; i++)
        cycles[i] = NAN;
    for (size_t i = 0; i < n; i++)
        if (isnan(cycles[v[i].host]))
            cycles[v[i].host] = fastest[hosts++] = v[i].cycles;
    const double median = (fastest[(hosts - 1) / 2] + fastest[hosts / 2]) / 2,
                 difference = fastest[hosts - 1] / fastest[0] - 1;
    free(fastest);
    for (size_t i = 0; hosts > 1 && i < w->count; i++) {
        double off = fabs(cycles[i] / median - 1);
        if (isnan(off))
            continue;
        w->hosts[i].compared++;
        w->hosts[i].difference += off;
        w->hosts[i].differing += off > w->threshold;
    }
    w->compared += hosts > 1;
    if (hosts > 1 && difference > w->threshold) {
        vec_push(&w->rows, ((struct fleet_row){v[0].text, cycles, difference}));
        v[0].text = NULL;   /* The text was moved to the row. */
    } else {
        free(cycles);
    }
}

static int greatest_first(const void *a, const void *b)
{
    const struct fleet_row *x = a, *y = b;
    return x->difference != y->difference ? (x->difference < y->difference ? 1 : -1)
                                          : strcmp(x->text, y->text);
}

static void compare_all(struct fleet_comparing *w)
{
    VEC(struct fleet_value) values = {0};
    struct str text = {0};

    for (size_t h = 0; h < w->count; h++)
        for (size_t i = 0; i < w->hosts[h].table->rows.count && !watch_steps(1); i++) {
            if (!experiments_measured(w->hosts[h].table, i))
                continue;
            experiments_host_key(w->hosts[h].table, i, &text);
            vec_push(&values, ((struct fleet_value){mem_strdup(str_text(&text)), h,
                                                    w->hosts[h].table->rows.items[i].cycles}));
        }
    if (values.count)
        qsort(values.items, values.count, sizeof *values.items, order_values);
    for (size_t from = 0, to; from < values.count && !watch_steps(1); from = to) {
        for (to = from + 1;
             to < values.count && strcmp(values.items[to].text, values.items[from].text) == 0; to++)
            ;
        compare(w, values.items + from, to - from);
    }
    for (size_t i = 0; i < values.count; i++)
        free(values.items[i].text);
    vec_done(&values);
    str_done(&text);
    if (w->rows.count)
        qsort(w->rows.items, w->rows.count, sizeof *w->rows.items, greatest_first);
}

static void tell_hosts(const struct fleet_comparing *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "host", .kind = CELL_TEXT, .width = 16},
        {.key = "cpu", .kind = CELL_TEXT, .width = 32},
        {.key = "microcode", .kind = CELL_TEXT, .width = 10},
        {.key = "file", .kind = CELL_TEXT, .width = 20},
        {.key = "compared", .kind = CELL_COUNT},
        {.key = "differing", .kind = CELL_COUNT},
        {.key = "off_median", .title = "difference from median", .kind = CELL_NUMBER,
         .decimals = 4},
    };
    struct result_table *t = RESULT_TABLE(result, "hosts", columns);

    for (size_t i = 0; i < w->count; i++) {
        const struct fleet_host *h = &w->hosts[i];
        cell_text(t, h->name);
        cell_text(t, h->cpu);
        cell_text(t, h->microcode);
        cell_text(t, h->file);
        cell_count(t, (int64_t)h->compared);
        cell_count(t, (int64_t)h->differing);
        cell_number(t, h->compared ? h->difference / (double)h->compared : NAN);
    }
}

/* Adds one row per differing experiment and host with a measurement, for CSV and JSON. */
static void add_rows(const struct fleet_comparing *w, struct result *result)
{
    static const struct result_column columns[] = {{.key = "experiment", .kind = CELL_TEXT},
                                                   {.key = "host", .kind = CELL_TEXT},
                                                   {.key = "file", .kind = CELL_TEXT},
                                                   {.key = "cycles", .kind = CELL_NUMBER},
                                                   {.key = "host_spread", .kind = CELL_NUMBER}};
    struct result_table *t = RESULT_TABLE(result, "experiments", columns);

    t->hide = NOT_TEXT | NOT_DOCUMENT;
    for (size_t r = 0; r < w->rows.count && !watch_steps(w->count); r++)
        for (size_t i = 0; i < w->count; i++) {
            if (isnan(w->rows.items[r].cycles[i]))
                continue;
            cell_text(t, w->rows.items[r].text);
            cell_text(t, w->hosts[i].name);
            cell_text(t, w->hosts[i].file);
            cell_number(t, w->rows.items[r].cycles[i]);
            cell_number(t, w->rows.items[r].difference);
        }
}

/* Adds a table for text: a row for each of the first ROWS_SHOWN differing experiments, a column per
 * host from @from to before @to. */
static void add_table(const struct fleet_comparing *w, size_t from, size_t to,
                      struct result *result)
{
    struct result_column columns[ABREAST + 2] = {
        {.key = "difference", .unit = "%", .kind = CELL_NUMBER, .decimals = 1, .width = 10}};
    size_t count = 1;

    for (size_t i = from; i < to; i++)
        columns[count++] = (struct result_column){
            .key = w->hosts[i].name, .kind = CELL_NUMBER, .decimals = 3, .width = 10};
    columns[count++] = (struct result_column){.key = "experiment", .kind = CELL_TEXT};
    struct result_table *t = result_table(result, "cycles", columns, count);
    t->hide = NOT_CSV | NOT_JSON;
    for (size_t r = 0; r < w->rows.count && r < ROWS_SHOWN; r++) {
        cell_number(t, 100 * w->rows.items[r].difference);
        for (size_t i = from; i < to; i++)
            cell_number(t, w->rows.items[r].cycles[i]);
        cell_text(t, w->rows.items[r].text);
    }
}

struct fleet_values {
    struct word_list files;
    double threshold;
};

static bool compare_files(struct fleet_comparing *w, struct result *result, struct err *err)
{
    if (!read_hosts(w, err))
        return false;
    compare_all(w);
    if (!watch_goes_on(err))
        return false;
    if (!w->compared)
        return err_set(err, ERR_DATA,
                       "measure the same experiments on every host; see experiments split",
                       "no experiment was measured on two hosts");
    tell_hosts(w, result);
    result_line(result, "differences above %g %%: %zu of %zu experiments", 100 * w->threshold,
                w->rows.count, w->compared);
    for (size_t from = 0; w->rows.count && from < w->count; from += ABREAST)
        add_table(w, from, from + ABREAST < w->count ? from + ABREAST : w->count, result);
    if (w->rows.count > ROWS_SHOWN)
        result_line(result, "experiments not shown: %zu; --format csv lists all",
                    w->rows.count - ROWS_SHOWN);
    add_rows(w, result);
    result_count(result, "compared", (int64_t)w->compared);
    result_count(result, "differing", (int64_t)w->rows.count);
    return true;
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct fleet_values *v = values;
    struct fleet_comparing w = {.threshold = v->threshold / 100};

    if (v->files.count < 2)
        return err_set(err, ERR_USAGE, "use experiments compare FILE FILE...",
                       "a comparison needs at least two files");
    w.hosts = mem_zero(v->files.count, sizeof *w.hosts);
    for (size_t i = 0; i < v->files.count; i++)
        w.hosts[w.count++].file = v->files.items[i];
    bool ok = compare_files(&w, result, err);
    comparing_done(&w);
    return ok;
}

const struct command command_experiments_compare = {
    .name = "experiments compare",
    .help = "compare measurements of several hosts, or of a host before and after a change",
    .description = "Shows the experiments that differ, the largest difference first, and each "
                   "host's difference from the median of all hosts. Hosts, CPUs and microcode are "
                   "named if the files were saved with --host.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "FILE", struct fleet_values, files), .required = true,
         .complete = COMPLETE_FILE, .help = "measurements of a host, written by experiments save"}),
    .options = PARAMETERS(
        {PARAMETER(NUMBER, "--above", struct fleet_values, threshold), .value = "P", .most = 1e6,
         .initial = INITIAL(THRESHOLD), .help = "smallest difference to show, in percent"}),
    .examples = EXAMPLES("experiments compare node1.csv node2.csv node3.csv",
                         "experiments compare before.csv after.csv --above 2"),
    .values_size = sizeof(struct fleet_values),
    .doing = "compares",
    .read = run,
};
