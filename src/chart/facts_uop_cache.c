/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frontend.h"

/* An instruction with a length-changing prefix, which makes decoding slow. */
#define PREFIXED "cmp ax, 4660\n"
#define PREFIXED_BYTES 4

/* Blocks of 32 bytes, of three kinds: with an increasing number of instructions, with an increasing
 * number of jumps, and with halves of different density */
#define HALF 32
#define DENSE_LEAST 14
#define DENSE_MOST 26
#define JUMPS_LEAST 3
#define JUMPS_MOST 7
#define UNEVEN 3
#define BLOCKS (DENSE_MOST - DENSE_LEAST + 1 + JUMPS_MOST - JUMPS_LEAST + 1 + UNEVEN)

/* Long loops. Two loops have 24 and 27 instructions per 64 bytes; one of these loops fills lines of
 * six, eight, nine or twelve µops. The third loop has no prefixes and counts only slots. It is for
 * CPUs whose decoders are slower than rename. On these CPUs, prefixes in long code may be slow for
 * another reason (Zen 4). */
#define DENSITIES 2
#define FILLERS DENSITIES
#define LONGS (DENSITIES + 1)
#define FILLERS_REPEATED 24
/* A nop. 32 KiB of nops of this length are about the number of instructions that the µop cache
 * contains. Shorter instructions need more lines per window than a set has ways. */
#define SHORT_NOP ".byte 0x0f, 0x1f, 0x40, 0"
#define CHUNKS 4
#define COARSE 7
#define FINE 4
#define ROUNDS 2             /* number of rounds of division, each into FINE steps */
#define LOOPS (COARSE + ROUNDS * FINE)
#define LONG_LEAST 1024
#define LONG_STEP 1.4
#define SLOWER 1.1
#define ROUNDED 64.0

static const unsigned densities[DENSITIES][CHUNKS] = {{6, 6, 6, 6}, {7, 7, 7, 6}};

/* A loop whose length is increased, and the results of the lengths already measured */
struct growing {
    unsigned insns;          /* number of instructions in one repetition of the code */
    size_t decoded, cached;  /* indices of the loops with one repetition: from the decoders, and
                              * from the µop cache */
    size_t count;
    struct { unsigned repeats; size_t at; } loops[LOOPS];
    /* largest number of repetitions that fits the cache, and smallest number that does not fit; 0:
     * unknown */
    unsigned held, decoded_from;
};

struct uop_cache_probes {
    size_t blocks[BLOCKS];
    struct growing growing[LONGS];
};

static void dense(unsigned prefixed, unsigned count, unsigned bytes, struct str *out)
{
    probe_repeat(PREFIXED, prefixed, out);
    front_code(count - prefixed, bytes - prefixed * PREFIXED_BYTES, 1, out);
}

/* Appends a block with @jumps jumps. An instruction that cannot fuse precedes each jump. The block
 * does not end with a jump. */
static void jumping(unsigned jumps, struct str *out)
{
    const unsigned rest = JUMPS_MOST + 2 - jumps;

    probe_repeat(PREFIXED, 3, out);
    front_code(1, 2, 2, out);
    probe_repeat("jz 1f\n1:", jumps, out);
    front_code(rest, 2 * rest, 2, out);
}

/* Adds code of @bytes bytes. One half has the maximum number of instructions, the other half few.
 * Returns the index for probe_time. */
static size_t ask_uneven(struct probes *p, unsigned bytes)
{
    struct str text = {0};

    for (unsigned at = 0; at < bytes / 2; at += HALF / 2)
        dense(1, DENSE_MOST / 2, HALF / 2, &text);
    for (unsigned at = 0; at < bytes / 2; at += HALF / 2)
        dense(1, 3, HALF / 2, &text);
    size_t probe = probe_add(p, "%s", str_text(&text));
    str_done(&text);
    return probe;
}

static void ask_blocks(struct probes *p, struct uop_cache_probes *u)
{
    struct str text = {0};
    size_t n = 0;

    for (unsigned count = DENSE_LEAST; count <= DENSE_MOST; count++) {
        str_clear(&text);
        dense(2, count, HALF, &text);
        u->blocks[n++] = probe_add(p, "%s", str_text(&text));
    }
    for (unsigned jumps = JUMPS_LEAST; jumps <= JUMPS_MOST; jumps++) {
        str_clear(&text);
        jumping(jumps, &text);
        jumping(jumps + 1, &text);
        u->blocks[n++] = probe_add(p, "%s", str_text(&text));
    }
    for (unsigned i = 0; i < UNEVEN; i++)
        u->blocks[n++] = ask_uneven(p, HALF << i);
    str_done(&text);
}

static void repetition(const struct probes *p, size_t density, struct str *out)
{
    if (density == FILLERS && p->dense_is_slow)
        probe_repeat(SHORT_NOP, FILLERS_REPEATED, out);
    else if (density == FILLERS)
        probe_repeat(probe_filler(p), FILLERS_REPEATED, out);
    for (size_t i = 0; density < DENSITIES && i < CHUNKS; i++) {
        str_add(out, PREFIXED);
        front_code(densities[density][i] - 1, 16 - PREFIXED_BYTES, 2, out);
    }
}

