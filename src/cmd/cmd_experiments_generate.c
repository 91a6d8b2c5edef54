/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "infer/generate.h"

#define EXPERIMENTS_MAX 4000000   /* largest number of experiments that one command generates */

struct generate_values {
    bool singles, pairs;
    size_t triples, random, size, seed;
};

static const struct parameter options[] = {
    {PARAMETER(FLAG, "--singles", struct generate_values, singles),
     .otherwise = "on, unless another kind is given",
     .help = "each form alone"},
    {PARAMETER(FLAG, "--pairs", struct generate_values, pairs),
     .otherwise = "on, unless another kind is given",
     .help = "every pair of forms; if both are measured alone, also weighted by their cycles, as "
             "in PMEvo"},
    {PARAMETER(COUNT, "--triples", struct generate_values, triples),
     .value = "N",
     .initial = "0",
     .help = "number of random experiments of three forms"},
    {PARAMETER(COUNT, "--random", struct generate_values, random),
     .value = "N",
     .initial = "0",
     .help = "number of random experiments of --size forms"},
    {PARAMETER(COUNT, "--size", struct generate_values, size),
     .value = "K",
     .initial = "5",
     .least = 1,
     .most = 1000,
     .help = "forms per random experiment"},
    {PARAMETER(COUNT, "--seed", struct generate_values, seed),
     .value = "S",
     .otherwise = "the setting seed",
     .help = "random seed"},
    {0},
};

/* Input and output of the job. */
struct generating {
    struct generate_values wanted;
    uint64_t seed;
    struct experiments *base;      /* counted reference; NULL: the session has no table */
    struct experiments *made;
    struct names forms;            /* selected forms; empty: the forms of @base */
};

static void generating_free(void *state)
{
    struct generating *g = state;
    experiments_free(g->base);
    experiments_free(g->made);
    names_done(&g->forms);
    free(g);
}

/* Stores the selected forms. Without a selection all forms of the session's table are used. */
static bool choose_forms(struct session *s, struct generating *g, struct err *err)
{
    if (g->base && g->base->forms.count && s->document.form_pattern_count == 0)
        return true;
    struct forms *all = session_forms(s, s->document.isa, err);
    if (!all)
        return false;
    for (size_t i = 0; i < forms_count(all); i++)
        if (session_form_selected(s, forms_at(all, i)->form))
            names_add(&g->forms, forms_at(all, i)->form);
    return g->forms.count ||
           err_set(err, ERR_USAGE, "forms select '*' selects all", "no form is selected");
}

/* Rejects a request for too many experiments. All pairs of all forms are a hundred million, which
 * take minutes and gigabytes. */
static bool affordable(size_t forms, const struct generate_values *v, struct err *err)
{
    size_t wanted = (v->singles ? forms : 0) + v->triples + v->random +
                    (v->pairs ? forms * (forms - 1) / 2 : 0);

    return wanted <= EXPERIMENTS_MAX ||
           err_set(err, ERR_LIMIT,
                   "forms select --top 60 selects the forms that programs use most; or name forms "
                   "with forms select PATTERN, or use --random N",
                   "%zu forms make %zu experiments; the limit is %d", forms, wanted,
                   EXPERIMENTS_MAX);
}

/* Adds the requested experiments to @t and returns their number. */
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
    size_t n = g->forms.count ? g->forms.count : g->base->forms.count;

    if (!affordable(n, &g->wanted, err))
        return false;
    g->made = g->base ? experiments_copy(g->base, NULL) : experiments_new();
    uint32_t *forms = mem_alloc((n + 1) * sizeof *forms);
    for (uint32_t i = 0; i < n; i++)
        forms[i] = g->forms.count ? names_add(&g->made->forms, g->forms.items[i]) : i;
    size_t added = watch_over() ? 0 : generate(g->made, forms, n, &g->wanted, g->seed),
           all = g->made->rows.count;
    free(forms);
    result_line(result, "%zu experiment%s added, %zu in all, of %zu form%s", added,
                added == 1 ? "" : "s", all, n, n == 1 ? "" : "s");
    result_count(result, "added", (int64_t)added);
    result_count(result, "experiments", (int64_t)all);
    result_count(result, "forms", (int64_t)n);
    return watch_goes_on(err);
}

static bool publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct generating *g = state;
    (void)result;
    return session_set_experiments(s, &g->made, g->base, err);
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {
        .doing = "generates", .work = work, .publish = publish, .free = generating_free};
    const struct generate_values *v = values;
    struct generating *g = mem_zero(1, sizeof *g);

    g->wanted = *v;
    if (!v->singles && !v->pairs && !v->triples && !v->random)
        g->wanted.singles = g->wanted.pairs = true;
    g->seed = v->seed == NOT_GIVEN ? s->settings.seed : v->seed;
    g->base = s->document.experiments ? experiments_hold(s->document.experiments) : NULL;
    if (choose_forms(s, g, err))
        return task_give(task, &ops, g);
    generating_free(g);
    return false;
}

static const char *const examples[] = {
    "experiments generate", "experiments generate --singles --random 2000 --size 5 --seed 7", NULL};

const struct command command_experiments_generate = {
    .name = "experiments generate",
    .help = "generate experiments from the selected forms: singletons and pairs, or those given by "
            "options",
    .description = "Uses the forms of forms select, otherwise those of the existing experiments, "
                   "otherwise all. "
                   "Existing experiments are not added again.",
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct generate_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare,
};
