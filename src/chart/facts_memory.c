/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ACCESSES 12
#define LINE 64
#define QUICK_FORWARD 2.0    /* cycles: what is forwarded in less was found at rename */
#define CHAIN 10             /* instructions of one cycle each behind a load, so that nothing but the chain decides */
#define RENAMED 0.35         /* of what a store that rename does not find takes: what takes less was found, */
#define NOT_RENAMED 0.75     /* what takes more was not; between the two nothing is said */
#define TELLING 3.0          /* cycles that such a store takes at least: otherwise there is too little to see */
#define PUSHES 4
#define LOCKED 4

/* Loads and operations that may find their store at rename; @own is the same from a register. */
static const struct { const char *mnemonic, *line, *own; } loads[] = {
    {"mov", "mov r8, [rdi]", ""},
    {"movzx", "movzx r8d, byte ptr [rdi]", ""},
    {"add", "add r8, [rdi]", "add r8, r11"},
    {"sub", "sub r8, [rdi]", "sub r8, r11"},
    {"and", "and r8, [rdi]", "and r8, r11"},
    {"or", "or r8, [rdi]", "or r8, r11"},
    {"xor", "xor r8, [rdi]", "xor r8, r11"},
    {"imul", "imul r8, [rdi]", "imul r8, r11"},
    {"popcnt", "popcnt r8, [rdi]", "popcnt r8, r8"},
    {"lzcnt", "lzcnt r8, [rdi]", "lzcnt r8, r8"},
    {"tzcnt", "tzcnt r8, [rdi]", "tzcnt r8, r8"},
    {"bsf", "bsf r8, [rdi]", "bsf r8, r8"},
    {"movbe", "movbe r8, [rdi]", "bswap r8"},
    {"crc32", "crc32 r8, qword ptr [rdi]", "crc32 r8, r11"},
};
static const struct { const char *mnemonic, *line, *own; } tests[] = {
    {"cmp", "cmp qword ptr [rdi], 5\nsbb r8, r8", "cmp r8, 5\nsbb r8, r8"},
    {"test", "test qword ptr [rdi], 5\nsbb r8, r8", "test r8, 5\nsbb r8, r8"},
    {"bt", "bt qword ptr [rdi], 5\nsbb r8, r8", "bt r8, 5\nsbb r8, r8"},
};
/* By width: through a register of it, or through one that the load fills up. */
static const struct { const char *bits, *line, *other; } widths[] = {
    {"8", "mov [rdi], r8b\nmov r8b, [rdi]", "mov [rdi], r8b\nmovzx r8d, byte ptr [rdi]"},
    {"16", "mov [rdi], r8w\nmov r8w, [rdi]", "mov [rdi], r8w\nmovzx r8d, word ptr [rdi]"},
    {"32", "mov [rdi], r8d\nmov r8d, [rdi]", NULL},
    {"64", "mov [rdi], r8\nmov r8, [rdi]", NULL},
};
static const unsigned bank_steps[] = {1, 2, 4, 8, 16, 32};
#define LOADS (sizeof loads / sizeof *loads)
#define TESTS (sizeof tests / sizeof *tests)
#define WIDTHS (sizeof widths / sizeof *widths)
#define BANK_STEPS (sizeof bank_steps / sizeof *bank_steps)

/* A chain with an access to memory and one without. */
struct chain_pair {
    size_t through, own;
};

/* Numbers of loops. */
struct memory_probes {
    size_t loads, stores;
    size_t one_place, next_line, bank_step[BANK_STEPS];   /* loads of one place, of two a line apart, and of two bytes so far apart */
    size_t run, alternate, half_lines;                    /* stores */
    size_t none;                                          /* the chain alone */
    size_t plain, indexed, copied;                        /* a store and a load by one register; with an index; by a copy of the register */
    size_t vector, vector_own;
    struct chain_pair load[LOADS], test[TESTS];
    size_t pop;
    size_t width[WIDTHS], width_other[WIDTHS];
    size_t modify_constant, modify_register, locked;
    size_t stack, stack_read, stack_unread, stack_added;
};

