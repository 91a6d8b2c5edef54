/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OSACA machine files: the entry of each form, and entries that match no form. */
#include <math.h>
#include <string.h>

#include "io/import.h"
#include "isa/forms.h"
#include "../support/support.h"

static struct machine *imported(const char *text, struct osaca_notes *notes)
{
    struct err err = {0};
    struct machine *m =
        import_osaca_parse("some", "some.yml", text, strlen(text), shipped_forms(), notes, &err);

    if (!m)
        fail_msg("%zu: %s", err.line, err.what);
    return m;
}

/* One unused entry of each kind is listed with its line and first name, in the order of the
 * file. */
static void test_unused_entries_are_listed(void **state)
{
    static const struct osaca_unused unused[] = {
        {7, "frobnicate", "no form matches"},
        {10, "IMUL", "other entries describe the same forms"},
        {11, "nop", "no port pressure"},
        {12, "bswap", "other entries describe the same forms"},
        {15, "", "no form matches"},
        {16, "an_instruction_of_a_name_that_i", "no form matches"},
        /* The name is truncated before the character that does not fit. */
        {18, "an_instruction_of_a_name_that_", "no form matches"},
    };
    struct osaca_notes notes;
    struct machine *m = imported(
        "isa: x86\nports: ['0', '1']\ninstruction_forms:\n"
        "- name: imul\n  operands: [{class: register, name: gpr}, {class: register, name: gpr}]\n  "
        "port_pressure: [[1, '1']]\n"
        "- name: [frobnicate, flumb]\n  operands: []\n  port_pressure: [[1, '0']]\n"
        "- {name: IMUL, operands: [{class: register, name: '*'}, {class: register, name: '*'}], "
        "port_pressure: [[1, '0']]}\n"
        "- {name: nop, operands: [], port_pressure: ~}\n"
        /* Names in a list follow all others. */
        "- {name: [bswap], operands: [{class: register, name: gpr}], port_pressure: [[1, '0']]}\n"
        "- {name: bswapl, operands: [{class: register, name: gpr}], port_pressure: [[1, '1']]}\n"
        "- {name: bswapq, operands: [{class: register, name: gpr}], port_pressure: [[1, '1']]}\n"
        "- {name: '', operands: [], port_pressure: [[1, '0']]}\n"
        "- {name: an_instruction_of_a_name_that_is_too_long, operands: [], port_pressure: [[1, "
        "'0']]}\n"
        "- {name: [flumb, cdq], operands: [], port_pressure: [[1, '0']]}\n"
        "- {name: an_instruction_of_a_name_that_\u00e4, operands: [], port_pressure: [[1, '0']]}\n",
        &notes);

    assert_usage(m, "IMUL (R64, R64)", "1*p1", NAN);
    assert_usage(m, "BSWAP (R64)", "1*p1", NAN);
    assert_usage(m, "CDQ ()", "1*p0", NAN);
    assert_int_equal(notes.unnamed, 6);
    assert_int_equal(notes.unknown, 1);
    assert_int_equal(notes.skipped_count, 0);
    assert_int_equal(notes.unused_count, sizeof unused / sizeof *unused);
    for (size_t i = 0; i < notes.unused_count; i++) {
        const struct osaca_unused *u = &notes.unused[i];
        if (u->line != unused[i].line || strcmp(u->name, unused[i].name) != 0 ||
            strcmp(u->why, unused[i].why) != 0)
            fail_msg("line %zu, %s: %s", u->line, u->name, u->why);
    }
    osaca_notes_done(&notes);
    machine_free(m);
}

/* No message ends within a character, however long the names in it are. */
static void test_messages_are_cut_between_characters(void **state)
{
    /* The 40th byte ends a character. With one more letter it does not. */
    static const char long_port[] = "a_port_of_a_name_that_is_forty_bytes__\u00e4\u00e4\u00e4";
    struct str text = {0};

    for (size_t i = 0; i < 2; i++) {
        struct osaca_notes notes;
        str_clear(&text);
        str_addf(&text,
                 "isa: x86\nports: ['0']\ninstruction_forms:\n- {name: nop, operands: [], "
                 "port_pressure: [[1, '0']]}\n"
                 "- {name: cdq, operands: [], port_pressure: [[1, ['%s%s']]]}\n",
                 i ? "x" : "", long_port);
        struct machine *m = imported(str_text(&text), &notes);
        assert_int_equal(notes.skipped_count, 1);
        assert_string_equal(notes.skipped[0].why,
                            i ? "unknown port \"xa_port_of_a_name_that_is_forty_bytes__\""
                              : "unknown port \"a_port_of_a_name_that_is_forty_bytes__\u00e4\"");
        osaca_notes_done(&notes);
        machine_free(m);
    }
    str_done(&text);
}

