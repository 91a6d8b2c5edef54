/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define QUICK_FORWARD 2.0    /* minimum cycles of forwarding without memory renaming */
/* One-cycle instructions after a load, which are part of the chain. With ten of them, a chain
 * through memory hides the forwarding latency on Zen 3. */
#define CHAIN 3
/* Largest ratio to the forwarding time without memory renaming with which a store and load count as
 * renamed. */
#define RENAMED 0.35
/* smallest ratio with which they count as not renamed; between RENAMED and NOT_RENAMED the result
 * is uncertain */
#define NOT_RENAMED 0.75
/* minimum number of forwarding cycles without memory renaming with which its effect is
 * measurable */
#define TELLING 3.0
#define ALONE 4              /* stores in a loop, each followed by a load of its value */
#define CONCURRENT 4             /* maximum number of other stores in loops with a reloaded one */
/* Number of loops with one addition to memory, each longer by one instruction. The shortest one has
 * two instructions. */
#define LENGTHS 13
/* minimum number of longest loops with memory renaming for which all longer loops count as
 * renamed */
#define LENGTHS_FOUND 4

/* Base registers. Loops are written with rdi; for the stack pointer, rsp replaces it. */
enum { BASE_ANY, BASE_STACK, BASES };
static const char *const bases[BASES] = {"rdi", "rsp"};

/* Loads and operations that memory renaming may cover. @own: the same operation on a register. */
static const struct { const char *mnemonic, *line, *own;
} loads[] = {
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
    {"movsx", "movsx r8, word ptr [rdi]", "movsx r8, r8w"},
    {"movsxd", "movsxd r8, dword ptr [rdi]", "movsxd r8, r8d"},
    {"adc", "adc r8, [rdi]", "adc r8, r11"},
    {"sbb", "sbb r8, [rdi]", "sbb r8, r11"},
    {"cmp", "cmp r9, [rdi]\nsbb r8, r8", "cmp r9, r8\nsbb r8, r8"},
    {"cmovo cmovno cmovb cmovnb cmovz cmovnz cmovbe cmovnbe cmovs cmovns cmovp cmovnp cmovl cmovnl "
     "cmovle cmovnle",
     "cmovz r8, [rdi]", "cmovz r8, r11"},
    {"bsr", "bsr r8, [rdi]", "bsr r8, r8"},
    {"andn", "andn r8, r11, [rdi]", "andn r8, r11, r8"},
    {"shlx", "shlx r8, [rdi], r11", "shlx r8, r8, r11"},
    {"shrx", "shrx r8, [rdi], r11", "shrx r8, r8, r11"},
    {"sarx", "sarx r8, [rdi], r11", "sarx r8, r8, r11"},
    {"rorx", "rorx r8, [rdi], 5", "rorx r8, r8, 5"},
};
static const struct { const char *mnemonic, *line, *own; } tests[] = {
    {"cmp", "cmp qword ptr [rdi], 5\nsbb r8, r8", "cmp r8, 5\nsbb r8, r8"},
    {"test", "test qword ptr [rdi], 5\nsbb r8, r8", "test r8, 5\nsbb r8, r8"},
    {"bt", "bt qword ptr [rdi], 5\nsbb r8, r8", "bt r8, 5\nsbb r8, r8"},
};
/* Store and load of each width. @line: the load writes a register of that width. @other: it fills
 * the whole register. */
static const struct { const char *bits, *line, *other; } widths[] = {
    {"8", "mov [rdi], r8b\nmov r8b, [rdi]", "mov [rdi], r8b\nmovzx r8d, byte ptr [rdi]"},
    {"16", "mov [rdi], r8w\nmov r8w, [rdi]", "mov [rdi], r8w\nmovzx r8d, word ptr [rdi]"},
    {"32", "mov [rdi], r8d\nmov r8d, [rdi]", NULL},
    {"64", "mov [rdi], r8\nmov r8, [rdi]", NULL},
};
#define LOADS (sizeof loads / sizeof *loads)
#define TESTS (sizeof tests / sizeof *tests)
#define WIDTHS (sizeof widths / sizeof *widths)
/* Number of entries of widths for which there are also loops of additions to memory. */
#define MODIFIED 2

