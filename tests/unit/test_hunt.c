/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random blocks, patterns, and the hunt for known differences between two models. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/session.h"
#include "analysis/kernel.h"
#include "hunt/hunt.h"
#include "hunt/blocks.h"
#include "model/change.h"
#include "../support/hunts.h"
#include "../support/support.h"

#define FORMS 600

static int make(void **state)
{
    *state = hunt_setup_new("skylake", FORMS);
    return 0;
}

static int unmake(void **state)
{
    hunt_setup_free(*state);
    return 0;
}

/* Returns a block of assembler text. The generator must have its forms. */
static struct random_block block_of(const struct hunt_setup *s, const char *text)
{
    struct kernel_options options = {.syntax = SYNTAX_INTEL};
    struct kernel *k = kernel_with(text, &options);
    struct random_block b = {.count = k->insn_count};

    assert_true(k->insn_count <= BLOCK_INSNS);
    for (size_t i = 0; i < b.count; i++) {
        b.insns[i] = k->insns[i];
        b.insns[i].text = NULL;
        b.forms[i] = UINT32_MAX;
        for (uint32_t form = 0; form < block_maker_forms(s->maker); form++)
            if (strcmp(block_maker_insn(s->maker, form)->form, b.insns[i].form) == 0)
                b.forms[i] = form;
        assert_int_not_equal(b.forms[i], UINT32_MAX);
    }
    kernel_free(k);
    return b;
}

static void test_blocks(void **state)
{
    const struct hunt_setup *s = *state;
    struct rng rng, again;
    struct str hex = {0}, other = {0};
    struct random_block b;
    unsigned loads = 0, shared = 0;

    assert_true(block_maker_forms(s->maker) > FORMS / 2);
    rng_seed(&rng, 7);
    rng_seed(&again, 7);
    for (unsigned i = 0; i < 300; i++) {
        block_random(s->maker, 1 + i % BLOCK_INSNS, &rng, &b);
        assert_int_equal(b.count, 1 + i % BLOCK_INSNS);
        assert_false(block_mixed(&b));
        for (size_t k = 0; k < b.count; k++) {
            struct insn in = {0};
            assert_true(
                insn_decode(ISA_X86_64, b.insns[k].bytes, b.insns[k].length, 0, false, &in, NULL));
            assert_string_equal(in.form, block_maker_insn(s->maker, b.forms[k])->form);
            assert_true(in.traits & INSN_RUNNABLE);
            loads += (in.traits & INSN_LOAD) != 0;
        }
        struct slot slots[BLOCK_SLOTS];
        size_t n = block_slots(&b, slots);
        for (size_t k = 1; k < n; k++)
            shared += slots[k].reg == slots[k - 1].reg;
        str_clear(&hex);
        block_hex(&b, &hex);
        block_random(s->maker, 1 + i % BLOCK_INSNS, &again, &b);
        str_clear(&other);
        block_hex(&b, &other);
        assert_string_equal(str_text(&hex), str_text(&other));
    }
    assert_true(loads > 100);
    assert_true(shared > 100);
    b = block_of(s, "imul rax, rcx\nadd rdx, [rbx+8]\n");
    block_without(&b, 0);
    assert_int_equal(b.count, 1);
    str_clear(&hex);
    block_hex(&b, &hex);
    assert_string_equal(str_text(&hex), "48035308");
    str_done(&hex);
    str_done(&other);
}

static bool same_code(const struct random_block *a, const struct random_block *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = a->insns[i].length == b->insns[i].length &&
               memcmp(a->insns[i].bytes, b->insns[i].bytes, a->insns[i].length) == 0;
    return same;
}

/* Blocks have properties of program code. Each push has a pop, and some addresses are on the stack
 * or have an index. An index remains if a pattern fixes its address. */