/* An entry of registers matches no memory operand if the file defines no loads. */
static void test_unused_without_rules(void **state)
{
    static const char *const rules[] = {"", "load_throughput_default: [[1, '0']]\n"};
    struct str text = {0};

    for (size_t i = 0; i < 2; i++) {
        struct osaca_notes notes;
        str_clear(&text);
        str_addf(&text,
                 "isa: x86\nports: ['0', '1']\n%sinstruction_forms:\n"
                 "- {name: nop, operands: [], port_pressure: [[1, '0']]}\n"
                 "- {name: movbe, operands: [{class: register, name: gpr}, {class: register, name: "
                 "gpr}], port_pressure: [[1, '1']]}\n",
                 rules[i]);
        struct machine *m = imported(str_text(&text), &notes);
        assert_int_equal(mapping_find(m->mapping, "MOVBE (R64, M64)") != NULL, i == 1);
        assert_int_equal(notes.unused_count, i == 0);
        if (notes.unused_count)
            assert_string_equal(notes.unused[0].why, "no form matches");
        osaca_notes_done(&notes);
        machine_free(m);
    }
    str_done(&text);
}

/* Files that Portolan wrote name the forms of their entries. */
static void test_unused_entries_of_our_own_files(void **state)
{
    struct osaca_notes notes;
    struct machine *m = imported(
        "isa: x86\nports: ['0']\nportolan: {pipes: []}\ninstruction_forms:\n"
        "- {name: nop, operands: [], port_pressure: [[1, '0']], portolan_forms: ['NOP ()']}\n"
        "- {name: cdq, operands: [], port_pressure: [[1, '0']]}\n",
        &notes);

    assert_usage(m, "NOP ()", "1*p0", NAN);
    assert_null(mapping_find(m->mapping, "CDQ ()"));
    assert_int_equal(notes.unused_count, 1);
    assert_int_equal(notes.unused[0].line, 6);
    assert_string_equal(notes.unused[0].why, "no key portolan_forms");
    osaca_notes_done(&notes);
    machine_free(m);
}

/* A comparison with the predicate in its name describes the general form if no other entry does. */
static void test_predicates_in_names(void **state)
{
    struct osaca_notes notes;
    struct machine *m = imported(
        "isa: x86\nload_latency: {gpr: 4, xmm: 5, ymm: 6}\nload_throughput_default: [[1, "
        "'4']]\nports: ['0', '1', '4', '5']\ninstruction_forms:\n"
        "- {name: [cmpeqpd, cmpltpd], operands: [{class: register, name: xmm}, {class: register, "
        "name: xmm}], latency: 3, port_pressure: [[1, '1']]}\n"
        "- {name: CMPPS, operands: [{class: immediate, imd: int}, {class: register, name: xmm}, "
        "{class: register, name: xmm}], latency: 4, port_pressure: [[1, '0']]}\n"
        "- {name: cmpltps, operands: [{class: register, name: xmm}, {class: register, name: xmm}], "
        "latency: 3, port_pressure: [[1, '1']]}\n"
        "- {name: vcmpnlesd, operands: [{class: register, name: xmm}, {class: register, name: "
        "xmm}, {class: register, name: xmm}], latency: 2, port_pressure: [[1, '0']]}\n"
        "- {name: vcmpltpd, operands: [{class: register, name: zmm}, {class: register, name: zmm}, "
        "{class: register, name: k, mask: True}], latency: 3, port_pressure: [[1, '5']]}\n"
        /* The next two are no vector comparisons with a predicate. */
        "- {name: cmpltsd, operands: [], port_pressure: [[1, '0']]}\n"
        "- {name: cmpltq, operands: [{class: register, name: gpr}], port_pressure: [[1, '0']]}\n",
        &notes);

    assert_usage(m, "CMPPD (XMM, XMM, I8)", "1*p1", 3);
    assert_usage(m, "CMPPD (XMM, M128, I8)", "1*p1+1*p4", 8);
    assert_usage(m, "CMPPS (XMM, XMM, I8)", "1*p0", 4);
    assert_usage(m, "VCMPSD (XMM, XMM, XMM, I8)", "1*p0", 2);
    assert_usage(m, "VCMPPD (K, K, ZMM, ZMM, I8)", "1*p5", 3);
    assert_null(mapping_find(m->mapping, "CMPSD ()"));
    assert_null(mapping_find(m->mapping, "CMP (R64, I8)"));
    assert_int_equal(notes.unused_count, 3);
    assert_string_equal(notes.unused[0].name, "cmpltps");
    assert_string_equal(notes.unused[0].why, "other entries describe the same forms");
    osaca_notes_done(&notes);
    machine_free(m);
}

