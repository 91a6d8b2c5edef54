/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OSACA machine files: results derived by hand, export and import of shipped machines, errors with
 * their lines. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/export_mapping.h"
#include "io/import.h"
#include "io/machine_file.h"
#include "io/osaca_file.h"
#include "model/facts.h"
#include "../support/support.h"

static const char small[] =
    "osaca_version: 0.5.3\n"
    "micro_architecture: A small one\n"
    "arch_code: small\n"
    "isa: x86\n"
    "ROB_size: 100\n"
    "retired_uOps_per_cycle: 4\n"
    "scheduler_size: ~\n"
    "load_latency: {gpr: 4.0, xmm: 5.0, ymm: 6.0}\n"
    "load_throughput:\n"
    "- {dst: ymm, base: '*', offset: '*', index: '*', scale: '*', port_pressure: [[2, '23'], [2, "
    "['2D', '3D']]]}\n"
    "load_throughput_default: [[1, '23'], [1, ['2D', '3D']]]\n"
    "store_throughput:\n"
    "- {base: gpr, offset: '*', index: ~, scale: '*', port_pressure: [[1, '237'], [1, '4']]}\n"
    "- {base: gpr, offset: '*', index: gpr, scale: '*', port_pressure: [[1, '23'], [1, '4']]}\n"
    "ports: ['0', 0DV, '1', '2', 2D, '3', 3D, '4', '5', '6', '7']\n"
    "port_model_scheme: |\n"
    "  | 0 | 1 |\n"
    "instruction_forms:\n"
    "- name: [add, sub]  # both\n"
    "  operands:\n"
    "  - class: register\n"
    "    name: gpr\n"
    "  - class: register\n"
    "    name: gpr\n"
    "  latency: 1.0\n"
    "  port_pressure: [[1, '0156']]\n"
    "  throughput: 0.25\n"
    "  uops: 1\n"
    "- name: IMULQ\n"
    "  operands: [{class: register, name: gpr}, {class: register, name: gpr}]\n"
    "  latency: 3\n"
    "  port_pressure: [[1, '1']]\n"
    "- name: imul\n"
    "  operands: [{class: register, name: gpr}, {class: register, name: gpr}]\n"
    "  latency: 4\n"
    "  port_pressure: [[2, '1']]\n"
    "- name: vaddpd\n"
    "  operands: [{class: register, name: '*'}, {class: register, name: '*'}, {class: register, "
    "name: '*'}]\n"
    "  latency: 4\n"
    "  port_pressure: [[1, '01']]\n"
    "- name: vdivpd\n"
    "  operands: [{class: register, name: ymm}, {class: register, name: ymm}, {class: register, "
    "name: ymm}]\n"
    "  latency: 13\n"
    "  port_pressure: [[1, '0'], [8.4, [0DV]]]\n"
    "- name: vpaddd\n"
    "  operands: [{class: register, name: zmm}, {class: register, name: zmm}, {class: register, "
    "name: zmm, mask: True}]\n"
    "  latency: 1\n"
    "  port_pressure: [[1, '05']]\n"
    "- name: lea\n"
    "  operands: [{class: memory, base: gpr, offset: imd, index: gpr, scale: '*'}, {class: "
    "register, name: gpr}]\n"
    "  latency: 3\n"
    "  port_pressure: [[1, '1']]\n"
    "- name: jne\n"
    "  operands: [{class: identifier}]\n"
    "  latency: 0\n"
    "  port_pressure: []\n"
    "- name: nop\n"
    "  operands: []\n"
    "  latency: ~\n"
    "  port_pressure: ~\n"
    "- name: frobnicate\n"
    "  operands: [{class: prfop}]\n"
    "  port_pressure: [[1, '0']]\n";

