/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "toolchain/assemble.h"

#define INSNS_MOST 64
#define MOVES 8              /* of a chain */
#define IDIOMS 12
#define ACCESSES 12
#define CERTAIN 0.25         /* of the difference between two answers, that a time may be off from one of them */
#define WITHIN 0.04          /* relative, of a time that is one answer */
#define QUICK_FORWARD 2.0    /* cycles: what is forwarded in less was found at rename, by rules of its own */
#define OLD_WIDTH 2.0        /* issue slots a cycle at least, for loops that count them */

/* A loop and its time. */
struct probe {
    char *text;
    double cycles;           /* per iteration; NaN: none */
};

struct probes {
    struct lab *lab;
    struct chart *chart;
    double width;
    VEC(struct probe) list;
};

static size_t add(struct probes *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static size_t add(struct probes *p, const char *format, ...)
{
    va_list args;
    char text[4096];

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(&p->list, ((struct probe){mem_strdup(text), NAN}));
    return p->list.count - 1;
}

/* The instructions of @text; 0 when there is no such code. */
static size_t decode(enum isa isa, const char *text, struct insn out[INSNS_MOST])
{
    struct assembled code = {0};
    struct err err = {0};
    size_t n = 0, at = 0;

    bool ok = assemble(isa, "probe", text, strlen(text), SYNTAX_INTEL, false, &code, &err);
    for (; ok && at < code.length; n++) {
        ok = n < INSNS_MOST && insn_decode(isa, code.code + at, code.length - at, at, false, &out[n], &err);
        at += ok ? out[n].length : 0;
    }
    assembled_done(&code);
    return ok ? n : 0;
}

static bool run_all(struct probes *p, struct err *err)
{
    size_t n = p->list.count;
    struct insn (*insns)[INSNS_MOST] = mem_zero(n + 1, sizeof *insns);
    struct chart_block *blocks = mem_zero(n + 1, sizeof *blocks);
    size_t *of = mem_alloc((n + 1) * sizeof *of), count = 0;
    double *cycles = mem_alloc((n + 1) * sizeof *cycles);
    const struct chart_hooks *hooks = p->lab->hooks;

    hooks->progress(hooks->state, CHART_FACTS, 0, (double)n, "small loops");
    for (size_t i = 0; i < n; i++) {
        blocks[count] = (struct chart_block){insns[i], decode(p->chart->forms[0].row->isa, p->list.items[i].text, insns[i])};
        of[count] = i;
        count += blocks[count].count > 0;
    }
    bool ok = p->lab->cpu->times(p->lab->cpu->state, blocks, count, cycles, err);
    for (size_t i = 0; ok && i < count; i++)
        p->list.items[of[i]].cycles = cycles[i];
    free(insns);
    free(blocks);
    free(of);
    free(cycles);
    return ok && lab_goes_on(p->lab, err);
}

static double time_of(const struct probes *p, size_t at)
{
    return p->list.items[at].cycles;
}

/* What the chart tells of a fact; @value NULL: it is unknown, because of @why. */
static void tell(struct probes *p, const char *key, const char *value, const char *unit, const char *why)
{
    vec_push(&p->chart->facts, ((struct chart_fact){mem_strdup(key), value ? mem_strdup(value) : NULL, mem_strdup(why)}));
    if (value) {
        char source[160];
        snprintf(source, sizeof source, "charted: %s", why);
        machine_set_fact(p->chart->machine, key, value, unit, source);
    }
}

/* @count times @line into @out. */
static const char *repeat(const char *line, unsigned count, struct str *out)
{
    str_clear(out);
    for (unsigned i = 0; i < count; i++)
        str_addf(out, "%s\n", line);
    return str_text(out);
}

/* Moves of a class that rename does: a chain of them takes no more than their slots. */
static const struct { const char *name, *there, *back; } moves[] = {
    {"gpr16", "mov r8w, r9w", "mov r9w, r8w"},         {"gpr32", "mov r8d, r9d", "mov r9d, r8d"},        {"gpr64", "mov r8, r9", "mov r9, r8"},
    {"movzx8", "movzx r8d, r9b", "movzx r9d, r8b"},    {"xmm", "movaps xmm1, xmm2", "movaps xmm2, xmm1"}, {"ymm", "vmovaps ymm1, ymm2", "vmovaps ymm2, ymm1"},
    {"zmm", "vmovaps zmm1, zmm2", "vmovaps zmm2, zmm1"}, {"mask", "kmovq k1, k2", "kmovq k2, k1"},
};
#define MOVE_KINDS (sizeof moves / sizeof *moves)

static void conclude_moves(struct probes *p, size_t first)
{
    struct str yes = {0}, no = {0}, unknown = {0}, why = {0};

    for (size_t i = 0; i < MOVE_KINDS; i++) {
        double t = time_of(p, first + i), slots = MOVES / p->width;
        bool chained = t >= MOVES * (1 - WITHIN), free_of_it = t <= slots + CERTAIN * (MOVES - slots);
        struct str *to = isnan(t) ? NULL : chained ? &no : free_of_it ? &yes : &unknown;
        if (to)
            str_addf(to, "%s%s", to->length ? " " : "", moves[i].name);
    }
    str_addf(&why, "chains of moves; executed: %s", no.length ? str_text(&no) : "none");
    if (unknown.length)
        str_addf(&why, "; between the two: %s", str_text(&unknown));
    if (yes.length || no.length)
        tell(p, "eliminate", yes.length && !unknown.length ? str_text(&yes) : NULL, "classes", yes.length || unknown.length ? str_text(&why) : "no class of moves is done at rename");
    else
        tell(p, "eliminate", NULL, "", "no stable time");
    str_done(&yes);
    str_done(&no);
    str_done(&unknown);
    str_done(&why);
}

/* What fuses with a jump, by the conditions that tell the kinds apart. */
static const struct { const char *mnemonic, *line; } fusing[] = {
    {"cmp", "cmp r8, r9"}, {"test", "test r8, r9"}, {"add", "add r8, r9"}, {"sub", "sub r8, r9"}, {"inc", "inc r8"},
    {"dec", "dec r8"},     {"and", "and r8, r9"},   {"or", "or r8, r9"},   {"xor", "xor r8, r9"},
};
static const char *const conditions[] = {"jz", "jb", "jo"};
#define FUSING (sizeof fusing / sizeof *fusing)
#define CONDITIONS (sizeof conditions / sizeof *conditions)

struct fusion_probes {
    size_t one, two;         /* loops of one slot less, and one more */
    size_t first;
};

static struct fusion_probes ask_fusion(struct probes *p)
{
    unsigned nops = (unsigned)(3 * p->width) - 1;
    struct fusion_probes f;
    struct str text = {0};

    f.one = add(p, "1:\n%sjz 1b\n", repeat("nop", nops, &text));
    f.two = add(p, "1:\n%sjz 1b\n", repeat("nop", nops + 1, &text));
    f.first = p->list.count;
    for (size_t i = 0; i < FUSING; i++)
        for (size_t k = 0; k < CONDITIONS; k++)
            add(p, "1:\n%s%s\n%s 1b\n", repeat("nop", nops, &text), fusing[i].line, conditions[k]);
    str_done(&text);
    return f;
}

/* 1: @t is that of one slot, 0: of two; -1: neither. */
static int fuses(const struct probes *p, const struct fusion_probes *f, double t)
{
    double one = time_of(p, f->one), two = time_of(p, f->two), step = two - one;

    if (!(step > 0.5 / p->width) || isnan(t))
        return -1;
    return fabs(t - one) <= CERTAIN * step ? 1 : fabs(t - two) <= CERTAIN * step ? 0 : -1;
}

static void conclude_fusion(struct probes *p, const struct fusion_probes *f)
{
    static const char *const keys[] = {"fuse_any", "fuse_carry", "fuse_zero"};
    struct str lists[3] = {{0}}, unknown = {0};

    for (size_t i = 0; i < FUSING; i++) {
        int z = fuses(p, f, time_of(p, f->first + i * CONDITIONS)), b = fuses(p, f, time_of(p, f->first + i * CONDITIONS + 1)), o = fuses(p, f, time_of(p, f->first + i * CONDITIONS + 2));
        int kind = z == 1 && b == 1 && o == 1 ? 0 : z == 1 && b == 1 && o == 0 ? 1 : z == 1 && b == 0 && o == 0 ? 2 : -1;
        if (kind >= 0)
            str_addf(&lists[kind], "%s%s", lists[kind].length ? " " : "", fusing[i].mnemonic);
        else if (z != 0 || b != 0 || o != 0)
            str_addf(&unknown, " %s", fusing[i].mnemonic);
    }
    for (unsigned k = 0; k < 3; k++) {
        if (lists[k].length)
            tell(p, keys[k], str_text(&lists[k]), "mnemonics", "loops with a jump behind each, counted in slots");
        str_done(&lists[k]);
    }
    if (unknown.length) {
        struct str why = {0};
        str_addf(&why, "no certain time of%s before a jump", str_text(&unknown));
        tell(p, "fusion", NULL, "", str_text(&why));
        str_done(&why);
    }
    str_done(&unknown);
}

/* Zeroing of vectors: where as many a cycle are done as there are slots, rename does it. */
static const struct { const char *mnemonic, *form; } idioms[] = {{"pxor", "PXOR (XMM, XMM)"}, {"xorps", "XORPS (XMM, XMM)"}, {"psubd", "PSUBD (XMM, XMM)"}, {"pcmpgtd", "PCMPGTD (XMM, XMM)"}};
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
        double t = time_of(p, first + i) / IDIOMS, own = alone(p->chart, idioms[i].form), slot = 1 / p->width;
        bool tells = own - slot > WITHIN * 4 * slot;   /* otherwise both are as quick */
        if (tells && fabs(t - own) <= CERTAIN * (own - slot))
            str_addf(&executed, "%s%s", executed.length ? " " : "", idioms[i].mnemonic);
        else if (!tells || !(fabs(t - slot) <= CERTAIN * (own - slot)))
            str_addf(&unknown, " %s", idioms[i].mnemonic);
    }
    if (executed.length)
        tell(p, "not_zero_idiom", str_text(&executed), "mnemonics", "loops that zero vectors take as long as the ports that compute them");
    if (unknown.length)
        tell(p, "zero idioms", NULL, "", "no difference to be seen between slots and ports, or no stable time");
    str_done(&executed);
    str_done(&unknown);
}