static void test_stack_and_addresses(void **state)
{
    const struct hunt_setup *s = *state;
    unsigned pushes = 0, stacked = 0, indexed = 0, scaled = 0;
    struct random_block b, drawn;
    struct pattern p;
    struct rng rng;

    rng_seed(&rng, 3);
    for (unsigned i = 0; i < 600; i++) {
        int depth = 0;
        block_random(s->maker, 1 + i % BLOCK_INSNS, &rng, &b);
        pattern_of(&b, &p);
        pattern_draw(&p, s->maker, &rng, &drawn);
        assert_true(same_code(&b, &drawn));
        for (size_t k = 0; k < b.count; k++) {
            const struct insn *in = &b.insns[k];
            bool push = strcmp(in->mnemonic, "push") == 0;
            depth += push - (strcmp(in->mnemonic, "pop") == 0);
            pushes += push;
            for (unsigned o = 0; o < in->operand_count; o++)
                if (in->operands[o].kind == OPERAND_MEMORY && !in->operands[o].implicit) {
                    stacked += in->operands[o].base == 4;
                    indexed += in->operands[o].index == 5;
                    scaled += in->operands[o].index == 5 && in->operands[o].scale > 1;
                }
        }
        assert_int_equal(depth, 0);
    }
    assert_true(pushes > 10 && stacked > 50 && indexed > 20 && scaled > 5 && scaled < indexed);
}

static void test_patterns(void **state)
{
    const struct hunt_setup *s = *state;
    struct random_block chain = block_of(s, "imul rax, rcx\nadd rcx, rax\n"),
                        apart = block_of(s, "imul rax, rcx\nadd rdx, rsi\n");
    struct random_block turned = block_of(s, "add rsi, rdx\nmov r8, r9\nimul rdx, rsi\n");
    struct pattern p, wider;
    struct rng rng;
    struct random_block b;

    pattern_of(&chain, &p);
    assert_int_equal(p.classes, 2);
    assert_true(pattern_within(&p, &chain));
    assert_false(pattern_within(&p, &apart));
    assert_true(pattern_within(&p, &turned));
    rng_seed(&rng, 1);
    for (unsigned i = 0; i < 50; i++) {
        pattern_draw(&p, s->maker, &rng, &b);
        assert_true(pattern_within(&p, &b));
        assert_string_equal(b.insns[0].form, "IMUL (R64, R64)");
        assert_int_equal(b.insns[0].operands[0].reg, b.insns[1].operands[1].reg);
    }
    /* A register that one instruction computes and another uses for an address remains the same. */
    struct random_block pointer = block_of(s, "imul rcx, rdx\nmov rsi, [rcx]\n");
    struct pattern through;
    pattern_of(&pointer, &through);
    for (unsigned i = 0; i < 20; i++) {
        pattern_draw(&through, s->maker, &rng, &b);
        assert_int_equal(b.insns[0].operands[0].reg, b.insns[1].operands[1].base);
    }
    /* Without register classes a pattern matches any registers. With only the mnemonic it matches
     * any form of the mnemonic. */
    wider = p;
    for (size_t step = 0, n = pattern_steps(&p); step < n; step++)
        if (pattern_relax(&wider, step, &p))
            wider = p;
    assert_true(pattern_within(&wider, &apart));
    assert_int_equal(wider.level[0], LEVEL_OPERATION);
    struct str text = {0};
    pattern_print(&wider, &text);
    assert_string_equal(str_text(&text), "any IMUL or similar, then any ADD or similar");
    str_clear(&text);
    pattern_of(&chain, &p);
    pattern_print(&p, &text);
    assert_string_equal(str_text(&text),
                        "IMUL (R64, R64), then ADD (R64, R64); one register in operand 1 of 1 and "
                        "operand 2 of 2; one register in operand 2 of 1 and operand 1 of 2");
    str_done(&text);
}

/* Measurements are the predictions of a changed machine. */
struct truth {
    struct model *model;
    struct rng rng;
    double noise;
    unsigned calls, fails_at;   /* number of the call that fails; 0 for none */
    size_t untimed;             /* number of blocks without a time */
};

static bool times(void *self, const struct random_block *blocks, size_t n, double *cycles,
                  struct err *err)
{
    struct truth *t = self;

    if (t->fails_at && ++t->calls >= t->fails_at)
        return err_set(err, ERR_IO, NULL, "no more times");
    for (size_t i = 0; i < n; i++) {
        cycles[i] =
            model_cycles(t->model, &blocks[i]) * (1 + t->noise * (2 * rng_unit(&t->rng) - 1));
        t->untimed += isnan(cycles[i]);
    }
    return true;
}

