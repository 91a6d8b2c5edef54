/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/mem.h"
#include "base/shortage.h"
#include "cmd/command.h"
#include "infer/generate.h"

#define EXPERIMENTS_MAX 4000000   /* that one command makes */

struct generate_values {
    bool singles, pairs;
    size_t triples, random, size, seed;
};

static const struct parameter options[] = {
    {.name = "--singles", .kind = PARAMETER_FLAG, .at = offsetof(struct generate_values, singles), .otherwise = "on, unless another kind is given",
     .help = "each form alone"},
    {.name = "--pairs", .kind = PARAMETER_FLAG, .at = offsetof(struct generate_values, pairs), .otherwise = "on, unless another kind is given",
     .help = "every pair of forms; if both are measured alone, also weighted by their cycles, as in PMEvo"},
    {.name = "--triples", .kind = PARAMETER_COUNT, .at = offsetof(struct generate_values, triples), .value = "N", .initial = "0", .help = "number of random experiments of three forms"},
    {.name = "--random", .kind = PARAMETER_COUNT, .at = offsetof(struct generate_values, random), .value = "N", .initial = "0", .help = "number of random experiments of --size forms"},
    {.name = "--size", .kind = PARAMETER_COUNT, .at = offsetof(struct generate_values, size), .value = "K", .initial = "5", .least = 1, .most = 1000,
     .help = "forms per random experiment"},
    {.name = "--seed", .kind = PARAMETER_COUNT, .at = offsetof(struct generate_values, seed), .value = "S", .otherwise = "the setting seed", .help = "random seed"},
    {0},
};

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
static bool affordable(size_t forms, const struct generate_values *v, struct err *err)
{
    size_t wanted = (v->singles ? forms : 0) + v->triples + v->random + (v->pairs ? forms * (forms - 1) / 2 : 0);

    return wanted <= EXPERIMENTS_MAX || err_set(err, ERR_LIMIT, "select fewer forms with forms select PATTERN, or use --random N",
                                                "%zu forms make %zu experiments; the limit is %d", forms, wanted, EXPERIMENTS_MAX);
}

/* Adds what is asked for to @t; returns how many experiments that were. */
static size_t generate(struct experiments *t, const uint32_t *forms, size_t n, const struct generate_values *v, uint64_t seed)
{
    size_t before = t->rows.count;
    struct rng rng;

    rng_seed(&rng, seed);
    if (v->singles)
        generate_singletons(t, forms, n);
    if (v->pairs)
        generate_pairs(t, forms, n);
    generate_random(t, forms, n, v->triples, 3, &rng);
    generate_random(t, forms, n, v->random, (unsigned)v->size, &rng);
    return t->rows.count - before;
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct generate_values v = *(const struct generate_values *)values;
    struct experiments *t = s->document.experiments ? s->document.experiments : experiments_new();
    size_t n;

    if (!v.singles && !v.pairs && !v.triples && !v.random)
        v.singles = v.pairs = true;
    uint32_t *forms = chosen_forms(s, t, &n, err);
    bool ok = forms && (n > 0 || err_set(err, ERR_USAGE, "forms select '*' selects all", "no form is selected")) && affordable(n, &v, err);
    if (ok) {
        size_t before = t->rows.count, added = generate(t, forms, n, &v, v.seed == NOT_GIVEN ? s->settings.seed : v.seed);
        if (shortage_met())   /* the command fails: nothing half done */
            experiments_truncate(t, before);
        s->document.experiments = t;
        result_line(result, "%zu experiment%s added, %zu in all, of %zu form%s", added, added == 1 ? "" : "s", t->rows.count, n, n == 1 ? "" : "s");
        result_count(result, "added", (int64_t)added);
        result_count(result, "experiments", (int64_t)t->rows.count);
        result_count(result, "forms", (int64_t)n);
    } else if (!s->document.experiments) {
        experiments_free(t);
    }
    free(forms);
    return ok;
}

static const char *const examples[] = {"experiments generate", "experiments generate --singles --random 2000 --size 5 --seed 7", NULL};

const struct command command_experiments_generate = {
    .name = "experiments generate",
    .help = "generate experiments from the selected forms: singletons and pairs, or those given by options",
    .description = "Uses the forms of forms select, otherwise those of the existing experiments, otherwise all. "
                   "Existing experiments are not added again.",
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct generate_values),
    .flags = COMMAND_CHANGES,
    .run = run,
};
