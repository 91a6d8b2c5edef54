/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/facts_parts.h"
#include "isa/isa.h"

#define MOVES 8              /* moves in a chain of the loop */
#define IDIOMS 12
#define ZEROED 12
/* xor r8d, r8d with redundant prefixes */
#define LONG_ZERO ".byte 0x3e, 0x3e, 0x3e, 0x45, 0x31, 0xc0"
#define TAKEN 3              /* number of measured loops with a taken branch */
#define OLD_WIDTH 2.0        /* minimum number of issue slots per cycle with which loops can count
                              * slots */

/* Replaces the contents of @out by @count copies of @line, and returns the text. */
static const char *repeat(const char *line, unsigned count, struct str *out)
{
    str_clear(out);
    probe_repeat(line, count, out);
    return str_text(out);
}

/* Pairs of moves by register class. A chain of eliminated moves takes only the time of its issue
 * slots. */
static const struct { const char *name, *there, *back;
} moves[] = {
    {"gpr16", "mov r8w, r9w", "mov r9w, r8w"},
    {"gpr32", "mov r8d, r9d", "mov r9d, r8d"},
    {"gpr64", "mov r8, r9", "mov r9, r8"},
    {"movzx8", "movzx r8d, r9b", "movzx r9d, r8b"},
    {"xmm", "movaps xmm1, xmm2", "movaps xmm2, xmm1"},
    {"ymm", "vmovaps ymm1, ymm2", "vmovaps ymm2, ymm1"},
    {"zmm", "vmovaps zmm1, zmm2", "vmovaps zmm2, zmm1"},
    {"mask", "kmovq k1, k2", "kmovq k2, k1"},
};
#define MOVE_KINDS (sizeof moves / sizeof *moves)

static void conclude_moves(struct probes *p, size_t first)
{
    struct str yes = {0}, no = {0}, unknown = {0}, why = {0};

    for (size_t i = 0; i < MOVE_KINDS; i++) {
        double t = probe_time(p, first + i), slots = MOVES / p->width;
        bool chained = t >= MOVES * (1 - PROBE_WITHIN),
             free_of_it = t <= slots + PROBE_CERTAIN * (MOVES - slots);
        struct str *to = isnan(t) ? NULL : chained ? &no : free_of_it ? &yes : &unknown;
        if (to)
            str_addf(to, "%s%s", to->length ? " " : "", moves[i].name);
    }
    str_addf(&why, "chains of moves; executed: %s", no.length ? str_text(&no) : "none");
    if (unknown.length)
        str_addf(&why, "; between the two: %s", str_text(&unknown));
    if (yes.length || no.length)
        probe_tell(p, "eliminate", yes.length && !unknown.length ? str_text(&yes) : NULL, "classes",
                   yes.length || unknown.length ? str_text(&why)
                                                : "rename does not eliminate any class of moves");
    else
        probe_tell(p, "eliminate", NULL, "", "no stable time");
    str_done(&yes);
    str_done(&no);
    str_done(&unknown);
    str_done(&why);
}

/* Instructions that may macro-fuse with the following jump. */
static const struct { const char *mnemonic, *line;
} fusing[] = {
    {"cmp", "cmp r8, r9"}, {"test", "test r8, r9"}, {"add", "add r8, r9"},
    {"sub", "sub r8, r9"}, {"inc", "inc r8"},       {"dec", "dec r8"},
    {"and", "and r8, r9"}, {"or", "or r8, r9"},     {"xor", "xor r8, r9"},
};
static const char *const conditions[] = {"jz", "jb", "jo"};
#define FUSING (sizeof fusing / sizeof *fusing)
#define CONDITIONS (sizeof conditions / sizeof *conditions)

struct fusion_probes {
    /* loop with the slots of a fused pair, and loop with one more */
    size_t one, two;
    size_t first;
};

static struct fusion_probes ask_fusion(struct probes *p)
{
    struct fusion_probes f;
    struct str text = {0}, more = {0};

