/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The AArch64 machines, compared with measurements of their processors or documents of their
 * makers. The published tables are not part of the project. $PORTOLAN_SHARED/data has them. Without
 * them, only the loops are tested. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/csv.h"
#include "io/pmevo_json.h"
#include "model/dispatch_limits.h"
#include "model/metrics.h"
#include "simulate/simulate.h"
#include "throughput/predict.h"
#include "throughput/throughput.h"
#include "../support/support.h"

static struct csv_table *published(const char *name)
{
    const char *shared = getenv("PORTOLAN_SHARED");
    struct str path = {0};
    struct err err = {0};

    if (!shared)
        return NULL;
    str_addf(&path, "%s/data/arm/%s", shared, name);
    struct csv_table *t = csv_table_read(str_text(&path), &err);
    str_done(&path);
    return t;
}

static const char *field(const struct csv_table *t, size_t row, const char *column)
{
    int at = csv_table_column(t, column);
    assert_true(at >= 0);
    return t->rows[row][at];
}

/* Returns the cycles of a form alone, by its ports and by the dispatch limit of its kind. */
static double cycles_alone(const struct machine *m, struct throughput *work,
                           const struct mapping_entry *entry)
{
    struct mass masses[32];
    size_t n = 0;
    double most = 0;
    struct dispatch_limits limits;

    dispatch_limits_of(m, &limits);
    for (unsigned i = 0; i < entry->usage.count && n < 32; i++)
        masses[n++] = (struct mass){entry->usage.uops[i].ports, entry->usage.uops[i].count};
    for (unsigned k = 0; k < limits.count; k++) {
        double limited = 0;
        for (size_t i = 0; i < n; i++)
            limited += dispatch_limit_has(&limits.items[k], masses[i].ports) ? masses[i].count : 0;
        most = fmax(most, limited / limits.items[k].most);
    }
    return fmax(fmax(throughput_of_masses(work, masses, n), most),
                1 / machine_number(m, "decode_width"));
}

static double latency_between(const struct machine *m, const struct mapping_entry *entry, int from,
                              int to)
{
    for (size_t i = 0; i < m->latency_count; i++) {
        const struct latency_rule *rule = &m->latencies[i];
        if ((rule->from == from || rule->from == LATENCY_ANY) &&
            (rule->to == to || rule->to == LATENCY_ANY) && str_match(rule->form, entry->form))
            return rule->cycles;
    }
    return entry->latency;
}

/* Returns whether operand @number of @form masks its result. LLVM's numbers then refer to the
 * merged destination. */
static bool is_mask(const char *form, int number)
{
    const char *at = strchr(form, '(') + 1;

    if (*at == 'P')
        return false;
    for (; number > 0 && at; number--)
        at = strchr(at, ',') ? strchr(at, ',') + 2 : NULL;
    return at && at[0] == 'P' && (at[1] == '/' || at[1] == ',' || at[1] == ')');
}

/* Counts the latencies of one row, "1>0:4;2>0:2-6", and those within the measured range. */
static void count_latencies(const struct machine *m, const struct mapping_entry *entry,
                            const char *row, size_t *count, size_t *equal)
{
    for (const char *at = row; *at; at += *at == ';') {
        int from, to, read = 0;
        double low, high;
        if (sscanf(at, "%d>%d:%lf%n", &from, &to, &low, &read) == 3) {
            high = at[read] == '-' ? atof(at + read + 1) : low;
            double have = latency_between(m, entry, is_mask(entry->form, from) ? 0 : from, to);
            (*count)++;
            *equal += have >= fmin(low, high) && have <= fmax(low, high);
        }
        at += strcspn(at, ";");
    }
}