/* Indices of two loops: a chain with a memory access, and the same chain without it. */
struct chain_pair {
    size_t through, own;
};

/* Indices of the loops with one base register. */
struct base_probes {
    /* The load has the store's base register (@plain), an index in addition (@indexed), a copy of
     * the base (@copied), or a base that is computed again (@computed). */
    size_t plain, indexed, copied, computed;
    struct chain_pair load[LOADS], test[TESTS];
    size_t width[WIDTHS], width_other[WIDTHS];
    /* Additions to memory of a constant and of a register. modify_beside: the loop has another
     * store. */
    size_t modify_constant, modify_register, modify_beside;
    size_t modify_byte, modify_byte_beside, modify_word;
    /* addition to memory at a loaded address, in loops of increasing length */
    size_t of_length[LENGTHS];
    /* @alone: loop of reloaded stores only. @beside: loops of one reloaded store and 1 ..
     * CONCURRENT other stores. */
    size_t alone, beside[CONCURRENT];
};

struct forward_probes {
    size_t none;                                          /* the chain without a memory access */
    /* reloads of vectors, by the same register and by a copy of it */
    size_t pop, vector, vector_copied, vector_own;
    /* @two_halves: chain with a load that spans two stores. @half: chain with a load that is larger
     * than its store. @apart: such loads without a chain. */
    size_t two_halves, half, apart;
    struct base_probes base[BASES];
};

/* Adds a loop of @lines, with @base in place of rdi, and @chain one-cycle instructions after
 * them. */
static size_t ask_on(struct probes *p, const char *base, const char *lines, unsigned chain)
{
    struct str text = {0};

    for (const char *at = lines, *next; *at; at = next) {
        next = strstr(at, bases[BASE_ANY]);
        str_addf(&text, "%.*s%s", (int)(next ? next - at : (ptrdiff_t)strlen(at)), at,
                 next ? base : "");
        next = next ? next + strlen(bases[BASE_ANY]) : at + strlen(at);
    }
    str_add(&text, "\n");
    for (unsigned i = 0; i < chain; i++)
        str_add(&text, "not r8\n");
    size_t at = probe_add(p, "%s", str_text(&text));
    str_done(&text);
    return at;
}

static struct chain_pair ask_pair(struct probes *p, const char *base, const char *line,
                                  const char *own)
{
    struct str lines = {0};
    struct chain_pair pair;

    str_addf(&lines, "mov [rdi], r8\n%s", line);
    pair.through = ask_on(p, base, str_text(&lines), CHAIN);
    pair.own = ask_on(p, base, own, CHAIN);
    str_done(&lines);
    return pair;
}

static void ask_alone(struct probes *p, const char *base, struct base_probes *b)
{
    struct str lines = {0};

    for (unsigned i = 0; i < ALONE; i++)
        str_addf(&lines, "mov [rdi + %u], r%u\nmov r%u, [rdi + %u]\n", 8 * i, 8 + i, 8 + i, 8 * i);
    b->alone = ask_on(p, base, str_text(&lines), 0);
    str_clear(&lines);
    str_add(&lines, "mov [rdi], r8\nmov r8, [rdi]\n");
    for (unsigned i = 0; i < CONCURRENT; i++) {
        str_add(&lines, "mov [rdi + 8], r9\n");
        b->beside[i] = ask_on(p, base, str_text(&lines), 0);
    }
    str_done(&lines);
}

static void ask_lengths(struct probes *p, struct base_probes *b)
{
    struct str lines = {0};

    str_add(&lines, "mov rdi, [rsp + 8]\nadd [rdi + 16], r11\n");
    for (unsigned i = 0; i < LENGTHS; i++) {
        b->of_length[i] = probe_add(p, "%s", str_text(&lines));
        str_add(&lines, "lea r9, [r10 + 1]\n");
    }
    str_done(&lines);
}