    probe_fill(p, (unsigned)(3 * p->width) - 1, &text);
    str_add(&more, str_text(&text));
    probe_fill(p, 1, &more);
    f.one = probe_add(p, "1:\n%sjz 1b\n", str_text(&text));
    f.two = probe_add(p, "1:\n%sjz 1b\n", str_text(&more));
    f.first = p->list.count;
    for (size_t i = 0; i < FUSING; i++)
        for (size_t k = 0; k < CONDITIONS; k++)
            probe_add(p, "1:\n%s%s\n%s 1b\n", str_text(&text), fusing[i].line, conditions[k]);
    str_done(&text);
    str_done(&more);
    return f;
}

/* Facts of macro-fusion. @on: whether a pair fuses if the condition reads the zero, carry and
 * overflow flag. */
static const struct {
    const char *key;
    int on[CONDITIONS];
} fusions[] = {{"fuse_any", {1, 1, 1}},
               {"fuse_carry", {1, 1, 0}},
               {"fuse_overflow", {1, 0, 1}},
               {"fuse_zero", {1, 0, 0}}};
#define FUSIONS (sizeof fusions / sizeof *fusions)

static void conclude_fusion(struct probes *p, const struct fusion_probes *f)
{
    struct str lists[FUSIONS] = {{0}}, unknown = {0};

    if (!p->filler) {
        probe_tell(p, "fusion", NULL, "", "no known instruction uses exactly one issue slot");
        return;
    }
    for (size_t i = 0; i < FUSING; i++) {
        int on[CONDITIONS];
        size_t kind = 0;
        for (size_t k = 0; k < CONDITIONS; k++)
            on[k] = probe_slots(p, probe_time(p, f->first + i * CONDITIONS + k), f->one, f->two);
        while (kind < FUSIONS && memcmp(on, fusions[kind].on, sizeof on) != 0)
            kind++;
        if (kind < FUSIONS)
            str_addf(&lists[kind], "%s%s", lists[kind].length ? " " : "", fusing[i].mnemonic);
        else if (on[0] != 0 || on[1] != 0 || on[2] != 0)
            str_addf(&unknown, " %s", fusing[i].mnemonic);
    }
    for (size_t k = 0; k < FUSIONS; k++) {
        if (lists[k].length)
            probe_tell(p, fusions[k].key, str_text(&lists[k]), "mnemonics",
                       "loops of each instruction with a jump after it, counted in slots");
        str_done(&lists[k]);
    }
    if (unknown.length) {
        struct str why = {0};
        str_addf(&why, "no stable time of%s before a jump", str_text(&unknown));
        probe_tell(p, "fusion", NULL, "", str_text(&why));
        str_done(&why);
    }
    str_done(&unknown);
}

/* Vector zeroing idioms. If rename eliminates one, a loop of them takes only the time of its issue
 * slots. */
static const struct {
    const char *mnemonic, *form;
} idioms[] = {{"pxor", "PXOR (XMM, XMM)"},
              {"xorps", "XORPS (XMM, XMM)"},
              {"psubd", "PSUBD (XMM, XMM)"},
              {"pcmpgtd", "PCMPGTD (XMM, XMM)"}};
#define IDIOM_KINDS (sizeof idioms / sizeof *idioms)

static double alone(const struct chart *c, const char *form)
{
    for (size_t i = 0; i < c->form_count; i++)
        if (strcmp(c->forms[i].row->form, form) == 0)
            return c->forms[i].alone;
    return NAN;
}

static void conclude_idioms(struct probes *p, size_t first)
{
    struct str executed = {0}, unknown = {0};

    for (size_t i = 0; i < IDIOM_KINDS; i++) {
        double t = probe_time(p, first + i) / IDIOMS, own = alone(p->chart, idioms[i].form),
               slot = 1 / p->width;
        /* false if ports allow about the same rate as slots */
        bool tells = own - slot > PROBE_WITHIN * 4 * slot;
        if (tells && fabs(t - own) <= PROBE_CERTAIN * (own - slot))
            str_addf(&executed, "%s%s", executed.length ? " " : "", idioms[i].mnemonic);
        else if (!tells || !(fabs(t - slot) <= PROBE_CERTAIN * (own - slot)))
            str_addf(&unknown, " %s", idioms[i].mnemonic);
    }
    if (executed.length)
        probe_tell(p, "not_zero_idiom", str_text(&executed), "mnemonics",
                   "loops of vector zeroing idioms take as many cycles as their port bound");
    if (unknown.length)
        probe_tell(p, "zero idioms", NULL, "",
                   "the port bound is not above the time of the issue slots, or no time is stable");
    str_done(&executed);
    str_done(&unknown);
}