static void test_neoverse_v2_as_on_a_grace(void **state)
{
    struct csv_table *t = published("grace.csv");
    struct machine *m = load_machine("neoverse-v2");
    struct throughput *work = throughput_new(mapping_ports(m->mapping)->count);
    double sum = 0, forms = 0;
    size_t count = 0, equal = 0;

    for (size_t i = 0; t && i < t->count; i++) {
        const struct mapping_entry *entry = mapping_find(m->mapping, field(t, i, "form"));
        double measured = atof(field(t, i, "cycles_min"));
        assert_non_null(entry);
        count_latencies(m, entry, field(t, i, "latencies"), &count, &equal);
        if (measured > 0) {
            sum += fabs(cycles_alone(m, work, entry) - measured) / measured;
            forms++;
        }
    }
    if (t) {
        print_message("throughputs of %.0f forms %.2f %% off, %.2f %% of %zu latencies equal\n",
                      forms, 100 * sum / forms, 100.0 * (double)equal / (double)count, count);
        assert_true(sum / forms <= 0.06);
        assert_true((double)equal >= 0.96 * (double)count);
    }
    throughput_free(work);
    machine_free(m);
    csv_table_free(t);
}

/* Returns the sum of the numbers of "1+3+6", or NaN for other text. */
static double steps_of(const char *text)
{
    double sum = 0;

    if (!isdigit((unsigned char)*text))
        return NAN;
    for (const char *at = text; *at; at++)
        if (isdigit((unsigned char)*at)) {
            char *end;
            sum += strtod(at, &end);
            at = end - 1;
        } else if (!strchr("+ ", *at)) {
            return NAN;
        }
    return sum;
}

/* Returns whether @form is the operation @name of the manual's @section, such as "ADD (vector)". */
static bool is_named(const char *form, const char *name, const char *section)
{
    size_t length = strcspn(name, " ,");
    char first = form[strcspn(form, "(") + 1];
    const char *kinds = strcmp(section, "base") == 0   ? "XW"
                        : strcmp(section, "simd") == 0 ? "VBHSD"
                                                       : "ZP";

    return strncmp(form, name, length) == 0 && form[length] == ' ' && strchr(kinds, first);
}

/* Returns the fraction of forms in the table whose latency is one of the table's. If a table has
 * "at most" or a range, every latency is accepted. */
static double share_named(const struct machine *m, const struct csv_table *t, size_t *forms)
{
    size_t fit = 0;

    *forms = 0;
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        bool named = false, found = false;
        if (isnan(entry->latency) || strchr(entry->form, '[') || strstr(entry->form, "Rel"))
            continue;
        for (size_t k = 0; k < t->count; k++) {
            const char *text = field(t, k, "latency");
            bool most = strncmp(text, "≤", strlen("≤")) == 0 || *text == '[';
            double cycles = most ? HUGE_VAL : steps_of(text);
            if (isnan(cycles) ||
                !is_named(entry->form, field(t, k, "instruction"), field(t, k, "section")))
                continue;
            named = true;
            found |= most || entry->latency == cycles;
        }
        *forms += named;
        fit += named && found;
    }
    return (double)fit / (double)*forms;
}

static void hold_to(const char *id, const char *table, size_t least_forms, double least_share)
{
    struct csv_table *t = published(table);
    struct machine *m = load_machine(id);
    size_t forms;

    if (t) {
        double share = share_named(m, t, &forms);
        print_message("%s: %.2f %% of %zu latencies as in %s\n", id, 100 * share, forms, table);
        assert_true(forms >= least_forms);
        assert_true(share >= least_share);
    }
    machine_free(m);
    csv_table_free(t);
}

static void test_a64fx_as_in_its_manual(void **state)
{
    hold_to("a64fx", "a64fx-manual.csv", 2400, 0.97);
}

static void test_apple_m1_as_measured(void **state)
{
    hold_to("apple-m1", "firestorm.csv", 2000, 0.98);
}

/* Compares predictions with Ritter and Hack's experiments with five forms on an RK3399 (PMEvo). */
static void test_cortex_a72_as_measured(void **state)
{
    const char *shared = getenv("PORTOLAN_SHARED");
    struct str path = {0};
    struct err err = {0};

    str_addf(&path, "%s/data/pmevo-a72/exps_five_first_half.json", shared ? shared : "");
    struct experiments *t = shared ? pmevo_experiments_load(str_text(&path), &err) : NULL;
    str_done(&path);
    if (!t)
        return;
    struct machine *m = load_machine("cortex-a72");
    double *cycles = test_malloc(t->rows.count * sizeof *cycles);
    machine_predict(m, t, cycles);
    struct accuracy a = metrics_accuracy(t, cycles);
    print_message("cortex-a72: %zu experiments of five forms %.2f %% off\n", a.n, 100 * a.mape);
    assert_true(a.n == t->rows.count && a.mape <= 0.115);
    test_free(cycles);
    machine_free(m);
    experiments_free(t);
}

