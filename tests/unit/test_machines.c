/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All shipped machines load and have plausible values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fusion.h"
#include "base/file.h"
#include "base/csv.h"
#include "hunt/uses.h"
#include "isa/forms.h"
#include "throughput/throughput.h"
#include "../support/support.h"

static void each_machine(void (*check)(const struct machine *m))
{
    char **ids = machine_ids();
    size_t count = 0;
    for (; ids[count]; count++) {
        /* Inferred and charted machines have only measured forms. */
        if (strstr(ids[count], "-inferred") || strstr(ids[count], "-charted")) {
            free(ids[count]);
            continue;
        }
        struct machine *m = load_machine(ids[count]);
        check(m);
        machine_free(m);
        free(ids[count]);
    }
    free(ids);
    assert_true(count >= 13);
}

/* Port 1 takes no vector µop of 512 bits, because its vector unit is half of port 0's. */
static void test_wide_ports(void **state)
{
    static const char *const ids[] = {"skylake-avx512", "icelake-server", "icelake-client",
                                      "sapphirerapids"};
    /* forms whose µops have less than 512 bits, or exceed uops.info's count */
    static const char *const others[] = {"*GATHER*", "*SCATTER*", "VPCONFLICT*", "VMOVDQU8*",
                                         "VMOVDQU16*"};

    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
        struct machine *m = load_machine(ids[k]);
        size_t wide = 0;
        for (size_t i = 0; i < mapping_count(m->mapping); i++) {
            const struct mapping_entry *e = mapping_at(m->mapping, i);
            bool other = !strstr(e->form, "ZMM");
            for (size_t n = 0; n < sizeof others / sizeof *others; n++)
                other |= str_match(others[n], e->form);
            wide += !other;
            /* ports 0 and 1, or 1 and 5, without 6 */
            for (unsigned u = 0; u < e->usage.count && !other; u++)
                if (e->usage.uops[u].ports & 2 && e->usage.uops[u].ports & 0x21 &&
                    !(e->usage.uops[u].ports & 0x40))
                    fail_msg("%s: %s", ids[k], e->form);
        }
        assert_true(wide > 2500);
        machine_free(m);
    }
}

static const struct forms *forms;

/* Forms of instruction sets that the CPU lacks are absent, except ENDBR, which any CPU executes. */
static void check_extensions(const struct machine *m)
{
    bool avx512 = machine_has(m, "extensions", "AVX512F");
    if (strcmp(machine_fact(m, "isa"), "x86-64") != 0)
        return;
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const char *form = mapping_at(m->mapping, i)->form;
        const struct form_row *row = forms_find(forms, form);
        /* The list, which was verified with binutils, also lacks the form. */
        if (!row &&
            strstr(mapping_at(m->mapping, i)->source, "binutils 2.40 has no such instruction"))
            continue;
        if (!row)
            fail_msg("%s: no such form: %s", m->id, form);
        if (!machine_has(m, "extensions", row->extension) && strncmp(form, "ENDBR", 5) != 0)
            fail_msg("%s has no %s: %s", m->id, row->extension, form);
        if (!avx512 && (strstr(form, "ZMM") || strstr(form, "_EVEX") || strstr(form, " K,")))
            fail_msg("%s has no AVX-512: %s", m->id, form);
    }
    assert_int_equal(mapping_find(m->mapping, "VPADDD (ZMM, ZMM, ZMM)") != NULL, avx512);
    assert_int_equal(mapping_find(m->mapping, "VPADDD (YMM, YMM, YMM)") != NULL,
                     machine_has(m, "extensions", "AVX2"));
    assert_int_equal(mapping_find(m->mapping, "SHLX (R64, R64, R64)") != NULL,
                     machine_has(m, "extensions", "BMI2"));
}

static void test_extensions(void **state)
{
    each_machine(check_extensions);
}

