/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms of one kind have the same usages with a higher prior probability than other forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "infer/anneal_state.h"
#include "infer/evolve.h"
#include "infer/problem.h"
#include "isa/forms.h"
#include "isa/operands.h"
#include "../support/known.h"
#include "../support/support.h"

#define SETS 5      /* number of usages in random genomes */
#define DRAWS 3000

static void test_kinds_of_names(void **state)
{
    /* one kind per row */
    static const char *const kinds[][5] = {
        {"ADD (R64, R64)", "SHL (R64, 1)", "LEA_B_D8 (R64)", "CBZ (X, Rel)"},
        {"ADD (R64, M64)", "MOVZX (R32, M8)", "LDR (X, Rel)", "STR (W, [X, X])"},
        {"ADD (M64, I8)", "MOV (M8, R8)", "INC (M16)", "BT (M64, R64)"},
        {"VADDPS (YMM, YMM, YMM)", "PADDB (MM, MM)", "VPSLLD (ZMM, XMM, I8)",
         "ADD (V.4S, V.4S, V.4S)", "TBL (V.16B, {V.16B, V.16B}, V.16B)"},
        {"VADDPS (YMM, YMM, M256)", "VPADDD (ZMM, ZMM, M32_1to16)", "LD1 ({V.4S}, [X])",
         "VGATHERDPS (YMM, VSIB_YMM, YMM)"},
        {"VMOVUPS (M256, YMM)", "MOVD (M32, XMM)"},
        {"VMOVD (R32, XMM)", "DUP (V.2D, X)"},
        {"FADD (D, D, D)", "FMOV (S, I)"},
        {"LDR (D, [X, I])", "LDR (D, Rel)", "STR (S, [X])"},
        {"FCVTZS (X, D)", "SCVTF (S, W)"},
        {"ADD (X, X, X, LSL I)", "CSET (X, C)", "SHL (R64, CL)"},
        {"NOP", "CPUID ()", "", "F3"}};
    const size_t n = sizeof kinds / sizeof *kinds;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 5 && kinds[i][k]; k++)
            for (size_t j = 0; j < n; j++) {
                /* Forms with only general registers have the same kind as forms without
                 * operands. */
                bool same = i == j || (i == 0 && j == n - 1) || (j == 0 && i == n - 1);
                assert_int_equal(problem_form_kind(kinds[i][k]) == problem_form_kind(kinds[j][0]),
                                 same);
            }
    problem_form_kind("(");
    problem_form_kind("ADD (R64, [");
    problem_form_kind("ADD (]], }R64");
}

/* A form's name and its template have the same operands in different notations. */
static void test_operands(void **state)
{
    struct err err = {0};
    size_t memory = 0, vectors = 0;

    for (int isa = 0; isa < ISA_COUNT; isa++) {
        struct forms *forms = forms_load((enum isa)isa, NULL, &err);
        assert_non_null(forms);
        for (size_t i = 0; i < forms_count(forms); i++) {
            const struct form_row *row = forms_at(forms, i);
            bool in_memory = strncmp(row->form, "LD", 2) == 0 && strstr(row->template, "{Rel"),
                 in_vectors = false;
            for (const char *at = strchr(row->template, '['); at && isa == ISA_AARCH64;
                 at = strchr(at + 1, '['))
                /* This is not an element of a vector, unlike v1.s[2]. */
                in_memory |= at == row->template || strchr(" ,", at[-1]);
            for (const char *at = strchr(row->template, '{'); at; at = strchr(at + 1, '{')) {
                char type[16];
                const char *end = at + strcspn(at, "}"),
                           *colon = memchr(at, ':', (size_t)(end - at));
                snprintf(type, sizeof type, "%.*s", (int)(end - (colon ? colon : at) - 1),
                         (colon ? colon : at) + 1);
                in_memory |= strncmp(type, "VSIB", 4) == 0 ||
                             (type[0] == 'M' && (!type[1] || (type[1] >= '0' && type[1] <= '9')));
                in_vectors |= isa == ISA_AARCH64
                                  ? strlen(type) == 1 && strchr("VDSHBQZP", type[0])
                                  : strstr(type, "MM") == type + strspn(type, "XYZ") ||
                                        strcmp(type, "K") == 0;
            }
            if (form_has_memory(row->form) != in_memory ||
                form_has_vectors(row->form) != in_vectors)
                fail_msg("%s: %s", row->form, row->template);
            memory += in_memory;
            vectors += in_vectors;
        }
        forms_free(forms);
    }
    assert_true(memory > 1000 && vectors > 1000);
    char letters[16];
    form_letters("LDR (X, [X, I])", letters, sizeof letters);
    assert_string_equal(letters, "X[I");
    form_letters("ADD (R64, M64)", letters, 2);
    assert_string_equal(letters, "R");
    assert_string_equal(form_memory("VADDPS (ZMM, ZMM, M32_1to16)"), "M32_1to16)");
    assert_null(form_memory("PADDB (MM, MM)"));
    assert_string_equal(form_list("NOP"), "");
}

/* Returns a problem with 24 forms of three kinds, each measured in experiments of 1 to @times
 * copies. */
static struct problem *named_forms(uint64_t times)
{
    static const char *const operands[] = {"(R64, R64)", "(R64, M64)", "(YMM, YMM, YMM)"};
    struct experiments *t = experiments_new();
    struct err err = {0};
    char name[40];

    for (unsigned f = 0; f < 24; f++) {
        snprintf(name, sizeof name, "F%u %s", f, operands[f % 3]);
        uint32_t form = names_add(&t->forms, name);
        for (uint64_t k = 1; k <= times; k++)
            experiments_set(t, experiments_add(t, &(struct flat_term){form, k}, 1), (double)k, NAN,
                            1, NULL);
    }
    struct problem *p = problem_new(t, NULL, &err);
    experiments_free(t);
    return p;
}

