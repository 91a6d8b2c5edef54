/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "infer/congruence.h"
#include "infer/generate.h"
#include "base/csv.h"
#include "io/experiments_file.h"
#include "io/export_experiments.h"
#include "io/pmevo_json.h"
#include "table/experiment_columns.h"

#define EXPERIMENTS_MAX 4000000   /* that one command makes */

/* Takes @take_table in place of the session's, or adds it there. */
static bool take(struct session *s, struct experiments *take_table, bool append)
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
    size_t measured = 0, count = s->document.experiments->rows.count;
    for (size_t i = 0; i < count; i++)
        measured += experiments_measured(s->document.experiments, i);
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:I, s:I, s:I}", "experiments", (json_int_t)count, "forms", (json_int_t)s->document.experiments->forms.count, "measured",
                                  (json_int_t)measured));
    else if (s->settings.format == FORMAT_CSV)
        str_addf(&s->output, "experiments,forms,measured\n%zu,%zu,%zu\n", count, s->document.experiments->forms.count, measured);
    else
        str_addf(&s->output, "%zu experiments with %zu forms, %zu of them measured\n", count, s->document.experiments->forms.count, measured);
    return true;
}

static bool file_words(int argc, char **argv, const char *how, const char **file, bool *append, struct err *err)
{
    const struct legacy_option options[] = {{"--append", OPTION_FLAG, append}, {NULL, OPTION_FLAG, NULL}};
    size_t count;

    return options_parse(argc, argv, options, file, 1, &count, err) && (count == 1 || err_set(err, ERR_USAGE, how, "one file name was expected"));
}

bool cmd_experiments_load(struct session *s, int argc, char **argv, struct err *err)
{
    const char *file;
    bool append = false;
    return file_words(argc, argv, "experiments load FILE", &file, &append, err) && take(s, experiments_load(file, err), append);
}

bool cmd_experiments_import(struct session *s, int argc, char **argv, struct err *err)
{
    const char *file;
    bool append = false;
    return file_words(argc, argv, "experiments import FILE", &file, &append, err) && take(s, pmevo_experiments_load(file, err), append);
}

static bool need_table(const struct session *s, struct err *err)
{
    return s->document.experiments || err_set(err, ERR_USAGE, "experiments generate or experiments load first", "there are no experiments");
}

bool cmd_experiments_save(struct session *s, int argc, char **argv, struct err *err)
{
    struct str text = {0};

    if (argc != 2)
        return err_set(err, ERR_USAGE, "experiments save FILE.csv, or FILE.json for PMEvo", "one file name was expected");
    if (!need_table(s, err))
        return false;
    const char *dot = strrchr(argv[1], '.');
    if (!dot || strcmp(dot, ".json") != 0)
        return experiments_save(s->document.experiments, argv[1], err);
    const struct forms *forms = session_forms(s, s->document.isa, err);
    if (!forms)
        return false;
    export_pmevo_experiments(s->document.experiments, forms, &text);
    bool ok = file_write(argv[1], text.data, text.length, err);
    str_done(&text);
    return ok;
}

bool cmd_experiments_clear(struct session *s, int argc, char **argv, struct err *err)
{
    (void)argv;
    if (argc != 1)
        return err_set(err, ERR_USAGE, "experiments clear", "no argument was expected");
    experiments_free(s->document.experiments);
    s->document.experiments = NULL;
    return true;
}

bool cmd_experiments_list(struct session *s, int argc, char **argv, struct err *err)
{
    struct str text = {0}, filter = {0};

    if (!need_table(s, err))
        return false;
    for (int i = 1; i < argc; i++)
        str_addf(&filter, "%s%s", i > 1 ? " " : "", argv[i]);
    bool *fits = experiments_fitting(s, str_text(&filter), err);
    str_done(&filter);
    if (!fits)
        return false;
    const struct experiment_columns columns = {s->document.experiments, NULL};
    json_t *rows = json_array();
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "experiment,cycles,spread,repeats,state\n");
    for (size_t i = 0; i < s->document.experiments->rows.count; i++) {
        const struct experiment_row *row = &s->document.experiments->rows.items[i];
        if (!fits[i])
            continue;
        str_clear(&text);
        experiments_print(s->document.experiments, i, &text);
        if (s->settings.format == FORMAT_JSON) {
            struct str lengths = {0};
            experiment_column_text(&columns, i, EXPERIMENT_COLUMN_LENGTHS, &lengths);
            json_array_append_new(rows, json_pack("{s:I, s:s, s:o, s:s, s:s}", "number", (json_int_t)i + 1, "experiment", str_text(&text), "cycles",
                                                  isnan(row->cycles) ? json_null() : json_real(row->cycles), "state", row->state, EXPERIMENT_LENGTHS,
                                                  str_text(&lengths)));
            str_done(&lengths);
        } else if (s->settings.format == FORMAT_CSV) {
            csv_add_field(&s->output, str_text(&text), false);
            str_addf(&s->output, isnan(row->cycles) ? "," : "%.17g,", row->cycles);
            str_addf(&s->output, isnan(row->spread) ? "," : "%.17g,", row->spread);
            str_addf(&s->output, row->repeats ? "%u," : ",", row->repeats);
            csv_add_field(&s->output, row->state, true);
        } else if (isnan(row->cycles)) {
            str_addf(&s->output, "%6zu %10s  %s%s%s\n", i + 1, "-", str_text(&text), *row->state ? "  " : "", row->state);
        } else {
            str_addf(&s->output, "%6zu %10.3f  %s\n", i + 1, row->cycles, str_text(&text));
        }
    }
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:O}", "experiments", rows));
    json_decref(rows);
    str_done(&text);
    free(fits);
    return true;
}

