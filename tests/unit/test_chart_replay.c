/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Charts from recorded times: of a real Zen 5, and of two simulated CPUs with the noise of a real
 * one. A change of the model shows here as another machine or a larger error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/names.h"
#include "base/rng.h"
#include "chart/chart.h"
#include "hunt/uses.h"
#include "io/machine_file.h"
#include "isa/forms.h"
#include "throughput/predict.h"
#include "../support/charts.h"
#include "../support/support.h"

#define ERROR_MOST 0.030     /* mean error on all recorded times; measured: 2.83 % */
#define RIGHT_LEAST 0.98     /* share of the forms of a simulated CPU that must be right */
#define TOP 60               /* forms of a simulated CPU */
#define RIGHT 0.02           /* relative error of a right prediction */
#define TERMS 16             /* maximum number of forms of an experiment */
#define RANDOM 40            /* random experiments per form */

/* tests/data/recorded/NAME.txt: a line per form, an empty line, and a line per experiment. That
 * line has the cycles and the numbers of the forms, with a factor if they are repeated. */
struct recording {
    struct source base;
    struct names forms, keys;
    VEC(double) cycles;        /* by key */
    struct experiments *table; /* all recorded times */
};

static int by_term(const void *a, const void *b)
{
    const struct flat_term *x = a, *y = b;
    return (x->form > y->form) - (x->form < y->form);
}

/* Writes a key that does not depend on the order of @terms. */
static void key_of(struct flat_term *terms, size_t n, struct str *out)
{
    str_clear(out);
    qsort(terms, n, sizeof *terms, by_term);
    for (size_t i = 0; i < n; i++)
        str_addf(out, "%u*%u ", terms[i].count, terms[i].form);
}

static bool measure_recorded(struct source *s, const struct experiment *e, size_t n,
                             struct measured *out, bool (*cancelled)(void *state), void *state,
                             struct err *err)
{
    struct recording *r = (struct recording *)s;
    struct str key = {0};

    for (size_t i = 0; i < n; i++) {
        struct flat_term terms[TERMS];
        bool known = e[i].count <= TERMS;
        for (unsigned k = 0; k < e[i].count && known; k++) {
            terms[k] = (struct flat_term){names_find(&r->forms, e[i].terms[k].form),
                                          e[i].terms[k].count};
            known = terms[k].form < r->forms.count;
        }
        if (known)
            key_of(terms, e[i].count, &key);
        const uint32_t at = known ? names_find(&r->keys, str_text(&key)) : UINT32_MAX;
        out[i] = (struct measured){
            .cycles = NAN, .clock_hz = NAN, .short_cycles = NAN, .contended_cycles = NAN};
        if (at < r->cycles.count)
            out[i].cycles = r->cycles.items[at];
        snprintf(out[i].state, sizeof out[i].state, "%s",
                 at < r->cycles.count ? EXPERIMENT_OK : "not recorded");
    }
    str_done(&key);
    return true;
}

static void read_line(struct recording *r, char *line)
{
    struct flat_term terms[TERMS];
    struct str key = {0};
    char *at = line;
    size_t n = 0;
    const double cycles = strtod(at, &at);

    while (*at == ' ' && n < TERMS) {
        unsigned long count = 1, form = strtoul(at, &at, 10);
        if (*at == '*') {
            count = form;
            form = strtoul(at + 1, &at, 10);
        }
        assert_true(form < r->forms.count);
        terms[n++] = (struct flat_term){(uint32_t)form, (uint32_t)count};
    }
    assert_true(n > 0 && cycles > 0);
    key_of(terms, n, &key);
    if (names_add(&r->keys, str_text(&key)) == r->cycles.count)
        vec_push(&r->cycles, cycles);
    experiments_set(r->table, experiments_add(r->table, terms, n), cycles, 0, 1, EXPERIMENT_OK);
    str_done(&key);
}

static void recording_open(struct recording *r, const char *path)
{
    struct err err = {0};
    struct str text = {0};
    bool forms = true;

    assert_true(file_read(path, SIZE_MAX, &text, &err));
    char *rest = text.data, *line;
    *r = (struct recording){.base = {.instructions = SOURCE_BODY,
                                     .orders = 1,
                                     .one_pass = true,
                                     .measure = measure_recorded},
                            .table = experiments_new()};
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (!*line) {
            forms = false;
        } else if (forms) {
            names_add(&r->forms, line);
            names_add(&r->table->forms, line);
        } else {
            read_line(r, line);
        }
    }
    str_done(&text);
}

static void recording_close(struct recording *r)
{
    names_done(&r->forms);
    names_done(&r->keys);
    vec_done(&r->cycles);
    experiments_free(r->table);
}

static bool team(void *state, void (*work)(void *work_state, unsigned worker), void *work_state)
{
    chart_together(work, work_state);
    return true;
}

