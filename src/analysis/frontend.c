/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/frontend.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/windows.h"
#include "base/divisor.h"
#include "base/mem.h"

#define DECODERS_MAX 16

/* Returns the cycles of the predecoder per iteration (Facile, section 4.3). A block
 * (predecode_bytes) has the instructions that end in it, and those whose opcode begins in it. The
 * block takes a cycle per predecode_width instructions. A length-changing prefix adds a penalty,
 * which the previous block partly hides. Sets *@fullest to the first instruction of the slowest
 * block. */
static double predecode(const struct core *c, const struct insn *insns, size_t count,
                        enum shape shape, unsigned align, uint32_t *fullest)
{
    size_t block = (size_t)c->predecode_bytes, length = 0, full = 0;

    for (size_t i = 0; i < count; i++)
        length += insns[i].length;
    if (!length)
        return 0;
    size_t copies = shape == SHAPE_LOOP ? 1 : block / greatest_divisor(length, block);
    size_t blocks = (align % block + copies * length + block - 1) / block;
    uint32_t *ends = mem_zero(3 * blocks, sizeof *ends), *crossing = ends + blocks,
             *prefixed = crossing + blocks;
    size_t at = align % block;
    for (size_t copy = 0; copy < copies; copy++)
        for (size_t i = 0; i < count; at += insns[i++].length) {
            size_t first = (at + insns[i].opcode_at) / block,
                   last = (at + insns[i].length - 1) / block;
            ends[last]++;
            crossing[first] += first != last;
            prefixed[last] += (insns[i].traits & INSN_LCP) != 0;
        }
    double cycles = 0, before = 0, most = 0;
    for (size_t round = 0; round < 2; round++) {
        cycles = 0;
        for (size_t b = 0; b < blocks; b++) {
            double plain = ceil((ends[b] + crossing[b]) / c->predecode_width);
            double stall =
                prefixed[b] ? fmax(0, c->lcp_penalty * prefixed[b] - fmax(0, before - 1)) : 0;
            before = plain;
            cycles += plain + stall;
            full = plain + stall > most ? b : full;
            most = fmax(most, plain + stall);
        }
    }
    at = align % block;
    for (size_t i = 0; i < copies * count && *fullest == FRONTEND_NOWHERE;
         at += insns[i++ % count].length)
        if ((at + insns[i % count].length - 1) / block == full)
            *fullest = (uint32_t)(i % count);
    free(ends);
    return cycles / (double)copies;
}

/* An instruction, a macro-fused pair, or a move fused with an operation, at the decoders */
struct decoded {
    unsigned micro_ops;
    bool complex, fusible, branch;
};

static size_t collect(const struct insn *insns, const struct costs *costs, struct decoded *out)
{
    size_t n = 0;
    for (size_t i = 0; i < costs->count; i++) {
        const struct cost *row = &costs->rows[i];
        if (row->flags & (ROW_PART | ROW_JOINS))
            continue;
        bool branch = insns[i].traits & INSN_BRANCH || row->flags & ROW_FUSED;
        out[n++] = (struct decoded){row->decode, row->decode > 1 || row->op->traits & OP_COMPLEX,
                                    row->op->traits & OP_FUSIBLE && !branch, branch};
    }
    return n;
}

/* Returns the cycles of the decoders per iteration. The first decoder takes instructions of several
 * µops (fact decode_complex_uops), the other decoders take instructions of one µop. The microcode
 * ROM delivers longer instructions. Simulates iterations until one begins on the same decoder as an
 * earlier one. */
static double decode(const struct core *c, const struct insn *insns, const struct costs *costs)
{
    struct decoded *list = mem_alloc((costs->count + 1) * sizeof *list);
    size_t n = collect(insns, costs, list), decoders = (size_t)c->decoders, cycle = 0, used = 0,
           starts[DECODERS_MAX + 1], when[DECODERS_MAX + 1];
    unsigned most = (unsigned)c->decode_complex_uops;
    bool full = true, seen[DECODERS_MAX + 1] = {false};
    double result = 0;

    decoders = decoders > DECODERS_MAX ? DECODERS_MAX : decoders;
    for (size_t iteration = 0; n; iteration++) {
        for (size_t i = 0; i < n; i++) {
            const struct decoded *d = &list[i];
            bool last = used + 1 == decoders;
            if (full || used >= decoders || (d->complex && used) ||
                (last && d->fusible && !c->fusible_in_last_decoder)) {
                cycle++;
                used = 0;
                full = false;
            }
            if (i == 0) {
                if (seen[used]) {
                    result = (double)(cycle - when[used]) / (double)(iteration - starts[used]);
                    free(list);
                    return result;
                }
                seen[used] = true;
                starts[used] = iteration;
                when[used] = cycle;
            }
            if (d->micro_ops > most)
                cycle += (d->micro_ops - 1) / core_microcode_width(c);
            /* An instruction of several µops reduces the number of decoders for the instructions
             * after it. */
            used += d->micro_ops > 1 ? (d->micro_ops < decoders ? d->micro_ops : decoders) : 1;
            full = d->branch || d->micro_ops >= c->decode_alone_uops;
        }
    }
    free(list);
    return result;
}