static void ask_long(struct probes *p, struct growing *g, size_t density, double repeats)
{
    struct str text = {0};

    repetition(p, density, &text);
    g->loops[g->count].repeats = (unsigned)rint(repeats);
    g->loops[g->count].at =
        probe_add(p, ".rept %u\n%s.endr\n", g->loops[g->count].repeats, str_text(&text));
    g->count++;
    str_done(&text);
}

static void ask_growing(struct probes *p, struct growing *g, size_t density)
{
    struct str text = {0};

    repetition(p, density, &text);
    g->insns = density == FILLERS ? FILLERS_REPEATED : 0;
    for (size_t i = 0; density < DENSITIES && i < CHUNKS; i++)
        g->insns += densities[density][i];
    g->decoded = probe_add_decoded(p, str_text(&text));
    g->cached = probe_add(p, "%s", str_text(&text));
    for (size_t i = 0; i < COARSE; i++)
        ask_long(p, g, density, LONG_LEAST * pow(LONG_STEP, (double)i) / g->insns);
    str_done(&text);
}

struct uop_cache_probes *uop_cache_probes_ask(struct probes *p)
{
    struct uop_cache_probes *u = mem_zero(1, sizeof *u);

    ask_blocks(p, u);
    for (size_t i = 0; i < LONGS; i++)
        ask_growing(p, &u->growing[i], i);
    return u;
}

/* Unit that delivered a block: the µop cache (SEEN_HELD), the decoders (SEEN_DECODED), or
 * unclear. */
enum seen { SEEN_UNCLEAR, SEEN_HELD, SEEN_DECODED };

struct seen_block {
    const struct insn *insns;
    struct costs costs;
    enum seen seen;
};

static void look_at(const struct probes *p, size_t at, const struct front_found *found,
                    struct seen_block *b)
{
    static const struct op plain;
    size_t count = probe_decode(p, at, &b->insns);
    double slots = (double)count / p->width, jumps = 0;

    b->costs = (struct costs){.rows = mem_zero(count + 1, sizeof *b->costs.rows), .count = count};
    for (size_t i = 0; i < count; i++) {
        b->costs.rows[i] = (struct cost){.op = &plain, .decode = 1, .issue = 1};
        jumps += (b->insns[i].traits & INSN_BRANCH) != 0;
    }
    /* The µop cache delivers at most one jump per cycle, so jumps may be the limit. */
    const double quick = fmax(slots, jumps), slow = front_decoded(p, b->insns, count, found),
                 t = probe_time(p, at);
    const bool clear = slow >= SLOWER * quick;
    b->seen = clear && t <= (1 + PROBE_WITHIN) * quick ? SEEN_HELD
              : clear && t >= (quick + slow) / 2       ? SEEN_DECODED
                                                       : SEEN_UNCLEAR;
}

static bool explains(const struct seen_block *blocks, unsigned bytes, unsigned lines, unsigned uops)
{
    const struct core core = {.uop_cache_block = bytes,
                              .uop_cache_lines = lines,
                              .uop_cache_line_uops = uops,
                              .decode_complex_uops = uops};

    for (size_t i = 0; i < BLOCKS; i++)
        if (blocks[i].seen != SEEN_UNCLEAR &&
            frontend_crowded(&core, blocks[i].insns, &blocks[i].costs, SHAPE_CACHED, 0) !=
                (blocks[i].seen == SEEN_DECODED))
            return false;
    return true;
}

static void tell_number(struct probes *p, const char *key, double number, const char *unit,
                        const char *why)
{
    char value[32];

    snprintf(value, sizeof value, "%g", number);
    probe_tell(p, key, value, unit, why);
}

#define LINES_MOST 12
#define LINE_UOPS_MOST 12

/* Infers the lines per block, the µops per line, and the block size. The values must predict
 * exactly the blocks that the decoders delivered. */
static void conclude_lines(struct probes *p, const struct uop_cache_probes *u,
                           const struct front_found *found)
{
    struct seen_block blocks[BLOCKS];
    unsigned count = 0, seen = 0, bytes = 0, lines = 0, uops = 0;

    for (size_t i = 0; i < BLOCKS; i++) {
        look_at(p, u->blocks[i], found, &blocks[i]);
        seen |= 1U << blocks[i].seen;
    }
    for (unsigned b = 16; b <= 128; b *= 2)
        for (unsigned l = 1; l <= LINES_MOST; l++)
            for (unsigned n = 1; n <= LINE_UOPS_MOST; n++)
                if (explains(blocks, b, l, n)) {
                    bytes = b;
                    lines = l;
                    uops = n;
                    count++;
                }
    for (size_t i = 0; i < BLOCKS; i++)
        free(blocks[i].costs.rows);
    if (count == 1) {
        tell_number(p, "uop_cache_block", bytes, "bytes",
                    "blocks with length-changing prefixes that run at the decoders' rate");
        tell_number(p, "uop_cache_lines", lines, "lines/block",
                    "blocks with length-changing prefixes and a growing number of jumps");
        tell_number(p, "uop_cache_line_uops", uops, "µops",
                    "blocks with length-changing prefixes and a growing number of instructions");
    } else {
        probe_tell(p, "uop_cache_lines", NULL, "",
                   !(seen & 1U << SEEN_DECODED) ? "no 32-byte block runs at the decoders' rate"
                   : count ? "several numbers of lines and µops explain which blocks are slow"
                           : "no number of lines and µops explains which blocks are slow");
    }
}

