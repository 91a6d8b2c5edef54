/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands experiments split and merge: distribute experiments to several hosts with the same CPU.
 * All hosts measure the same control experiments. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/experiments_host.h"
#include "cmd/task.h"
#include "io/experiments_file.h"

#define PARTS_MOST 10000
#define CONTROLS 20            /* default number of control experiments */
#define CONTROL_COLUMN "control"
/* largest relative difference of a control from the median of all hosts at which it agrees */
#define CONTROL_OFF .05
/* A host disagrees if more than one of its controls disagrees, and more than this share of its
 * controls. */
#define CONTROLS_OFF .1

struct split_values {
    size_t parts, controls;
    const char *file;
};

/* Returns part @part (from 0) of the table: a share of the rows, and all controls. Marks the
 * controls and removes their values. The caller frees the result. */
static struct experiments *part_of(const struct experiments *all, size_t parts, size_t part,
                                   const bool *control)
{
    size_t rows = all->rows.count, at = 0;
    bool *keep = mem_zero(rows + 1, sizeof *keep);

    for (size_t i = 0, turn = 0; i < rows; i++) {
        keep[i] = control[i] || turn % parts == part;
        turn += !control[i];
    }
    struct experiments *t = experiments_copy(all, keep);
    for (size_t i = 0; i < rows && at < t->rows.count; i++) {
        if (!keep[i])
            continue;
        experiments_set_extra(t, at, CONTROL_COLUMN, control[i] ? "yes" : "");
        /* Removes the value, because the control must be measured again. */
        if (control[i])
            experiments_set(t, at, NAN, NAN, 0, EXPERIMENT_PENDING);
        at++;
    }
    free(keep);
    return t;
}

/* Returns the usefulness of row @index as a control. It is higher if fewer other controls have its
 * forms. */
static double worth_of(const struct experiments *t, size_t index, const unsigned *covered)
{
    const struct flat_term *terms = experiments_terms(t, index);
    double sum = 0, size = (double)experiments_size(t, index);

    for (uint32_t k = 0; k < t->rows.items[index].count; k++)
        sum += (double)terms[k].count / size / (1 + covered[terms[k].form]);
    return sum;
}

/* Marks @controls rows as controls. Divides the table into @controls sections, and chooses from
 * each section the row whose forms occur in the fewest controls. */
static void choose_controls(const struct experiments *t, size_t controls, bool *control)
{
    unsigned *covered = mem_zero(t->forms.count + 1, sizeof *covered);
    size_t rows = t->rows.count;

    for (size_t k = 0; k < controls; k++) {
        size_t best = k * rows / controls;
        for (size_t i = best; i < (k + 1) * rows / controls && !watch_steps(1); i++)
            if (worth_of(t, i, covered) > worth_of(t, best, covered))
                best = i;
        control[best] = true;
        for (uint32_t j = 0; j < t->rows.items[best].count; j++)
            covered[experiments_terms(t, best)[j].form]++;
    }
    free(covered);
}

static bool run_split(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct split_values *v = values;
    const struct experiments *all = s->document.experiments;
    const size_t length = strlen(v->file);

    if (!experiments_required(s, err))
        return false;
    if (length < 5 || strcmp(v->file + length - 4, ".csv") != 0)
        return err_set(err, ERR_USAGE, "use experiments split N FILE.csv",
                       "the file name must end in .csv");
    /* At most half of the rows are controls. The other rows are divided among the hosts. */
    const size_t rows = all->rows.count, most = rows / 2,
                 controls = v->controls < most ? v->controls : most;
    bool *control = mem_zero(rows + 1, sizeof *control), ok = true;
    char *stem = mem_strndup(v->file, length - 4);

    choose_controls(all, controls, control);
    for (size_t part = 0; ok && part < v->parts; part++) {
        struct str path = {0};
        struct experiments *t = part_of(all, v->parts, part, control);
        watch_at("parts", (double)part, (double)v->parts);
        str_addf(&path, "%s-%zu.csv", stem, part + 1);
        ok = watch_goes_on(err) && experiments_save(t, str_text(&path), err);
        experiments_free(t);
        str_done(&path);
    }
    if (ok) {
        result_line(
            result,
            "%zu part%s with %zu experiment%s: %s-1.csv to %s-%zu.csv, with %zu control%s in each",
            v->parts, plural(v->parts), rows, plural(rows), stem, stem, v->parts, controls,
            plural(controls));
        result_count(result, "hosts", (int64_t)v->parts);
        result_count(result, "experiments", (int64_t)rows);
        result_count(result, "control_experiments", (int64_t)controls);
    }
    free(stem);
    free(control);
    return ok;
}

