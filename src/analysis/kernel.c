/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "isa/isa.h"
#include "toolchain/debug_lines.h"

#define ORIGIN_LINES 1000000   /* largest number of source lines whose text is stored */

bool kernel_place(struct kernel *k, uint64_t address, const char *why, struct err *err)
{
    for (size_t i = 0; i < k->insn_count && !watch_steps(1); i++) {
        struct insn *in = &k->insns[i], placed;
        memset(&placed, 0, sizeof placed);
        if (in->traits & INSN_UNDECODED)
            insn_undecoded(k->isa, in->bytes, in->length, 0, in->text, true, &placed);
        else if (!insn_decode(k->isa, in->bytes, in->length, address + in->offset, true, &placed,
                              err))
            return false;
        placed.offset = placed.address = address + in->offset;
        placed.placed = true;
        insn_done(in);
        *in = placed;
    }
    free(k->loops[0].why);
    k->loops[0].why = mem_strdup(why);
    return true;
}

uint32_t kernel_source_line(const struct kernel *k, const struct insn *insn, const char **text)
{
    if (text)
        *text = insn->origin && insn->origin <= k->origin_text_count
                    ? k->origin_texts[insn->origin - 1]
                    : NULL;
    return insn->origin;
}

const char *kernel_inlined(const struct kernel *k, const struct insn *insn)
{
    const struct debug_line *row = k->debug ? debug_line_at(k->debug, insn->offset) : NULL;

    return row && row->inlined ? k->debug->inlined.items[row->inlined - 1] : NULL;
}

bool kernel_source_note(const struct kernel *k, const struct insn *insn, const struct insn *before,
                        struct str *out)
{
    const char *text, *inlined = kernel_inlined(k, insn);
    const uint32_t line = kernel_source_line(k, insn, &text);

    if ((!text && !inlined) || (before && kernel_source_line(k, before, NULL) == line &&
                                kernel_inlined(k, before) == inlined))
        return false;
    if (line)
        str_addf(out, "%u: %s", line, text ? text + strspn(text, " \t") : "");
    if (inlined)
        str_addf(out, "%sinlined %s", line ? "  " : "", inlined);
    return true;
}

bool kernel_has_source(const struct kernel *k)
{
    return k->origin_line_count || (k->debug && k->debug->rows.count);
}

void kernel_set_origin(struct kernel *k, uint32_t *take_lines, size_t line_count, char *take_text)
{
    VEC(const char *) texts = {0};

    for (char *at = take_text, *next; at && *at && texts.count < ORIGIN_LINES && !watch_steps(1);
         at = next) {
        const size_t span = strcspn(at, "\n");
        next = at + span + (at[span] == '\n');
        at[span && at[span - 1] == '\r' ? span - 1 : span] = '\0';
        vec_add(&texts, at);
    }
    k->origin_lines = take_lines;
    k->origin_line_count = line_count;
    k->origin = take_text;
    k->origin_texts = texts.items;
    k->origin_text_count = texts.count;
    for (size_t i = 0; i < k->insn_count; i++)
        if (k->insns[i].line && k->insns[i].line <= line_count)
            k->insns[i].origin = take_lines[k->insns[i].line - 1];
}

/* Returns @text without the lines after the last line with code. Lines before the first line with
 * code become empty, so line numbers do not change. The caller frees the result. */
static char *lines_of_code(const struct kernel *k, const char *text)
{
    uint32_t first = UINT32_MAX, last = 0, line = 1;
    struct str kept = {0};

    for (size_t i = 0; i < k->insn_count; i++) {
        first = k->insns[i].origin && k->insns[i].origin < first ? k->insns[i].origin : first;
        last = k->insns[i].origin > last ? k->insns[i].origin : last;
    }
    for (const char *at = text; *at && line <= last; line++) {
        const size_t span = strcspn(at, "\n");
        if (line >= first)
            str_add_bytes(&kept, at, span);
        str_add_char(&kept, '\n');
        at += span + (at[span] == '\n');
    }
    return str_take(&kept);
}

void kernel_set_debug(struct kernel *k, struct debug_lines *take, char *take_text)
{
    k->debug = mem_zero(1, sizeof *k->debug);
    *k->debug = *take;
    *take = (struct debug_lines){0};
    for (size_t i = 0; i < k->insn_count; i++) {
        const struct debug_line *row = debug_line_at(k->debug, k->insns[i].offset);
        k->insns[i].origin = row ? row->line : 0;
    }
    if (take_text) {
        char *kept = lines_of_code(k, take_text);
        free(take_text);
        take_text = kept;
    }
    kernel_set_origin(k, NULL, 0, take_text);
}

double kernel_percent(const struct kernel *k, const struct insn *insn)
{
    const size_t at = k->source ? insn->line : (size_t)(insn - k->insns) + 1;

    return at && at <= k->percent_count ? (double)k->percents[at - 1] : NAN;
}

void kernel_set_percents(struct kernel *k, float *take)
{
    k->percents = take;
    k->percent_count = k->insn_count;
}

const struct insn *kernel_insns(const struct kernel *k, size_t loop, size_t *count)
{
    *count = k->loops[loop].count;
    return k->insns + k->loops[loop].first;
}
