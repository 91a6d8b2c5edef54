/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frontend.h"

/* Blocks of 32 bytes with an increasing number of instructions. Both halves have the same number of
 * instructions, or the first half has one more. Two more blocks are sparser: one has ten bytes per
 * instruction, the other 11 instructions in 64 bytes. The second block distinguishes CPUs with
 * 64-byte blocks, which deliver five instructions per cycle, from CPUs that deliver four from any
 * block. */
#define BLOCK 32
#define COUNT_LEAST 6
#define COUNT_MOST 16
#define SPARSE 2
#define BLOCKS (SPARSE + COUNT_MOST - COUNT_LEAST + 1)

/* size in bytes of a chunk; a block with length-changing prefixes has one, two or four chunks */
#define CHUNK 16
#define SIZES 3
#define CHUNK_INSNS 3
#define IN_A_ROW 6
#define COUNTED 4            /* cycles of a loop that counts the slots of one instruction */

/* Indices of two loops with the same code, one delivered by the decoders, the other by the µop
 * cache */
struct twice {
    size_t decoded, cached;
};

/* Fast instructions that take two slots on some CPUs. */
static const char *const doubles[] = {
    ("bextr r8d, r9d, r10d\nbextr r11d, r9d, r10d\nbextr ecx, r9d, r10d\n"
     "bextr r8d, r9d, r10d\nbextr r11d, r9d, r10d\nbextr ecx, r9d, r10d\n"),
    "xchg r8, r9\nxchg r10, r11\nxchg rcx, rdx\nxchg r8, r9\nxchg r10, r11\nxchg rcx, rdx\n",
    "bswap r8\nbswap r9\nbswap r10\nbswap r11\nbswap rcx\nbswap rdx\n",
};
#define DOUBLES (sizeof doubles / sizeof *doubles)

struct front_probes {
    struct twice blocks[BLOCKS];
    size_t prefixed[SIZES];
    /* a chunk without prefixes and with the same number of instructions */
    struct twice plain;
    struct twice row[DOUBLES];
    /* index of the loop with one of the DOUBLES and fillers */
    size_t counted[DOUBLES];
};

#define PREFIXES ".byte 0x2e, 0x2e, 0x2e\n"

/* Instructions by length. Instructions within 32 bytes have no conflicts of ports or banks. */
static const struct { unsigned bytes; const char *text;
} lengths[] = {
    {10, PREFIXES "mov r8d, [rdi + 320]\n"},
    {7, "mov r9, 305419896\n"},
    {6, "mov ecx, [rdi + 332]\n"},
    {3, "xor r8d, r8d\n"},
    {2, "xor ecx, ecx\n"},
    {1, "nop\n"},
};
#define LENGTHS (sizeof lengths / sizeof *lengths)

void front_code(unsigned count, unsigned bytes, unsigned shortest, struct str *out)
{
    for (; count; count--) {
        size_t i = 0;
        while (i + 1 < LENGTHS && lengths[i].bytes + (count - 1) * shortest > bytes)
            i++;
        str_add(out, lengths[i].text);
        bytes -= lengths[i].bytes;
    }
}

static struct twice ask_twice(struct probes *p, const char *text)
{
    struct twice code = {.decoded = probe_add_decoded(p, text)};

    code.cached = probe_add(p, "%s", text);
    return code;
}

static void spread(unsigned count, struct str *out)
{
    front_code((count + 1) / 2, BLOCK / 2, 2, out);
    front_code(count / 2, BLOCK / 2, 2, out);
}

static void ask_blocks(struct probes *p, struct front_probes *f)
{
    struct str text = {0};

    f->blocks[0] = ask_twice(p, PREFIXES "mov r8d, [rdi + 320]\n" PREFIXES "mov r9, 305419896\n");
    spread(COUNT_LEAST, &text);
    spread(COUNT_LEAST - 1, &text);
    f->blocks[1] = ask_twice(p, str_text(&text));
    for (unsigned k = COUNT_LEAST; k <= COUNT_MOST; k++) {
        str_clear(&text);
        spread(k, &text);
        f->blocks[k - COUNT_LEAST + SPARSE] = ask_twice(p, str_text(&text));
    }
    str_done(&text);
}