static size_t ask_accesses(struct probes *p, const char *before, const char *after, unsigned step, unsigned turn)
{
    struct str lines = {0};

    for (unsigned k = 0; k < ACCESSES; k++)
        str_addf(&lines, "%s[rdi + %u]%s\n", before, step * (k % turn), after);
    size_t at = probe_add(p, "%s", str_text(&lines));
    str_done(&lines);
    return at;
}

/* @lines with the chain behind them. */
static size_t ask_chain(struct probes *p, const char *lines)
{
    struct str chain = {0};

    for (unsigned i = 0; i < CHAIN; i++)
        str_add(&chain, "not r8\n");
    size_t at = probe_add(p, "%s\n%s", lines, str_text(&chain));
    str_done(&chain);
    return at;
}

static struct chain_pair ask_pair(struct probes *p, const char *line, const char *own)
{
    struct str lines = {0};
    struct chain_pair pair;

    str_addf(&lines, "mov [rdi], r8\n%s", line);
    pair.through = ask_chain(p, str_text(&lines));
    pair.own = ask_chain(p, own);
    str_done(&lines);
    return pair;
}

static void ask_stack(struct probes *p, struct memory_probes *m)
{
    struct str lines = {0}, slots = {0};

    for (unsigned i = 0; i < PUSHES; i++)
        str_add(&lines, "push r8\npop r9\n");
    m->stack = probe_add(p, "%s", str_text(&lines));
    for (unsigned i = 0; i < (unsigned)(2 * p->width); i++)
        str_add(&slots, "nop\n");
    m->stack_read = probe_add(p, "push r8\nmov rcx, rsp\npop r9\n%s", str_text(&slots));
    m->stack_unread = probe_add(p, "push r8\nmov rcx, r10\npop r9\n%s", str_text(&slots));
    m->stack_added = probe_add(p, "push r8\nadd rsp, 8\nmov rcx, r10\n%s", str_text(&slots));
    str_done(&lines);
    str_done(&slots);
}

struct memory_probes *memory_probes_ask(struct probes *p)
{
    struct memory_probes *m = mem_zero(1, sizeof *m);

    m->loads = ask_accesses(p, "mov r8, ", "", 8, 6);
    m->stores = ask_accesses(p, "mov ", ", r8", 8, 6);
    m->one_place = ask_accesses(p, "mov r8, ", "", 0, 1);
    m->next_line = ask_accesses(p, "mov r8, ", "", LINE, 2);
    for (size_t i = 0; i < BANK_STEPS; i++)
        m->bank_step[i] = ask_accesses(p, "movzx r8d, byte ptr ", "", bank_steps[i], 2);
    m->alternate = ask_accesses(p, "mov ", ", r8", LINE, 2);
    m->half_lines = ask_accesses(p, "mov ", ", r8", LINE / 2, 2);
    m->run = probe_add(p, "mov [rdi], r8\nmov [rdi + 8], r8\nmov [rdi + 16], r8\nmov [rdi + 128], r8\nmov [rdi], r8\nmov [rdi + 8], r8\nmov [rdi + 16], r8\nmov [rdi + 128], r8\n");
    m->none = ask_chain(p, "");
    m->plain = ask_chain(p, "mov [rdi], r8\nmov r8, [rdi]");
    m->indexed = ask_chain(p, "mov [rdi + rcx], r8\nmov r8, [rdi + rcx]");
    m->copied = ask_chain(p, "mov r10, rdi\nmov [rdi], r8\nmov r8, [r10]");
    m->vector = probe_add(p, "movaps [rdi], xmm1\nmovaps xmm1, [rdi]\npaddd xmm1, xmm2\npaddd xmm1, xmm2\npaddd xmm1, xmm2\npaddd xmm1, xmm2\n");
    m->vector_own = probe_add(p, "paddd xmm1, xmm2\npaddd xmm1, xmm2\npaddd xmm1, xmm2\npaddd xmm1, xmm2\n");
    for (size_t i = 0; i < LOADS; i++)
        m->load[i] = ask_pair(p, loads[i].line, loads[i].own);
    for (size_t i = 0; i < TESTS; i++)
        m->test[i] = ask_pair(p, tests[i].line, tests[i].own);
    m->pop = ask_chain(p, "push r8\npop r8");
    for (size_t i = 0; i < WIDTHS; i++) {
        m->width[i] = ask_chain(p, widths[i].line);
        m->width_other[i] = widths[i].other ? ask_chain(p, widths[i].other) : m->width[i];
    }
    m->modify_constant = probe_add(p, "add qword ptr [rdi], 5\n");
    m->modify_register = probe_add(p, "add qword ptr [rdi], r11\n");
    m->locked = probe_add(p, "lock add qword ptr [rdi], r11\nlock add qword ptr [rdi + 64], r11\nlock add qword ptr [rdi + 128], r11\nlock add qword ptr [rdi + 192], r11\n");
    ask_stack(p, m);
    return m;
}