/* Returns the cycles of one repetition in loop @i. */
static double repeated(const struct probes *p, const struct growing *g, size_t i)
{
    return probe_time(p, g->loops[i].at) / g->loops[i].repeats;
}

/* Finds the largest length at full speed and the smallest one at the decoders' speed. Assigns a
 * time to the nearer of the two speeds, because a CPU evicts some lines of a loop that just fits.
 * Returns false if the decoders are not SLOWER times slower, or if one of the lengths is unknown.
 * Also returns false if a loop runs at full speed but a shorter loop does not. */
static bool find_bounds(const struct probes *p, struct growing *g)
{
    const double quick = probe_time(p, g->cached), slow = probe_time(p, g->decoded);
    bool ok = slow >= SLOWER * quick;

    g->held = g->decoded_from = 0;
    for (size_t i = 0; ok && i < g->count; i++) {
        const double t = repeated(p, g, i);
        const unsigned n = g->loops[i].repeats;
        if (isnan(t))
            continue;
        if (t < (quick + slow) / 2)
            g->held = n > g->held ? n : g->held;
        else if (!g->decoded_from || n < g->decoded_from)
            g->decoded_from = n;
    }
    return ok && g->held && g->held < g->decoded_from;
}

static const char *no_size(const struct probes *p, const struct growing *g)
{
    const double quick = probe_time(p, g->cached), slow = probe_time(p, g->decoded);

    return isnan(quick) || isnan(slow) ? "no stable time"
           : !(slow >= SLOWER * quick) ? "the decoders are as fast as the µop cache"
           : !g->held                  ? "no loop of a thousand µops runs at full speed"
           : !g->decoded_from          ? "the longest loop still runs at full speed"
                                       : "no loop length separates fast from slow loops";
}

/* Narrows the unknown intervals of @n long loops by division. Returns NULL, or the reason why the
 * result is unknown. Sets *@ok to false with err on failure. */
static const char *narrow(struct probes *p, struct growing *g, size_t first, size_t n, bool *ok,
                          struct err *err)
{
    for (unsigned round = 0; *ok && round <= ROUNDS; round++) {
        for (size_t i = 0; i < n; i++)
            if (!find_bounds(p, &g[i]))
                return no_size(p, &g[i]);
        for (size_t i = 0; i < n && round < ROUNDS; i++)
            for (unsigned k = 1; k <= FINE; k++)
                ask_long(p, &g[i], first + i,
                         g[i].held + (g[i].decoded_from - g[i].held) * (k / (FINE + 1.0)));
        *ok = round == ROUNDS || probes_run(p, err);
    }
    return NULL;
}

static bool conclude_size(struct probes *p, struct uop_cache_probes *u, struct err *err)
{
    struct growing *g = u->growing;
    size_t n = DENSITIES;
    bool ok = true;
    double size = 0;

    const char *unknown = narrow(p, g, 0, n, &ok, err);
    if (ok && unknown && p->filler) {
        g += FILLERS;
        n = 1;
        unknown = narrow(p, g, FILLERS, n, &ok, err);
    }
    for (size_t i = 0; ok && !unknown && i < n; i++)
        size = fmax(size, g[i].insns * (g[i].held + g[i].decoded_from) / 2.0);
    if (ok && unknown)
        probe_tell(p, "uop_cache_size", NULL, "", unknown);
    else if (ok)
        tell_number(p, "uop_cache_size", ROUNDED * rint(size / ROUNDED), "µops",
                    "loops of growing length, until one runs at the decoders' rate");
    return ok;
}

bool uop_cache_probes_conclude(struct probes *p, struct uop_cache_probes *u,
                               const struct front_found *found, struct err *err)
{
    const struct growing *g = &u->growing[0];
    const bool whole = repeated(p, g, 0) <= (1 + PROBE_WITHIN) * g->insns / p->width;

    probe_tell(p, "uop_cache_width", NULL, "",
               whole ? "the µop cache delivers the full rename width"
                     : "no loop distinguishes the µop cache from rename");
    probe_tell(p, "loop_buffer", NULL, "",
               "the experiments copy a loop several times, so no loop is short enough for the loop "
               "buffer");
    if (!found->penalty || !p->filler || strcmp(p->filler, "nop") != 0)
        probe_tell(
            p, "uop_cache_lines", NULL, "",
            "length-changing prefixes cost nothing, or nops take no issue slot");
    else
        conclude_lines(p, u, found);
    return conclude_size(p, u, err);
}

void uop_cache_probes_free(struct uop_cache_probes *u)
{
    free(u);
}