/* Returns the first branch that crosses or ends at a 32-byte boundary; FRONTEND_NOWHERE: none. */
static uint32_t boundary_at(const struct insn *insns, const struct costs *costs, unsigned align)
{
    size_t at = align;
    for (uint32_t i = 0; i < costs->count; at += insns[i++].length) {
        if (!(insns[i].traits & INSN_BRANCH))
            continue;
        size_t from = costs->rows[i].flags & ROW_FUSED_INTO ? at - insns[i - 1].length : at,
               end = at + insns[i].length;
        if (from / 32 != end / 32)
            return i;
    }
    return FRONTEND_NOWHERE;
}

struct lines {
    size_t block;
    unsigned count, used, branches;
};

#define LINE_BRANCHES 2

/* Adds an instruction. Returns false if its block then needs too many lines. Instructions do not
 * span lines, microcode takes a whole line, and a line has a limited number of branches (Intel's
 * optimization manual, decoded instruction cache). */
static bool add_to_lines(const struct core *c, struct lines *l, size_t block, unsigned micro_ops,
                         bool branch)
{
    unsigned most = (unsigned)c->uop_cache_line_uops;
    bool whole = micro_ops > c->decode_complex_uops || micro_ops > most;

    if (block != l->block || !l->count)
        *l = (struct lines){.block = block, .count = 1};
    else if ((whole && l->used) || l->used + micro_ops > most ||
             l->branches + branch > LINE_BRANCHES)
        *l = (struct lines){.block = block, .count = l->count + 1};
    l->used += whole ? most : micro_ops;
    l->branches += branch;
    return l->count <= c->uop_cache_lines;
}

/* Returns the first instruction of a block that needs too many µop cache lines; FRONTEND_NOWHERE:
 * none. A macro-fused pair belongs to the block of its first instruction. */
static uint32_t crowded_at(const struct core *c, const struct insn *insns,
                           const struct costs *costs, enum shape shape, unsigned align)
{
    size_t size = (size_t)c->uop_cache_block, length = 0, at = align;
    struct lines lines = {0};
    uint32_t first = 0;

    if (isnan(c->uop_cache_lines) || isnan(c->uop_cache_line_uops))
        return FRONTEND_NOWHERE;
    for (size_t i = 0; i < costs->count; i++)
        length += insns[i].length;
    size_t copies = shape == SHAPE_LOOP || !length ? 1 : size / greatest_divisor(length, size);
    for (size_t copy = 0; copy < copies; copy++)
        for (uint32_t i = 0; i < costs->count; at += insns[i++].length) {
            const struct cost *row = &costs->rows[i];
            if (row->flags & ROW_PART)
                continue;
            first = at / size != lines.block || !lines.count ? i : first;
            if (!add_to_lines(c, &lines, at / size, row->decode,
                              insns[i].traits & INSN_BRANCH || row->flags & ROW_FUSED))
                return first;
        }
    return FRONTEND_NOWHERE;
}

bool frontend_crowded(const struct core *c, const struct insn *insns, const struct costs *costs,
                      enum shape shape, unsigned align)
{
    return crowded_at(c, insns, costs, shape, align) != FRONTEND_NOWHERE;
}

/* Returns the cycles of the µop cache per iteration. A loop within one 32-byte block takes whole
 * cycles. Returns NaN if neither width nor windows are known. Sets *@by_windows if windows take
 * longer than slots. */
static double uop_cache(const struct core *c, const struct insn *insns, const struct costs *costs,
                        enum shape shape, double slots, unsigned align, bool *by_windows)
{
    size_t length = 0;
    for (size_t i = 0; i < costs->count; i++)
        length += insns[i].length;
    bool rounds_up = shape == SHAPE_LOOP && align % 32 + length <= 32;
    double cycles = slots / c->uop_cache_width;
    if (rounds_up)
        cycles = ceil(cycles);
    if (windows_known(c)) {
        struct window_groups groups = {.copies = 0};
        windows_form(c, insns, costs, shape, align, &groups);
        /* fmax ignores an argument that is NaN. */
        const double least = fmax(cycles, slots / c->issue_width);
        /* Ignores windows that take no longer than the closing branch, which frontend.by_branch
         * covers. */
        const bool jump_alone = shape == SHAPE_LOOP && groups.cycles <= 1 / c->taken_branches;
        *by_windows = groups.cycles > least && !jump_alone;
        cycles = jump_alone ? least : fmax(cycles, groups.cycles);
        windows_done(&groups);
    }
    return cycles;
}