/* So many a cycle; NaN when that is no whole number. */
static double whole_rate(double count, double cycles)
{
    double rate = count / cycles;
    return rint(rate) >= 1 && fabs(rate - rint(rate)) <= PROBE_WITHIN * rate ? rint(rate) : NAN;
}

static void tell_rate(struct probes *p, double rate, double cycles, const char *key, const char *unit, const char *why)
{
    char value[32];

    snprintf(value, sizeof value, "%g", rate);
    probe_tell(p, key, isnan(rate) ? NULL : value, unit, !isnan(rate) ? why : isnan(cycles) ? "no stable time" : "no whole number a cycle");
}

/* Two loads of one bank at a time, by the smallest distance at which two places are of different banks. */
static void conclude_banks(struct probes *p, const struct memory_probes *m, double rate)
{
    double one = whole_rate(ACCESSES, probe_time(p, m->one_place)), next = whole_rate(ACCESSES, probe_time(p, m->next_line));
    unsigned bytes = 0;
    bool certain = one < rate && next == one;   /* false for no number */

    for (size_t i = BANK_STEPS; certain && i-- > 0;) {
        double apart = whole_rate(ACCESSES, probe_time(p, m->bank_step[i]));
        certain = apart == one || (apart == rate && (i + 1 == BANK_STEPS || bytes == bank_steps[i + 1]));
        if (apart == rate)
            bytes = bank_steps[i];
    }
    if (certain && bytes >= 2) {
        char text[32];
        snprintf(text, sizeof text, "%u", bytes);
        probe_tell(p, "load_bank_bytes", text, "bytes", "loads of two bytes at growing distances");
        tell_rate(p, one, NAN, "loads_per_bank", "loads/cycle", "a loop of loads from one place");
    } else if (isnan(one) || one < rate || isnan(rate)) {
        probe_tell(p, "load_bank_bytes", NULL, "", "loads of one place and of others do not tell banks apart");
    }
}

static void conclude_lines(struct probes *p, const struct memory_probes *m, double rate)
{
    double apart = whole_rate(ACCESSES, probe_time(p, m->alternate)), half = whole_rate(ACCESSES, probe_time(p, m->half_lines)), run = probe_time(p, m->run);

    if (!(apart < rate)) {   /* or no number */
        if (!(rate <= 1) && !(apart == rate))
            probe_tell(p, "store_lines_per_cycle", NULL, "", "no whole number of stores a cycle");
        return;
    }
    if (isnan(half) || (half != apart && half != rate)) {
        probe_tell(p, "store_lines_per_cycle", NULL, "", "stores half a line apart are neither alike nor apart");
        return;
    }
    tell_rate(p, apart, NAN, "store_lines_per_cycle", "lines/cycle", "a loop of stores to two lines by turns");
    probe_tell(p, "store_line_bytes", half == rate ? "64" : "32", "bytes", "a loop of stores to two places by turns, half of 64 bytes apart");
    /* Three of one line and one of another, twice: four lines, or pairs of neighbours on one, of which there are six. */
    double pairs = 6 / apart, lines = fmax(4 / apart, 8 / rate);
    if (apart == 1 && half == rate && fabs(run - pairs) < PROBE_CERTAIN * (pairs - lines))
        probe_tell(p, "store_run", "2", "stores", "a loop of three stores to one line and one to another");
    else if (!(fabs(run - lines) < PROBE_CERTAIN * (pairs - lines)))
        probe_tell(p, "store_run", NULL, "", "three stores to one line and one to another take neither as lines nor as pairs");
}