/* A form's own name takes precedence over its name without the suffix, however loosely the entry
 * with the own name matches the address. Multipliers without integer cycles are reported. 0 adds no
 * port. */
static void test_own_name_and_multipliers(void **state)
{
    struct osaca_notes notes;
    struct machine *m =
        imported("isa: x86\nload_latency: {gpr: 4, xmm: 5}\nload_throughput_multiplier: {gpr: 1.5, "
                 "xmm: 0}\nload_throughput_default: [[1, '4']]\nports: ['0', '1', '4']\n"
                 "instruction_forms:\n"
                 "- {name: fldl, operands: [{class: memory, base: gpr, offset: imd, index: gpr, "
                 "scale: '*'}], latency: 5, port_pressure: [[1, '0']]}\n"
                 "- {name: fld, operands: [{class: memory, base: gpr, offset: ~, index: ~, scale: "
                 "1}], latency: 6, port_pressure: [[1, '1']]}\n"
                 "- {name: imul, operands: [{class: register, name: gpr}, {class: register, name: "
                 "gpr}], latency: 3, port_pressure: [[1, '1']]}\n"
                 "- {name: addpd, operands: [{class: register, name: xmm}, {class: register, name: "
                 "xmm}], latency: 3, port_pressure: [[1, '0']]}\n",
                 &notes);

    assert_usage(m, "FLD (M64)", "1*p0", 5);
    assert_usage(m, "IMUL (R64, M64)", "1*p1+2*p4", 7);
    assert_usage(m, "ADDPD (XMM, M128)", "1*p0", 8);
    assert_true(notes.rounded > 0);
    osaca_notes_done(&notes);
    machine_free(m);
}

/* '0DV' in a string is the port 0DV, because its letters are no ports. '13' means two ports if
 * there are a 1 and a 3. */
static void test_ports_named_whole(void **state)
{
    struct osaca_notes notes;
    struct machine *m =
        imported("isa: x86\nports: ['0', 0DV, '1', '3', '13', '20']\ninstruction_forms:\n"
                 "- {name: cdq, operands: [], latency: 22, port_pressure: [[6, '0DV'], [1, '0']]}\n"
                 "- {name: cqo, operands: [], latency: 1, port_pressure: [[1, '13']]}\n"
                 "- {name: cwd, operands: [], latency: 1, port_pressure: [[1, '20']]}\n"
                 "- {name: nop, operands: [], latency: 1, port_pressure: [[1, '0D']]}\n",
                 &notes);

    assert_usage(m, "CDQ ()", "1*p0+6*p[0DV]", 22);
    assert_usage(m, "CQO ()", "1*p13", 1);
    assert_usage(m, "CWD ()", "1*p[20]", 1);
    assert_int_equal(notes.skipped_count, 1);
    assert_string_equal(notes.skipped[0].why, "unknown port \"D\"");
    osaca_notes_done(&notes);
    machine_free(m);
}

/* An index without base is encoded with an offset of 0, which files omit. */
static void test_index_without_base(void **state)
{
    static const char text[] =
        "isa: x86\nports: ['0', '1', '5']\ninstruction_forms:\n"
        "- {name: lea, operands: [{class: memory, base: ~, offset: ~, index: gpr, scale: '*'}, "
        "{class: register, name: gpr}], latency: 1, port_pressure: [[1, '1']]}\n"
        "- {name: lea, operands: [{class: memory, base: gpr, offset: ~, index: gpr, scale: '*'}, "
        "{class: register, name: gpr}], latency: 1, port_pressure: [[1, '5']]}\n";
    struct osaca_notes notes;
    struct machine *m = imported(text, &notes);

    assert_usage(m, "LEA_IS_D32 (R64)", "1*p1", 1);
    assert_usage(m, "LEA_B_I (R64)", "1*p5", 1);
    assert_null(mapping_find(m->mapping, "LEA_B_I_D8 (R64)"));
    assert_null(mapping_find(m->mapping, "LEA_D32 (R64)"));
    assert_int_equal(notes.unused_count, 0);
    osaca_notes_done(&notes);
    machine_free(m);
}