const struct command command_experiments_split = {
    .name = "experiments split",
    .help = "split the experiments into files for several hosts",
    .description = "Each host measures its part: experiments load part-3.csv; experiments measure; "
                   "experiments save part-3.csv. experiments merge joins the parts. The controls "
                   "are experiments in every part, marked in the column control.",
    .arguments = PARAMETERS(
        {PARAMETER(COUNT, "N", struct split_values, parts), .required = true, .least = 2,
         .most = PARTS_MOST, .help = "number of parts, one for each host"},
        {PARAMETER(TEXT, "FILE.csv", struct split_values, file), .required = true,
         .complete = COMPLETE_FILE,
         .help = "base name of the parts, for FILE-1.csv, FILE-2.csv and so on"}),
    .options = PARAMETERS(
        {PARAMETER(COUNT, "--controls", struct split_values, controls), .value = "N", .least = 1,
         .most = 100000, .initial = INITIAL(CONTROLS),
         .help = "number of experiments to put in every part, to compare the hosts; at most half "
                 "of all experiments"}),
    .examples = EXAMPLES("experiments split 4 part.csv",
                         "experiments split 64 part.csv --controls 40"),
    .values_size = sizeof(struct split_values),
    .doing = "splits",
    .read = run_split,
};

struct host_part {
    struct experiments *table;
    /* number of controls that other hosts also measured, and number of these that disagree */
    size_t controls, off;
    /* mean relative difference from the median; NaN without controls */
    double error;
    bool deviates;
};

struct host_merging {
    char **files;
    struct host_part *parts;
    size_t count;
    bool all;
    struct experiments *made;
};

static void merging_free(void *state)
{
    struct host_merging *w = state;
    for (size_t i = 0; i < w->count; i++) {
        free(w->files[i]);
        experiments_free(w->parts[i].table);
    }
    experiments_free(w->made);
    free(w->files);
    free(w->parts);
    free(w);
}

/* Returns whether row @index is a control, according to the column of that name. */
static bool is_control(const struct experiments *t, size_t index)
{
    uint32_t column = names_find(&t->extra, CONTROL_COLUMN);
    const char *text = column == UINT32_MAX ? NULL : experiments_extra(t, index, column);
    return text && strcmp(text, "yes") == 0;
}

/* Time of one control on one host */
struct sighting {
    char *text;
    size_t part;
    double cycles;
};

ORDER_BY(order_sightings, struct sighting, TEXTUAL(text) ?: ASCENDING(cycles))

/* Compares each host's value of one control with the median of all hosts. With three or more hosts,
 * skips a control with only two values, because their median does not show which value is wrong. */
static void compare_control(const struct sighting *s, size_t n, size_t hosts,
                            struct host_part *parts)
{
    double median = n % 2 ? s[n / 2].cycles : (s[n / 2 - 1].cycles + s[n / 2].cycles) / 2;

    for (size_t i = 0; n > 1 && (n > 2 || hosts == 2) && i < n; i++) {
        struct host_part *p = &parts[s[i].part];
        double difference = fabs(s[i].cycles / median - 1);
        p->error = (isnan(p->error) ? 0 : p->error) + difference;
        p->controls++;
        p->off += difference > CONTROL_OFF;
    }
}

static void compare_hosts(struct host_merging *w)
{
    VEC(struct sighting) seen = {0};
    struct str text = {0};

    for (size_t p = 0; p < w->count; p++)
        for (size_t i = 0; i < w->parts[p].table->rows.count; i++) {
            if (!is_control(w->parts[p].table, i) || !experiments_measured(w->parts[p].table, i))
                continue;
            experiments_host_key(w->parts[p].table, i, &text);
            vec_push(&seen, ((struct sighting){mem_strdup(str_text(&text)), p,
                                               w->parts[p].table->rows.items[i].cycles}));
        }
    if (seen.count)
        qsort(seen.items, seen.count, sizeof *seen.items, order_sightings);
    for (size_t from = 0, to; from < seen.count && !watch_steps(1); from = to) {
        for (to = from + 1;
             to < seen.count && strcmp(seen.items[to].text, seen.items[from].text) == 0; to++)
            ;
        compare_control(seen.items + from, to - from, w->count, w->parts);
    }
    for (size_t i = 0; i < seen.count; i++)
        free(seen.items[i].text);
    vec_done(&seen);
    str_done(&text);
    for (size_t p = 0; p < w->count; p++) {
        struct host_part *part = &w->parts[p];
        part->error /= part->controls ? (double)part->controls : 1;
        part->deviates = part->off > 1 && (double)part->off > CONTROLS_OFF * (double)part->controls;
    }
}

/* Appends rows of @t in order: the controls if @controls is true, otherwise the other rows. Of the
 * controls, takes only measured controls if @measured is true, otherwise only unmeasured controls.
 * Omits controls whose keys are in @taken, and adds the keys of the appended controls. */