/* Charts the recorded CPU. The caller frees the chart. */
static struct chart *replay(struct recording *r, const struct forms *forms,
                            const struct mapping *core, bool threads)
{
    const struct chart_cpu cpu = {.source = &r->base};
    const struct chart_options options = {
        .name = "replayed", .core = core, .core_fixed = true, .seed = 1};
    struct chart_watch watch = {0};
    struct chart_hooks hooks = chart_watched(&watch);
    VEC(const struct form_row *) rows = {0};
    struct err err = {0};

    for (size_t i = 0; i < r->forms.count; i++) {
        const struct form_row *row = forms_find(forms, r->forms.items[i]);
        assert_non_null(row);
        vec_push(&rows, row);
    }
    hooks.team = threads ? team : NULL;
    hooks.threads = CHART_THREADS;
    struct chart *c = chart_run(&cpu, rows.items, rows.count, &options, &hooks, &err);
    if (!c)
        fail_msg("%s", err.what);
    vec_done(&rows);
    return c;
}

/* Returns the mean relative error of @c on all recorded times. */
static double error_of(const struct recording *r, const struct chart *c)
{
    double *cycles = mem_alloc((r->table->rows.count + 1) * sizeof *cycles), sum = 0;
    size_t n = 0;

    throughput_predict(c->machine->mapping, r->table, cycles);
    for (size_t i = 0; i < r->table->rows.count; i++)
        if (!isnan(cycles[i])) {
            sum += fabs(cycles[i] / r->table->rows.items[i].cycles - 1);
            n++;
        }
    free(cycles);
    assert_true(n > r->table->rows.count / 2);
    return sum / (double)n;
}

/* The chart of a recorded Zen 5 predicts its times, including those that it did not ask for. Plain
 * operations have one µop. The same times give the same machine with any number of threads. */
static void test_zen5(void **state)
{
    static const char *const plain[] = {"ADD (R64, R64)", "CMP (R64, R64)", "SUB (R64, R64)",
                                        "ADD (R64, I8)",  "AND (R64, I8)",  "MOV (R64, M64)"};
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct machine *core = load_machine(source_path("tests/data/recorded/zen5-core/"));
    struct recording r;

    assert_non_null(forms);
    recording_open(&r, source_path("tests/data/recorded/zen5.txt"));
    struct chart *c = replay(&r, forms, core->mapping, false),
                 *again = replay(&r, forms, core->mapping, true);
    assert_true(chart_mappings_alike(c->machine->mapping, again->machine->mapping));
    for (size_t i = 0; i < c->form_count; i++) {
        const double one = c->forms[i].confidence, other = again->forms[i].confidence;
        assert_true(one == other || (isnan(one) && isnan(other)));
    }
    const double error = error_of(&r, c);
    print_message("mean error %.2f %% on %zu recorded times\n", 100 * error, r.table->rows.count);
    assert_true(error <= ERROR_MOST);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        const struct mapping_entry *e = mapping_find(c->machine->mapping, plain[i]);
        assert_non_null(e);
        if (e->usage.count != 1 || e->usage.uops[0].count != 1)
            fail_msg("%s has %u kinds of µops", plain[i], e->usage.count);
    }
    chart_free(c);
    chart_free(again);
    recording_close(&r);
    machine_free(core);
    forms_free(forms);
}

/* Charts the forms of machine @id that programs use most, with the noise of a real CPU. */
static void replay_simulated(const char *id)
{
    const struct chart_options options = {
        .name = "charted", .core_most = 100, .seed = 1};
    struct err err = {0};
    struct machine *truth = machine_load_shipped(id, &err);
    size_t uses, right = 0, measured = 0;
    struct form_uses *list = form_uses_load(ISA_X86_64, &uses, &err);
    VEC(const struct form_row *) rows = {0};
    struct chart_bed b;
    struct rng rng;

    assert_true(truth && list);
    chart_bed_init(&b, truth, "", NAN);
    for (size_t i = 0; i < uses && rows.count < TOP; i++) {
        const struct form_row *row = forms_find(b.forms, list[i].form);
        if (row && mapping_find(truth->mapping, row->form))
            vec_push(&rows, row);
    }
    struct chart *c = chart_run(&b.cpu, rows.items, rows.count, &options, &b.hooks, &err);
    if (!c)
        fail_msg("%s", err.what);
    rng_seed(&rng, 3);
    for (uint32_t i = 0; i < c->form_count; i++) {
        struct experiments *t = experiments_new();
        for (size_t k = 0; k < c->form_count; k++)
            names_add(&t->forms, c->forms[k].row->form);
        if (c->forms[i].state == CHART_NOT_MEASURED)
            continue;
        for (unsigned k = 0; k < RANDOM; k++)
            experiments_add(t,
                            (struct flat_term[]){{i, 1},
                                                 {(uint32_t)rng_below(&rng, c->form_count), 2},
                                                 {(uint32_t)rng_below(&rng, c->form_count), 1}},
                            3);
        measured++;
        right += chart_bed_wrong(&b, c, t) == 0;
    }
    print_message("%s: %zu of %zu forms right\n", id, right, measured);
    assert_true((double)right >= RIGHT_LEAST * (double)measured);
    chart_free(c);
    form_uses_free(list, uses);
    vec_done(&rows);
    chart_bed_done(&b);
}

static void test_simulated(void **state)
{
    replay_simulated("skylake");
    replay_simulated("znver2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zen5),
                                       cmocka_unit_test(test_simulated)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