static struct hunt *hunt_by(const struct hunt_setup *s, const struct machine *truth, double noise,
                            unsigned fails_at, const struct hunt_options *options, struct err *err)
{
    struct truth t = {.model = model_new(truth, false), .noise = noise, .fails_at = fails_at};
    struct hunt_truth source = {times, &t, 0.05};

    rng_seed(&t.rng, 5);
    struct hunt *h = hunt_run(s->machine, s->maker, &source, options, err);
    model_free(t.model);
    return h;
}

static struct hunt *hunt_between(const struct hunt_setup *s, const struct machine *truth,
                                 double noise, size_t blocks, unsigned fails_at, struct err *err)
{
    const struct hunt_options options = {
        .blocks = blocks, .round = 256, .draws = 16, .mutants = 4, .seed = 1};
    return hunt_by(s, truth, noise, fails_at, &options, err);
}

/* A fact, usage or latency by name, and its value. */
struct known_change {
    const char *name, *value;
};

static struct machine *changed_by(const struct machine *m, const struct known_change *changes,
                                  size_t count)
{
    struct machine *changed = machine_copy(m);
    struct err err = {0};

    for (size_t i = 0; i < count; i++)
        if (!machine_change(changed, changes[i].name, changes[i].value, &err))
            fail_msg("%s", err.what);
    return changed;
}

/* Returns whether the hunt found the change, alone or in a family. */
static bool finds(const struct hunt *h, const struct known_change *expected)
{
    for (size_t k = 0; k < h->count; k++) {
        const struct remedy *c = &h->findings[k].change;
        if (c->name && strcmp(c->name, expected->name) == 0 &&
            strcmp(c->value, expected->value) == 0)
            return true;
        for (size_t i = 0; i < c->form_count; i++)
            if (strcmp(c->forms[i].name, expected->name) == 0 &&
                strcmp(c->forms[i].value, expected->value) == 0)
                return true;
    }
    return false;
}

static void assert_all_found(const struct hunt_setup *s, const struct known_change *changes,
                             size_t count, const struct hunt_options *options)
{
    struct machine *changed = changed_by(s->machine, changes, count);
    struct err err = {0};
    struct hunt *h = hunt_by(s, changed, 0.01, 0, options, &err);

    assert_non_null(h);
    assert_true(h->sampled + h->mutants >= options->blocks && h->sampled > 2 * h->mutants &&
                h->differ > 100 && h->kept > 100);
    for (size_t i = 0; i < count; i++)
        if (!finds(h, &changes[i]))
            fail_msg("not found: %s = %s", changes[i].name, changes[i].value);
    for (size_t k = 1; k < h->count; k++)
        assert_true(h->findings[k - 1].blocks >= h->findings[k].blocks);
    hunt_free(h);
    machine_free(changed);
}

static const struct known_change ten[] = {
    {"latency:IMUL (R64, R64)", "5"},
    {"latency:ADDSD (XMM, XMM)", "3"},
    {"usage:SHL (R64, I8)", "1*p0"},
    {"usage:PXOR (XMM, XMM)", "1*p5"},
    {"usage:MOVZX (R32, M8)", "1*p23+1*p06"},
    {"store_forward", "7"},
    {"issue_width", "3"},
    {"load_latency", "6"},
    {"eliminate", "gpr32,movzx8,xmm,ymm"},
    {"store_forward_vector", "9"},
};
static const struct known_change others[] = {
    {"stack_engine", "no"},
    {"high_byte_latency", "3"},
    {"store_forward_fail", "25"},
    {"latency:LEA_B_I_D8 (R64)", "2"},
    {"usage:CMOVZ (R64, R64)", "1*p0"},
    {"latency:SHR (R64, I8)", "2"},
    {"usage:PSHUFD (XMM, XMM, I8)", "1*p15"},
    {"store_forward_vector", "8"},
    {"issue_width", "3"},
    {"latency:MULSD (XMM, XMM)", "6"},
};
static const struct known_change of_zen3[] = {
    {"memory_renaming", "2"},
    {"load_extra_three", "2"},
    {"load_extra_scaled", "2"},
    {"load_latency", "6"},
    {"issue_width", "4"},
    {"latency:IMUL (R64, R64)", "5"},
    {"latency:ADDSD (XMM, XMM)", "5"},
    {"usage:SHL (R64, I8)", "1*p[ALU1]"},
    {"store_forward", "9"},
    {"store_forward_fail", "22"},
};
#define TEN 10