static void ask_prefixes(struct probes *p, struct front_probes *f)
{
    struct str plain = {0}, text = {0};

    front_code(CHUNK_INSNS, CHUNK, 2, &plain);
    f->plain = ask_twice(p, str_text(&plain));
    for (unsigned size = 0; size < SIZES; size++) {
        str_clear(&text);
        str_add(&text, "cmp r8w, 4660\n");
        front_code(CHUNK_INSNS - 1, CHUNK - 6, 2, &text);
        probe_repeat(str_text(&plain), (1U << size) - 1, &text);
        f->prefixed[size] = probe_add_decoded(p, str_text(&text));
    }
    str_done(&plain);
    str_done(&text);
}

static unsigned filler_count(const struct probes *p)
{
    return (unsigned)(COUNTED * p->width) - 2;
}

static void ask_doubles(struct probes *p, struct front_probes *f)
{
    struct str text = {0};

    for (size_t i = 0; i < DOUBLES; i++) {
        f->row[i] = ask_twice(p, doubles[i]);
        str_clear(&text);
        /* fillers of three bytes are sparse enough for the µop cache */
        probe_repeat("xor r8d, r8d", filler_count(p), &text);
        f->counted[i] =
            probe_add(p, "%.*s\n%s", (int)strcspn(doubles[i], "\n"), doubles[i], str_text(&text));
    }
    str_done(&text);
}

struct front_probes *front_probes_ask(struct probes *p)
{
    struct front_probes *f = mem_zero(1, sizeof *f);

    ask_blocks(p, f);
    ask_prefixes(p, f);
    ask_doubles(p, f);
    return f;
}

double front_decoded(const struct probes *p, const struct insn *insns, size_t count,
                     const struct front_found *found)
{
    static const struct op plain;
    struct core core = {.issue_width = p->width,
                        .decoders = NAN,
                        .decode_width = found->decoders ? found->decoders : p->width,
                        .fetch_bytes = found->bytes ? found->bytes : NAN,
                        .predecode_bytes = found->width ? found->bytes : NAN,
                        .predecode_width = found->width ? found->width : NAN,
                        .lcp_penalty = found->penalty};
    struct costs costs = {.rows = mem_zero(count + 1, sizeof *costs.rows), .count = count};
    struct frontend frontend;

    for (size_t i = 0; i < count; i++)
        costs.rows[i] = (struct cost){.op = &plain, .decode = 1, .issue = 1};
    frontend_bound(&core, insns, &costs, SHAPE_UNROLLED, 0, &frontend);
    free(costs.rows);
    return frontend.cycles;
}

/* Returns whether the decoders delivered the code. The code then takes clearly longer than from the
 * µop cache. */
static bool differs(const struct probes *p, const struct twice *code)
{
    return probe_time(p, code->decoded) > (1 + PROBE_WITHIN) * probe_time(p, code->cached);
}

/* Configurations of predecoder and decoders that explain the times of the blocks */
struct explained {
    /* Index of the first block that the decoders delivered. Later blocks have more instructions in
     * the same bytes. */
    size_t first;
    unsigned count;
    /* one of the configurations; the members below show which of its values differ in other
     * configurations */
    struct front_found all;
    /* @some_plain: whether the predecoder of some configuration limits bytes, but not
     * instructions */
    bool differ_bytes, differ_width, differ_decoders, some_plain;
};

struct timed {
    const struct insn *insns;
    size_t count;
    double cycles;
};

static bool explains(const struct probes *p, const struct timed blocks[BLOCKS], size_t first,
                     const struct front_found *found)
{
    for (size_t i = first; i < BLOCKS; i++) {
        const double cycles = front_decoded(p, blocks[i].insns, blocks[i].count, found);
        if (!blocks[i].count || !(fabs(blocks[i].cycles - cycles) <= PROBE_WITHIN * cycles))
            return false;
    }
    return true;
}