/* Checks that numbers of µops, ports, latencies and counts are plausible. */
static void check_usages(const struct machine *m)
{
    const struct ports *ports = mapping_ports(m->mapping);
    portset used = 0;
    assert_true(ports->count >= 8 && ports->count <= PORTS_MAX);
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        uint64_t sum = 0;
        for (unsigned k = 0; k < entry->usage.count; k++) {
            used |= entry->usage.uops[k].ports;
            sum += entry->usage.uops[k].count;
            /* A µop either uses ports or blocks a pipe. */
            if (entry->usage.uops[k].ports & ports->pipes &&
                entry->usage.uops[k].ports & ~ports->pipes)
                fail_msg("%s: %s mixes ports and pipes", m->id, entry->form);
        }
        if (sum > 400 || entry->micro_ops > 1000)
            fail_msg("%s: %s has %llu µops", m->id, entry->form, (unsigned long long)sum);
        if (!isnan(entry->latency) && !(entry->latency >= 0 && entry->latency <= 5000))
            fail_msg("%s: %s takes %g cycles", m->id, entry->form, entry->latency);
    }
    assert_int_equal(used, ((uint64_t)1 << ports->count) - 1);
}

static void test_usages(void **state)
{
    each_machine(check_usages);
}

/* A form with memory has more µops and a longer latency than the form on registers, because it has
 * a load. */
static void check_memory_forms(const struct machine *m)
{
    static const char *const pairs[][2] = {
        {"ADD (R64, M64)", "ADD (R64, R64)"},
        {"IMUL (R32, M32)", "IMUL (R32, R32)"},
        {"ADDPD (XMM, M128)", "ADDPD (XMM, XMM)"},
        {"PADDD (XMM, M128)", "PADDD (XMM, XMM)"},
        {"MULSD (XMM, M64)", "MULSD (XMM, XMM)"},
        {"VADDPS (YMM, YMM, M256)", "VADDPS (YMM, YMM, YMM)"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct mapping_entry *memory = mapping_find(m->mapping, pairs[i][0]),
                                   *plain = mapping_find(m->mapping, pairs[i][1]);
        if (strcmp(machine_fact(m, "isa"), "x86-64") != 0)
            return;
        assert_non_null(memory);
        assert_non_null(plain);
        if (usage_volume(&memory->usage) <= usage_volume(&plain->usage) ||
            !(memory->latency > plain->latency))
            fail_msg("%s: %s has no load", m->id, memory->form);
    }
}

static void test_memory_forms(void **state)
{
    each_machine(check_memory_forms);
}

/* Checks facts that every machine must have, with a plausible value and a source. */
static void check_facts(const struct machine *m)
{
    static const struct { const char *key; double low, high;
    } needed[] = {
        {"issue_width", 3, 8},    {"reorder_buffer", 100, 600}, {"scheduler", 40, 300},
        {"load_buffer", 40, 250}, {"store_buffer", 30, 150},    {"retire_width", 3, 12},
        {"load_latency", 3, 6},   {"uop_cache_width", 4, 12},
    };
    if (strcmp(machine_fact(m, "isa"), "x86-64") != 0)
        return;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        double value = machine_number(m, needed[i].key);
        if (!(value >= needed[i].low && value <= needed[i].high))
            fail_msg("%s: %s is %g", m->id, needed[i].key, value);
    }
    for (size_t i = 0; i < m->fact_count; i++) {
        const char *key = m->facts[i].key;
        bool self = strcmp(key, "title") == 0 || strcmp(key, "isa") == 0 ||
                    strcmp(key, "source") == 0 || strcmp(key, "ports") == 0 ||
                    strcmp(key, "pipes") == 0;
        if (!self && !*m->facts[i].source)
            fail_msg("%s: the fact %s has no source", m->id, key);
    }
}

static void test_facts(void **state)
{
    each_machine(check_facts);
}

/* Every correction has a source. */
static void test_override_sources(void **state)
{
    char **ids = machine_ids();
    for (char **id = ids; *id; id++) {
        struct str name = {0};
        struct err err = {0};
        str_addf(&name, "machines/%s/overrides.csv", *id);
        char *path = file_data_path(str_text(&name));
        struct csv_table *t = path ? csv_table_read(path, &err) : NULL;
        int source = t ? csv_table_column(t, "source") : -1;
        assert_true(!path || (t && source >= 0));
        for (size_t i = 0; t && i < t->count; i++)
            if (!*t->rows[i][source])
                fail_msg("%s:%zu has no source", path, t->lines[i]);
        csv_table_free(t);
        free(path);
        str_done(&name);
        free(*id);
    }
    free(ids);
}

