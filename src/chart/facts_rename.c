/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILLED 3             /* cycles that a loop takes to count slots */
/* Number of loop sizes: one slot fewer than full cycles, and full cycles. If a jump ends the issue
 * group, only the second shows an additional slot. */
#define SIZES 2

/* Pairs of µops that share a slot. Each pair unlaminates by its own rule. With base r12, the
 * encoding has the same length with and without an index. */
static const struct {
    const char *before, *after;
} pairs[] = {{"add r8, ", ""},
             {"cmp r8, ", ""},
             {"pabsd xmm0, ", ""},
             {"vpaddd xmm0, xmm1, ", ""},
             {"mov ", ", r8"}};
#define PAIRS (sizeof pairs / sizeof *pairs)

/* Rules of unlamination. @split: for each pair, whether an index splits it. */
static const struct { const char *value; int split[PAIRS];
} splits[] = {
    {"all", {1, 1, 1, 1, 1}},           {"not-two-address", {0, 1, 1, 1, 0}},
    {"three-sources", {0, 0, 1, 1, 0}}, {"general", {1, 1, 0, 0, 1}},
    {"none", {0, 0, 0, 0, 0}},
};
#define SPLITS (sizeof splits / sizeof *splits)

/* Instructions that write the flags of a conditional move. */
static const struct { const char *mnemonic, *line;
} makers[] = {
    {"and", "and r10, r11"},       {"or", "or r10, r11"},     {"xor", "xor r10, r11"},
    {"test", "test r10, r10"},     {"add", "add r10, r11"},   {"sub", "sub r10, r11"},
    {"cmp", "cmp r10, r11"},       {"blsi", "blsi r10, r11"}, {"blsr", "blsr r10, r11"},
    {"blsmsk", "blsmsk r10, r11"},
};
#define MAKERS (sizeof makers / sizeof *makers)
#define SELECT "cmovz r8, r9"

/* Operations that may fuse with a preceding register move to their destination. */
static const struct { const char *mnemonic, *line;
} joined[] = {
    {"add", "add r8, r9"},   {"sub", "sub r8, r9"}, {"and", "and r8, r9"}, {"or", "or r8, r9"},
    {"xor", "xor r8, r9"},   {"adc", "adc r8, r9"}, {"sbb", "sbb r8, r9"}, {"inc", "inc r8"},
    {"dec", "dec r8"},       {"not", "not r8"},     {"neg", "neg r8"},     {"shl", "shl r8, 3"},
    {"shr", "shr r8, 3"},    {"sar", "sar r8, 3"},  {"rol", "rol r8, 3"},  {"ror", "ror r8, 3"},
    {"imul", "imul r8, r9"}, {"bswap", "bswap r8"},
};
#define JOINED (sizeof joined / sizeof *joined)

/* Indices of the loops. */
struct rename_probes {
    /* @one: an operation and fillers; @two: one more filler. @own: each operation and fillers;
     * @moved: with a move before the operation. */
    size_t one, two, own[JOINED], moved[JOINED];
    /* By loop size. @plain: pairs without an index, and one more size; @indexed: with an index. */
    size_t plain[PAIRS][SIZES + 1], indexed[PAIRS][SIZES];
    /* chain of conditional moves; no instruction of the loop writes their flags */
    size_t select;
    /* The chain with an instruction that writes flags: just before a move (@together), and a cycle
     * of slots before it (@apart). */
    size_t together[MAKERS], apart[MAKERS];
};

/* Returns the slots of a loop of size @size: fillers, one slot for the pair and one for the
 * jump. */
static unsigned slots_of(const struct probes *p, size_t size)
{
    return (unsigned)(FILLED * p->width) - 1 + (unsigned)size;
}

static size_t ask_pair(struct probes *p, size_t pair, const char *address, size_t size)
{
    struct str fill = {0};

    probe_fill(p, slots_of(p, size) - 2, &fill);
    size_t at = probe_add(p, "1:\n%s%s%s\n%sjz 1b\n", pairs[pair].before, address,
                          pairs[pair].after, str_text(&fill));
    str_done(&fill);
    return at;
}

static void ask_moved(struct probes *p, struct rename_probes *r)
{
    struct str fill = {0};

    probe_fill(p, slots_of(p, 1) - 1, &fill);
    r->one = probe_add(p, "%s%s\n", str_text(&fill), joined[0].line);
    for (size_t i = 0; i < JOINED; i++) {
        r->own[i] = probe_add(p, "%s%s\n", str_text(&fill), joined[i].line);
        r->moved[i] = probe_add(p, "%smov r8, r10\n%s\n", str_text(&fill), joined[i].line);
    }
    probe_fill(p, 1, &fill);
    r->two = probe_add(p, "%s%s\n", str_text(&fill), joined[0].line);
    str_done(&fill);
}

struct rename_probes *rename_probes_ask(struct probes *p)
{
    struct rename_probes *r = mem_zero(1, sizeof *r);
    struct str fill = {0};

    ask_moved(p, r);
    for (size_t i = 0; i < PAIRS; i++) {
        for (size_t size = 0; size <= SIZES; size++)
            r->plain[i][size] = ask_pair(p, i, "[r12]", size);
        for (size_t size = 0; size < SIZES; size++)
            r->indexed[i][size] = ask_pair(p, i, "[r12 + r10]", size);
    }
    probe_fill(p, (unsigned)ceil(p->width), &fill);
    r->select = probe_add(p, "mov ecx, edx\n" SELECT "\n");
    for (size_t i = 0; i < MAKERS; i++) {
        r->together[i] = probe_add(p, "%s\n" SELECT "\n", makers[i].line);
        r->apart[i] = probe_add(p, "%s\n%s" SELECT "\n", makers[i].line, str_text(&fill));
    }
    str_done(&fill);
    return r;
}