/* Compares bound and simulation of loops with measured or documented results. */
static void test_loops(void **state)
{
    static const struct { const char *machine, *text; double cycles;
    } loops[] = {
        /* Dispatch accepts four additions per cycle, although six ports could execute them. */
        {"neoverse-v2",
         "add x1, x20, x21\nadd x2, x20, x21\nadd x3, x20, x21\nadd x4, x20, x21\nadd x5, x20, "
         "x21\nadd x6, x20, x21\nadd x7, x20, x21\nadd x8, x20, x21\n",
         2},
        {"neoverse-v2",
         "mov x1, x20\nmov x2, x20\nmov x3, x20\nmov x4, x20\nmov x5, x20\nmov x6, x20\nmov x7, "
         "x20\nmov x8, x20\n",
         2},
        {"neoverse-v2", "uadalp v0.4s, v1.8h\n", 1},
        {"neoverse-v2", "usra v0.2d, v1.2d, #3\n", 1},
        {"neoverse-v2", "mla z0.d, p0/m, z1.d, z2.d\n", 3},
        {"neoverse-v2", "sdiv x0, x0, x1\n", 5},
        /* movprfx costs nothing and depends on its source: 4 cycles from the product, none from the
         * old z1. */
        {"neoverse-v2",
         "movprfx z1, z0\nfmla z1.d, p0/m, z2.d, z3.d\nmovprfx z0, z1\nfmla z0.d, p0/m, z2.d, "
         "z3.d\n",
         4},
        {"a64fx", "eor x0, x0, x1\n", 1},
        {"a64fx", "fadd d0, d0, d1\n", 9},
        {"a64fx", "mul x1, x11, x12\nmul x2, x13, x14\nmul x3, x11, x12\n", 3},
        /* Two banks by lines: one load per cycle 128 bytes apart, two 64 bytes apart, three within
         * a line. */
        {"neoverse-v2", "ldr x1, [x0]\nldr x2, [x0, #128]\nldr x3, [x0, #256]\nadd x0, x0, #384\n",
         3},
        {"neoverse-v2",
         "ldr x1, [x0]\nldr x2, [x0, #64]\nldr x3, [x0, #128]\nldr x4, [x0, #192]\nadd x0, x0, "
         "#256\n",
         2},
        {"neoverse-v2", "ldr x1, [x0]\nldr x2, [x0, #8]\nldr x3, [x0, #16]\nadd x0, x0, #64\n", 1},
        {"neoverse-v2", "ldr q1, [x0, #56]\nldr q2, [x0, #120]\nadd x0, x0, #128\n", 2},
        {"neoverse-v2",
         "ldp x1, x2, [x0]\nldp x3, x4, [x0, #16]\nldp x5, x6, [x0, #32]\nldp x7, x8, [x0, #48]\n",
         2},
        /* There are two loads or one store per cycle. */
        {"a64fx", "ldr d0, [x1]\nldr d1, [x2]\nstr d2, [x3]\nstr d2, [x4]\n", 3},
        {"apple-m1", "fmadd d0, d1, d2, d0\n", 4},
        /* A chain of moves takes a cycle per move (Graviton 3, Cortex-X1). Other moves are
         * eliminated. */
        {"neoverse-v1", "mov x1, x0\nmov x2, x1\nmov x0, x2\n", 3},
        {"neoverse-v1", "mov w1, w0\nadd w0, w1, w2\nmov w3, w0\nadd w0, w3, w2\n", 2},
        {"neoverse-v1",
         "mov x1, x20\nmov x2, x20\nmov x3, x20\nmov x4, x20\nmov x5, x20\nmov x6, x20\nmov x7, "
         "x20\nmov x8, x20\n",
         2},
        /* Dispatch accepts three additions per cycle. */
        {"neoverse-n2",
         "add x1, x20, x21\nadd x2, x20, x21\nadd x3, x20, x21\nadd x4, x20, x21\nadd x5, x20, "
         "x21\nadd x6, x20, x21\n",
         2.33},
        /* 4.55 cycles from store to load: 5.55 in total, 6 in whole cycles */
        {"neoverse-v1", "ldr x1, [x0]\nadd x1, x1, #1\nstr x1, [x0]\n", 5.75},
        /* four operations of 9 cycles, and 24 from store to load: 59.65 measured */
        {"a64fx",
         "ldr d1, [x1]\nfadd d1, d1, d2\nfadd d1, d1, d3\nfadd d1, d1, d4\nfmul d1, d1, d5\nstr "
         "d1, [x1]\n",
         60},
    };

    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0)
        return;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct str text = {0};
        str_addf(&text, "1: %ssubs x28, x28, #1\nb.ne 1b\n", loops[i].text);
        struct kernel *k = kernel_with(
            str_text(&text), &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64});
        struct machine *m = load_machine(loops[i].machine);
        struct analysis *a = analysis_new(k, 0, m);
        struct simulation s;
        simulate_kernel(k, 0, m, &(struct simulate_options){0}, &s, NULL);
        double simulated = s.cycles;
        if (a->lower_bound || fabs(a->cycles - loops[i].cycles) > 0.26 ||
            fabs(simulated - loops[i].cycles) > 0.26)
            fail_msg("%s, %s: bound %g, simulated %g, not %g", loops[i].machine, loops[i].text,
                     a->cycles, simulated, loops[i].cycles);
        simulation_done(&s);
        analysis_free(a);
        machine_free(m);
        kernel_free(k);
        str_done(&text);
    }
}