static void test_reads_as_osaca_would(void **state)
{
    struct osaca_notes notes;
    struct err err = {0};
    struct machine *m = import_osaca_parse("small", "small.yml", small, strlen(small),
                                           shipped_forms(), &notes, &err);

    if (!m)
        fail_msg("%s", err.what);
    assert_int_equal(notes.entries, 10);
    assert_int_equal(notes.unnamed, 1);   /* the entry frobnicate */
    assert_int_equal(notes.unknown, 1);   /* an entry of nop without pressure */
    /* One entry for a width represents both forms, under both names. */
    assert_usage(m, "ADD (R64, R64)", "1*p0156", 1);
    assert_usage(m, "SUB (R8l, R8l)", "1*p0156", 1);
    /* The entry with a suffix takes precedence over the general one. */
    assert_usage(m, "IMUL (R64, R64)", "1*p1", 3);
    assert_usage(m, "IMUL (R32, R32)", "2*p1", 4);
    /* A form with memory has the ports and latencies of the register form's entry and of a load of
     * the operand's size. */
    assert_usage(m, "ADD (R64, M64)", "1*p23+1*p[2D,3D]+1*p0156", 5);
    assert_usage(m, "VADDPD (XMM, XMM, M128)", "1*p01+1*p23+1*p[2D,3D]", 9);
    assert_usage(m, "VADDPD (YMM, YMM, M256)", "1*p01+2*p23+2*p[2D,3D]", 10);
    /* This is a read-modify-write: load, operation and store. */
    assert_usage(m, "ADD (M64, R64)", "1*p23+1*p[2D,3D]+1*p4+1*p0156+1*p237", 5);
    /* The divider is a pipe. Its 8.4 cycles are rounded to 8. */
    assert_usage(m, "VDIVPD (YMM, YMM, YMM)", "1*p0+8*p[0DV]", 13);
    assert_true(mapping_ports(m->mapping)->pipes == 1u << 1);
    assert_true(notes.rounded >= 1);
    /* OSACA ignores masks. */
    assert_usage(m, "VPADDD (ZMM, K, ZMM, ZMM)", "1*p05", 1);
    assert_usage(m, "VPADDD (ZMM, ZMM, ZMM)", "1*p05", 1);
    assert_null(mapping_find(m->mapping, "VPADDD (YMM, YMM, YMM)"));
    /* Addresses distinguish the forms of LEA. */
    assert_usage(m, "LEA_B_IS_D8 (R64)", "1*p1", 3);
    assert_null(mapping_find(m->mapping, "LEA_B_I (R64)"));
    assert_usage(m, "JNZ (Rel8)", "", 0);
    assert_null(mapping_find(m->mapping, "NOP ()"));
    assert_string_equal(m->title, "A small one");
    /* Facts have the names that the analysis reads. Facts that the file lacks remain unset, and the
     * retire width is not the issue width. */
    assert_true(fact_number(m, "reorder_buffer") == 100 && fact_number(m, "retire_width") == 4);
    assert_true(fact_number(m, "load_latency") == 4 && fact_number(m, "load_latency_vector") == 5 &&
                fact_number(m, "load_latency_wide") == 6);
    assert_null(machine_fact(m, "scheduler"));
    assert_null(machine_fact(m, "issue_width"));
    for (size_t i = 0; i < m->fact_count; i++)
        assert_non_null(fact_find(m->facts[i].key));
    assert_string_equal(machine_fact(m, "indexed_store_ports"), "p23");
    osaca_notes_done(&notes);
    machine_free(m);
}

/* Reads the notation of OSACA's newest files. '13' in a string means ports 1 and 3, although one
 * port is named 13. Masks have both spellings. There are keys of other tools, rules by register
 * class of which one stores through both ports, and fractional cycles in a rule. */
static void test_reads_ports_of_two_digits(void **state)
{
    static const char text[] =
        "isa: x86\n"
        "ROB_size: 448\n"
        "dispatched_uops_per_cycle: 8\n"
        "retired_uOps_per_cycle: ~\n"
        "hidden_loads: false\n"
        "load_latency: {gpr: 4.0, mm: 4.0, xmm: 7.0, ymm: 7.0, zmm: 7.0}\n"
        "load_throughput:\n"
        "- {dst: gpr, base: \"*\", index: \"*\", offset: \"*\", scale: \"*\", port_pressure:  [[1, "
        "['12', '13']]]}\n"
        "- {dst: zmm, base: \"*\", index: \"*\", offset: \"*\", scale: \"*\", port_pressure:  [[1, "
        "'13'], [0.5, ['12']]]}\n"
        "load_throughput_default: [[1, ['4D']], [1, ['12', '13']]]\n"
        "store_throughput:\n"
        "- {src: gpr, base: \"*\", index: \"*\", offset: \"*\", scale: \"*\", port_pressure:  [[1, "
        "'45'], [1, ['12', '13']]]}\n"
        "- {src: zmm, base: \"*\", index: \"*\", offset: \"*\", scale: \"*\", port_pressure:  [[1, "
        "'4'], [1, '5'], [1, ['12', '13']]]}\n"
        "store_throughput_default: [[1, '45'], [1, ['12', '13']]]\n"
        "store_to_load_forward_latency: 0.0\n"
        "ports: ['1', '3', '4', 4D, '5', '12', '13']\n"
        "instruction_forms:\n"
        "#####\n"
        "- name: ptest \n"
        "  operands:\n  - class: register\n    name: xmm\n  - class: register\n    name: xmm\n"
        "  latency: 1.0\n  port_pressure: [[1, '13']]\n  throughput: 0.5\n  uops: 1\n"
        "- name: xadd\n  llvm_name: XADD64rr\n"
        "  operands:\n  - class: register\n    name: gpr\n  - class: register\n    name: gpr\n"
        "  latency: ~\n  port_pressure: [[2, ['12', '13']]]\n  throughput: 0.33333\n  uops: ~\n"
        "- name: vxorps\n"
        "  operands:\n  - class: register\n    name: zmm\n  - class: register\n    name: zmm\n  - "
        "class: register\n    name: zmm\n    mask: true\n"
        "  latency: 2\n  port_pressure: [[1, '1']]\n"
        "- name: vpcmpeqd\n"
        "  operands:\n  - class: register\n    name: zmm\n  - class: register\n    name: zmm\n  - "
        "class: register\n    name: k\n    mask: True\n"
        "  latency: 7\n  port_pressure: [[1, ['3']]]\n";
    struct osaca_notes notes;
    struct err err = {0};
    struct machine *m =
        import_osaca_parse("new", "new.yml", text, strlen(text), shipped_forms(), &notes, &err);

    if (!m)
        fail_msg("%s", err.what);
    assert_int_equal(notes.entries, 4);
    assert_int_equal(notes.unnamed, 0);
    assert_int_equal(notes.skipped_count, 0);
    assert_usage(m, "PTEST (XMM, XMM)", "1*p13", 1);
    assert_usage(m, "PTEST (XMM, M128)", "1*p13+1*p[4D]+1*p[12,13]", 8);
    assert_usage(m, "XADD (R64, R64)", "2*p[12,13]", NAN);
    assert_usage(m, "XADD (M64, R64)", "1*p45+4*p[12,13]", NAN);
    assert_usage(m, "VXORPS (ZMM, K, ZMM, ZMM)", "1*p1", 2);
    /* Half a cycle of port 12 is no limit. */
    assert_usage(m, "VXORPS (ZMM, K, ZMM, M512)", "1*p1+1*p13", 9);
    assert_usage(m, "VPCMPEQD (K, K, ZMM, ZMM)", "1*p3", 7);
    assert_true(fact_number(m, "reorder_buffer") == 448 && fact_number(m, "issue_width") == 8);
    assert_null(machine_fact(m, "retire_width"));
    assert_null(machine_fact(m, "store_forward"));
    osaca_notes_done(&notes);
    machine_free(m);
}

