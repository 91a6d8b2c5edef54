/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine of a CPU, for identities in PORTOLAN_CPU, names of processors, and user machines.
 * Independent of the CPU that runs the test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "cmd/command.h"
#include "io/cpus.h"
#include "io/machine_file.h"
#include "io/machine_image.h"
#include "../support/support.h"

static int make_home(void **state)
{
    return setenv("XDG_DATA_HOME", work_path(""), 1);
}

static void put(const char *relative, const char *text)
{
    char *path = path_data(relative);
    struct err err = {0};

    assert_true(path_make_parents(path, 0777, &err));
    assert_true(file_write(path, text, strlen(text), &err));
    free(path);
}

static void test_identities(void **state)
{
    static const struct { const char *cpu, *name, *title;
    } cases[] = {
        {"GenuineIntel 6 207 2", "emeraldrapids",
         "Emerald Rapids (Golden Cove core, sapphirerapids tables)"},
        {"GenuineIntel 6 143 8", "sapphirerapids",
         "Sapphire Rapids (Golden Cove core, sapphirerapids tables)"},
        /* One model number has three processors. */
        {"GenuineIntel 6 85 4", "skylake-avx512",
         "Skylake-SP (Skylake-X core, skylake-avx512 tables)"},
        {"GenuineIntel 6 85 7", "cascadelake",
         "Cascade Lake (Skylake-X core, skylake-avx512 tables)"},
        {"GenuineIntel 6 85 11", "cooperlake",
         "Cooper Lake (Skylake-X core, skylake-avx512 tables)"},
        /* A model number is ignored if the CPU has features that the processor of that number
         * lacks, because hypervisors report wrong numbers. */
        {"GenuineIntel 6 167 1", "rocketlake",
         "Rocket Lake (Cypress Cove core, icelake-client tables)"},
        {"GenuineIntel 6 167 8 - AVX2 AVX512_FP16_512", "sapphirerapids",
         "Sapphire Rapids or later (Golden Cove core, sapphirerapids tables)"},
        /* These are hybrid processors, by CPUID leaf 1Ah. */
        {"GenuineIntel 6 183 1 core", "raptorlake",
         "Raptor Lake (Golden Cove core, alderlake-p tables)"},
        {"GenuineIntel 6 151 2 core", "alderlake-p",
         "Alder Lake (Golden Cove core, alderlake-p tables)"},
        {"AuthenticAMD 25 17 1", "genoa", "Genoa (Zen 4 core, znver4 tables)"},
        {"AuthenticAMD 0x19 0x61 2", "raphael", "Raphael (Zen 4 core, znver4 tables)"},
        {"AuthenticAMD 25 33 0", "znver3",
         "Milan, Vermeer, Cezanne or kin (Zen 3 core, znver3 tables)"},
        {"AuthenticAMD 23 113 0", "znver2",
         "Rome, Matisse, Renoir or kin (Zen 2 core, znver2 tables)"},
        {"AuthenticAMD 23 8 2", "zenplus", "Pinnacle Ridge or Picasso (Zen+ core, znver1 tables)"},
        {"AuthenticAMD 23 1 2", "znver1",
         "Naples, Summit or Raven Ridge (Zen core, znver1 tables)"},
        {"0x41 0 0xd0c 0", "neoverse-n1", "Neoverse N1 (Neoverse N1 core, neoverse-n1 tables)"},
        {"AuthenticAMD 26 2 1", "turin", "Turin (Zen 5 core, zen5-charted tables)"},
        {"AuthenticAMD 26 68 0", "graniteridge", "Granite Ridge (Zen 5 core, zen5-charted tables)"},
        {"0x46 0 1 0", "a64fx", "A64FX (A64FX core, a64fx tables)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cpu_native found;
        struct err err = {0};
        setenv("PORTOLAN_CPU", cases[i].cpu, 1);
        if (!cpu_native_find(&found, &err))
            fail_msg("%s: %s", cases[i].cpu, err.what);
        assert_string_equal(found.name, cases[i].name);
        assert_string_equal(found.title, cases[i].title);
        cpu_native_done(&found);
    }
}

/* The message names the instruction set if it differs from this processor's. */
static void test_unknown(void **state)
{
    const bool x86 = isa_host() == ISA_X86_64;
    const struct { const char *cpu, *reason;
    } cases[] = {
        {"GenuineIntel 6 300 5",
         x86 ? "no tables for this CPU: GenuineIntel family 6 model 300 stepping 5"
             : "no tables for this CPU: x86-64 GenuineIntel family 6 model 300 stepping 5"},
        {"GenuineIntel 6 183 1 atom", "no tables for this CPU: Raptor Lake E core, Gracemont core"},
        {"AuthenticAMD 26 36 0",
         "no tables for this CPU: Strix Point, Krackan Point, Strix Halo or later, Zen 5 core"},
        {"0x61 0 0x22 0", "no tables for this CPU: Apple M1 E core, Icestorm core"},
        {"0x61 0 0x29 0", x86 ? "no tables for this CPU: AArch64 0x61 part 0x029"
                              : "no tables for this CPU: 0x61 part 0x029"},
        {"none", "this CPU cannot be identified"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cpu_native found;
        struct err err = {0};
        setenv("PORTOLAN_CPU", cases[i].cpu, 1);
        assert_false(cpu_native_find(&found, &err));
        if (!strstr(err.what, cases[i].reason))
            fail_msg("%s: %s", cases[i].cpu, err.what);
    }
}

/* Every processor of the table has a name and a core, equal names have one machine, and the
 * conditions contain only numbers and ranges. */
static void test_table(void **state)
{
    struct err err = {0};
    struct cpus *cpus = cpus_load(&err);
    size_t known = 0;

    assert_non_null(cpus);
    for (size_t i = 0; i < cpus_count(cpus); i++) {
        struct cpu_product p = cpus_at(cpus, i), first;
        assert_true(*p.product && *p.core);
        if (cpus_named(cpus, p.name, &first))
            assert_string_equal(first.machine, p.machine);
        known += cpu_product_known(&p);
        for (int k = CPUS_MODELS; k <= CPUS_STEPPINGS; k++)
            assert_int_equal(strspn(cpus->rows[i][k], "0123456789abcdefx;-"),
                             strlen(cpus->rows[i][k]));
    }
    assert_true(known > 40);
    cpus_free(cpus);
}

/* The built-in table equals the text, and is only used if the text is unchanged. */
static void test_table_in_program(void **state)
{
    struct err err = {0};
    struct str bytes = {0};
    struct cpus *built = cpus_load(&err);
    char *path = file_data_path("cpus.csv"), *data = mem_strdup(getenv("PORTOLAN_DATA"));

    assert_non_null(built);
    assert_true((built->text == NULL) == (machine_images_size > 0));
    assert_true(file_read(path, CPUS_LIMIT, &bytes, &err));
    str_add(&bytes, "\n");
    assert_true(file_write(work_path("cpus.csv"), bytes.data, bytes.length, &err));
    setenv("PORTOLAN_DATA", work_path(""), 1);
    struct cpus *parsed = cpus_load(&err);
    setenv("PORTOLAN_DATA", data, 1);
    assert_non_null(parsed);
    assert_non_null(parsed->text);
    assert_int_equal(parsed->count, built->count);
    for (size_t i = 0; i < built->count; i++)
        for (int k = 0; k < CPUS_COLUMNS; k++)
            assert_string_equal(built->rows[i][k], parsed->rows[i][k]);
    cpus_free(built);
    cpus_free(parsed);
    str_done(&bytes);
    free(path);
    free(data);
}

/* A processor's name selects the machine of its core, under that name. */
static void test_alias(void **state)
{
    struct err err = {0};
    struct machine *m = machine_load("emeraldrapids", &err),
                   *core = machine_load("sapphirerapids", &err);

    assert_non_null(m);
    assert_string_equal(m->id, "emeraldrapids");
    assert_string_equal(m->title, "Emerald Rapids (Golden Cove core, sapphirerapids tables)");
    assert_int_equal(mapping_count(m->mapping), mapping_count(core->mapping));
    assert_int_equal(m->latency_count, core->latency_count);
    assert_null(machine_load("emeraldrapid", &err));
    machine_free(m);
    machine_free(core);
}

/* A directory with a base contains only differences. Its latencies take precedence over those of
 * the base. */
static void test_user_machine(void **state)
{
    struct err err = {0};

    put("machines/mine/machine.csv", "key,value,unit,source\nbase,emeraldrapids,,\ntitle,Mine,,"
                                     "\nload_latency,7,cycles,guessed\n");
    put("machines/mine/overrides.csv",
        "form,usage,latency,micro_ops,source\n\"IMUL (R64, R64)\",2*p1,,,measured\n");
    put("machines/mine/latencies.csv",
        "form,from,to,cycles,source\n\"IMUL (R64, R64)\",1,1,9,measured\n");
    struct machine *m = machine_load("mine", &err), *core = machine_load("sapphirerapids", &err);
    if (!m)
        fail_msg("%s:%zu: %s", err.file, err.line, err.what);
    assert_string_equal(m->title, "Mine");
    assert_string_equal(machine_fact(m, "load_latency"), "7");
    assert_int_equal(mapping_find(m->mapping, "IMUL (R64, R64)")->usage.uops[0].count, 2);
    assert_int_equal(mapping_count(m->mapping), mapping_count(core->mapping));
    assert_string_equal(m->latencies[0].form, "IMUL (R64, R64)");
    assert_true(m->latencies[0].cycles == 9);
    assert_int_equal(m->latency_count, core->latency_count + 1);
    machine_free(m);
    machine_free(core);
    char **ids = machine_user_ids();
    assert_string_equal(ids[0], "mine");
    assert_null(ids[1]);
    free(ids[0]);
    free(ids);
    /* Rejects a base that is the machine itself, or that has a base. There are therefore no cycles
     * of bases. */
    put("machines/circle/machine.csv", "key,value,unit,source\nbase,circle,,\n");
    assert_null(machine_load("circle", &err));
    put("machines/second/machine.csv", "key,value,unit,source\nbase,mine,,\n");
    assert_null(machine_load("second", &err));
}

static void start(struct session *s, const char *cpu)
{
    setenv("PORTOLAN_CPU", cpu, 1);
    session_init(s);
    s->input = NULL;
}

/* The CPU's machine is the first machine of a comparison, and its own tables are listed once. */
static void test_selection(void **state)
{
    struct session s;
    struct err err = {0};

    start(&s, "GenuineIntel 6 207 2");
    const struct selection *x86 = &s.document.kept[ISA_X86_64];
    assert_int_equal(x86->count, 3);
    assert_string_equal(x86->ids[0], "emeraldrapids");
    assert_string_equal(x86->ids[1], "skylake");
    assert_string_equal(x86->ids[2], "znver4");
    assert_string_equal(session_machine(&s, "native", &err)->title,
                        "this CPU: Emerald Rapids (Golden Cove core, sapphirerapids tables)");
    assert_string_equal(session_machine(&s, "sapphirerapids", &err)->title,
                        "Intel Sapphire Rapids (Golden Cove)");
    char *ids[] = {(char *)"skylake", (char *)"native"};
    assert_true(session_select(&s, ids, 2, &err));
    assert_string_equal(s.document.selected[1], "emeraldrapids");
    session_done(&s);

    start(&s, "GenuineIntel 6 300 2");
    assert_string_equal(s.document.kept[ISA_X86_64].ids[0], "skylake");
    assert_null(session_machine(&s, "native", &err));
    assert_non_null(strstr(err.what, "model 300"));
    session_done(&s);

    start(&s, "0x41 0 0xd4f 0");
    assert_string_equal(s.document.kept[ISA_AARCH64].ids[0], "neoverse-v2");
    assert_string_equal(s.document.kept[ISA_X86_64].ids[0], "skylake");
    session_done(&s);
}

/* A machine measured here is this CPU's machine. */
static void test_measured_machine_is_native(void **state)
{
    struct session s;
    struct err err = {0};

    put("machines/genoa-measured/machine.csv",
        "key,value,unit,source\nbase,genoa,,\ntitle,\"Genoa, corrected\",,\n");
    start(&s, "AuthenticAMD 25 17 1");
    /* This also holds on a host of another instruction set. */
    assert_string_equal(s.document.kept[ISA_X86_64].ids[0], "genoa-measured");
    assert_string_equal(session_machine(&s, "native", &err)->title, "this CPU: Genoa, corrected");
    session_done(&s);
}

/* Saved sessions store the machine's name, not its title, because the title describes the computer
 * that saved the session. */
static void test_saved_elsewhere(void **state)
{
    struct session s;
    struct err err = {0};
    char line[4400];

    start(&s, "GenuineIntel 6 207 2");
    /* This simulates a computer with that CPU. */
    document_show_isa(&s.document, ISA_X86_64);
    snprintf(line, sizeof line, "machine show native; session save %s", work_path("saved"));
    if (!run_line(&s, line, NULL, &err))
        fail_msg("%s", err.what);
    session_done(&s);
    start(&s, "AuthenticAMD 25 17 1");
    snprintf(line, sizeof line, "session load %s", work_path("saved"));
    if (!run_line(&s, line, NULL, &err))
        fail_msg("%s", err.what);
    assert_string_equal(s.document.selected[0], "emeraldrapids");
    assert_string_equal(session_machine(&s, "emeraldrapids", &err)->title,
                        "Emerald Rapids (Golden Cove core, sapphirerapids tables)");
    session_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identities),      cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_table),           cmocka_unit_test(test_table_in_program),
        cmocka_unit_test(test_alias),           cmocka_unit_test(test_user_machine),
        cmocka_unit_test(test_selection),       cmocka_unit_test(test_measured_machine_is_native),
        cmocka_unit_test(test_saved_elsewhere),
    };
    return cmocka_run_group_tests(tests, make_home, NULL);
}