/* Writes eight copies of each of @lines. @ is the number of the copy. A to D are registers of that
 * copy, 8 apart. */
static void unroll(const char *const *lines, struct str *out)
{
    for (size_t i = 0; lines[i]; i++)
        for (int copy = 0; copy < 8; copy++) {
            for (const char *at = lines[i]; *at; at++)
                if (*at == '@')
                    str_addf(out, "%d", copy);
                else if (*at >= 'A' && *at <= 'D')
                    str_addf(out, "%d", 8 * (*at - 'A') + copy);
                else
                    str_add_char(out, *at);
            str_add_char(out, '\n');
        }
}

#define LOAD(reg, base) "ld1d z" reg ".d, p0/z, [" base ", #@, mul vl]"
#define STORE(reg, base) "st1d z" reg ".d, p0, [" base ", #@, mul vl]"

/* Predicts streaming kernels, unrolled eight times, with data in the first level, in cycles per
 * vector of 64 bytes. Measured on an FX700 by Alappat et al., "Performance Modeling of Streaming
 * Kernels and Sparse Matrix-Vector Multiplication on A64FX", PMBS 2020 (artifact,
 * single_core/stream), without the cost of a call. */
static void test_a64fx_streams(void **state)
{
    static const struct { double measured; const char *lines[6];
    } streams[] = {
        {1.08, {STORE("31", "x0")}},
        {1.635, {LOAD("A", "x1"), STORE("A", "x0")}},
        {2.13,
         {LOAD("A", "x1"), LOAD("B", "x2"), "movprfx zC, z31", "fmad zC.d, p0/m, zB.d, zA.d",
          STORE("C", "x0")}},
        {2.78,
         {LOAD("A", "x1"), LOAD("B", "x2"), LOAD("C", "x3"), "fmad zC.d, p0/m, zB.d, zA.d",
          STORE("C", "x0")}},
        {1.14, {LOAD("A", "x1"), "fadd zB.d, p0/m, zB.d, zA.d"}},
        {1.45, {LOAD("A", "x1"), LOAD("B", "x2"), "fmla zC.d, p0/m, zA.d, zB.d"}},
    };
    double sum = 0;

    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0)
        return;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct str text = {0};
        str_add(&text, "1:\n");
        unroll(streams[i].lines, &text);
        str_add(&text, "add x0, x0, #512\nadd x1, x1, #512\nadd x2, x2, #512\nadd x3, x3, "
                       "#512\nadd x9, x9, #64\nwhilelt p0.d, x9, x10\nb.any 1b\n");
        struct kernel *k = kernel_with(
            str_text(&text), &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64});
        struct machine *m = load_machine("a64fx");
        struct simulation s;
        simulate_kernel(k, 0, m, &(struct simulate_options){0}, &s, NULL);
        sum += fabs(s.cycles / 8 - streams[i].measured) / streams[i].measured;
        simulation_done(&s);
        machine_free(m);
        kernel_free(k);
        str_done(&text);
    }
    print_message("a64fx: streaming kernels %.1f %% off\n",
                  100 * sum / (sizeof streams / sizeof *streams));
    assert_true(sum / (sizeof streams / sizeof *streams) <= 0.10);
}