/* Returns the cycles of the loop buffer per iteration. The buffer is assumed to unroll the loop by
 * the factor from 1 to 8 with the fewest cycles per iteration (Facile, section 4.6). The loop must
 * fit in the buffer. */
static double loop_buffer(const struct core *c, double slots)
{
    double copies = 1, best = INFINITY, width = isnan(c->issue_width) ? NAN : core_slots(c);
    while (slots * copies <= c->loop_buffer && copies <= 8) {
        best = fmin(best, ceil(slots * copies / width) / copies);
        copies++;
    }
    return best;
}

/* Returns the cycles of symmetric decoders per iteration. A fused pair is one instruction, as is a
 * move with the instruction that it joins. */
static double decode_alike(const struct core *c, const struct costs *costs)
{
    size_t count = 0;
    for (size_t i = 0; i < costs->count; i++)
        count += !(costs->rows[i].flags & (ROW_PART | ROW_JOINS));
    return (double)count / c->decode_width;
}

static double bytes_of(const struct insn *insns, size_t count)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += insns[i].length;
    return (double)length;
}

void frontend_bound(const struct core *c, const struct insn *insns, const struct costs *costs,
                    enum shape shape, unsigned align, struct frontend *out)
{
    double slots = 0;

    *out = (struct frontend){.predecode = NAN,
                             .decode = NAN,
                             .uop_cache = NAN,
                             .loop_buffer = NAN,
                             .source = SOURCE_UNKNOWN,
                             .at = FRONTEND_NOWHERE,
                             .cycles = NAN};
    uint32_t fullest = FRONTEND_NOWHERE, boundary = FRONTEND_NOWHERE, crowded = FRONTEND_NOWHERE;
    for (size_t i = 0; i < costs->count; i++)
        slots += costs->rows[i].decode;
    if (!isnan(c->predecode_bytes) && !isnan(c->predecode_width))
        out->predecode = predecode(c, insns, costs->count, shape, align, &fullest);
    /* A machine without facts of the predecoder may have fetch_bytes, the number of bytes fetched
     * per cycle. */
    else if (!isnan(c->fetch_bytes))
        out->predecode = bytes_of(insns, costs->count) / c->fetch_bytes;
    if (!isnan(c->decoders))
        out->decode = decode(c, insns, costs);
    else if (!isnan(c->decode_width))
        out->decode = decode_alike(c, costs);
    if (shape != SHAPE_UNROLLED) {
        boundary = c->jcc_erratum ? boundary_at(insns, costs, align) : FRONTEND_NOWHERE;
        crowded = crowded_at(c, insns, costs, shape, align);
        out->jcc_erratum = boundary != FRONTEND_NOWHERE;
        out->crowded = crowded != FRONTEND_NOWHERE;
        /* uop_cache_size is NaN if unknown; the comparison is then false. */
        out->large = slots > c->uop_cache_size;
        out->uop_cache = uop_cache(c, insns, costs, shape, slots, align, &out->by_windows);
        if (!isnan(c->loop_buffer) && !out->crowded && !out->large && slots <= c->loop_buffer)
            out->loop_buffer = loop_buffer(c, slots);
    }
    if (!isnan(out->loop_buffer)) {
        out->source = SOURCE_LOOP_BUFFER;
        out->cycles = out->loop_buffer;
    } else if (!isnan(out->uop_cache) && !out->jcc_erratum && !out->crowded && !out->large) {
        out->source = SOURCE_UOP_CACHE;
        out->cycles = out->uop_cache;
    } else if (!isnan(out->predecode) || !isnan(out->decode)) {
        out->source = SOURCE_DECODERS;
        /* fmax ignores an argument that is NaN. */
        out->cycles = fmax(out->predecode, out->decode);
        out->at = out->jcc_erratum                ? boundary
                  : out->crowded                  ? crowded
                  : out->predecode >= out->decode ? fullest
                                                  : FRONTEND_NOWHERE;
    }
    out->by_branch =
        shape == SHAPE_LOOP && !isnan(c->taken_branches) && !(out->cycles >= 1 / c->taken_branches);
    if (out->by_branch)
        out->cycles = 1 / c->taken_branches;
}
