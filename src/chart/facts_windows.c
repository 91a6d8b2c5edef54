/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/windows.h"

#define INSNS_MOST 7
/* Number of instructions in a loop. The closing jump takes up to two cycles on a wide core, a large
 * share of a shorter loop's time. */
#define INSNS 1400
/* largest code size in bytes, which every instruction cache can hold */
#define BYTES 12288

/* Lengths in bytes of the instructions in each body; 0: end. If the total is not a multiple of the
 * window, repetitions start at each offset in a window. */
static const unsigned char bodies[][INSNS_MOST] = {
    {2, 2, 2, 2, 2, 2, 2},
    {3, 3, 3, 3, 3, 3, 3},
    {4, 4, 4, 4, 4, 4, 4},
    {5, 5, 5, 5, 5, 5, 5},
    {6, 6, 6, 6, 6, 6, 6},
    {7, 7, 7, 7, 7, 7, 7},
    {9, 9, 9, 9, 9, 9, 9},
    {11, 11, 11, 11, 11, 11, 11},
    {2, 2, 5},
    {2, 4, 4, 7},
    {3, 3, 9, 2, 2, 6},
    {2, 2, 2, 2, 8, 9},
    {4, 4, 4, 4, 4, 3},
    {2, 3, 4, 6},
    {3, 4},
    {3, 3, 5},
};
#define BODIES (sizeof bodies / sizeof *bodies)

/* Bodies of instructions with constants (displacements and immediates). The first one is the
 * reference for the time of a load. */
static const struct { const char *text; unsigned loads; } constants[] = {
    {"cmp byte ptr [rdi + 8], cl\n", 1},
    {"cmp byte ptr [rdi + 8], 7\n", 1},
    {"cmp word ptr [rdi + 8], 0x777\n", 1},
    {"cmp dword ptr [rdi + 8], 0x700\n", 1},
    {"movabs rax, 0x1122334455667788\ncmp byte ptr [rdi + 8], 7\n", 1},
    {"cmp byte ptr [rdi + 8], 7\ncmp byte ptr [rdi + 8], 7\nlea rax, [rsi + 8]\n", 2},
};
#define CONSTANTS (sizeof constants / sizeof *constants)
#define CONSTANTS_MOST 12u   /* largest tested number of constants per line */
#define COPIES 300           /* number of copies of a body with constants in its loop */

/* Appends an instruction of @bytes bytes that zeroes a register and only takes an issue slot. */
static void add_zeroed(unsigned bytes, unsigned number, struct str *out)
{
    str_add(out, ".byte ");
    for (unsigned i = 2; i < bytes; i++)
        str_add(out, "0x3e, ");   /* A redundant prefix in 64-bit code adds a byte. */
    str_addf(out, "0x31, %s\n", number % 2 ? "0xd2" : "0xc9");
}

struct body_seen {
    unsigned repeats;
    const struct insn *insns;
    struct costs costs;
    double cycles, slots;    /* cycles and issue slots per repetition */
};

static void ask(struct probes *p, const unsigned char *lengths, struct body_seen *b)
{
    struct str text = {0};
    unsigned count = 0, bytes = 0;

    for (; count < INSNS_MOST && lengths[count]; count++) {
        add_zeroed(lengths[count], count, &text);
        bytes += lengths[count];
    }
    b->repeats = INSNS / count < BYTES / bytes ? INSNS / count : BYTES / bytes;
    probe_add(p, ".rept %u\n%s.endr\n", b->repeats, str_text(&text));
    str_done(&text);
}

static void ask_constants(struct probes *p, const char *text, struct body_seen *b)
{
    b->repeats = COPIES;
    probe_add(p, ".rept %u\n%s.endr\n", b->repeats, text);
}

static void look_at(const struct probes *p, size_t at, struct body_seen *b)
{
    static const struct op plain;
    const size_t count = probe_decode(p, at, &b->insns) / b->repeats;

    b->costs = (struct costs){.rows = mem_zero(count + 1, sizeof *b->costs.rows), .count = count};
    for (size_t i = 0; i < count; i++)
        b->costs.rows[i] = (struct cost){.op = &plain, .decode = 1, .issue = 1};
    b->slots = (double)count / p->width;
    b->cycles = probe_time(p, at) / b->repeats;
}

static bool is(double cycles, double expected)
{
    return fabs(cycles - expected) <= PROBE_WITHIN * expected;
}

/* The configuration that best explains all times, and its residual. @others: number of other
 * configurations that also explain the times. */
struct explanation {
    struct core core;
    double off;                  /* mean relative residual over all bodies */
    unsigned others;
};

static void try_facts(const struct body_seen *seen, const struct core *core,
                      struct explanation *best)
{
    struct window_groups groups = {.copies = 0};
    double off = 0;
    bool explains = true;