/* The notation of older files: numbers by register class that multiply the rules, an empty pressure
 * for unmeasured forms, alternatives, fractions, dividers named DV0, lists of names, names that
 * match only the mnemonic without its suffix. */
static const char old[] =
    "isa: x86\nload_latency: {gpr: 4.0, mm: 4.0, xmm: 4.0, ymm: ~}\n"
    "load_throughput_multiplier: {gpr: 1.0, xmm: 1.0, ymm: 2.0}\nstore_throughput_multiplier: "
    "{ymm: 3.0}\n"
    "load_throughput:\n - {base: gpr, index: ~, offset: ~, scale: 1, port_pressure:     [[1, "
    "'89'], [1, ['8D','9D']]]}\n"
    "load_throughput_default: [[1, '89']]\nstore_throughput: []\nstore_throughput_default: {0: "
    "[[1, '8'], [1,[ST]]], 1: [[1, '9']]}  # of two\n"
    "ports: ['0', DV0, '1', DV1, '8', 8D, '9', 9D, ST]\n"
    "instruction_forms: \n##########\n"
    "- name: sqrtsd\n  operands:\n  - class: register\n    name: xmm\n  - class: register\n    "
    "name: xmm\n  throughput: ~     #8.0\n  latency: 23.0\n  port_pressure: []\n"
    "- name: mov\n  operands:\n  - class: register\n    name: gpr\n  - class: register\n    name: "
    "gpr\n  throughput: 0.0\n  latency: 0.0  # \t1*p01\n  port_pressure: []\n"
    "- {name: vaddpd, operands: [{class: register, name: ymm}, {class: register, name: ymm}, "
    "{class: register, name: ymm}], latency: 3, port_pressure: [[2, '01']], uops: }\n"
    "- {name: vmovapd, operands: [{class: register, name: ymm}, {class: register, name: ymm}], "
    "latency: 0, port_pressure: [], throughput: 0}\n"
    "- {name: [and, or], operands: [{class: register, name: '*'}, {class: register, name: '*'}], "
    "latency: 2, port_pressure: [[1, '0']]}\n"
    "- {name: and, operands: [{class: register, name: gpr}, {class: register, name: gpr}], "
    "latency: 1, port_pressure: [[1, '01']]}\n"
    "- {name: CDQ, operands: [], latency: 1, port_pressure: [[1, '1']]}\n"
    "- {name: fld, operands: [{class: memory, base: '*', offset: '*', index: '*', scale: '*'}], "
    "latency: 7, port_pressure: [[1, '89']]}\n"
    "- {name: vdivpd, operands: [{class: register, name: xmm}, {class: register, name: xmm}, "
    "{class: register, name: xmm}], latency: 13,\n"
    "   port_pressure: [[1, '1'], [0.5, ['0']], [4.6, [DV0, DV1]]]}\n"
    "- {name: vsqrtpd, operands: [{class: register, name: xmm}, {class: register, name: xmm}], "
    "latency: 13, port_pressure: [[0.5, ['0']]]}\n"
    "- {name: vpaddd, operands: [{class: register, name: xmm}, {class: register, name: xmm}, "
    "{class: register, name: xmm}], latency: 1, port_pressure: {2: [[1, '0']]}}\n";

