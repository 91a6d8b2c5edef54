/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Charts a simulated CPU and counts the correct results.
 *
 *     bench_chart [MACHINE [PATTERN [NOISE [SEED [TOP]]]]]
 *
 * PATTERN selects forms (default: all of the machine). NOISE is the relative noise of a measurement (default .005; nan: as observed on
 * a real CPU, measure/source.h). TOP is the number of forms, those that programs use most (default:
 * all). Blocks are generated from the forms that programs use, like in the command machine chart. A
 * form is correct if the chart's prediction is within 2 % of the truth in experiments with random
 * forms of the core, including multiples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/chain_cycles.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/str.h"
#include "chart/chart.h"
#include "chart/imitate.h"
#include "cmd/check.h"
#include "io/machine_file.h"
#include "throughput/predict.h"
#include "toolchain/assemble.h"

#define CONCURRENT 60            /* experiments per form */
#define RIGHT 0.02
#define FIVES 2000
#define BINS 5
#define USES 1000            /* maximum number of forms from which blocks are generated */

static double begun;

static bool never(void *state)
{
    (void)state;
    return false;
}

static void tell(void *state, enum chart_stage stage, double done, double total, const char *what)
{
    static double last;
    (void)state;
    if (clock_seconds() - last < 5)
        return;
    last = clock_seconds();
    fprintf(stderr, "%6.1f s  %s: %.0f of %.0f, %s\n", last - begun, chart_stage_names[stage], done,
            total, what);
}

static bool stage_done(void *state, enum chart_stage stage, const struct chart *c, struct err *err)
{
    (void)state;
    (void)err;
    printf("%-12s %6.1f s, %zu experiments in all", chart_stage_names[stage], c->seconds[stage],
           c->table->rows.count);
    if (stage == CHART_PORTS)
        printf(
            ", core of %zu forms, %u ports, mean error %.2f %% of %zu experiments, issue width %g",
            c->core_forms, mapping_ports(c->machine->mapping)->count, 100 * c->core_error,
            c->core_experiments, c->width);
    printf("\n");
    fflush(stdout);
    return true;
}

static void predict(const struct mapping *m, const struct experiments *t, double *out)
{
    throughput_predict(m, t, out);
}

static void print_entry(const struct mapping *m, const char *form, struct str *out)
{
    const struct mapping_entry *e = mapping_find(m, form);

    usage_print(&e->usage, mapping_ports(m), out);
    str_addf(out, " in %u slots", e->micro_ops);
}

/* Prints the usages of the core's forms next to the true ones. */
static void print_core(const struct chart *c, const struct mapping *truth)
{
    for (size_t i = 0; i < c->form_count; i++) {
        struct str text = {0};
        if (c->forms[i].state != CHART_IN_CORE)
            continue;
        str_addf(&text, "  core: %s (%.2f): ", c->forms[i].row->form, c->forms[i].alone);
        print_entry(c->machine->mapping, c->forms[i].row->form, &text);
        str_add(&text, " for ");
        print_entry(truth, c->forms[i].row->form, &text);
        printf("%s\n", str_text(&text));
        str_done(&text);
    }
}