static void test_ten_changes_are_found(void **state)
{
    const struct hunt_options options = {
        .blocks = 10000, .round = 256, .draws = 16, .mutants = 4, .seed = 1};
    assert_all_found(*state, ten, TEN, &options);
}

/* Blocks of rarer forms reveal changes of the stack, of second bytes of registers, of stack
 * addresses and of addresses with an index. */
static void test_ten_others_are_found(void **state)
{
    static const struct {
        const char *machine;
        const struct known_change *changes;
        uint64_t seed;
    } cases[] = {{"skylake", others, 1}, {"znver3", of_zen3, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct hunt_options options = {
            .blocks = 20000, .round = 256, .draws = 16, .mutants = 4, .seed = cases[i].seed};
        struct hunt_setup *s = hunt_setup_new(cases[i].machine, 1000);
        assert_all_found(s, cases[i].changes, TEN, &options);
        hunt_setup_free(s);
    }
}

/* If a machine's value is a fraction of a cycle, the next integer is tried as well. */
static void test_fractions_are_rounded(void **state)
{
    static const struct known_change wrong = {"store_forward", "6.5"},
                                     right = {"store_forward", "6"};
    const struct hunt_options options = {.blocks = 3000, .round = 256, .draws = 16, .seed = 1};
    struct hunt_setup s = *(const struct hunt_setup *)*state;
    struct machine *truth = changed_by(s.machine, &right, 1);
    struct err err = {0};

    s.machine = changed_by(s.machine, &wrong, 1);
    struct hunt *h = hunt_by(&s, truth, 0, 0, &options, &err);
    assert_non_null(h);
    assert_true(h->differ > 0);
    assert_true(finds(h, &right));
    hunt_free(h);
    machine_free(s.machine);
    machine_free(truth);
}

/* All multiplications and shifts are slower. Random blocks find the frequent ones, and mutations of
 * these blocks the rarer ones. */
static void test_mutations_find_more(void **state)
{
    static const struct known_change slower[] = {
        {"latency:IMUL (R64, R64)", "5"},      {"latency:IMUL (R32, R32)", "5"},
        {"latency:IMUL (R32, R32, I8)", "5"},  {"latency:IMUL (R64, R64, I8)", "5"},
        {"latency:IMUL (R64, R64, I32)", "5"}, {"latency:IMUL (R16, R16)", "5"},
        {"latency:SHR (R64, I8)", "2"},        {"latency:SHR (R32, I8)", "2"},
        {"latency:SAR (R32, I8)", "2"},        {"latency:SHL (R16, I8)", "2"},
        {"latency:SHR (R16, I8)", "2"},        {"latency:SAR (R16, I8)", "2"},
        {"latency:SHR (R8l, I8)", "2"},
    };
    const size_t count = sizeof slower / sizeof *slower;
    struct hunt_setup *s = hunt_setup_new("skylake", 1000);
    struct machine *changed = changed_by(s->machine, slower, count);
    struct hunt_options options = {.blocks = 600, .round = 256, .draws = 16, .seed = 1};
    struct err err = {0};
    size_t found[2] = {0};

    for (unsigned with = 0; with < 2; with++) {
        options.mutants = with ? 4 : 0;
        struct hunt *h = hunt_by(s, changed, 0.01, 0, &options, &err);
        assert_non_null(h);
        assert_int_equal(h->mutants != 0, with);
        assert_true(h->sampled + h->mutants >= 600);
        for (size_t i = 0; i < count; i++)
            found[with] += finds(h, &slower[i]);
        hunt_free(h);
    }
    if (found[1] <= found[0])
        fail_msg("%zu without mutations and %zu with them", found[0], found[1]);
    machine_free(changed);
    hunt_setup_free(s);
}

/* Variants of a differing block may also lack a time. Only drawn blocks are counted. */
static void test_untimed_blocks(void **state)
{
    const struct hunt_setup *s = *state;
    const struct hunt_options options = {.blocks = 300, .round = 64, .draws = 16, .seed = 1};
    struct err err = {0};

    for (unsigned differ = 0; differ < 2; differ++) {
        struct machine *m =
            changed_by(s->machine, &(struct known_change){"issue_width", differ ? "1" : "4"}, 1);
        struct mapping *all = m->mapping;
        m->mapping = mapping_new(mapping_ports(all));
        for (size_t i = 0; i < mapping_count(all); i++)
            if (!str_has_prefix(mapping_at(all, i)->form, "LEA"))
                mapping_set(m->mapping, mapping_at(all, i));
        mapping_free(all);
        struct truth t = {.model = model_new(m, false)};
        struct hunt *h =
            hunt_run(s->machine, s->maker, &(struct hunt_truth){times, &t, 0.05}, &options, &err);
        assert_non_null(h);
        assert_int_equal(h->differ != 0, differ);
        assert_true(differ ? h->untimed < t.untimed : h->untimed == t.untimed);
        hunt_free(h);
        model_free(t.model);
        machine_free(m);
    }
}

static void test_mutations(void **state)
{
    const struct hunt_setup *s = *state;
    struct random_block from, b, again;
    struct rng rng, other;
    unsigned changed = 0, longer = 0, shorter = 0;

    rng_seed(&rng, 11);
    rng_seed(&other, 11);
    for (unsigned i = 0; i < 600; i++) {
        block_random(s->maker, 1 + i % BLOCK_INSNS, &rng, &from);
        assert_true(block_mutate(s->maker, &from, &rng, &b));
        block_random(s->maker, 1 + i % BLOCK_INSNS, &other, &from);
        assert_true(block_mutate(s->maker, &from, &other, &again));
        assert_true(same_code(&b, &again));
        assert_true(b.count >= 1 && b.count <= BLOCK_INSNS);
        assert_false(block_mixed(&b));
        for (size_t k = 0; k < b.count; k++) {
            struct insn in = {0};
            assert_true(
                insn_decode(ISA_X86_64, b.insns[k].bytes, b.insns[k].length, 0, false, &in, NULL));
            assert_string_equal(in.form, block_maker_insn(s->maker, b.forms[k])->form);
        }
        changed += !same_code(&b, &from);
        longer += b.count > from.count;
        shorter += b.count < from.count;
    }
    assert_true(changed > 400 && changed < 600 && longer > 50 && shorter > 50);
}

/* A block that mixes SSE and VEX in many instructions has no mutation without this. */
static void test_no_mutation(void **state)
{
    static const uint32_t traits[] = {INSN_LEGACY_SSE, INSN_VEX};
    const struct hunt_setup *s = *state;
    struct random_block mixed = {.count = 0}, one, b;
    struct rng rng;

    rng_seed(&rng, 12);
    while (mixed.count < BLOCK_INSNS) {
        block_random(s->maker, 1, &rng, &one);
        if (one.insns[0].traits & traits[mixed.count % 2])
            block_insert(&mixed, mixed.count, &one, 0);
    }
    assert_false(block_mutate(s->maker, &mixed, &rng, &b));
}

static void test_nothing_is_found_where_nothing_differs(void **state)
{
    const struct hunt_setup *s = *state;
    struct err err = {0};
    struct hunt *h = hunt_between(s, s->machine, 0.02, 1000, 0, &err);

    assert_non_null(h);
    assert_int_equal(h->count, 0);
    assert_int_equal(h->differ, 0);
    hunt_free(h);
}

static void test_a_family_is_one_finding(void **state)
{
    const struct hunt_setup *s = *state;
    struct machine *changed = machine_copy(s->machine);
    struct err err = {0};
    static const char *const multiplications[] = {"MULSS (XMM, XMM)", "MULSD (XMM, XMM)",
                                                  "MULPS (XMM, XMM)", "MULPD (XMM, XMM)"};
    char name[64];
    bool found = false;

    for (unsigned i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "latency:%s", multiplications[i]);
        assert_true(machine_change(changed, name, "7", &err));
    }
    struct hunt *h = hunt_between(s, changed, 0, 1000, 0, &err);
    assert_non_null(h);
    for (size_t k = 0; k < h->count; k++)
        found |=
            h->findings[k].change.form_count >= 3 && strcmp(h->findings[k].change.value, "7") == 0;
    assert_true(found);
    hunt_free(h);
    machine_free(changed);
}