static void join_rows(struct host_merging *w, const struct experiments *t, bool controls,
                      bool measured, struct names *taken)
{
    bool *keep = mem_zero(t->rows.count + 1, sizeof *keep);
    struct str text = {0};

    for (size_t i = 0; i < t->rows.count; i++) {
        bool control = is_control(t, i);
        keep[i] = control == controls && (!control || experiments_measured(t, i) == measured);
        if (!keep[i] || !control)
            continue;
        experiments_host_key(t, i, &text);
        keep[i] = names_find(taken, str_text(&text)) == UINT32_MAX;
        names_add(taken, str_text(&text));
    }
    struct experiments *rows = experiments_copy(t, keep);
    if (w->made)
        experiments_append(w->made, rows);
    else
        w->made = experiments_hold(rows);
    experiments_free(rows);
    str_done(&text);
    free(keep);
}

/* Joins the rows of all hosts that agree; with --all, of all hosts. Each control occurs once, with
 * the measurement of the first host that measured it. Controls without a measurement are last. */
static void join(struct host_merging *w)
{
    struct names taken = {0};

    for (int pass = 0; pass < 3; pass++)
        for (size_t p = 0; p < w->count; p++)
            if (!w->parts[p].deviates || w->all)
                join_rows(w, w->parts[p].table, pass != 1, pass == 0, &taken);
    names_done(&taken);
}

static void tell_hosts(const struct host_merging *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "file", .kind = CELL_TEXT, .width = 24},
        {.key = "experiments", .kind = CELL_COUNT},
        {.key = "control_experiments", .title = "controls", .kind = CELL_COUNT},
        {.key = "control_outliers", .title = "off", .kind = CELL_COUNT},
        {.key = "control_error", .title = "mean error", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "deviates", .kind = CELL_SWITCH},
    };
    struct result_table *t = RESULT_TABLE(result, "hosts", columns);

    for (size_t p = 0; p < w->count; p++) {
        const struct host_part *part = &w->parts[p];
        cell_text(t, w->files[p]);
        cell_count(t, (int64_t)part->table->rows.count);
        cell_count(t, (int64_t)part->controls);
        cell_count(t, (int64_t)part->off);
        cell_number(t, part->error);
        cell_switch(t, part->deviates);
    }
    for (size_t p = 0; p < w->count; p++)
        if (w->parts[p].deviates)
            result_line(result, "%s: differences above %g %%: %zu of %zu controls; %s", w->files[p],
                        100 * CONTROL_OFF, w->parts[p].off, w->parts[p].controls,
                        w->all ? "used because of --all" : "omitted; --all uses its measurements");
        else if (!w->parts[p].controls)
            result_line(
                result,
                "%s: not compared, because none of its controls was measured on another host",
                w->files[p]);
}

static bool merge_work(void *state, struct result *result, struct err *err)
{
    struct host_merging *w = state;

    for (size_t p = 0; p < w->count; p++) {
        w->parts[p].error = NAN;
        if (!(w->parts[p].table = experiments_load(w->files[p], err)))
            return false;
    }
    compare_hosts(w);
    join(w);
    if (!watch_goes_on(err))
        return false;
    tell_hosts(w, result);
    if (!w->made)
        return err_set(err, ERR_DATA, "measure on another host, or use --all",
                       "every host disagrees with the others, so no majority exists");
    result_line(result, "%zu experiment%s", w->made->rows.count, plural(w->made->rows.count));
    result_count(result, "experiments", (int64_t)w->made->rows.count);
    return true;
}

static bool merge_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct host_merging *w = state;
    return session_set_experiments(s, &w->made, NULL, err);
}

struct merge_values {
    struct word_list files;
    bool all;
};

static bool prepare_merge(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"merges", merge_work, merge_publish, .free = merging_free};
    const struct merge_values *v = values;
    struct host_merging *w = mem_zero(1, sizeof *w);

    w->files = mem_zero(v->files.count + 1, sizeof *w->files);
    w->parts = mem_zero(v->files.count + 1, sizeof *w->parts);
    w->all = v->all;
    for (size_t i = 0; i < v->files.count; i++)
        w->files[w->count++] = mem_strdup(v->files.items[i]);
    return task_give(task, &ops, w);
}

const struct command command_experiments_merge = {
    .name = "experiments merge",
    .help = "merge the measurements of several hosts, and report hosts that disagree",
    .description = "Each control is compared with its median over all hosts. A host disagrees if "
                   "more than a tenth of its controls, and at least two, differ by more than 5 %. "
                   "The measurements of such a host are omitted.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "FILE", struct merge_values, files), .required = true,
         .complete = COMPLETE_FILE, .help = "files of the parts, as saved by the hosts"}),
    .options = PARAMETERS(
        {PARAMETER(FLAG, "--all", struct merge_values, all),
         .help = "also use the measurements of hosts that disagree"}),
    .examples = EXAMPLES("experiments merge part-1.csv part-2.csv part-3.csv",
                         "experiments merge part-1.csv part-2.csv --all"),
    .values_size = sizeof(struct merge_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_merge,
};