/* Counts the correct forms among the measured ones. */
static void judge_forms(const struct chart *c, const struct mapping *truth, struct rng *rng)
{
    struct experiments *t = experiments_new();
    size_t right = 0, measured = 0, bins[BINS + 1][2] = {{0}}, hidden = 0;
    VEC(size_t) core = {0};

    for (size_t i = 0; i < c->form_count; i++)
        if (c->forms[i].state == CHART_IN_CORE)
            vec_push(&core, i);
    for (size_t i = 0; i < c->form_count; i++)
        names_add(&t->forms, c->forms[i].row->form);
    for (size_t i = 0; i < c->form_count; i++)
        for (unsigned k = 0; k < CONCURRENT && c->forms[i].state != CHART_NOT_MEASURED; k++) {
            struct flat_term terms[5] = {{(uint32_t)i, 1 + (uint32_t)(k % 2)}};
            unsigned n = 1 + (unsigned)rng_below(rng, 4);
            uint32_t most = (uint32_t)fmax(1, fmin(8, 3 * c->forms[i].alone));
            for (unsigned l = 1; l <= n; l++)
                terms[l] = (struct flat_term){(uint32_t)core.items[rng_below(rng, core.count)],
                                              1 + (uint32_t)rng_below(rng, most)};
            experiments_add(t, terms, n + 1);
        }
    size_t rows = t->rows.count;
    double *a = malloc((rows + 1) * sizeof *a), *b = malloc((rows + 1) * sizeof *b);
    predict(c->machine->mapping, t, a);
    predict(truth, t, b);
    for (size_t i = 0, row = 0; i < c->form_count; i++) {
        double worst = 0;
        size_t at = 0;
        if (c->forms[i].state == CHART_NOT_MEASURED)
            continue;
        for (unsigned k = 0; k < CONCURRENT; k++, row++)
            if (!(fabs(a[row] / b[row] - 1) <= worst)) {
                worst = fabs(a[row] / b[row] - 1);
                at = row;
            }
        bool good = worst <= RIGHT;
        measured++;
        right += good;
        hidden += c->forms[i].hidden;
        int bin = c->forms[i].state == CHART_UNEXPLAINED
                      ? BINS
                      : (int)fmin(BINS - 1, c->forms[i].confidence * BINS);
        bins[bin][0]++;
        bins[bin][1] += good;
        if (!good) {
            struct str text = {0};
            str_addf(
                &text, "  wrong: %s (%s, confidence %.2f, alone %.2f): ", c->forms[i].row->form,
                chart_state_names[c->forms[i].state], c->forms[i].confidence, c->forms[i].alone);
            print_entry(c->machine->mapping, c->forms[i].row->form, &text);
            str_add(&text, " for ");
            print_entry(truth, c->forms[i].row->form, &text);
            str_addf(&text, ", %.2f for %.2f: ", a[at], b[at]);
            experiments_print(t, at, &text);
            if (measured - right <= 60)
                printf("%s\n", str_text(&text));
            str_done(&text);
        }
    }
    printf("%zu of %zu forms right (%.2f %%), %zu hidden by the issue width\n", right, measured,
           100.0 * (double)right / (double)measured, hidden);
    for (int i = 0; i <= BINS; i++)
        if (bins[i][0])
            printf("  %s %.1f: %zu of %zu right\n", i == BINS ? "unexplained" : "confidence up to",
                   (i + 1.0) / BINS, bins[i][1], bins[i][0]);
    free(a);
    free(b);
    vec_done(&core);
    experiments_free(t);
}

/* Compares predictions of random experiments with five of all measured forms. */
static void judge_fives(const struct chart *c, const struct mapping *truth, struct rng *rng)
{
    struct experiments *t = experiments_new();
    VEC(uint32_t) forms = {0};
    double sum = 0;

    for (uint32_t i = 0; i < c->form_count; i++) {
        names_add(&t->forms, c->forms[i].row->form);
        if (c->forms[i].state != CHART_NOT_MEASURED)
            vec_push(&forms, i);
    }
    for (size_t i = 0; i < FIVES && forms.count; i++) {
        struct flat_term terms[5];
        for (unsigned k = 0; k < 5; k++)
            terms[k] = (struct flat_term){forms.items[rng_below(rng, forms.count)], 1};
        experiments_add(t, terms, 5);
    }
    double *a = malloc((t->rows.count + 1) * sizeof *a),
           *b = malloc((t->rows.count + 1) * sizeof *b);
    predict(c->machine->mapping, t, a);
    predict(truth, t, b);
    for (size_t i = 0; i < t->rows.count; i++)
        sum += fabs(a[i] / b[i] - 1) / (double)t->rows.count;
    printf("%zu random experiments of five of all forms: mean error %.2f %%\n", t->rows.count,
           100 * sum);
    free(a);
    free(b);
    vec_done(&forms);
    experiments_free(t);
}

/* Compares the latency chains of each form with those of the CPU. */
static void judge_latencies(const struct chart *c, const struct machine *truth)
{
    size_t right = 0, chains = 0, shown = 0;

    for (size_t i = 0; i < c->latencies.count; i++) {
        const struct chart_latency *l = &c->latencies.items[i];
        struct form_code *code = encodings_code_any(c->forms[l->form].row, NULL);
        double is = chain_cycles(c->machine, code, &l->latency.chain),
               should = chain_cycles(truth, code, &l->latency.chain);
        bool good = fabs(is - should) <= 0.05 + 0.05 * should;
        form_code_free(code);
        if (isnan(should))
            continue;
        chains++;
        right += good;
        if (!good && shown++ < 20)
            printf("  latency: %s %s to %s: %.2f for %.2f\n", c->forms[l->form].row->form,
                   l->latency.chain.from_name, l->latency.chain.to_name, is, should);
    }
    if (chains)
        printf("%zu of %zu latencies right (%.2f %%), %zu rules\n", right, chains,
               100.0 * (double)right / (double)chains, c->machine->latency_count);
}