/* So many a cycle, when that is a whole number. */
static void conclude_rate(struct probes *p, size_t at, double count, const char *key, const char *unit, const char *why)
{
    double rate = count / time_of(p, at);
    char value[32];

    bool whole = rint(rate) >= 1 && fabs(rate - rint(rate)) <= WITHIN * rate;
    snprintf(value, sizeof value, "%g", rint(rate));
    tell(p, key, whole ? value : NULL, unit, whole ? why : isnan(rate) ? "no stable time" : "no whole number a cycle");
}

/* A loop that takes a cycle says that a taken branch does. One that takes less was measured as copies of itself, which may be quicker than the loop: it says nothing. */
static void conclude_taken(struct probes *p, size_t at)
{
    double t = time_of(p, at);
    bool one = fabs(t - 1) <= WITHIN;

    tell(p, "taken_branches", one ? "1" : NULL, "branches/cycle", one ? "a loop of a taken branch alone" : isnan(t) ? "no stable time" : "copies of a short loop are quicker than a cycle");
}

/* What a value takes through memory, less @rest. */
static void conclude_forward(struct probes *p, size_t at, double rest, const char *key, const char *why)
{
    double cycles = time_of(p, at) - rest;
    char value[32];

    snprintf(value, sizeof value, "%g", fabs(cycles - rint(cycles)) < 0.1 ? rint(cycles) : rint(cycles * 10) / 10);
    tell(p, key, cycles >= QUICK_FORWARD ? value : NULL, "cycles", isnan(rest) ? "the latency of what it is added to is not known" : isnan(cycles) ? "no stable time" : cycles >= QUICK_FORWARD ? why : "found at rename: its rules are not charted");
}