static void test_reads_older_habits(void **state)
{
    struct osaca_notes notes;
    struct err err = {0};
    struct machine *m =
        import_osaca_parse("old", "old.yml", old, strlen(old), shipped_forms(), &notes, &err);

    if (!m)
        fail_msg("%zu: %s", err.line, err.what);
    /* A form without ports and throughput is unknown. A form with throughput 0 is free. */
    assert_null(mapping_find(m->mapping, "SQRTSD (XMM, XMM)"));
    assert_usage(m, "MOV (R64, R64)", "", 0);
    assert_int_equal(notes.unknown, 1);
    assert_usage(m, "MOV (R64, M64)", "1*p89+1*p[8D,9D]", 4);
    assert_usage(m, "VADDPD (YMM, YMM, M256)", "2*p01+2*p89+2*p[8D,9D]", NAN);
    assert_usage(m, "VMOVAPD (M256, YMM)", "3*p8+3*p[ST]", 0);
    assert_usage(m, "MOV (M64, R64)", "1*p8+1*p[ST]", 0);
    /* No form of a file without AVX-512 matches. */
    assert_null(mapping_find(m->mapping, "VADDPD (YMM, K, YMM, YMM)"));
    /* A single name takes precedence over a name in a list. */
    assert_usage(m, "AND (R64, R64)", "1*p01", 1);
    assert_usage(m, "OR (R64, R64)", "1*p0", 2);
    assert_usage(m, "CDQ ()", "1*p1", 1);
    assert_usage(m, "FLD (M64)", "1*p89", 7);
    assert_usage(m, "VDIVPD (XMM, XMM, XMM)", "1*p0+1*p1+5*p[DV0,DV1]", 13);
    assert_usage(m, "VSQRTPD (XMM, XMM)", "1*p0", 13);
    assert_true(mapping_ports(m->mapping)->pipes == (1u << 1 | 1u << 3));
    assert_int_equal(notes.skipped_count, 1);
    assert_string_equal(notes.skipped[0].name, "vpaddd");
    /* An entry is not unused merely because it has a list of registers. */
    assert_int_equal(notes.unnamed, 0);
    osaca_notes_done(&notes);
    machine_free(m);
}

/* Some entries match in Portolan, but in OSACA only by the mnemonic before the point or not at all:
 * conditions named identifiers, missing shapes. */
static void test_reads_older_aarch64(void **state)
{
    static const char text[] =
        "isa: aarch64\nload_latency: {x: 4.0}\nload_throughput: []\nload_throughput_default: [[1, "
        "'1']]\nports: ['0', '1']\ninstruction_forms:\n# Branch\n"
        "- {name: B, operands: [{class: identifier}], latency: 1.0, port_pressure: [[1, '0']], "
        "throughput: 1.0}\n"
        "- {name: csel, operands: [{class: register, prefix: x}, {class: register, prefix: x}, "
        "{class: register, prefix: x}, {class: identifier}], latency: 1.0, port_pressure: [[1, "
        "'1']]}\n"
        "- {name: ptrue, operands: [{class: register, prefix: p}], latency: 3, port_pressure: [[1, "
        "'1']]}\n"
        "- {name: fadd, operands: [{class: register, prefix: '*'}, {class: register, prefix: '*'}, "
        "{class: register, prefix: '*'}], latency: 3, port_pressure: [[1, '1']]}\n"
        "- name: prfm\n  operands:\n  - class: prfop\n    type: pld\n    target: l1\n    policy: "
        "keep\n"
        "  - class: memory\n    base: x\n    offset: imd\n    index: ~\n    scale: 1\n    "
        "pre-indexed: false\n    post-indexed: false\n  throughput: ~\n  latency: ~\n  "
        "port_pressure: []\n";
    struct osaca_notes notes;
    struct err err = {0};
    struct machine *m =
        import_osaca_parse("old", "old.yml", text, strlen(text), shipped_forms(), &notes, &err);

    if (!m)
        fail_msg("%zu: %s", err.line, err.what);
    assert_usage(m, "B.COND (Rel)", "1*p0", 1);
    assert_usage(m, "CSEL (X, X, X, C)", "1*p1", 1);
    assert_usage(m, "PTRUE (P.D)", "1*p1", 3);
    assert_null(mapping_find(m->mapping, "FADD (V.4S, V.4S, V.4S)"));
    assert_null(mapping_find(m->mapping, "PRFM (I, [X, I])"));
    assert_int_equal(notes.unknown, 1);
    assert_int_equal(notes.skipped_count, 0);
    osaca_notes_done(&notes);
    machine_free(m);
}

/* Checks that a fact of @m equals that of its export. A fact that @m lacks may be derived from its
 * simple loads. */
static void assert_fact_back(const struct machine *m, const struct machine *back, const char *fact)
{
    if (machine_fact(m, fact) && fact_number(m, fact) > 0 &&
        (!machine_fact(back, fact) || fact_number(m, fact) != fact_number(back, fact)))
        fail_msg("%s: %s does not come back", m->id, fact);
}