/* Candidates for the largest sum that rename can fold. */
static const unsigned sums[] = {15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 32767};
#define SUMS (sizeof sums / sizeof *sums)
#define ADDITIONS 12
#define SHORT_CONSTANT 127   /* largest constant that an addition can encode in one byte */
/* addition of SHORT_CONSTANT with a four-byte encoding */
#define LONG_ADDITION ".byte 0x49, 0x81, 0xc0, 0x7f, 0, 0, 0"

/* Adds a loop with a chain of additions of @constant. */
static void ask_sum(struct probes *p, unsigned constant)
{
    char line[40];
    struct str text = {0};

    snprintf(line, sizeof line, "add r8, %u", constant);
    probe_add(p, "%s", repeat(line, ADDITIONS, &text));
    str_done(&text);
}

static size_t ask_sums(struct probes *p)
{
    size_t first = p->list.count;
    struct str text = {0};

    for (size_t i = 0; i < SUMS; i++) {
        ask_sum(p, sums[i]);
        ask_sum(p, sums[i] + 1);
    }
    probe_add(p, "%s", repeat(LONG_ADDITION, ADDITIONS, &text));
    str_done(&text);
    return first;
}

/* Concludes the largest sum that rename folds. Constants up to it are folded at least every second
 * time, and larger ones never. If the limit is SHORT_CONSTANT, its four-byte encoding shows whether
 * the value or the encoding decides. */
static void conclude_sums(struct probes *p, size_t first)
{
    unsigned limit = 0, slow = 0;
    char value[32];

    for (size_t i = 0; i < SUMS; i++) {
        double within = probe_time(p, first + 2 * i) / ADDITIONS,
               beyond = probe_time(p, first + 2 * i + 1) / ADDITIONS;
        slow += fabs(within - 1) <= PROBE_WITHIN && fabs(beyond - 1) <= PROBE_WITHIN;
        if (within <= 0.5 + PROBE_CERTAIN / 2 && fabs(beyond - 1) <= PROBE_WITHIN)
            limit = sums[i];
    }
    const double encoded = probe_time(p, first + 2 * SUMS) / ADDITIONS;
    snprintf(value, sizeof value, "%u", limit);
    if (limit == SHORT_CONSTANT && !(encoded <= 0.5 + PROBE_CERTAIN / 2))
        probe_tell(
            p, "immediate_folding", NULL, "",
            isnan(encoded)
                ? "no stable time of additions of a one-byte constant with a four-byte encoding"
                : "additions with a one-byte constant are fast, with a four-byte encoding slow");
    else if (slow < SUMS)
        probe_tell(p, "immediate_folding", limit ? value : NULL, "",
                   limit ? "chains of additions of a constant"
                         : "additions of constants are neither all executed, nor folded at rename "
                           "up to one limit");
}

/* Adds loops with a taken branch, whose other instructions take less than a cycle of slots. */
static size_t ask_taken(struct probes *p)
{
    const size_t first = p->list.count;

    for (unsigned i = 0; i < TAKEN; i++) {
        struct str text = {0};
        probe_fill(p, (unsigned)(i * (p->width - 2) / (TAKEN - 1)), &text);
        probe_add(p, "1:\n%sxor r9d, r9d\njz 1b\n", str_text(&text));
        str_done(&text);
    }
    return first;
}

/* Concludes whether a taken branch takes one cycle. It does if the fastest loop takes one, because
 * some addresses make a loop slower (1.19 cycles on Zen 4, where most loops take 1.03). Times
 * nearer to half a cycle or two cycles are uncertain. */