static double own_latency(const struct chart *c, const char *form)
{
    const struct mapping_entry *entry = mapping_find(c->machine->mapping, form);
    return entry ? entry->latency : NAN;
}

static void probes_done(struct probes *p)
{
    for (size_t i = 0; i < p->list.count; i++)
        free(p->list.items[i].text);
    vec_done(&p->list);
}

bool facts_find(struct lab *lab, struct chart *c, struct err *err)
{
    struct probes p = {.lab = lab, .chart = c, .width = c->width};
    struct str text = {0}, lines = {0};

    /* The probes are written for one set. */
    if (!c->form_count || isa_ops(c->forms[0].row->isa) != isa_of_dialects() || !(c->width >= OLD_WIDTH))
        return true;
    size_t first_move = p.list.count;
    for (size_t i = 0; i < MOVE_KINDS; i++) {
        str_clear(&lines);
        str_addf(&lines, "%s\n%s", moves[i].there, moves[i].back);
        add(&p, "%s", repeat(str_text(&lines), MOVES / 2, &text));
    }
    struct fusion_probes fusion = ask_fusion(&p);
    size_t first_idiom = p.list.count;
    for (size_t i = 0; i < IDIOM_KINDS; i++) {
        str_clear(&lines);
        for (unsigned k = 0; k < IDIOMS; k++)
            str_addf(&lines, "%s xmm%u, xmm%u\n", idioms[i].mnemonic, k, k);
        add(&p, "%s", str_text(&lines));
    }
    str_clear(&lines);
    for (unsigned k = 0; k < ACCESSES; k++)
        str_addf(&lines, "mov %s, [rdi + %u]\n", k % 2 ? "r8" : "r9", 8 * (k % 6));
    size_t loads = add(&p, "%s", str_text(&lines));
    str_clear(&lines);
    for (unsigned k = 0; k < ACCESSES; k++)
        str_addf(&lines, "mov [rdi + %u], r8\n", 8 * (k % 6));
    size_t stores = add(&p, "%s", str_text(&lines));
    size_t taken = add(&p, "1:\nxor r9d, r9d\njz 1b\n");
    size_t forward = add(&p, "mov [rdi + rcx], r8\nmov r8, [rdi + rcx]\n"), vector = add(&p, "movaps [rdi], xmm1\nmovaps xmm1, [rdi]\npaddd xmm1, xmm2\n");
    bool ok = run_all(&p, err);
    if (ok) {
        conclude_moves(&p, first_move);
        conclude_fusion(&p, &fusion);
        conclude_idioms(&p, first_idiom);
        conclude_rate(&p, loads, ACCESSES, "loads_per_cycle", "loads/cycle", "a loop of loads");
        conclude_rate(&p, stores, ACCESSES, "stores_per_cycle", "stores/cycle", "a loop of stores to one line");
        conclude_taken(&p, taken);
        bool renamed = time_of(&p, forward) < QUICK_FORWARD;
        conclude_forward(&p, forward, 0, "store_forward", "a value stored and loaded again, by an index");
        if (renamed)
            tell(&p, "store_forward_vector", NULL, "", "others are found at rename: its rules are not charted");
        else
            conclude_forward(&p, vector, own_latency(c, "PADDD (XMM, XMM)"), "store_forward_vector", "a vector stored, loaded again and added to");
    }
    probes_done(&p);
    str_done(&text);
    str_done(&lines);
    return ok;
}
