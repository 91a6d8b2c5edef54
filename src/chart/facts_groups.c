/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Loops of one instruction and fillers over several issue groups, without a jump. A loop with one
 * slot fewer than the groups shifts by a slot per iteration, so the instruction would occupy every
 * slot in turn. If it cannot occupy the last one, it begins the next group, and the loop takes as
 * long as all slots. */
#define GROUPS 3
/* Number of loop sizes: one slot more than the groups have, the same number, and up to three
 * fewer. */
#define SIZES 5
#define FULL 1

/* Instructions that some CPUs exclude from the last slot of a group, by kind. */
static const struct { const char *kind, *line;
} singles[] = {
    {"memory", "mov r8, [rdi + 320]"},      {"memory", "mov [rdi + 320], r9"},
    {"memory", "cmp r8, [rdi + 320]"},      {"from_vectors", "movd r8d, xmm0"},
    {"from_vectors", "pmovmskb r8d, xmm0"},
};
#define SINGLES (sizeof singles / sizeof *singles)

/* Instructions that have two slots on some CPUs. */
static const char *const doubles[] = {"xchg r8, r9", "bswap r8", "bextr r8d, r9d, r10d",
                                      "lea r8w, [r9 + 4]"};
#define DOUBLES (sizeof doubles / sizeof *doubles)

struct group_probes {
    size_t plain[SIZES], singles[SINGLES][SIZES], doubles[DOUBLES][SIZES];
};

static void ask(struct probes *p, const char *line, size_t loops[SIZES])
{
    for (size_t size = 0; size < SIZES; size++) {
        struct str fill = {0};
        probe_fill(p, (unsigned)(GROUPS * p->width) - (unsigned)size, &fill);
        loops[size] = probe_add(p, "%s\n%s", line, str_text(&fill));
        str_done(&fill);
    }
}

struct group_probes *group_probes_ask(struct probes *p)
{
    struct group_probes *g = mem_zero(1, sizeof *g);

    ask(p, p->filler ? p->filler : "nop", g->plain);
    for (size_t i = 0; i < SINGLES; i++)
        ask(p, singles[i].line, g->singles[i]);
    for (size_t i = 0; i < DOUBLES; i++)
        ask(p, doubles[i], g->doubles[i]);
    return g;
}

/* Returns whether the loop takes the time of @slots issue slots. */
static bool takes(const struct probes *p, size_t loop, double slots)
{
    return fabs(probe_time(p, loop) * p->width - slots) <= PROBE_CERTAIN;
}

/* Evaluates loops with an instruction of @slots slots. Returns 1 if the instruction leaves slots
 * empty, and 0 if all groups are full. Returns -1 if it has another number of slots, or times are
 * missing. */
static int leaves_slots(const struct probes *p, const struct group_probes *g,
                        const size_t loops[SIZES], unsigned slots)
{
    const double full = GROUPS * p->width;
    const size_t size = FULL + slots - 1;   /* index of the loop with as many slots as the groups */

    if (!takes(p, g->plain[FULL], full) || !takes(p, g->plain[FULL + 1], full - 1) ||
        !takes(p, loops[size], full) ||
        probe_time(p, loops[size - 1]) * p->width < full + 1 - PROBE_CERTAIN)
        return -1;
    if (takes(p, loops[size + 1], full - 1))
        return 0;
    /* With two slots fewer, the instruction always begins at an even slot, so no slot should be
     * empty. Otherwise the loop has another limit. */
    return takes(p, loops[size + 1], full) && takes(p, loops[size + 2], full - 2) ? 1 : -1;
}

static void conclude_last(struct probes *p, const struct group_probes *g)
{
    struct str kinds = {0}, unknown = {0};

    for (size_t i = 0; i < SINGLES;) {
        const char *kind = singles[i].kind;
        size_t last = 0, other = 0;
        for (; i < SINGLES && strcmp(singles[i].kind, kind) == 0; i++) {
            const int leaves = leaves_slots(p, g, g->singles[i], 1);
            last += leaves == 1;
            other += leaves == 0;
        }
        struct str *to = last && !other ? &kinds : &unknown;
        if (last || !other)
            str_addf(to, "%s%s", to->length ? " " : "", kind);
    }
    if (kinds.length)
        probe_tell(p, "group_not_last", str_text(&kinds), "",
                   "loops of one instruction and fillers, one slot shorter than three groups, take "
                   "as long as three groups");
    if (unknown.length) {
        struct str why = {0};
        str_addf(&why, "no stable time or no single rule of: %s", str_text(&unknown));
        probe_tell(p, kinds.length ? "groups at rename" : "group_not_last", NULL, "",
                   str_text(&why));
        str_done(&why);
    }
    str_done(&kinds);
    str_done(&unknown);
}

static void conclude_whole(struct probes *p, const struct group_probes *g)
{
    size_t whole = 0, parted = 0;

    for (size_t i = 0; i < DOUBLES; i++) {
        const int leaves = leaves_slots(p, g, g->doubles[i], 2);
        whole += leaves == 1;
        parted += leaves == 0;
    }
    if (whole && !parted)
        probe_tell(p, "group_whole", "yes", "",
                   "loops of a two-slot instruction and fillers, one slot shorter than three "
                   "groups, take as long as three groups");
    else if (whole || !parted)
        probe_tell(p, "group_whole", NULL, "",
                   whole ? "some two-slot instructions are split between groups, and some are not"
                         : "no tested instruction has two slots, or no time is stable");
}

void group_probes_conclude(struct probes *p, const struct group_probes *g)
{
    if (!p->filler) {
        probe_tell(p, "group_not_last", NULL, "",
                   "no known instruction uses exactly one issue slot");
        probe_tell(p, "group_whole", NULL, "", "no known instruction uses exactly one issue slot");
        return;
    }
    conclude_last(p, g);
    conclude_whole(p, g);
}

void group_probes_free(struct group_probes *g)
{
    free(g);
}