static void hold_sentence(const char *machine, const char *loop, const char *words)
{
    struct str text = {0};

    str_addf(&text, "1: %ssubs x28, x28, #1\nb.ne 1b\n", loop);
    struct kernel *k = kernel_with(str_text(&text),
                                   &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64});
    struct machine *m = load_machine(machine);
    struct analysis *a = analysis_new(k, 0, m);
    if (!strstr(a->sentence, words))
        fail_msg("%s: no \"%s\" in: %s", machine, words, a->sentence);
    analysis_free(a);
    machine_free(m);
    kernel_free(k);
    str_done(&text);
}

/* A sentence names the kind of µop that limits dispatch or rename, and the estimated figure. */
static void test_sentences(void **state)
{
    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0)
        return;
    hold_sentence("neoverse-n2", ".rept 11\nadd x1, x20, x21\n.endr\n",
                  "12 µops for ports S0 and S1 per iteration, 3 per cycle");
    hold_sentence("neoverse-v2", ".rept 16\nmov x1, x20\n.endr\n",
                  "16 eliminated moves per iteration, 4 per cycle");
    hold_sentence("neoverse-n2", "ldr x1, [x0]\nadd x1, x1, #1\nstr x1, [x0]\n",
                  "5.00 of them from store to load (an estimate)");
    hold_sentence("neoverse-v1", "ldr x1, [x0]\nadd x1, x1, #1\nstr x1, [x0]\n",
                  "4.55 of them from store to load. ");
}

/* For a division that takes a range of cycles, the least number counts. */
static void test_range(void **state)
{
    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0)
        return;
    struct kernel *k = kernel_with("1: sdiv x0, x0, x1\nadd x1, x1, x2\ncbnz x9, 1b\n",
                                   &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64});
    struct machine *m = load_machine("neoverse-v2");
    struct analysis *a = analysis_new(k, 0, m);
    assert_true(a->rows[0].latency == 5 && a->rows[0].slowest && a->rows[0].slowest->cycles == 20);
    assert_null(a->rows[1].slowest);
    analysis_free(a);
    machine_free(m);
    kernel_free(k);
}

static double simulated_with(const struct kernel *k, const char *cycles)
{
    struct machine *shipped = load_machine("a64fx"), *m = machine_copy(shipped);
    struct simulation s;

    machine_set_fact(m, "rename_to_port", cycles, "cycles", "");
    simulate_kernel(k, 0, m, &(struct simulate_options){0}, &s, NULL);
    double result = s.cycles;
    simulation_done(&s);
    machine_free(m);
    machine_free(shipped);
    return result;
}

/* A reorder buffer of 128 entries limits a loop of nine instructions. Each cycle between rename and
 * execution costs 9 / 128 of a cycle; the test adds four. */
static void test_rename_to_port(void **state)
{
    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0)
        return;
    struct kernel *k =
        kernel_with("1: ldr d0, [x1]\nfadd d0, d0, d1\nfadd d0, d0, d1\nfadd d0, d0, d1\nfadd d0, "
                    "d0, d1\nfadd d0, d0, d1\nfadd d0, d0, d1\nsubs x9, x9, #1\nb.ne 1b\n",
                    &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64});
    double more = simulated_with(k, "5") - simulated_with(k, "1");
    assert_true(more > 0.2 && more < 0.4);
    kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neoverse_v2_as_on_a_grace),
        cmocka_unit_test(test_a64fx_as_in_its_manual),
        cmocka_unit_test(test_apple_m1_as_measured),
        cmocka_unit_test(test_cortex_a72_as_measured),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_a64fx_streams),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_rename_to_port),
    };
    return cmocka_run_group_tests_name("silicon", tests, NULL, NULL);
}