static void conclude_taken(struct probes *p, size_t first)
{
    double t = NAN;

    for (unsigned i = 0; i < TAKEN; i++)
        t = fmin(t, probe_time(p, first + i));
    const bool one = t >= 1 - PROBE_CERTAIN / 2 && t <= 1 + PROBE_CERTAIN;
    probe_tell(p, "taken_branches", one ? "1" : NULL, "branches/cycle",
               one        ? "loops with a taken branch"
               : isnan(t) ? "no stable time"
               : t < 1    ? "copies of a short loop take less than one cycle"
                          : "short loops take more than one cycle");
}

/* Concludes whether a subtraction with borrow of a register from itself depends only on the carry
 * flag. If so, there is no chain through the register. */
static void conclude_carry(struct probes *p, size_t same, size_t other)
{
    const double t = probe_time(p, same), chain = probe_time(p, other);

    if (t <= chain * (1 - PROBE_CERTAIN))
        probe_tell(p, "carry_idiom", "sbb", "mnemonics",
                   "loops of subtractions with borrow of a register from itself, and from another");
    else if (!(fabs(t - chain) <= PROBE_WITHIN * chain))
        probe_tell(p, "carry_idiom", NULL, "",
                   "no stable time of a subtraction with borrow of a register from itself");
}

/* Loops of floating-point additions, of multiplications, and of both in alternation. */
struct addition_probes {
    size_t add, multiply, both;
};

static struct addition_probes ask_additions(struct probes *p)
{
    static const char add[] = "addps xmm1, xmm2\n", multiply[] = "mulps xmm1, xmm2\n";
    struct addition_probes a;

    a.add = probe_add(p, "%s%s%s%s", add, add, add, add);
    a.multiply = probe_add(p, "%s%s%s%s", multiply, multiply, multiply, multiply);
    a.both = probe_add(p, "%s%s%s%s", add, multiply, add, multiply);
    return a;
}

/* Concludes the delay from an addition to a multiplication, if an addition has a latency of two
 * cycles to another addition. */
static void conclude_additions(struct probes *p, const struct addition_probes *a)
{
    const double add = probe_time(p, a->add) / 4, multiply = probe_time(p, a->multiply) / 4,
                 extra = probe_time(p, a->both) / 2 - add - multiply;

    if (!(fabs(add - 2) <= PROBE_CERTAIN / 2) || fabs(extra) <= PROBE_CERTAIN)
        return;   /* the latency is not two cycles, or it is the same to all readers */
    if (isnan(extra))
        probe_tell(p, "bypass_delay_addition", NULL, "",
                   "no stable time of chains of additions and multiplications");
    else if (extra > 0 && fabs(extra - rint(extra)) <= PROBE_CERTAIN / 2)
        probe_tell_cycles(p, "bypass_delay_addition", extra,
                          "chains of additions, of multiplications, and of both in alternation");
    else
        probe_tell(p, "bypass_delay_addition", NULL, "",
                   "alternating chains of additions and multiplications do not have a whole number "
                   "of extra cycles");
}

/* Concludes whether a nop fuses with the previous instruction. The loops have zeroed registers, one
 * slot each: one without nops, the other with a nop after each. */
static void conclude_nops(struct probes *p, size_t without, size_t with)
{
    const double t = probe_time(p, without), joined = probe_time(p, with),
                 slots = ZEROED / p->width;
    /* false if ports may hide the time of nops */
    const bool slots_alone = t <= slots * (1 + PROBE_CERTAIN);

    if (slots_alone && joined <= t + PROBE_CERTAIN * slots)
        probe_tell(p, "fuse_nop", "yes", "",
                   "loops of zeroed registers take no longer with a nop after each instruction");
    else if (!slots_alone || !(fabs(joined - t - slots) <= PROBE_CERTAIN * slots))
        probe_tell(p, "fuse_nop", NULL, "",
                   "no stable time of zeroed registers with a nop after each instruction");
}