static void assert_round_trip(const struct machine *m)
{
    struct str text = {0};
    struct err err = {0};
    struct osaca_notes notes;

    assert_true(export_osaca(m, &text, &err));
    struct machine *back =
        import_osaca_parse(m->id, "back", text.data, text.length, shipped_forms(), &notes, &err);
    if (!back)
        fail_msg("%zu: %s", err.line, err.what);
    assert_true(mapping_equal(m->mapping, back->mapping));
    assert_true(mapping_ports(m->mapping)->pipes == mapping_ports(back->mapping)->pipes);
    assert_int_equal(notes.unnamed, 0);
    for (size_t i = 0; i < mapping_count(m->mapping); i++)
        assert_int_equal(mapping_at(m->mapping, i)->micro_ops,
                         mapping_find(back->mapping, mapping_at(m->mapping, i)->form)->micro_ops);
    assert_string_equal(m->isa, back->isa);
    assert_int_equal(notes.skipped_count, 0);
    osaca_notes_done(&notes);
    for (const struct osaca_fact *f = osaca_facts; f->key; f++)
        assert_fact_back(m, back, f->fact);
    enum isa isa;
    assert_true(isa_parse(m->isa, &isa));
    for (const struct osaca_load *load = isa_ops(isa)->osaca->loads; load->class; load++)
        if (load->fact)
            assert_fact_back(m, back, load->fact);
    for (size_t i = 0; i < m->fact_count; i++) {
        const char *key = m->facts[i].key, *value = machine_fact(back, key);
        if (fact_find(key) && strcmp(key, "source") != 0 && strcmp(key, "base") != 0 &&
            (!value || strcmp(value, m->facts[i].value) != 0))
            fail_msg("%s: %s comes back as %s", m->id, key, value ? value : "nothing");
    }
    machine_free(back);
    str_done(&text);
}

static void test_round_trip_of_shipped_machines(void **state)
{
    static const char *const ids[] = {"skylake",     "znver4", "sapphirerapids",
                                      "neoverse-n1", "a64fx",  "cortex-a72"};
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct machine *m = machine_load(ids[i], NULL);
        assert_non_null(m);
        assert_round_trip(m);
        machine_free(m);
    }
}

/* Returns @m as another program would read its file, without Portolan's own keys. */
static struct machine *seen_by_others(const struct machine *m)
{
    struct str text = {0}, foreign = {0};
    struct err err = {0};

    assert_true(export_osaca(m, &text, NULL));
    for (const char *line = text.data, *next; *line; line = next) {
        size_t span = strcspn(line, "\n");
        next = line + span + (line[span] == '\n');
        if (strncmp(line, "portolan", 8) != 0 && strncmp(line, "  pipes", 7) != 0 &&
            strncmp(line, "  portolan_forms", 16) != 0 && strncmp(line, "  facts", 7) != 0 &&
            strncmp(line, "    ", 4) != 0)
            str_add_bytes(&foreign, line, (size_t)(next - line));
    }
    struct machine *back = import_osaca_parse(m->id, "foreign", foreign.data, foreign.length,
                                              shipped_forms(), NULL, &err);
    if (!back)
        fail_msg("%zu: %s", err.line, err.what);
    str_done(&text);
    str_done(&foreign);
    return back;
}

/* Without Portolan's own keys, which OSACA ignores, the file must describe nearly the same
 * machine. */
static void test_foreign_eyes_see_the_same(void **state)
{
    struct machine *m = machine_load("skylake", NULL), *back = seen_by_others(m);
    size_t same = 0, known = 0;

    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i),
                                   *other = mapping_find(back->mapping, entry->form);
        bool nameless = strstr(entry->form, "_LOCK") || str_has_prefix(entry->form, "REP");
        known += other != NULL;
        same += other && usage_equal(&entry->usage, &other->usage);
        /* A prefix is a separate word in AT&T text. All other forms have a name. */
        if (!nameless == !other)
            fail_msg("%s is %s", entry->form, other ? "there" : "lost");
    }
    assert_string_equal(machine_fact(back, "indexed_store_ports"), "p23");
    /* Differences depend on the width of an immediate, rounding or zeroing. */
    assert_true(same > known * 98 / 100);
    assert_usage(back, "ADC (R64, I8)", "1*p06", 1);
    assert_usage(back, "IMUL (R64)", "1*p1+1*p5", mapping_find(m->mapping, "IMUL (R64)")->latency);
    assert_usage(back, "IMUL (R16)", "1*p1+1*p06+2*p0156",
                 mapping_find(m->mapping, "IMUL (R16)")->latency);
    machine_free(back);
    machine_free(m);
}

/* Without Portolan's own keys, an AArch64 file also describes nearly the same machine. Differences
 * depend on a shift, the number of lanes, or whether a register or a number increments the base.
 * OSACA ignores these. */
static void test_foreign_eyes_on_aarch64(void **state)
{
    static const char *const ids[] = {"neoverse-n1", "a64fx"};
    for (unsigned k = 0; k < 2; k++) {
        struct machine *m = machine_load(ids[k], NULL), *back = seen_by_others(m);
        size_t same = 0;
        for (size_t i = 0; i < mapping_count(m->mapping); i++) {
            const struct mapping_entry *entry = mapping_at(m->mapping, i),
                                       *other = mapping_find(back->mapping, entry->form);
            if (!other)
                fail_msg("%s: %s is lost", ids[k], entry->form);
            same += usage_equal(&entry->usage, &other->usage);
        }
        if (same <= mapping_count(m->mapping) * 85 / 100)
            fail_msg("%s: %zu of %zu are the same", ids[k], same, mapping_count(m->mapping));
        machine_free(back);
        machine_free(m);
    }
}

/* Reads the machine files of OSACA, which are not shipped here. PORTOLAN_OSACA_DATA is their
 * directory. */