static void ask_base(struct probes *p, const char *base, struct base_probes *b)
{
    b->plain = ask_on(p, base, "mov [rdi], r8\nmov r8, [rdi]", CHAIN);
    b->indexed = ask_on(p, base, "mov [rdi + rcx], r8\nmov r8, [rdi + rcx]", CHAIN);
    b->copied = ask_on(p, base, "mov r10, rdi\nmov [rdi], r8\nmov r8, [r10]", CHAIN);
    b->computed = ask_on(p, base, "lea r10, [rdi + 8]\nmov [rdi + 8], r8\nmov r8, [r10]", CHAIN);
    for (size_t i = 0; i < LOADS; i++)
        b->load[i] = ask_pair(p, base, loads[i].line, loads[i].own);
    for (size_t i = 0; i < TESTS; i++)
        b->test[i] = ask_pair(p, base, tests[i].line, tests[i].own);
    for (size_t i = 0; i < WIDTHS; i++) {
        b->width[i] = ask_on(p, base, widths[i].line, CHAIN);
        b->width_other[i] = widths[i].other ? ask_on(p, base, widths[i].other, CHAIN) : b->width[i];
    }
    b->modify_constant = ask_on(p, base, "add qword ptr [rdi], 5", 0);
    b->modify_register = ask_on(p, base, "add qword ptr [rdi], r11", 0);
    b->modify_beside = ask_on(p, base, "add qword ptr [rdi], r11\nmov [rdi + 64], r9", 0);
    b->modify_byte = ask_on(p, base, "add [rdi], r11b", 0);
    b->modify_word = ask_on(p, base, "add [rdi], r11w", 0);
    b->modify_byte_beside = ask_on(p, base, "add [rdi], r11b\nmov [rdi + 64], r9", 0);
    ask_alone(p, base, b);
}

/* Adds a loop of @lines and a chain of additions to the vector. */
static size_t ask_vector(struct probes *p, const char *lines)
{
    return probe_add(
        p, "%spaddd xmm1, xmm2\npaddd xmm1, xmm2\npaddd xmm1, xmm2\npaddd xmm1, xmm2\n", lines);
}

struct forward_probes *forward_probes_ask(struct probes *p)
{
    struct forward_probes *f = mem_zero(1, sizeof *f);

    f->none = ask_on(p, "", "", CHAIN);
    f->pop = ask_on(p, "", "push r8\npop r8", CHAIN);
    f->two_halves = ask_on(p, "rdi", "mov [rdi], r8d\nmov [rdi + 4], r8d\nmov r8, [rdi]", CHAIN);
    f->half = ask_on(p, "rdi", "mov [rdi], r8d\nmov r8, [rdi]", CHAIN);
    f->apart = probe_add(p, "mov [rdi], r9d\nmov r10, [rdi]\n");
    f->vector = ask_vector(p, "movaps [rdi], xmm1\nmovaps xmm1, [rdi]\n");
    f->vector_copied = ask_vector(p, "mov r10, rdi\nmovaps [rdi], xmm1\nmovaps xmm1, [r10]\n");
    f->vector_own = ask_vector(p, "");
    for (size_t i = 0; i < BASES; i++)
        ask_base(p, bases[i], &f->base[i]);
    ask_lengths(p, &f->base[BASE_ANY]);
    return f;
}

/* Returns 1 if memory renaming applies, 0 if it does not, -1 if that is uncertain. @cycles: time of
 * the store and load in the chain. @forward: forwarding time without memory renaming. */
static int found(double cycles, double forward)
{
    return cycles <= RENAMED * forward ? 1 : cycles >= NOT_RENAMED * forward ? 0 : -1;
}

static void add_word(struct str *list, const char *word)
{
    str_addf(list, "%s%s", list->length ? " " : "", word);
}

/* Concludes fact @key, the list of renamed kinds in @yes. If @unknown has kinds, the fact is
 * unknown. */