/* Compares the charted facts with those of the machine's tables. */
static void judge_facts(const struct chart *c, const struct machine *truth)
{
    for (size_t i = 0; i < c->facts.count; i++) {
        const char *is = c->facts.items[i].value,
                   *should = machine_fact(truth, c->facts.items[i].key);
        printf("  fact %s: %s, in the tables %s (%s)\n", c->facts.items[i].key, is ? is : "unknown",
               should ? should : "not determined", c->facts.items[i].why);
    }
}

typedef VEC(const struct form_row *) row_list;

/* Returns whether @m has the form in @row and its name matches @pattern. */
static bool is_selected(const struct machine *m, const struct form_row *row, const char *pattern)
{
    return row && str_match(pattern, row->form) && mapping_find(m->mapping, row->form);
}

/* Selects the @top most frequent forms that match @pattern (0 for all). Stores in @uses the forms
 * from which blocks are generated. */
static void choose(const struct machine *m, const struct forms *forms, const char *pattern,
                   size_t top, row_list *rows, struct block_form *uses, size_t *uses_count)
{
    size_t count = 0;
    struct err err = {0};
    struct form_uses *list = form_uses_load(forms_isa(forms), &count, &err);

    *uses_count = 0;
    for (size_t i = 0; list && i < count && (!top || rows->count < top); i++) {
        const struct form_row *row = forms_find(forms, list[i].form);
        if (!is_selected(m, row, pattern))
            continue;
        if (top)
            vec_push(rows, row);
        if (*uses_count < USES)
            uses[(*uses_count)++] = (struct block_form){row, list[i].uses};
    }
    for (size_t i = 0; !top && i < forms_count(forms); i++)
        if (is_selected(m, forms_at(forms, i), pattern)) {
            vec_push(rows, forms_at(forms, i));
            /* Without a list of frequencies, each form counts once. */
            if (!list || isa_ops(forms_at(forms, i)->isa) != isa_of_dialects())
                uses[(*uses_count)++] = (struct block_form){forms_at(forms, i), 1};
        }
    form_uses_free(list, count);
}

int main(int argc, char **argv)
{
    const char *id = argc > 1 ? argv[1] : "skylake", *pattern = argc > 2 ? argv[2] : "*";
    /* "nan" selects the observed noise. */
    double noise = argc > 3 ? strtod(argv[3], NULL) : 0.005;
    uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    struct err err = {0};
    struct machine *m = machine_load_shipped(id, &err);
    struct forms *forms =
        m ? forms_load(strcmp(m->isa, "aarch64") == 0 ? ISA_AARCH64 : ISA_X86_64, NULL, &err)
          : NULL;
    row_list rows = {0};
    size_t uses_count;

    if (!forms)
        die("%s", err.what);
    struct imitation *cpu = imitation_new(m, noise, seed);
    struct block_form *uses = malloc((forms_count(forms) + USES) * sizeof *uses);
    choose(m, forms, pattern, argc > 5 ? (size_t)strtoull(argv[5], NULL, 10) : 0, &rows, uses,
           &uses_count);
    const struct chart_options options = {.name = "charted",
                                          .core_most = 600,
                                          .seed = seed,
                                          .uses = uses,
                                          .uses_count = uses_count,
                                          .review_blocks = 1024};
    const struct chart_hooks hooks = {
        .cancelled = never, .progress = tell, .stage_done = stage_done};
    begun = clock_seconds();
    printf("%s: %zu forms, noise %g\n", id, rows.count, noise);
    struct chart *c = chart_run(imitation_cpu(cpu), rows.items, rows.count, &options, &hooks, &err);
    if (!c)
        die("%s", err.what);
    struct rng rng;
    rng_seed(&rng, seed + 1000);
    print_core(c, imitation_truth(cpu));
    judge_forms(c, imitation_truth(cpu), &rng);
    judge_fives(c, imitation_truth(cpu), &rng);
    judge_latencies(c, m);
    judge_facts(c, m);
    printf("%zu random blocks: %zu covered, mean error %.2f %%, worst %.0f %% (%s)\n",
           c->review.blocks, c->review.covered, 100 * c->review.error, 100 * c->review.worst,
           c->review.worst_block ? c->review.worst_block : "none");
    printf("%.1f s, %zu experiments\n", clock_seconds() - begun, c->table->rows.count);
    chart_free(c);
    free(uses);
    imitation_free(cpu);
    vec_done(&rows);
    forms_free(forms);
    machine_free(m);
    return 0;
}