static void test_files_of_osaca(void **state)
{
    const char *folder = getenv("PORTOLAN_OSACA_DATA");
    glob_t found = {0};
    struct str pattern = {0};

    if (!folder) {
        print_message("OSACA's machine files not tried: PORTOLAN_OSACA_DATA names no folder\n");
        skip();
    }
    str_addf(&pattern, "%s/*.yml", folder);
    if (glob(str_text(&pattern), 0, NULL, &found) != 0)
        fail_msg("no machine files in %s", folder);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct osaca_notes notes;
        struct err err = {0};
        struct machine *m = import_osaca("file", found.gl_pathv[i], shipped_forms(), &notes, &err);
        if (!m && strstr(err.what, "neither x86 nor AArch64"))
            continue;
        if (!m)
            fail_msg("%s:%zu: %s", found.gl_pathv[i], err.line, err.what);
        print_message("%s: %zu entries, %zu forms, %zu of no form of ours, %zu left out\n",
                      found.gl_pathv[i], notes.entries, mapping_count(m->mapping), notes.unnamed,
                      notes.skipped_count);
        assert_true(notes.skipped_count * 20 < notes.entries);
        assert_round_trip(m);
        osaca_notes_done(&notes);
        machine_free(m);
    }
    globfree(&found);
    str_done(&pattern);
}

/* Writes the small file with its first @from replaced by @to. */
static void altered(const char *from, const char *to, struct str *out)
{
    const char *at = strstr(small, from);
    assert_non_null(at);
    str_clear(out);
    str_add_bytes(out, small, (size_t)(at - small));
    str_add(out, to);
    str_add(out, at + strlen(from));
}

static void test_faults_name_the_line(void **state)
{
    static const struct { const char *from, *to, *what; size_t line; } faults[] = {
        {"isa: x86", "isa: riscv", "neither x86 nor AArch64", 4},
        {"'7']", "'7', '7']", "duplicate", 0},
        {"instruction_forms:", "instructions:", "instruction_forms is missing", 1},
        {"ports: ['0'", "port: ['0'", "list of ports", 1},
        {"uops: 1", "uops: [", "", 0},
        {"gpr: 4.0", "gpr: soon", "load latency", 8},
        {"isa: x86", "isa: x86\n---\nisa: x86", "second document", 6},
    };
    struct str text = {0};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct err err = {0};
        altered(faults[i].from, faults[i].to, &text);
        assert_null(import_osaca_parse("x", "bad.yml", text.data, text.length, shipped_forms(),
                                       NULL, &err));
        assert_string_equal(err.file, "bad.yml");
        if (!strstr(err.what, faults[i].what) || (faults[i].line && err.line != faults[i].line))
            fail_msg("%s: line %zu: %s", faults[i].to, err.line, err.what);
    }
    struct err err = {0};
    assert_null(import_osaca_parse("x", "bad.yml", "", 0, shipped_forms(), NULL, &err));
    assert_null(import_osaca_parse("x", "bad.yml", "[[[[", 4, shipped_forms(), NULL, &err));
    assert_null(import_osaca_parse("x", "bad.yml", "\xff\xfe\xff", 3, shipped_forms(), NULL, &err));
    /* If no entry is usable the message has the first reason and its line. */
    static const char none[] = "isa: x86\nports: ['0']\ninstruction_forms:\n- {name: add, "
                               "port_pressure: [[1, '7']]}\n- {name: sub, port_pressure: 3}\n";
    assert_null(
        import_osaca_parse("x", "bad.yml", none, strlen(none), shipped_forms(), NULL, &err));
    assert_non_null(strstr(err.what, "unknown port \"7\""));
    assert_int_equal(err.line, 4);
    static const char occupied[] = "isa: x86\nports: ['0']\ninstruction_forms:\n- {name: add, "
                                   "operands: [], port_occupation: [1.0]}\n";
    assert_null(import_osaca_parse("x", "bad.yml", occupied, strlen(occupied), shipped_forms(),
                                   NULL, &err));
    assert_non_null(strstr(err.what, "no entry has a port_pressure"));
    str_done(&text);
}

/* OSACA's own files have invalid entries. They are skipped, with line and reason, and all others
 * are read. */