/* 1: the store was found at rename, 0: it was not, -1: neither can be said. @cycles: of the access in the chain, @forward: of one that is not found. */
static int found(double cycles, double forward)
{
    return cycles <= RENAMED * forward ? 1 : cycles >= NOT_RENAMED * forward ? 0 : -1;
}

static void add_word(struct str *list, const char *word)
{
    str_addf(list, "%s%s", list->length ? " " : "", word);
}

/* A list of what is found, when of none it is uncertain. */
static void tell_list(struct probes *p, const char *key, struct str *yes, const struct str *unknown, const char *unit, const char *why)
{
    struct str text = {0};

    str_addf(&text, "%s%s%s", why, unknown->length ? "; uncertain: " : "", unknown->length ? str_text((struct str *)unknown) : "");
    if (yes->length || unknown->length)
        probe_tell(p, key, unknown->length ? NULL : str_text(yes), unit, str_text(&text));
    str_done(&text);
}

static void sort(struct str *yes, struct str *unknown, const char *name, int answer)
{
    if (answer != 0)
        add_word(answer > 0 ? yes : unknown, name);
}

static double over(const struct probes *p, struct chain_pair pair)
{
    return probe_time(p, pair.through) - probe_time(p, pair.own);
}

static void conclude_renamed_lists(struct probes *p, const struct memory_probes *m, double forward)
{
    struct str yes = {0}, unknown = {0};
    double none = probe_time(p, m->none);

    for (size_t i = 0; i < LOADS; i++)
        sort(&yes, &unknown, loads[i].mnemonic, found(over(p, m->load[i]), forward));
    sort(&yes, &unknown, "pop", found(probe_time(p, m->pop) - none, forward));
    tell_list(p, "renamed_loads", &yes, &unknown, "mnemonics", "chains through a store and a load");
    str_clear(&yes);
    str_clear(&unknown);
    for (size_t i = 0; i < TESTS; i++)
        sort(&yes, &unknown, tests[i].mnemonic, found(over(p, m->test[i]), forward));
    tell_list(p, "renamed_tests", &yes, &unknown, "mnemonics", "chains through a store and a test with an immediate");
    str_clear(&yes);
    str_clear(&unknown);
    for (size_t i = 0; i < WIDTHS; i++) {
        int one = found(probe_time(p, m->width[i]) - none, forward), other = found(probe_time(p, m->width_other[i]) - none, forward);
        sort(&yes, &unknown, widths[i].bits, one > 0 || other > 0 ? 1 : one < 0 && other < 0 ? -1 : 0);
    }
    tell_list(p, "renamed_bits", &yes, &unknown, "bits", "chains through a store and a load of each width");
    str_done(&yes);
    str_done(&unknown);
}

static void conclude_modify(struct probes *p, const struct memory_probes *m, double forward)
{
    double constant = probe_time(p, m->modify_constant), reg = probe_time(p, m->modify_register);
    int c = found(constant - 1, forward), r = found(reg - 1, forward);
    const char *value = c > 0 && r > 0 ? "all" : c > 0 && r == 0 ? "constant" : NULL;

    if (value || c != 0 || r != 0)
        probe_tell(p, "renamed_modify", value, "", value ? "loops of an addition to memory" : "additions to memory take neither as long as a store and a load nor as if found");
    if (r == 0 && fabs(reg - 1 - forward) > 0.15)
        probe_tell_cycles(p, "store_forward_modify", reg - 1, "a loop of an addition of a register to memory");
}