/* Checks that a machine of x86-64 has the forms of 99 % of the instructions in
 * tests/data/common-forms.csv (libc, libm, libstdc++, libcrypto, Python, OpenBLAS, GMP,
 * coreutils). */
static void check_coverage(const struct machine *m)
{
    struct err err = {0};
    struct csv_table *t = csv_table_read(source_path("tests/data/common-forms.csv"), &err);
    double all = 0, known = 0;
    assert_non_null(t);
    assert_true(t->count > 500);
    for (size_t i = 0; i < t->count; i++) {
        struct insn insn = {0};
        const struct form_row *row = forms_find(forms, t->rows[i][1]);
        double count = strtod(t->rows[i][0], NULL);
        snprintf(insn.form, sizeof insn.form, "%s", t->rows[i][1]);
        /* Ignores forms that the CPU cannot execute. */
        if (row && !machine_has(m, "extensions", row->extension))
            continue;
        all += count;
        known += fusion_resolve(m, &insn) ? count : 0;
    }
    if (strcmp(machine_fact(m, "isa"), "x86-64") == 0 && !(known >= 0.99 * all))
        fail_msg("%s knows %.3f %% of all occurrences", m->id, 100 * known / all);
    csv_table_free(t);
}

static void test_coverage(void **state)
{
    if (getenv("PORTOLAN_SRC"))
        each_machine(check_coverage);
}

/* Checks corrections of the tables by the cycles of a form alone. */
static void test_corrected(void **state)
{
    static const struct { const char *machine, *form; double cycles;
    } known[] = {
        {"skylake", "PUSH (R64)", 1},
        {"skylake", "POP (R64)", 0.5},
        {"skylake", "DIV (R32)", 6},
        {"skylake", "LEA_B_I_D8 (R64)", 1},
        {"skylake", "VEXTRACTF128 (M128, YMM, I8)", 1},
        {"skylake", "BT (M64, R64)", 2},
        {"skylake", "VDIVPD (YMM, YMM, YMM)", 8},
        {"haswell", "VDIVSD (XMM, XMM, XMM)", 8},
        {"haswell", "CMOVBE (R64, R64)", 1},
        {"haswell", "CMOVZ (R64, R64)", 0.5},
        {"haswell", "VADDPD (YMM, YMM, YMM)", 1},
        {"haswell", "VFMADD213PD (YMM, YMM, YMM)", 0.5},
        {"broadwell", "ADC (R64, R64)", 0.5},
        {"alderlake-p", "SETZ (R8l)", 0.5},
        {"sapphirerapids", "LEA_B_IS (R64)", 1. / 3},
        {"icelake-server", "PUSH (R64)", 0.5},
        {"icelake-server", "VFMADD231PD (ZMM, ZMM, ZMM)", 0.5},
        {"icelake-client", "VFMADD231PD (ZMM, ZMM, ZMM)", 1},
        {"icelake-server", "VPDPBUSD (ZMM, ZMM, ZMM)", 0.5},
        {"icelake-server", "VPMULLQ (ZMM, ZMM, ZMM)", 1.5},
        {"icelake-client", "VPMULLQ (ZMM, ZMM, ZMM)", 3},
        {"icelake-server", "VPSLLVD (ZMM, ZMM, ZMM)", 1},
        {"ivybridge", "VDIVPD (YMM, YMM, YMM)", 16},
        {"sandybridge", "VMOVUPS (YMM, M256)", 1},
        {"znver1", "VMOVUPS (YMM, M256)", 1},
        {"znver1", "MOV (M64, R64)", 1},
        {"znver2", "VMOVUPS (YMM, M256)", 0.5},
        {"znver2", "MOV (M64, R64)", 1},
        {"znver3", "VMOVUPS (YMM, M256)", 0.5},
        {"znver3", "MOV (R64, M64)", 1. / 3},
        {"znver4", "MOV (M64, R64)", 0.5},
        {"znver4", "VMOVUPS (M512, ZMM)", 2},
        {"znver4", "VDIVPD (ZMM, ZMM, ZMM)", 9},
        {"znver4", "LEA_B_IS_D8 (R64)", 0.5},
        {"znver4", "SETZ (R8l)", 0.5},
        {"znver1", "BSWAP (R64)", 0.25},
        {"znver1", "VPERM2I128 (YMM, YMM, YMM, I8)", 3},
        {"znver2", "PCLMULQDQ (XMM, XMM, I8)", 2},
        {"znver4", "VDPBF16PS (YMM, K, YMM, YMM)", 0.5},
        {"icelake-server", "VGETEXPPD (YMM, YMM)", 0.5},
        {"skylake", "MOVQ2DQ (XMM, MM)", 1},
        {"lunarlake-p", "MULSD (XMM, XMM)", 0.5},
        {"lunarlake-p", "VMOVUPS (YMM, M256)", 1. / 3},
        {"lunarlake-p", "DIVPD (XMM, XMM)", 5},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct machine *m = load_machine(known[i].machine);
        struct experiment e = {0};
        experiment_add(&e, known[i].form, 1);
        double cycles = throughput_of(m->mapping, &e, NULL);
        if (fabs(cycles - known[i].cycles) > 1e-9)
            fail_msg("%s: %s takes %g", m->id, known[i].form, cycles);
        experiment_done(&e);
        machine_free(m);
    }
}