static void take_explanation(struct explained *e, const struct front_found *found)
{
    if (!e->count++)
        e->all = *found;
    e->differ_bytes |= found->bytes != e->all.bytes;
    e->differ_width |= found->width != e->all.width;
    e->differ_decoders |= found->decoders != e->all.decoders;
    e->some_plain |= !found->width;
}

#define WIDTH_MOST 16        /* maximum width that is tried, in instructions per cycle */
#define SKIPPED 3
#define EXPLAINED_LEAST 6

/* Finds all configurations that explain the times of the blocks from index @first. */
static struct explained explain_from(const struct probes *p, const struct timed blocks[BLOCKS],
                                     size_t first)
{
    static const unsigned bytes[] = {0, 8, 16, 32, 64};
    struct explained e = {.first = first};

    for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
        for (unsigned width = 0; width <= (bytes[b] ? WIDTH_MOST : 0); width++)
            for (unsigned decoders = 0; decoders < p->width; decoders++) {
                const struct front_found found = {
                    .bytes = bytes[b], .width = width, .decoders = decoders};
                if (explains(p, blocks, first, &found))
                    take_explanation(&e, &found);
            }
    return e;
}

/* Finds the configurations that explain the times of all blocks from the decoders. Skips up to
 * SKIPPED of the first blocks, because the µop cache may have delivered a part of them. */
static struct explained explain(const struct probes *p, const struct front_probes *f)
{
    struct explained e = {0};
    struct timed blocks[BLOCKS];

    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i].count = probe_decode(p, f->blocks[i].decoded, &blocks[i].insns);
        blocks[i].cycles = probe_time(p, f->blocks[i].decoded);
    }
    while (e.first < BLOCKS && !differs(p, &f->blocks[e.first]))
        e.first++;
    const size_t last = e.first + SKIPPED;
    for (size_t first = e.first; !e.count && first <= last && first + EXPLAINED_LEAST <= BLOCKS;
         first++)
        e = explain_from(p, blocks, first);
    return e;
}

static const char *no_explanation(const struct probes *p, const struct front_probes *f,
                                  const struct explained *e)
{
    return isnan(probe_time(p, f->blocks[BLOCKS - 1].decoded)) ? "no stable time"
           : e->first == BLOCKS ? "the µop cache delivers code from the first-level cache, or the "
                                  "decoders are equally fast"
           : !e->count ? "no number of bytes and instructions per cycle explains the times; the "
                         "µop cache may deliver some 32-byte blocks"
                       : "several numbers of bytes and instructions per cycle explain the times of "
                         "32-byte blocks";
}

static void tell_count(struct probes *p, const char *key, unsigned count, const char *unit,
                       const char *why)
{
    char value[32];

    snprintf(value, sizeof value, "%u", count);
    probe_tell(p, key, count ? value : NULL, unit, why);
}

static void conclude_predecoder(struct probes *p, const struct front_probes *f,
                                const struct explained *e, struct front_found *found)
{
    const bool bytes = e->count && !e->differ_bytes && e->all.bytes;

    found->bytes = bytes ? e->all.bytes : 0;
    found->width = bytes && !e->differ_width ? e->all.width : 0;
    if (found->width) {
        tell_count(p, "predecode_bytes", found->bytes, "bytes/cycle",
                   "copies of 32-byte blocks with 6 to 16 instructions");
        tell_count(p, "predecode_width", found->width, "instructions/cycle",
                   "copies of 32-byte blocks with 6 to 16 instructions");
    } else if (bytes && e->some_plain) {
        tell_count(p, "fetch_bytes", found->bytes, "bytes/cycle",
                   "copies of 32-byte blocks: the rate is the same for 6 to 16 instructions");
    } else {
        probe_tell(p, "predecode_bytes", NULL, "", no_explanation(p, f, e));
    }
}

enum doubled { DOUBLED_UNKNOWN, DOUBLED_FIRST, DOUBLED_ALIKE };