/* Returns 1 if the index costs an additional slot, 0 if it does not, -1 if that is unknown. The
 * loop without an index must take exactly the time of its slots. Only then is an additional slot
 * visible. */
static int splits_pair(const struct probes *p, const struct rename_probes *r, size_t pair)
{
    const double slot = 1 / p->width, off = PROBE_CERTAIN * slot;
    int answer = -1;

    for (size_t size = 0; size < SIZES; size++) {
        const double plain = probe_time(p, r->plain[pair][size]),
                     more = probe_time(p, r->plain[pair][size + 1]),
                     indexed = probe_time(p, r->indexed[pair][size]);
        const bool bound = fabs(plain - slots_of(p, size) * slot) <= off,
                   kept = bound && fabs(indexed - plain) <= off;
        const bool split = bound && indexed >= plain + slot - off && indexed <= more + off;
        if ((kept && answer == 1) || (split && answer == 0))
            return -1;
        answer = kept ? 0 : split ? 1 : answer;
    }
    return answer;
}

static void conclude_splits(struct probes *p, const struct rename_probes *r)
{
    int split[PAIRS];
    size_t known = 0, kind = 0;

    for (size_t i = 0; i < PAIRS; i++) {
        split[i] = splits_pair(p, r, i);
        known += split[i] >= 0;
    }
    while (kind < SPLITS && memcmp(split, splits[kind].split, sizeof split) != 0)
        kind++;
    if (p->filler && kind < SPLITS)
        probe_tell(p, "unlaminate", splits[kind].value, "",
                   "loops of operations with memory, with an index and without, counted in slots");
    else
        probe_tell(p, "unlaminate", NULL, "",
                   !p->filler       ? "no known instruction uses exactly one issue slot"
                   : known == PAIRS ? "some operations with memory need one slot more with an "
                                      "index, but no known rule determines which"
                                    : "no stable time of operations with memory with an index");
}

/* Returns 1 if a conditional move is slower just after instruction @maker, but not a cycle after
 * it. 0: it is not slower; -1: uncertain. */
static int is_slow(const struct probes *p, const struct rename_probes *r, size_t maker)
{
    const double together = probe_time(p, r->together[maker]),
                 longer = together - probe_time(p, r->select);

    if (fabs(longer) <= PROBE_CERTAIN)
        return 0;
    return longer >= 1 - PROBE_CERTAIN && probe_time(p, r->apart[maker]) <= together - PROBE_CERTAIN
               ? 1
               : -1;
}

static void conclude_flags(struct probes *p, const struct rename_probes *r)
{
    struct str slow = {0}, unknown = {0}, why = {0};
    double least = INFINITY, most = 0;
    size_t quick = 0;

    for (size_t i = 0; i < MAKERS; i++) {
        const int is = is_slow(p, r, i);
        quick += is == 0;
        if (is != 0)
            str_addf(is > 0 ? &slow : &unknown, "%s%s",
                     (is > 0 ? &slow : &unknown)->length ? " " : "", makers[i].mnemonic);
        least = is > 0 ? fmin(least, probe_time(p, r->together[i])) : least;
        most = is > 0 ? fmax(most, probe_time(p, r->together[i])) : most;
    }
    if (unknown.length)
        str_addf(&why, "no stable time of conditional moves after: %s", str_text(&unknown));
    else if (slow.length && (!quick || most - least > PROBE_CERTAIN))
        str_add(&why, quick ? "conditional moves have more than two latencies, depending on the "
                              "writer of the flags"
                            : "conditional moves are slow with every kind of flags");
    if (why.length) {
        probe_tell(p, "slow_flags", NULL, "", str_text(&why));
    } else if (slow.length) {
        probe_tell(
            p, "slow_flags", str_text(&slow), "mnemonics",
            "chains of conditional moves, each after the writer of its flags and one cycle later");
        probe_tell_cycles(p, "slow_flags_latency", least,
                          "chains of conditional moves, each after the writer of its flags");
    }
    str_done(&slow);
    str_done(&unknown);
    str_done(&why);
}

static void conclude_moved(struct probes *p, const struct rename_probes *r)
{
    struct str yes = {0}, unknown = {0};

    if (!p->filler) {
        probe_tell(p, "fusion of moves", NULL, "",
                   "no known instruction uses exactly one issue slot");
        return;
    }
    for (size_t i = 0; i < JOINED; i++) {
        /* the operation has more than one slot, so the fusion of a move is unknown */
        if (probe_slots(p, probe_time(p, r->own[i]), r->one, r->two) == 0)
            continue;
        const int joins = probe_slots(p, probe_time(p, r->moved[i]), r->one, r->two);
        struct str *to = joins > 0 ? &yes : &unknown;
        if (joins)
            str_addf(to, "%s%s", to->length ? " " : "", joined[i].mnemonic);
    }
    if (yes.length)
        probe_tell(p, "fuse_move", str_text(&yes), "mnemonics",
                   "loops of a move between registers and an operation on its destination, counted "
                   "in slots");
    if (unknown.length) {
        struct str why = {0};
        str_addf(&why, "no stable time of a move before %s", str_text(&unknown));
        probe_tell(p, "fusion of moves", NULL, "", str_text(&why));
        str_done(&why);
    }
    str_done(&yes);
    str_done(&unknown);
}

void rename_probes_conclude(struct probes *p, const struct rename_probes *r)
{
    conclude_moved(p, r);
    conclude_splits(p, r);
    conclude_flags(p, r);
}

void rename_probes_free(struct rename_probes *r)
{
    free(r);
}
