/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "infer/generate.h"

#define EXPERIMENTS_MAX 4000000   /* largest number of experiments that one command generates */

struct generate_values {
    bool singles, pairs;
    size_t triples, random, size, seed;
};

struct form_numbers { uint32_t *items; size_t count, capacity; };

struct generating {
    struct generate_values request;
    uint64_t seed;
    struct experiments *base;      /* counted reference; NULL: the session has no table */
    struct experiments *made;
    bool selected;                 /* whether to use the selected forms instead of the forms of
                                    * @base */
    enum isa isa;
    /* forms to select from (counted reference); NULL: the worker loads them */
    struct forms *all;
    char **patterns;               /* patterns of the selected forms; none: all forms */
    size_t pattern_count;
};

static void generating_free(void *state)
{
    struct generating *g = state;
    experiments_free(g->base);
    experiments_free(g->made);
    forms_free(g->all);
    mem_free_texts(g->patterns, g->pattern_count);
    free(g);
}

/* Chooses the selected forms if there are any, or if the session has no table with forms. Otherwise
 * chooses the forms of the table. */
static void choose_forms(const struct session *s, struct generating *g)
{
    const struct document *d = &s->document;

    g->selected = !g->base || !g->base->forms.count || d->form_pattern_count;
    g->isa = d->isa;
    g->all = d->forms[d->isa] ? forms_hold(d->forms[d->isa]) : NULL;
    g->patterns = mem_alloc((d->form_pattern_count + 1) * sizeof *g->patterns);
    for (; g->pattern_count < d->form_pattern_count; g->pattern_count++)
        g->patterns[g->pattern_count] = mem_strdup(d->form_patterns[g->pattern_count]);
}

/* Adds the chosen forms to @t, and their indices to @out. Returns false with err if no form is
 * chosen, if the forms cannot be loaded, or when cancelled. */
static bool take_forms(struct generating *g, struct experiments *t, struct form_numbers *out,
                       struct err *err)
{
    if (g->selected && !g->all && !(g->all = forms_load(g->isa, NULL, err)))
        return false;
    const size_t n = g->selected ? forms_count(g->all) : g->base->forms.count;
    for (uint32_t i = 0; i < n && !watch_steps(1); i++) {
        if (!g->selected)
            vec_push(out, i);
        else if (form_patterns_match(g->patterns, g->pattern_count, forms_at(g->all, i)->form))
            vec_push(out, names_add(&t->forms, forms_at(g->all, i)->form));
    }
    return watch_goes_on(err) &&
           (out->count ||
            err_set(err, ERR_USAGE, "forms select '*' selects all forms", "no form is selected"));
}

/* Returns false with err if too many experiments are requested. The pairs of all forms would be a
 * hundred million experiments, and need minutes and gigabytes. */
static bool affordable(size_t forms, const struct generate_values *v, struct err *err)
{
    size_t requested = (v->singles ? forms : 0) + v->triples + v->random +
                    (v->pairs ? forms * (forms - 1) / 2 : 0);

    return requested <= EXPERIMENTS_MAX || err_set(err, ERR_LIMIT,
                                                "select fewer forms: forms select --top 60, or "
                                                "forms select PATTERN; or use --random N",
                                                "%zu forms make %zu experiments; the limit is %d",
                                                forms, requested, EXPERIMENTS_MAX);
}

static size_t generate(struct experiments *t, const uint32_t *forms, size_t n,
                       const struct generate_values *v, uint64_t seed)
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

static bool work(void *state, struct result *result, struct err *err)
{
    struct generating *g = state;
    struct form_numbers forms = {0};

    g->made = g->base ? experiments_copy(g->base, NULL) : experiments_new();
    bool ok = take_forms(g, g->made, &forms, err) && affordable(forms.count, &g->request, err);
    if (ok) {
        const size_t added = generate(g->made, forms.items, forms.count, &g->request, g->seed),
                     all = g->made->rows.count;
        result_line(result, "%zu experiment%s added, %zu in all, of %zu form%s", added,
                    plural(added), all, forms.count, plural(forms.count));
        result_count(result, "added", (int64_t)added);
        result_count(result, "experiments", (int64_t)all);
        result_count(result, "forms", (int64_t)forms.count);
    }
    vec_done(&forms);
    return ok && watch_goes_on(err);
}

static bool publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct generating *g = state;
    if (g->all && !s->document.forms[g->isa])
        session_set_forms(s, forms_hold(g->all));
    return session_set_experiments(s, &g->made, g->base, err);
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"generates", work, publish, .free = generating_free};
    const struct generate_values *v = values;
    struct generating *g = mem_zero(1, sizeof *g);

    g->request = *v;
    if (!v->singles && !v->pairs && !v->triples && !v->random)
        g->request.singles = g->request.pairs = true;
    g->seed = v->seed == NOT_GIVEN ? s->settings.seed : v->seed;
    g->base = s->document.experiments ? experiments_hold(s->document.experiments) : NULL;
    choose_forms(s, g);
    return task_give(task, &ops, g);
}

const struct command command_experiments_generate = {
    .name = "experiments generate",
    .help = "generate experiments from the selected forms: single forms and pairs, or the kinds "
            "that options select",
    .description = "Uses the forms selected with forms select; otherwise the forms of the existing "
                   "experiments; otherwise all forms. Existing experiments are not added again.",
    .options = PARAMETERS(
        {PARAMETER(FLAG, "--singles", struct generate_values, singles),
         .fallback = "on, unless another kind is selected", .help = "each form alone"},
        {PARAMETER(FLAG, "--pairs", struct generate_values, pairs),
         .fallback = "on, unless another kind is selected",
         .help = "every pair of forms; if both forms are measured alone, also with counts in the "
                 "ratio of their cycles, as in PMEvo"},
        {PARAMETER(COUNT, "--triples", struct generate_values, triples), .value = "N",
         .initial = "0", .help = "number of random experiments of three forms"},
        {PARAMETER(COUNT, "--random", struct generate_values, random), .value = "N", .initial = "0",
         .help = "number of random experiments of --size forms"},
        {PARAMETER(COUNT, "--size", struct generate_values, size), .value = "K", .initial = "5",
         .least = 1, .most = 1000, .help = "number of forms per random experiment"},
        {PARAMETER(COUNT, "--seed", struct generate_values, seed), .value = "S",
         .fallback = "the setting seed", .help = "random seed"}),
    .examples = EXAMPLES("experiments generate",
                         "experiments generate --singles --random 2000 --size 5 --seed 7"),
    .values_size = sizeof(struct generate_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare,
};