static void test_bad_entries_are_left_out(void **state)
{
    static const struct { const char *from, *to, *what, *name; size_t line; } faults[] = {
        {"[[1, '0156']]", "[[1, '0159']]", "unknown port \"9\"", "add", 26},
        {"[[1, '0156']]", "[[1, ['67']]]", "unknown port \"67\"", "add", 26},
        {"[[1, '0156']]", "[[x, '01']]", "invalid cycles", "add", 26},
        {"[[1, '0156']]", "[[-1, '01']]", "invalid cycles", "add", 26},
        {"[[1, '0156']]", "[[nan, '01']]", "invalid cycles", "add", 26},
        {"[[1, '0156']]", "[[1, '01', 2]]", "not a pair", "add", 26},
        {"[[1, '0156']]", "[1, '01']", "not a pair", "add", 26},
        {"[[1, '0156']]", "[[1, []]]", "empty", "add", 26},
        {"[[1, '0156']]", "12", "not a list", "add", 26},
        {"  latency: 1.0", "  latency: fast", "latency", "add", 25},
        {"  - class: register", "  - klass: register", "class", "add", 21},
        {"- name: IMULQ", "- title: IMULQ", "has no name", "", 29},
        {"[[1, '237'], [1, '4']]}", "[[1, 'X37'], [1, '4']]}", "unknown port \"X\"", "", 13},
    };
    struct str text = {0};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct err err = {0};
        struct osaca_notes notes;
        altered(faults[i].from, faults[i].to, &text);
        struct machine *m = import_osaca_parse("x", "odd.yml", text.data, text.length,
                                               shipped_forms(), &notes, &err);
        if (!m)
            fail_msg("%s: %s", faults[i].to, err.what);
        assert_int_equal(notes.skipped_count, 1);
        if (!strstr(notes.skipped[0].why, faults[i].what) ||
            notes.skipped[0].line != faults[i].line ||
            strcmp(notes.skipped[0].name, faults[i].name) != 0)
            fail_msg("%s: line %zu, %s: %s", faults[i].to, notes.skipped[0].line,
                     notes.skipped[0].name, notes.skipped[0].why);
        assert_usage(m, "VADDPD (XMM, XMM, XMM)", "1*p01", 4);
        /* Neither the entry nor any of its names is imported, and no other entry replaces it. */
        if (strcmp(faults[i].name, "add") == 0)
            assert_true(!mapping_find(m->mapping, "ADD (R64, R64)") &&
                        !mapping_find(m->mapping, "SUB (R8l, R8l)"));
        osaca_notes_done(&notes);
        machine_free(m);
    }
    str_done(&text);
}

/* The notation of OSACA's files for AArch64: prefixes and shapes, both spellings of base
 * increments, two-digit ports, rules by register class. */
static const char a64[] =
    "osaca_version: 0.5.3\nmicro_architecture: An Arm\narch_code: arm\nisa: AArch64\nROB_size: "
    "~\nhidden_loads: false\n"
    "load_latency: {w: 4.0, x: 4.0, b: 4.0, h: 7.0, s: 6.0, d: 6.0, q: 7.0, v: 6.0, z: "
    "8.0}\np_index_latency: 1\n"
    "load_throughput:\n"
    "- {dst: 'z', base: '*', index: '*', offset: '*', scale: '*', pre_indexed: false, "
    "post_indexed: false, port_pressure: [[2, ['12', '13']]]}\n"
    "- {base: x, index: ~, offset: imd, scale: 1, pre-indexed: false, post-indexed: false, "
    "port_pressure: [[1, ['12', '13']]]}\n"
    "- {base: x, index: ~, offset: imd, scale: 1, pre-indexed: false, post-indexed: true, "
    "port_pressure: [[1, ['12', '13']], [1, '23']]}\n"
    "load_throughput_default: [[1, ['12']]]\nstore_throughput: []\nstore_throughput_default: [[1, "
    "'59']]\n"
    "ports: ['0', 0DV, '1', '2', '3', '4', '12', '13']\n"
    "instruction_forms:\n"
    "- {name: [b.ne, b.lt, bne], operands: [{class: identifier}], latency: 0.0, port_pressure: "
    "[[1, '1']]}\n"
    "- {name: add, operands: [{class: register, prefix: x}, {class: register, prefix: x}, {class: "
    "register, prefix: x}], latency: 1.0, port_pressure: [[1, '23']]}\n"
    "- {name: fadd, operands: [{class: register, prefix: v, shape: d}, {class: register, prefix: "
    "v, shape: d}, {class: register, prefix: v, shape: d}],\n"
    "   latency: 2.0, port_pressure: [[1, '0']]}\n"
    "- {name: fadd, operands: [{class: register, prefix: '*'}, {class: register, prefix: '*'}, "
    "{class: register, prefix: '*'}], latency: 3.0, port_pressure: [[1, '4']]}\n"
    "- {name: fdiv, operands: [{class: register, prefix: z, shape: '*', width: '*'}, {class: "
    "register, prefix: p, predication: '*'},\n"
    "   {class: register, prefix: z, shape: '*'}, {class: register, prefix: z, shape: '*'}], "
    "latency: 20.0, port_pressure: [[1, '0'], [17.0, [0DV]]]}\n"
    "- name: ldr\n"
    "  operands:\n"
    "  - {class: register, prefix: d}\n"
    "  - {class: memory, base: x, offset: '*', index: '*', scale: '*', post-indexed: false, "
    "pre-indexed: false}\n"
    "  latency: 5.0\n"
    "  port_pressure: [[1, '3']]\n"
    "- name: ldr\n"
    "  operands:\n"
    "  - {class: register, prefix: d}\n"
    "  - {class: memory, base: x, offset: '*', index: '*', scale: '*', post_indexed: true, "
    "pre_indexed: false}\n"
    "  latency: 5.0\n"
    "  port_pressure: [[1, '3'], [1, '2']]\n"
    "- {name: ldr, operands: [{class: register, prefix: x}, {class: register, prefix: x}], "
    "latency: 0.0, port_pressure: []}\n"
    "- {name: ld1, operands: [{class: register, prefix: v, shape: d}, {class: register, prefix: v, "
    "shape: d},\n"
    "   {class: memory, base: x, offset: ~, index: ~, scale: 1, pre_indexed: false, post_indexed: "
    "true}], latency: 6.0, port_pressure: [[2, '4']]}\n"
    "- {name: csel, operands: [{class: register, prefix: w}, {class: register, prefix: w}, {class: "
    "register, prefix: w}, {class: condition, ccode: '*'}],\n"
    "   latency: 1.0, port_pressure: [[1, '2']]}\n"
    "- {name: bfc, operands: [{class: register, prefix: '*'}], latency: 2.0, port_pressure: [[1, "
    "['67']]]}\n";