/* Returns the code length in closed form. For a usage that n forms of each of k kinds have, it is
 * the price of the first form, k - 1 times that of another kind, minus the savings by sharing, ln
 * (n - 1)! and ln (k - 1)!. */
static double closed_form(const struct genome *g, const struct problem *p,
                          const struct anneal_prices *prices)
{
    double length = 0;

    for (size_t f = 0; f < g->forms; f++) {
        unsigned kinds = 0, seen[64] = {0};
        bool first = true;
        for (size_t k = 0; k < g->forms; k++)
            if (gene_equal(&g->genes[k], &g->genes[f])) {
                first = first && k >= f;
                kinds += seen[p->kind[k]]++ == 0;
            }
        if (!first)
            continue;
        length += prices->new_usage + prices->new_uop * g->genes[f].uops +
                  prices->other_kind * (kinds - 1) - lgamma(kinds);
        for (unsigned k = 0; k < 64; k++)
            length -= seen[k] ? lgamma(seen[k]) : 0;
    }
    return length;
}

static void test_code_length(void **state)
{
    struct problem *p = named_forms(1);
    struct anneal_prices prices = {.usage = 1, .new_usage = 3, .new_uop = 2, .other_kind = 4},
                         none = {0};
    struct rng rng;

    rng_seed(&rng, 5);
    for (int round = 0; round < 20; round++) {
        struct annealer *s = anneal_new(p, 4, 0, &prices, (uint64_t)round),
                        *errors = anneal_new(p, 4, 0, &none, 1);
        struct genome *g = genome_new(p->forms, 4, 0);
        for (size_t f = 0; f < p->forms; f++) {
            gene_add(&g->genes[f], 1 + (unsigned)rng_below(&rng, SETS), 1);
            if (rng_below(&rng, 2))
                gene_add(&g->genes[f], 8, 1);
        }
        anneal_load(s, g);
        anneal_load(errors, g);
        assert_float_equal(anneal_cost(s) - anneal_cost(errors), closed_form(g, p, &prices), 1e-9);
        /* Counts that moves update incrementally equal a full recount. */
        anneal_run(s, 2000, round % 2 ? 2 : 0.1);
        const struct genome *now = anneal_genome(s);
        anneal_load(errors, now);
        assert_float_equal(anneal_cost(s) - anneal_cost(errors), closed_form(now, p, &prices),
                           1e-3);
        anneal_free(s);
        anneal_free(errors);
        genome_free(g);
    }
    problem_free(p);
}

/* Draws DRAWS forms for a change of usage. Returns the number of forms of the same kind. */
static unsigned draws_of_kind(const struct problem *p, bool like)
{
    const struct anneal_prices none = {0};
    struct annealer *s = anneal_new(p, 4, 0, &none, 1);
    unsigned same = 0;

    for (uint32_t i = 0; i < DRAWS; i++) {
        uint32_t f = i % (uint32_t)p->forms;
        same += p->kind[anneal_draw_form(s, f, like)] == p->kind[f];
    }
    anneal_free(s);
    return same;
}

/* Forms with few experiments try usages of their kind. Forms with many experiments try any usage. A
 * third of the tries are usages of their kind. */
static void test_draws_by_kind(void **state)
{
    struct problem *few = named_forms(1), *many = named_forms(100);

    for (int like = 0; like < 2; like++) {
        assert_true(draws_of_kind(few, like) > DRAWS * 9 / 10);
        unsigned any = draws_of_kind(many, like);
        assert_true(any > DRAWS / 4 && any < DRAWS / 2);
    }
    problem_free(few);
    problem_free(many);
}

/* A form that was only measured alone receives the usage of its kind, and not the most frequent
 * one. */
static void test_form_is_like_its_kind(void **state)
{
    struct experiments *t = experiments_new();
    struct err err = {0};
    char name[40];
    uint32_t forms[20];

    for (unsigned f = 0; f < 20; f++) {
        snprintf(name, sizeof name, "F%u %s", f, f < 12 ? "(R64, R64)" : "(R64, M64)");
        forms[f] = names_add(&t->forms, name);
        experiments_set(t, experiments_add(t, &(struct flat_term){forms[f], 1}, 1), 1, NAN, 1,
                        NULL);
    }
    for (unsigned f = 0; f < 19; f++)
        for (unsigned k = 0; k < f; k++)
            experiments_set(
                t, experiments_add(t, (struct flat_term[]){{forms[f], 1}, {forms[k], 1}}, 2),
                (f < 12) == (k < 12) ? 2 : 1, NAN, 1, NULL);
    struct problem *p = problem_new(t, NULL, &err);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct evolve_options o;
        evolve_defaults(&o);
        o.ports = 2;
        o.width = 0;
        o.generations = 1;
        o.seed = seed;
        struct evolve *e = evolve_new(p, &o, NULL, 0, &err);
        evolve_worker(e, 0, NULL, NULL);
        struct genome *best = evolve_best(e, NULL);
        assert_true(gene_equal(&best->genes[problem_form(p, "F19 (R64, M64)")],
                               &best->genes[problem_form(p, "F12 (R64, M64)")]));
        assert_false(gene_equal(&best->genes[problem_form(p, "F19 (R64, M64)")],
                                &best->genes[problem_form(p, "F1 (R64, R64)")]));
        genome_free(best);
        evolve_free(e);
    }
    problem_free(p);
    experiments_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operands), cmocka_unit_test(test_kinds_of_names),
        cmocka_unit_test(test_code_length), cmocka_unit_test(test_draws_by_kind),
        cmocka_unit_test(test_form_is_like_its_kind)};
    return cmocka_run_group_tests_name("kinds", tests, NULL, NULL);
}