/* AMD's machines have x87, gathers and VFPCLASS. They lack only instructions that save and load the
 * whole state. */
static void test_amd_known(void **state)
{
    static const char *const ids[] = {"znver1", "znver2", "znver3", "znver4", "zen5-charted"};
    static const char *const unknown[] = {"FLDENV (M224)", "FNSAVE (M864)", "FNSTENV (M224)",
                                          "FRSTOR (M864)"};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct machine *m = load_machine(ids[i]);
        for (size_t k = 0; k < forms_count(forms); k++) {
            const struct form_row *row = forms_at(forms, k);
            bool asked =
                strcmp(row->extension, "X87") == 0 || strncmp(row->form, "VGATHER", 7) == 0 ||
                strncmp(row->form, "VPGATHER", 8) == 0 || strncmp(row->form, "VFPCLASS", 8) == 0;
            for (size_t u = 0; u < sizeof unknown / sizeof *unknown; u++)
                asked = asked && strcmp(row->form, unknown[u]) != 0;
            if (asked && machine_has(m, "extensions", row->extension) &&
                !mapping_find(m->mapping, row->form))
                fail_msg("%s lacks %s", ids[i], row->form);
        }
        machine_free(m);
    }
}

/* Charted machines have 99.9 % of the instructions that programs execute. Exceptions are
 * instruction sets that their CPU lacks, and FMA4, which data/isa lacks. */
static void test_charted_coverage(void **state)
{
    static const char *const ids[] = {"zen3-charted", "zen4-charted", "zen5-charted",
                                      "golden-cove-charted"};
    size_t count;
    struct err err = {0};
    struct form_uses *uses = form_uses_load(ISA_X86_64, &count, &err);

    assert_non_null(uses);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct machine *m = load_machine(ids[i]);
        double known = 0, all = 0;
        for (size_t k = 0; k < count; k++) {
            const struct form_row *row = forms_find(forms, uses[k].form);
            if (!row || machine_lacks(m, row->extension))
                continue;
            all += uses[k].uses;
            known += mapping_find(m->mapping, uses[k].form) ? uses[k].uses : 0;
        }
        if (known < 0.999 * all)
            fail_msg("%s knows %.3f %%", ids[i], 100 * known / all);
        machine_free(m);
    }
    form_uses_free(uses, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_ports), cmocka_unit_test(test_extensions),
        cmocka_unit_test(test_usages),     cmocka_unit_test(test_memory_forms),
        cmocka_unit_test(test_facts),      cmocka_unit_test(test_override_sources),
        cmocka_unit_test(test_coverage),   cmocka_unit_test(test_corrected),
        cmocka_unit_test(test_amd_known),  cmocka_unit_test(test_charted_coverage),
    };
    forms = shipped_forms_of(ISA_X86_64);
    return cmocka_run_group_tests_name("machines", tests, NULL, NULL);
}