/* Determines the facts of x86-64, the instruction set of these loops. */
static bool find_by_loops(struct probes *p, struct err *err)
{
    struct str text = {0}, lines = {0};

    if (!window_probes(p, err) || !probes_find_filler(p, err))
        return false;
    size_t first_move = p->list.count;
    for (size_t i = 0; i < MOVE_KINDS; i++) {
        str_clear(&lines);
        str_addf(&lines, "%s\n%s", moves[i].there, moves[i].back);
        probe_add(p, "%s", repeat(str_text(&lines), MOVES / 2, &text));
    }
    struct fusion_probes fusion = ask_fusion(p);
    size_t first_idiom = p->list.count;
    for (size_t i = 0; i < IDIOM_KINDS; i++) {
        str_clear(&lines);
        for (unsigned k = 0; k < IDIOMS; k++)
            str_addf(&lines, "%s xmm%u, xmm%u\n", idioms[i].mnemonic, k, k);
        probe_add(p, "%s", str_text(&lines));
    }
    size_t first_sum = ask_sums(p);
    size_t taken = ask_taken(p);
    size_t carry_same = probe_add(p, "sbb r8, r8\ncmp r10, r11\n"),
           carry_other = probe_add(p, "sbb r8, r9\ncmp r10, r11\n");
    const struct addition_probes additions = ask_additions(p);
    const char *zero = p->dense_is_slow ? LONG_ZERO : "xor r8d, r8d";
    str_clear(&lines);
    str_addf(&lines, "%s\n%s", zero, p->dense_is_slow && p->filler ? p->filler : "nop");
    size_t without_nops = probe_add(p, "%s", repeat(zero, ZEROED, &text)),
           with_nops = probe_add(p, "%s", repeat(str_text(&lines), ZEROED, &text));
    struct memory_probes *memory = memory_probes_ask(p);
    struct forward_probes *forward = forward_probes_ask(p);
    struct load_probes *loads = load_probes_ask(p);
    struct rename_probes *renamed = rename_probes_ask(p);
    struct group_probes *groups = group_probes_ask(p);
    struct front_probes *front = front_probes_ask(p);
    struct uop_cache_probes *uop_cache = uop_cache_probes_ask(p);
    bool ok = probes_run(p, err);
    if (ok) {
        conclude_moves(p, first_move);
        conclude_fusion(p, &fusion);
        conclude_idioms(p, first_idiom);
        conclude_sums(p, first_sum);
        conclude_taken(p, taken);
        memory_probes_conclude(p, memory);
        forward_probes_conclude(p, forward);
        conclude_carry(p, carry_same, carry_other);
        conclude_additions(p, &additions);
        conclude_nops(p, without_nops, with_nops);
        load_probes_conclude(p, loads);
        rename_probes_conclude(p, renamed);
        group_probes_conclude(p, groups);
        const struct front_found found = front_probes_conclude(p, front);
        ok = uop_cache_probes_conclude(p, uop_cache, &found, err) && buffer_probes(p, err);
    }
    memory_probes_free(memory);
    forward_probes_free(forward);
    load_probes_free(loads);
    rename_probes_free(renamed);
    group_probes_free(groups);
    front_probes_free(front);
    uop_cache_probes_free(uop_cache);
    str_done(&text);
    str_done(&lines);
    return ok;
}

/* facts whose loops count issue slots */
static const char *const counted[] = {"eliminate",       "fuse_any",         "stack_engine",
                                      "loads_per_cycle", "stores_per_cycle", "store_forward"};

static bool find_for_set(struct probes *p, struct err *err)
{
    const struct isa_ops *isa = isa_ops(p->chart->forms[0].row->isa);

    if (isa != isa_of_dialects())
        return plain_facts_find(p, err);
    if (p->width >= OLD_WIDTH)
        return find_by_loops(p, err);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        probe_tell(p, counted[i], NULL, "",
                   "loops are counted in issue slots, but the issue width is unknown or below two");
    return true;
}

static bool is_told(const struct chart *c, const char *key)
{
    for (size_t i = 0; i < c->facts.count; i++)
        if (strcmp(c->facts.items[i].key, key) == 0)
            return true;
    return false;
}

bool facts_find(struct lab *lab, struct chart *c, struct err *err)
{
    struct probes p = {.lab = lab, .chart = c, .width = c->width};

    bool ok = !c->form_count || find_for_set(&p, err);
    if (ok && isnan(machine_number(c->machine, "load_latency")) && !is_told(c, "load_latency"))
        probe_tell(&p, "load_latency", NULL, "", "no form has a chain of loads with a stable time");
    probes_done(&p);
    return ok;
}