static bool ended(void *state)
{
    return ++*(unsigned *)state > 400;
}

static void test_faults_and_ends(void **state)
{
    const struct hunt_setup *s = *state;
    struct machine *changed = machine_copy(s->machine);
    struct err err = {0};
    unsigned asked = 0;

    assert_true(machine_change(changed, "issue_width", "2", &err));
    assert_null(hunt_between(s, changed, 0, 1000, 4, &err));
    assert_string_equal(err.what, "no more times");
    err = (struct err){0};
    struct watch before = watch_begin(ended, &asked);
    struct hunt *h = hunt_between(s, changed, 0, 0, 0, &err);
    watch_restore(before);
    assert_non_null(h);
    /* Blocks found before the end are counted only if their prediction was complete. */
    assert_true(h->count > 0 && h->findings[0].blocks > 0 && h->findings[0].blocks <= h->kept);
    hunt_free(h);
    machine_free(changed);
}

static void test_the_command(void **state)
{
    struct session s;
    struct err err = {0};
    struct str out = {0};

    session_init(&s);
    if (!run_line(&s,
                  "machine hunt --machine skylake --against haswell --blocks 100 --forms 200 "
                  "--time 5m --seed 1",
                  &out, &err))
        fail_msg("%s", err.what);
    assert_non_null(strstr(str_text(&out), "skylake compared with haswell: "));
    assert_non_null(strstr(str_text(&out), "; agrees with latency of any MUL"));
    if (!run_line(&s,
                  "set format csv; machine hunt --machine skylake --against skylake --blocks 100 "
                  "--forms 300 --time 5m",
                  &out, &err))
        fail_msg("%s", err.what);
    assert_string_equal(str_text(&out), "blocks,time,predicted,finding,agrees_with,block,hex\n");
    assert_false(
        run_line(&s, "machine hunt --machine skylake --against cortex-a72 --time 1s", &out, &err));
    assert_non_null(strstr(err.what, "cortex-a72 is a machine for aarch64"));
    /* Machines of any instruction set can be compared, because nothing is executed. */
    str_clear(&out);
    if (!run_line(&s,
                  "set format text; machine hunt --machine cortex-a72 --against neoverse-n1 "
                  "--blocks 100 --forms 100 --time 5m",
                  &out, &err))
        fail_msg("%s", err.what);
    assert_non_null(strstr(str_text(&out), "cortex-a72 compared with neoverse-n1: "));
    assert_null(strstr(str_text(&out), " 0 findings"));
    assert_null(strstr(str_text(&out), "any NOP or similar, then any NOP or similar\n\n"));
    session_done(&s);
    str_done(&out);
}