/* Forwarding: of a store that rename finds, where it does, and of others. */
static void conclude_forward(struct probes *p, const struct memory_probes *m)
{
    double none = probe_time(p, m->none), plain = probe_time(p, m->plain) - none, indexed = probe_time(p, m->indexed) - none, copied = probe_time(p, m->copied) - none;
    double forward = fmax(indexed, copied);
    const char *why = "a value stored and loaded again";

    if (!(forward >= TELLING) || isnan(plain) || isnan(indexed) || isnan(copied)) {
        probe_tell(p, "store_forward", NULL, "", forward < TELLING ? "found at rename however it is addressed" : "no stable time");
        return;
    }
    int is[] = {found(plain, forward), found(indexed, forward), found(copied, forward)};
    if (is[0] == 0 && is[1] == 0 && is[2] == 0) {
        probe_tell_cycles(p, "store_forward", indexed, why);
        return;
    }
    if (is[0] <= 0 || is[1] < 0 || is[2] < 0 || is[1] == is[2]) {
        probe_tell(p, "store_forward", NULL, "", "found at rename, but neither by registers alone nor by addresses alone");
        return;
    }
    probe_tell_cycles(p, "store_forward", forward, is[1] == 0 ? "a value stored and loaded again, by an index" : "a value stored and loaded again, by another register");
    probe_tell_cycles(p, "store_forward_renamed", plain < PROBE_CERTAIN ? 0 : plain, why);
    probe_tell(p, "renamed_match", is[2] > 0 ? "address" : "text", "", "a value loaded by a copy of the register, and by an index");
    conclude_renamed_lists(p, m, forward);
    conclude_modify(p, m, forward);
}

/* Where rename finds a store by its registers other loads of it may have rules of their own. */
static void conclude_vector(struct probes *p, const struct memory_probes *m)
{
    const char *match = machine_fact(p->chart->machine, "renamed_match");
    double cycles = probe_time(p, m->vector) - probe_time(p, m->vector_own);

    if (cycles >= QUICK_FORWARD && !(match && strcmp(match, "text") == 0))
        probe_tell_cycles(p, "store_forward_vector", cycles, "a vector stored, loaded again and added to");
    else
        probe_tell(p, "store_forward_vector", NULL, "", isnan(cycles) ? "no stable time" : "others are found at rename: its rules are not charted");
}

/* Were each push and pop to compute the stack pointer, the chain of these would decide. */
static void conclude_stack(struct probes *p, const struct memory_probes *m)
{
    double chain = 2.0 * PUSHES, t = probe_time(p, m->stack), step = probe_time(p, m->stack_read) - probe_time(p, m->stack_unread), slot = 1 / p->width;
    bool engine = t <= chain * 0.75;

    probe_tell(p, "stack_engine", engine ? "yes" : NULL, "", engine ? "pairs of push and pop take less than a cycle for each" : isnan(t) ? "no stable time" : "a cycle for each push and pop: computed, or bound otherwise");
    if (!engine)
        return;
    double added = probe_time(p, m->stack_added) - probe_time(p, m->stack_unread);
    bool all = fabs(step - slot) <= PROBE_CERTAIN * slot, read_free = fabs(step) <= PROBE_CERTAIN * slot;
    bool changed = read_free && added <= PROBE_CERTAIN * slot, computed = read_free && fabs(added - slot) <= PROBE_CERTAIN * slot;
    const char *sync = all ? "all" : changed ? "changed" : computed ? "computed" : NULL;
    probe_tell(p, "stack_sync", sync, "",
               sync ? "loops in which the stack pointer is copied, and added to, behind a push, counted in slots" : "no certain time of a copy of the stack pointer, or of an addition to it");
}

void memory_probes_conclude(struct probes *p, const struct memory_probes *m)
{
    double rate = whole_rate(ACCESSES, probe_time(p, m->loads)), stores = whole_rate(ACCESSES, probe_time(p, m->stores));

    tell_rate(p, rate, probe_time(p, m->loads), "loads_per_cycle", "loads/cycle", "a loop of loads");
    tell_rate(p, stores, probe_time(p, m->stores), "stores_per_cycle", "stores/cycle", "a loop of stores to one line");
    conclude_banks(p, m, rate);
    conclude_lines(p, m, stores);
    conclude_forward(p, m);
    conclude_vector(p, m);
    conclude_stack(p, m);
    if (isnan(probe_time(p, m->locked)))
        probe_tell(p, "lock_latency", NULL, "", "no stable time");
    else if (probe_time(p, m->locked) >= LOCKED * TELLING)
        probe_tell_cycles(p, "lock_latency", probe_time(p, m->locked) / LOCKED, "a loop of locked additions to four places");
}

void memory_probes_free(struct memory_probes *m)
{
    free(m);
}