/* What the experiments are made of: the forms of the table if there is one and nothing is selected, else the selected ones. */
static uint32_t *chosen_forms(struct session *s, struct experiments *t, size_t *count, struct err *err)
{
    uint32_t *forms;

    *count = 0;
    if (t->forms.count && s->document.form_pattern_count == 0) {
        forms = mem_alloc(t->forms.count * sizeof *forms);
        for (uint32_t f = 0; f < t->forms.count; f++)
            forms[(*count)++] = f;
        return forms;
    }
    struct forms *all = session_forms(s, s->document.isa, err);
    if (!all)
        return NULL;
    forms = mem_alloc((forms_count(all) + 1) * sizeof *forms);
    for (size_t i = 0; i < forms_count(all); i++)
        if (session_form_selected(s, forms_at(all, i)->form))
            forms[(*count)++] = names_add(&t->forms, forms_at(all, i)->form);
    return forms;
}

/* All pairs of all forms are a hundred million: minutes of a dead screen and gigabytes before the first measurement. */
static bool affordable(size_t forms, bool pairs, size_t others, struct err *err)
{
    size_t wanted = forms + others + (pairs ? forms * (forms - 1) / 2 : 0);

    return wanted <= EXPERIMENTS_MAX || err_set(err, ERR_LIMIT, "choose fewer with forms select PATTERN, or draw some with --random N",
                                                "%zu forms make %zu experiments, more than %d at once", forms, wanted, EXPERIMENTS_MAX);
}

bool cmd_experiments_generate(struct session *s, int argc, char **argv, struct err *err)
{
    bool pairs = false;
    size_t triples = 0, random = 0, size = 5, seed = s->settings.seed, words, n;
    const struct legacy_option options[] = {
        {"--pairs", OPTION_FLAG, &pairs}, {"--triples", OPTION_COUNT, &triples}, {"--random", OPTION_COUNT, &random},
        {"--size", OPTION_COUNT, &size},  {"--seed", OPTION_COUNT, &seed},       {NULL, OPTION_FLAG, NULL},
    };
    struct rng rng;

    if (!options_parse(argc, argv, options, NULL, 0, &words, err))
        return false;
    if (size < 1 || size > 1000)
        return err_set(err, ERR_USAGE, "use --size 5", "a size of %zu is not from 1 to 1000", size);
    struct experiments *t = s->document.experiments ? s->document.experiments : experiments_new();
    uint32_t *forms = chosen_forms(s, t, &n, err);
    bool ok = forms != NULL && (n > 0 || err_set(err, ERR_USAGE, "forms list shows them", "no form is selected"));
    pairs |= !triples && !random;
    ok = ok && affordable(n, pairs, triples + random, err);
    if (ok) {
        rng_seed(&rng, seed);
        size_t before = t->rows.count;
        generate_singletons(t, forms, n);
        if (pairs)
            generate_pairs(t, forms, n);
        generate_random(t, forms, n, triples, 3, &rng);
        generate_random(t, forms, n, random, (unsigned)size, &rng);
        s->document.experiments = t;
        size_t added = t->rows.count - before;
        if (s->settings.format == FORMAT_JSON)
            session_json(s, json_pack("{s:I, s:I, s:I}", "added", (json_int_t)added, "experiments", (json_int_t)t->rows.count, "forms", (json_int_t)n));
        else if (s->settings.format == FORMAT_CSV)
            str_addf(&s->output, "added,experiments,forms\n%zu,%zu,%zu\n", added, t->rows.count, n);
        else
            str_addf(&s->output, "%zu experiments added, %zu in all, of %zu forms\n", added, t->rows.count, n);
    } else if (!s->document.experiments) {
        experiments_free(t);
    }
    free(forms);
    return ok;
}

static void print_class(struct session *s, const struct congruence *c, uint32_t class, json_t *rows)
{
    const struct names *names = &s->document.experiments->forms;
    json_t *members = json_array();

    if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%4u  %s\n", c->size[class], names->items[c->representative[class]]);
    for (uint32_t f = 0; f < c->forms; f++) {
        if (c->class_of[f] != class)
            continue;
        json_array_append_new(members, json_string(names->items[f]));
        if (s->settings.format == FORMAT_CSV) {
            str_addf(&s->output, "%u,", class);
            csv_add_field(&s->output, names->items[f], true);
        } else if (s->settings.format == FORMAT_TEXT && f != c->representative[class]) {
            str_addf(&s->output, "        %s\n", names->items[f]);
        }
    }
    json_array_append_new(rows, json_pack("{s:s, s:o}", "representative", names->items[c->representative[class]], "forms", members));
}

bool cmd_congruence(struct session *s, int argc, char **argv, struct err *err)
{
    double epsilon = CONGRUENCE_EPSILON;
    const struct legacy_option options[] = {{"--epsilon", OPTION_NUMBER, &epsilon}, {NULL, OPTION_FLAG, NULL}};
    struct congruence c;
    size_t words;

    if (!options_parse(argc, argv, options, NULL, 0, &words, err) || !need_table(s, err))
        return false;
    congruence_find(s->document.experiments, epsilon, 0, &c);
    json_t *rows = json_array();
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "class,form\n");
    for (uint32_t class = 0; class < c.classes; class++)
        print_class(s, &c, class, rows);
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:f, s:O}", "epsilon", epsilon, "classes", rows));
    else if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%zu classes of %zu forms, epsilon %g\n", c.classes, c.forms, epsilon);
    json_decref(rows);
    congruence_done(&c);
    return true;
}