static enum doubled doubled(const struct probes *p, const struct front_probes *f, unsigned decoders)
{
    for (size_t i = 0; i < DOUBLES; i++) {
        const double slots = probe_time(p, f->counted[i]) * p->width - filler_count(p);
        const double decoded = probe_time(p, f->row[i].decoded) / IN_A_ROW,
                     cached = probe_time(p, f->row[i].cached) / IN_A_ROW,
                     alike = fmax(cached, 1.0 / decoders);
        if (!(fabs(slots - 2) <= PROBE_CERTAIN) || !(alike <= 1 - PROBE_CERTAIN))
            continue;
        if (fabs(decoded - 1) <= PROBE_WITHIN)
            return DOUBLED_FIRST;
        if (fabs(decoded - alike) <= PROBE_WITHIN * alike)
            return DOUBLED_ALIKE;
    }
    return DOUBLED_UNKNOWN;
}

static void conclude_decoders(struct probes *p, const struct front_probes *f,
                              const struct explained *e, struct front_found *found)
{
    if (!e->count || e->differ_decoders || !e->all.decoders) {
        probe_tell(p, "decoders", NULL, "",
                   e->count && !e->differ_decoders
                       ? "the decoders are not slower than rename or the predecoder"
                       : no_explanation(p, f, e));
        return;
    }
    found->decoders = e->all.decoders;
    switch (doubled(p, f, found->decoders)) {
    case DOUBLED_FIRST:
        tell_count(
            p, "decoders", found->decoders, "instructions/cycle",
            "copied blocks with 6 to 16 instructions; an instruction of two slots takes one cycle");
        break;
    case DOUBLED_ALIKE:
        tell_count(
            p, "decode_width", found->decoders, "instructions/cycle",
            "copied blocks with 6 to 16 instructions; instructions of two slots take no longer");
        break;
    case DOUBLED_UNKNOWN:
        probe_tell(p, "decoders", NULL, "",
                   "decoding has a fixed rate, but instructions of two slots do not show "
                   "whether all decoders accept them");
        break;
    }
}

/* Infers the penalty of a length-changing prefix. A block takes its cycles in predecode plus the
 * penalty, but at least its time without a prefix. If the predecode width is unknown, predecode
 * takes 1 cycle. */
static void conclude_prefixes(struct probes *p, const struct front_probes *f,
                              const struct explained *e, struct front_found *found)
{
    unsigned size = 0;

    while (size < SIZES && (unsigned)CHUNK << size != found->bytes)
        size++;
    if (size == SIZES) {
        probe_tell(p, "lcp_penalty", NULL, "",
                   "the number of predecoded bytes per cycle is unknown");
        return;
    }
    const unsigned chunks = 1U << size, insns = chunks * CHUNK_INSNS;
    const double with = probe_time(p, f->prefixed[size]),
                 without = chunks * probe_time(p, f->plain.decoded),
                 cached = chunks * probe_time(p, f->plain.cached);
    const double penalty = with - (found->width ? ceil(insns / (double)found->width) : 1);
    if (with > without + 0.5 && with > cached + 0.5 && rint(penalty) >= 1 &&
        fabs(penalty - rint(penalty)) <= PROBE_CERTAIN / 2) {
        found->penalty = (unsigned)rint(penalty);
        tell_count(p, "lcp_penalty", found->penalty, "cycles",
                   "copies of a block with and without a length-changing prefix");
    } else if (without < 2 - PROBE_CERTAIN && fabs(with - without) <= PROBE_WITHIN * without &&
               differs(p, &f->plain)) {
        probe_tell(p, "lcp_penalty", "0", "cycles",
                   "copies of a block take no longer with a length-changing prefix");
    } else {
        probe_tell(p, "lcp_penalty", NULL, "",
                   isnan(with) || isnan(without) ? "no stable time" : no_explanation(p, f, e));
    }
}

struct front_found front_probes_conclude(struct probes *p, const struct front_probes *f)
{
    const struct explained e = explain(p, f);
    struct front_found found = {0};

    conclude_predecoder(p, f, &e, &found);
    conclude_decoders(p, f, &e, &found);
    conclude_prefixes(p, f, &e, &found);
    return found;
}

void front_probes_free(struct front_probes *f)
{
    free(f);
}