static void test_no_forms(void **state)
{
    const struct hunt_setup *s = *state;
    struct block_form jump = {forms_find(s->forms, "JNZ (Rel8)"), 1};
    struct err err = {0};

    assert_null(block_maker_new(ISA_X86_64, &jump, jump.row != NULL, NULL, NULL, &err));
    assert_int_not_equal(err.code, ERR_NONE);
}

/* If the only word of a list is removed, the list is empty, and the message reports this. */
static void test_empty_list(void **state)
{
    struct remedy c = {.name = (char *)"zero_idioms",
                       .value = (char *)"",
                       .before = (char *)"XOR",
                       .from = LATENCY_ANY,
                       .to = LATENCY_ANY};
    struct str text = {0};

    change_print(&c, &text);
    assert_string_equal(str_text(&text), "fact zero_idioms: nothing, not XOR");
    str_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_list),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_stack_and_addresses),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_untimed_blocks),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_no_mutation),
        cmocka_unit_test(test_mutations_find_more),
        cmocka_unit_test(test_fractions_are_rounded),
        cmocka_unit_test(test_ten_changes_are_found),
        cmocka_unit_test(test_ten_others_are_found),
        cmocka_unit_test(test_nothing_is_found_where_nothing_differs),
        cmocka_unit_test(test_a_family_is_one_finding),
        cmocka_unit_test(test_faults_and_ends),
        cmocka_unit_test(test_no_forms),
        cmocka_unit_test(test_the_command),
    };

    return cmocka_run_group_tests(tests, make, unmake);
}