    for (size_t i = 0; explains && i < BODIES; i++) {
        windows_form(core, seen[i].insns, &seen[i].costs, SHAPE_CACHED, 0, &groups);
        const double expected = fmax(groups.cycles, seen[i].slots);
        explains = is(seen[i].cycles, expected);
        off += fabs(seen[i].cycles / expected - 1) / BODIES;
    }
    windows_done(&groups);
    if (!explains)
        return;
    best->others += !isnan(best->off);
    if (!(off >= best->off)) {
        best->core = *core;
        best->off = off;
    }
}

#define LINE_LEAST 4
#define LINE_MOST 12
#define WINDOW_LEAST 16
#define WINDOW_MOST 64
#define LINES_MOST 4
#define AGAIN_MOST 4

static void tell(struct probes *p, const struct explanation *e)
{
    const struct { const char *key, *unit, *why; double value;
    } facts[] = {
        {"uop_cache_line_insns", "instructions",
         "copies of short and long instructions: range of the sizes that explain their rate",
         e->core.uop_cache_line_insns},
        {"uop_cache_window", "bytes/cycle", "copies of long instructions",
         e->core.uop_cache_window},
        {"uop_cache_window_lines", "lines/cycle", "copies of short instructions",
         e->core.uop_cache_window_lines},
        {"uop_cache_window_again", "cycles", "copies of short instructions",
         e->core.uop_cache_window_again},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char value[32];
        snprintf(value, sizeof value, "%g", facts[i].value);
        probe_tell(p, facts[i].key, value, facts[i].unit, facts[i].why);
    }
}

/* Returns the mean relative residual of the bodies with constants under @core. Each load is assumed
 * to take at least the time of the first body, which is one load. */
static double constants_off(const struct body_seen *seen, const struct core *core)
{
    struct window_groups groups = {.copies = 0};
    double off = 0;

    for (size_t i = 0; i < CONSTANTS; i++) {
        windows_form(core, seen[i].insns, &seen[i].costs, SHAPE_CACHED, 0, &groups);
        const double least = fmax(seen[i].slots, constants[i].loads * seen[0].cycles);
        off += fabs(seen[i].cycles / fmax(groups.cycles, least) - 1) / CONSTANTS;
    }
    windows_done(&groups);
    return off;
}

/* Concludes the number of constants per line for lines and windows as in @core. Does nothing unless
 * this number reduces the residual to half or less. */
static void conclude_constants(struct probes *p, struct core core, const struct body_seen *seen)
{
    const double without = constants_off(seen, &core);
    double least = without;
    unsigned best = 0;
    char value[16];

    for (unsigned n = 1; n <= CONSTANTS_MOST; n++) {
        core.uop_cache_line_constants = n;
        const double off = constants_off(seen, &core);
        if (off < least) {
            least = off;
            best = n;
        }
    }
    snprintf(value, sizeof value, "%u", best);
    if (best && least <= without / 2)
        probe_tell(p, "uop_cache_line_constants", value, "constants",
                   "copies of comparisons and moves with one to three constants");
}

static void conclude(struct probes *p, const struct body_seen *seen)
{
    struct explanation best = {.off = NAN};
    bool plain = true, all = true;

    for (size_t i = 0; i < BODIES; i++) {
        all &= !isnan(seen[i].cycles);
        plain &= is(seen[i].cycles, seen[i].slots);
    }
    for (unsigned line = LINE_LEAST; all && !plain && line <= LINE_MOST; line++)
        for (unsigned window = WINDOW_LEAST; window <= WINDOW_MOST; window *= 2)
            for (unsigned lines = 1; lines <= LINES_MOST; lines++)
                for (unsigned again = 1; again <= AGAIN_MOST; again++) {
                    const struct core core = {.uop_cache_line_insns = line,
                                              .uop_cache_window = window,
                                              .uop_cache_window_lines = lines,
                                              .uop_cache_window_again = again};
                    try_facts(seen, &core, &best);
                }
    p->dense_is_slow = !isnan(best.off) && !best.others;
    if (p->dense_is_slow) {
        tell(p, &best);
        conclude_constants(p, best.core, seen + BODIES);
    } else {
        probe_tell(
            p, "uop_cache_window", NULL, "",
            plain  ? "short and long instructions reach the full rename width"
            : !all ? "no stable time"
            : best.others
                ? "several sizes of windows and lines explain the times of short and long "
                  "instructions"
                : "no size of windows and lines explains the times of short and long instructions");
    }
}

bool window_probes(struct probes *p, struct err *err)
{
    const size_t first = p->list.count;
    struct body_seen seen[BODIES + CONSTANTS];

    for (size_t i = 0; i < BODIES; i++)
        ask(p, bodies[i], &seen[i]);
    for (size_t i = 0; i < CONSTANTS; i++)
        ask_constants(p, constants[i].text, &seen[BODIES + i]);
    if (!probes_run(p, err))
        return false;
    for (size_t i = 0; i < BODIES + CONSTANTS; i++)
        look_at(p, first + i, &seen[i]);
    conclude(p, seen);
    for (size_t i = 0; i < BODIES + CONSTANTS; i++)
        free(seen[i].costs.rows);
    return true;
}