/* Conditions of branches are part of the name, with or without a point, including those of SVE. */
static void test_conditions_in_names(void **state)
{
    static const char *const names[] = {"b.ne", "bgt", "[bcc, bhi]", "b.any", "b.tcont"};
    struct str text = {0};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct osaca_notes notes;
        str_clear(&text);
        str_addf(&text,
                 "isa: AArch64\nports: ['0', '1']\ninstruction_forms:\n- {name: b, operands: "
                 "[{class: identifier}], latency: 1, port_pressure: [[1, '0']]}\n"
                 "- {name: %s, operands: [{class: identifier}], latency: 1, port_pressure: [[1, "
                 "'1']]}\n",
                 names[i]);
        struct machine *m = imported(str_text(&text), &notes);
        assert_usage(m, "B (Rel)", "1*p0", 1);
        assert_usage(m, "B.COND (Rel)", "1*p1", 1);
        assert_int_equal(notes.unused_count, 0);
        osaca_notes_done(&notes);
        machine_free(m);
    }
    str_done(&text);
}

/* In files the memory operand of scatters and masked stores has no mask. */
static void test_masks_of_stores(void **state)
{
    static const char text[] =
        "isa: x86\nload_latency: {gpr: 5.0}\nports: ['0', '1', '4', '7']\ninstruction_forms:\n"
        "- name: [vscatterdpd, vscatterqpd]  # with store\n  operands:\n  - class: register\n    "
        "name: zmm\n"
        "  - class: memory\n    base: \"*\"\n    offset: \"*\"\n    index: \"*\"\n    scale: "
        "\"*\"\n"
        "  latency: 0\n  port_pressure: [[2, '0'], [14, '47']]\n  throughput: 7.0\n  uops: 20\n"
        "- {name: vmovupd, operands: [{class: register, name: zmm}, {class: memory, base: '*', "
        "offset: '*', index: '*', scale: '*'}], latency: 0, port_pressure: [[1, '4']]}\n"
        "- {name: vaddpd, operands: [{class: register, name: zmm}, {class: register, name: zmm}, "
        "{class: register, name: zmm, mask: true}], latency: 4, port_pressure: [[1, '1']]}\n"
        "- {name: vaddpd, operands: [{class: register, name: zmm}, {class: register, name: zmm}, "
        "{class: register, name: zmm}], latency: 4, port_pressure: [[1, '0']]}\n"
        /* The notation of files generated from uops.info's tables: a general register for the mask
         * and for its result; EVEX as a word. */
        "- name: '{evex} VPMULHUW'\n  operands:\n  - class: register\n    name: xmm\n  - class: "
        "register\n    name: xmm\n  - class: register\n    name: xmm\n"
        "  latency: 5\n  port_pressure: [[1, '01']]\n"
        "- name: VPMULHUW\n  operands:\n  - class: register\n    name: xmm\n  - class: register\n  "
        "  name: xmm\n  - class: register\n    name: gpr\n  - class: register\n    name: xmm\n"
        "  latency: 6\n  port_pressure: [[1, '1']]\n"
        "- {name: VPMULHUW, operands: [{class: register, name: xmm}, {class: register, name: xmm}, "
        "{class: register, name: xmm}], latency: 4, port_pressure: [[1, '0']]}\n"
        "- {name: VPTESTNMQ, operands: [{class: register, name: zmm}, {class: register, name: "
        "zmm}, {class: register, name: gpr}, {class: register, name: gpr}], latency: 4, "
        "port_pressure: [[1, '7']]}\n"
        "- {name: VPTESTNMQ, operands: [{class: register, name: zmm}, {class: register, name: "
        "zmm}, {class: register, name: gpr}], latency: 3, port_pressure: [[1, '4']]}\n"
        "- {name: VCVTSI2SD, operands: [{class: register, name: gpr}, {class: register, name: "
        "xmm}, {class: register, name: xmm}], latency: 7, port_pressure: [[1, '1'], [1, '0']]}\n";
    struct osaca_notes notes;
    struct err err = {0};
    struct machine *m =
        import_osaca_parse("masks", "masks.yml", text, strlen(text), shipped_forms(), &notes, &err);

    if (!m)
        fail_msg("%zu: %s", err.line, err.what);
    assert_usage(m, "VSCATTERDPD (VSIB_YMM, K, ZMM)", "2*p0+14*p47", 0);
    assert_usage(m, "VMOVUPD (M512, K, ZMM)", "1*p4", 0);
    /* If both entries exist, each describes its own form. */
    assert_usage(m, "VADDPD (ZMM, K, ZMM, ZMM)", "1*p1", 4);
    assert_usage(m, "VADDPD (ZMM, ZMM, ZMM)", "1*p0", 4);
    assert_usage(m, "VPMULHUW_EVEX (XMM, XMM, XMM)", "1*p01", 5);
    assert_usage(m, "VPMULHUW (XMM, K, XMM, XMM)", "1*p1", 6);
    assert_usage(m, "VPMULHUW (XMM, XMM, XMM)", "1*p0", 4);
    assert_usage(m, "VPTESTNMQ (K, ZMM, ZMM)", "1*p4", 3);
    assert_usage(m, "VPTESTNMQ (K, K, ZMM, ZMM)", "1*p7", 4);
    assert_usage(m, "VCVTSI2SD (XMM, XMM, R64)", "1*p0+1*p1", 7);
    assert_int_equal(notes.unnamed, 0);
    osaca_notes_done(&notes);
    machine_free(m);
}