static void tell_list(struct probes *p, const char *key, struct str *yes, const struct str *unknown,
                      const char *unit, const char *why)
{
    struct str text = {0};

    str_addf(&text, "%s%s%s", why, unknown->length ? "; uncertain: " : "",
             unknown->length ? str_text((struct str *)unknown) : "");
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

static void conclude_renamed_lists(struct probes *p, const struct forward_probes *f,
                                   const struct base_probes *b, double forward)
{
    struct str yes = {0}, unknown = {0};
    double none = probe_time(p, f->none);

    for (size_t i = 0; i < LOADS; i++)
        sort(&yes, &unknown, loads[i].mnemonic, found(over(p, b->load[i]), forward));
    sort(&yes, &unknown, "pop", found(probe_time(p, f->pop) - none, forward));
    tell_list(p, "memory_renaming_loads", &yes, &unknown, "mnemonics",
              "chains through a store and a load");
    str_clear(&yes);
    str_clear(&unknown);
    for (size_t i = 0; i < TESTS; i++)
        sort(&yes, &unknown, tests[i].mnemonic, found(over(p, b->test[i]), forward));
    tell_list(p, "memory_renaming_tests", &yes, &unknown, "mnemonics",
              "chains through a store and a test with an immediate");
    str_clear(&yes);
    str_clear(&unknown);
    for (size_t i = 0; i < WIDTHS; i++) {
        int one = found(probe_time(p, b->width[i]) - none, forward),
            other = found(probe_time(p, b->width_other[i]) - none, forward);
        /* A load of part of a register may wait for a merge, so its time is ambiguous. An addition
         * to memory does not merge. */
        const int modified =
            i < MODIFIED ? found(probe_time(p, i ? b->modify_word : b->modify_byte) - 1, forward)
                         : 0;
        sort(&yes, &unknown, widths[i].bits,
             one > 0 || other > 0 || (modified > 0 && one < 0) ? 1
             : modified > 0 || (one < 0 && other < 0)          ? -1
                                                               : 0);
    }
    tell_list(p, "memory_renaming_bits", &yes, &unknown, "bits",
              "chains through a store and a load of each width, and loops of additions to parts of "
              "a word");
    str_done(&yes);
    str_done(&unknown);
}

/* Concludes the cycles of an addition to memory without memory renaming. Its loops are alone_at,
 * and single_input_at with other stores, which can make it faster. */
static void conclude_modified(struct probes *p, size_t alone_at, size_t single_input_at,
                              double forward, const char *why)
{
    const double alone = probe_time(p, alone_at), beside = probe_time(p, single_input_at),
                 cycles = fmin(alone, beside) - 1;

    if (!isnan(alone) && !isnan(beside) && found(cycles, forward) == 0 &&
        fabs(cycles - forward) > 0.15)
        probe_tell_cycles(p, "store_forward_modify", cycles, why);
}

/* Concludes whether memory renaming covers additions to memory. Returns false if additions of a
 * register wait for the store. */
static bool conclude_modify(struct probes *p, const struct base_probes *b, double forward)
{
    double constant = probe_time(p, b->modify_constant), reg = probe_time(p, b->modify_register);
    int c = found(constant - 1, forward), r = found(reg - 1, forward);
    const char *value = c > 0 && r > 0 ? "all" : c > 0 && r == 0 ? "constant" : NULL;

    if (value || c != 0 || r != 0)
        probe_tell(p, "memory_renaming_modify", value, "",
                   value ? "loops of an addition to memory"
                         : "an addition to memory takes neither the forwarding latency nor that of "
                           "memory renaming");
    return r != 0;
}

/* Concludes whether a reloaded store blocks the cache for one cycle: for all other stores, or for a
 * number of them. */
static void conclude_alone(struct probes *p, const struct base_probes *b)
{
    const double t = probe_time(p, b->alone);
    unsigned beside = 0;
    char value[32];

    if (!(machine_number(p->chart->machine, "stores_per_cycle") >= 2) ||
        t <= ALONE / 2.0 * (1 + PROBE_WITHIN))
        return;
    const bool alone = fabs(t - ALONE) <= PROBE_WITHIN * ALONE;
    while (alone && beside < CONCURRENT &&
           fabs(probe_time(p, b->beside[beside]) - (beside + 2)) <= PROBE_CERTAIN)
        beside++;
    /* In this loop, more stores commit per cycle. If it has no time, the number is unknown. */
    const double next = beside < CONCURRENT ? probe_time(p, b->beside[beside]) : 0;
    const bool known = alone && next < beside + 2;
    const char *why =
        isnan(t) || isnan(next) ? "no stable time"
        : alone ? "other stores next to a store that is loaded again take more than one cycle each"
                : "stores that are loaded again take neither one cycle nor half a cycle each";
    probe_tell(p, "memory_renaming_store_alone", known ? "yes" : NULL, "",
               known ? "stores that are loaded again take one cycle each" : why);
    snprintf(value, sizeof value, "%u", beside);
    if (known && beside < CONCURRENT)
        probe_tell(p, "memory_renaming_store_beside", value, "stores",
                   "loops of a store that is loaded again and a growing number of other stores");
}

/* Cycles of a store and load, without memory renaming (@forward) and with the same base register
 * (@plain). The other members are results of found(), by how the load's address is formed. */
struct forwarding_times {
    double forward, plain;
    int by_register, by_index, by_copy;
};

static struct forwarding_times times_of(const struct probes *p, const struct forward_probes *f,
                                        const struct base_probes *b)
{
    const double none = probe_time(p, f->none), indexed = probe_time(p, b->indexed) - none,
                 copied = probe_time(p, b->copied) - none,
                 computed = probe_time(p, b->computed) - none;
    struct forwarding_times t = {
        .forward = isnan(indexed) || isnan(copied) ? NAN : fmax(fmax(indexed, copied), computed),
        .plain = probe_time(p, b->plain) - none};

    t.by_register = found(t.plain, t.forward);
    t.by_index = found(indexed, t.forward);
    t.by_copy = found(copied, t.forward);
    /* On Zen 5 rename detects every second store by a copied register. The result is then
     * uncertain, and the slower of copied and computed addresses decides. */
    if (t.by_copy < 0)
        t.by_copy = found(fmax(copied, computed), t.forward);
    return t;
}

/* Concludes from which loop length memory renaming covers additions to memory at a loaded
 * address. */
static void conclude_length(struct probes *p, const struct base_probes *b, double forward)
{
    unsigned first = LENGTHS, before = 0;
    char value[32];

    while (first && found(probe_time(p, b->of_length[first - 1]) - 1, forward) > 0)
        first--;
    for (unsigned i = 0; i < first; i++)
        before += found(probe_time(p, b->of_length[i]) - 1, forward) > 0;
    const bool missing = first && isnan(probe_time(p, b->of_length[first - 1]));
    if (first == LENGTHS && !before && !missing)
        return;   /* no loop is renamed, whatever its length */
    const bool told = first && first <= LENGTHS - LENGTHS_FOUND && !before && !missing;
    snprintf(value, sizeof value, "%u", first + 2);
    probe_tell(p, "memory_renaming_length", told ? value : NULL, "instructions",
               told ? "loops of growing length with an addition to memory whose address was loaded"
               : missing ? "no stable time of loops of growing length"
                         : "memory renaming works in some loops of every length");
    if (told)
        conclude_modified(p, b->of_length[0], b->of_length[1], forward,
                          "an addition to memory whose address was loaded, in a short loop");
}

static bool none_found(const struct forwarding_times *t)
{
    return t->by_register == 0 && t->by_index == 0 && t->by_copy == 0;
}

/* Concludes the cycles of forwarding, and the rules of memory renaming. Some CPUs rename only
 * stores and loads by the stack pointer. */
static void conclude_forward(struct probes *p, const struct forward_probes *f)
{
    const struct forwarding_times any = times_of(p, f, &f->base[BASE_ANY]),
                                  stack = times_of(p, f, &f->base[BASE_STACK]);
    const char *why = "a value stored and loaded again";

    if (!(any.forward >= TELLING) || isnan(any.plain)) {
        probe_tell(p, "store_forward", NULL, "",
                   any.forward < TELLING ? "memory renaming works with every kind of address"
                                         : "no stable time");
        return;
    }
    const bool through_stack =
        none_found(&any) && stack.by_register > 0 && stack.by_index == 0 && stack.by_copy == 0;
    const bool told = through_stack || (any.by_register > 0 && any.by_index >= 0 &&
                                        any.by_copy >= 0 && any.by_index != any.by_copy);
    if (none_found(&any))
        probe_tell_cycles(p, "store_forward",
                          probe_time(p, f->base[BASE_ANY].indexed) - probe_time(p, f->none), why);
    else if (told)
        probe_tell_cycles(p, "store_forward", any.forward,
                          any.by_index == 0
                              ? "a value stored and loaded again with an index"
                              : "a value stored and loaded again through another register");
    else
        probe_tell(p, "store_forward", NULL, "",
                   "memory renaming depends neither on registers alone nor on addresses alone");
    if (!told)
        return;
    const struct forwarding_times *t = through_stack ? &stack : &any;
    const struct base_probes *b = &f->base[through_stack ? BASE_STACK : BASE_ANY];
    probe_tell_cycles(p, "memory_renaming", t->plain < PROBE_CERTAIN ? 0 : t->plain, why);
    probe_tell(p, "memory_renaming_match", t->by_copy > 0 ? "address" : "text", "",
               "a value loaded through a copy of the register, and with an index");
    if (through_stack)
        probe_tell(p, "memory_renaming_base", "stack", "",
                   "a value stored and loaded again through the stack pointer, and through another "
                   "register");
    conclude_renamed_lists(p, f, b, t->forward);
    const struct base_probes *other = &f->base[BASE_ANY];
    if (!conclude_modify(p, b, t->forward) || through_stack)
        conclude_modified(p, other->modify_register, other->modify_beside, t->forward,
                          "a loop of an addition of a register to memory");
    else if (machine_fact(p->chart->machine, "memory_renaming_bits") &&
             !machine_has(p->chart->machine, "memory_renaming_bits", "8"))
        conclude_modified(p, other->modify_byte, other->modify_byte_beside, t->forward,
                          "a loop of an addition of a register to a byte of memory");
    if (!through_stack && t->by_copy == 0)
        conclude_length(p, b, t->forward);
    conclude_alone(p, b);
}

/* Concludes the cycles of forwarding a vector. Memory renaming of all base registers might cover
 * vectors, for which the machine has no fact. It does not if a load by a copied register takes the
 * same time. */
static void conclude_vector(struct probes *p, const struct forward_probes *f)
{
    const struct machine *m = p->chart->machine;
    const bool by_any_register = machine_has(m, "memory_renaming_match", "text") &&
                                 !machine_has(m, "memory_renaming_base", "stack");
    const double own = probe_time(p, f->vector_own), cycles = probe_time(p, f->vector) - own,
                 copied = probe_time(p, f->vector_copied) - own;
    const bool alike = fabs(copied - cycles) <= PROBE_CERTAIN;

    if (cycles >= QUICK_FORWARD && (!by_any_register || alike))
        probe_tell_cycles(
            p, "store_forward_vector", cycles,
            by_any_register
                ? "a vector stored, loaded again by the same and by another register, and added to"
                : "a vector stored, loaded again and added to");
    else
        probe_tell(p, "store_forward_vector", NULL, "",
                   isnan(cycles) || (by_any_register && isnan(copied)) ? "no stable time"
                   : cycles < QUICK_FORWARD
                       ? "memory renaming exists, but its rules were not determined"
                       : "forwarding of a vector depends on the address register");
}

/* Concludes the cycles of a load that no single store covers. It waits until its stores have
 * written the cache. If two such loads overlap, they delay only the loaded value. */
static void conclude_failed(struct probes *p, const struct forward_probes *f)
{
    const double none = probe_time(p, f->none), two = probe_time(p, f->two_halves) - none,
                 half = probe_time(p, f->half) - none, apart = probe_time(p, f->apart),
                 clearly_more =
                     machine_number(p->chart->machine, "store_forward") + 1 + PROBE_CERTAIN;

    if (isnan(two) || isnan(half) || isnan(apart))
        probe_tell(p, "store_forward_fail", NULL, "", "no stable time");
    else if (fabs(two - half) > 1 + PROBE_WITHIN * half)
        probe_tell(p, "store_forward_fail", NULL, "",
                   "a load that spans two stores and a load larger than its store have different "
                   "latencies");
    /* both comparisons are false if a value is unknown */
    else if (half > clearly_more && apart < half / 2) {
        probe_tell_cycles(p, "store_forward_part", half,
                          "loads larger than their store, two of which overlap");
        probe_tell(p, "store_forward_fail", NULL, "",
                   "a load that spans two stores takes as long as one larger than its store, and "
                   "stores commit to the cache one by one");
    } else if (half > clearly_more)
        probe_tell_cycles(p, "store_forward_fail", half,
                          "a load larger than its store, next to one that spans two stores");
}

void forward_probes_conclude(struct probes *p, const struct forward_probes *f)
{
    conclude_forward(p, f);
    conclude_vector(p, f);
    conclude_failed(p, f);
}

void forward_probes_free(struct forward_probes *f)
{
    free(f);
}