static void test_reads_aarch64(void **state)
{
    struct osaca_notes notes;
    struct err err = {0};
    struct machine *m =
        import_osaca_parse("arm", "arm.yml", a64, strlen(a64), shipped_forms(), &notes, &err);

    if (!m)
        fail_msg("%zu: %s", err.line, err.what);
    assert_string_equal(m->isa, "aarch64");
    assert_usage(m, "B.COND (Rel)", "1*p1", 0);
    assert_usage(m, "ADD (X, X, X)", "1*p23", 1);
    /* A shift belongs to the preceding register, like in OSACA. */
    assert_usage(m, "ADD (X, X, X, LSL I)", "1*p23", 1);
    assert_null(mapping_find(m->mapping, "ADD (W, W, W)"));
    assert_null(mapping_find(m->mapping, "ADD (X, X, I)"));
    /* Shapes are distinguished, and numbers of lanes are not. A prefix alone does not match a form
     * with a shape. */
    assert_usage(m, "FADD (V.2D, V.2D, V.2D)", "1*p0", 2);
    assert_usage(m, "FADD (D, D, D)", "1*p4", 3);
    assert_null(mapping_find(m->mapping, "FADD (V.4S, V.4S, V.4S)"));
    assert_usage(m, "FDIV (Z.D, P/M, Z.D, Z.D)", "1*p0+17*p[0DV]", 20);
    assert_true(mapping_ports(m->mapping)->pipes == 1u << 1);
    /* increments of the base, and lists of registers */
    assert_usage(m, "LDR (D, [X, I])", "1*p3", 5);
    assert_usage(m, "LDR (D, [X, X, LSL I])", "1*p3", 5);
    assert_usage(m, "LDR (D, [X], I)", "1*p2+1*p3", 5);
    assert_usage(m, "LD1 ({V.2D, V.2D}, [X], X)", "2*p4", 6);
    assert_null(mapping_find(m->mapping, "LD1 ({V.2D, V.2D}, [X])"));
    /* A load without an entry of its own consists of the register form and the rule for its
     * address. */
    assert_usage(m, "LDR (X, [X, I])", "1*p[12,13]", 4);
    assert_usage(m, "LDR (X, [X], I)", "1*p23+1*p[12,13]", 4);
    assert_usage(m, "LDR (X, [X, X])", "1*p[12]", 4);
    assert_usage(m, "CSEL (W, W, W, C)", "1*p2", 1);
    assert_true(fact_number(m, "load_latency") == 4 && fact_number(m, "load_latency_scalar") == 6 &&
                fact_number(m, "load_latency_vector") == 7 &&
                fact_number(m, "load_latency_wide") == 8);
    assert_null(machine_fact(m, "reorder_buffer"));
    /* The file has no port 67, and no port 5, which the default of stores names. */
    assert_int_equal(notes.skipped_count, 2);
    assert_string_equal(notes.skipped[1].name, "bfc");
    osaca_notes_done(&notes);
    machine_free(m);
}

static void test_odd_names_survive(void **state)
{
    struct ports ports = {0};
    ports_add(&ports, "A", NULL);
    ports_add(&ports, "B", NULL);
    ports_add(&ports, "FPDV", NULL);
    struct machine *m = machine_new("odd: 'one'", &ports);
    static const char *const names[] = {"PREFETCH_EXCLUSIVE (M512)",
                                        "~",
                                        "it's: [odd], {very}",
                                        "ADD_LOCK (M64, R64)",
                                        "1.5",
                                        "null",
                                        "FLUMB (Q7)"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct mapping_entry entry = {.form = (char *)names[i],
                                      .latency = i % 2 ? NAN : 0.1 + (double)i,
                                      .source = (char *)""};
        usage_add(&entry.usage, 1u + (unsigned)(i % 7), (uint32_t)i + 1);
        if (i != 3)
            usage_add(&entry.usage, 4, 3);
        mapping_set(m->mapping, &entry);
        usage_done(&entry.usage);
    }
    assert_round_trip(m);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_as_osaca_would),
        cmocka_unit_test(test_reads_ports_of_two_digits),
        cmocka_unit_test(test_round_trip_of_shipped_machines),
        cmocka_unit_test(test_foreign_eyes_see_the_same),
        cmocka_unit_test(test_faults_name_the_line),
        cmocka_unit_test(test_odd_names_survive),
        cmocka_unit_test(test_bad_entries_are_left_out),
        cmocka_unit_test(test_reads_aarch64),
        cmocka_unit_test(test_foreign_eyes_on_aarch64),
        cmocka_unit_test(test_files_of_osaca),
        cmocka_unit_test(test_reads_older_habits),
        cmocka_unit_test(test_reads_older_aarch64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