/* A file of a few kilobytes whose aliases expand beyond the limit is rejected. */
static void test_aliases_are_bounded(void **state)
{
    static const char *const lists[] = {"port_pressure: &p [&q [1, '0']",
                                        "port_pressure: [[1, &p ['0'",
                                        "operands: [&q {class: immediate}"};
    struct str text = {0};
    for (int i = 0; i < 3; i++) {
        struct err err = {0};
        str_clear(&text);
        str_addf(&text, "isa: x86\nports: ['0']\ninstruction_forms:\n- &e {name: add, %s",
                 lists[i]);
        for (int k = 0; k < 1000; k++)
            str_add(&text, i == 1 ? ", '0'" : ", *q");
        str_add(&text, i == 1 ? "]]]}\n" : "]}\n");
        for (int k = 0; k < 1000; k++)
            str_add(&text, "- *e\n");
        assert_null(
            import_osaca_parse("x", "bomb", text.data, text.length, shipped_forms(), NULL, &err));
        assert_true(strstr(err.what, "too") != NULL);
    }
    str_done(&text);
}

/* Names of skipped entries also count, because any number of entries may refer to one list of
 * names. */
static void test_names_are_bounded(void **state)
{
    struct str text = {0};
    struct osaca_notes notes;

    str_add(&text, "isa: x86\nports: ['0']\ninstruction_forms:\n- {name: addq, operands: [{class: "
                   "register, name: gpr}, {class: register, name: gpr}], latency: 1, "
                   "port_pressure: [[1, '0']]}\n- &e {name: [add");
    for (int k = 0; k < 2000; k++)
        str_add(&text, ", a");
    str_add(&text, ", []]}\n");
    for (int k = 0; k < 1000; k++)
        str_add(&text, "- *e\n");
    struct machine *m =
        import_osaca_parse("x", "bomb", text.data, text.length, shipped_forms(), &notes, NULL);
    assert_usage(m, "ADD (R64, R64)", "1*p0", 1);
    assert_int_equal(notes.skipped_count, 1001);
    assert_non_null(strstr(notes.skipped[0].why, "has no name"));
    assert_non_null(strstr(notes.skipped[1000].why, "more than a million names"));
    osaca_notes_done(&notes);
    machine_free(m);
    str_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unused_entries_are_listed),
        cmocka_unit_test(test_unused_without_rules),
        cmocka_unit_test(test_messages_are_cut_between_characters),
        cmocka_unit_test(test_unused_entries_of_our_own_files),
        cmocka_unit_test(test_predicates_in_names),
        cmocka_unit_test(test_own_name_and_multipliers),
        cmocka_unit_test(test_ports_named_whole),
        cmocka_unit_test(test_index_without_base),
        cmocka_unit_test(test_conditions_in_names),
        cmocka_unit_test(test_masks_of_stores),
        cmocka_unit_test(test_aliases_are_bounded),
        cmocka_unit_test(test_names_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
