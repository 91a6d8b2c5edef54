/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/margins_parts.h"

#include <ctype.h>
#include <string.h>

#include "toolchain/words.h"

#define BAR "\u2502"
/* vertical line of variable ranges in llvm-objdump --debug-vars, which is not a table border */
#define RANGE "\u2503"
#define ROW_BARS 3       /* minimum number of bars in a row of a table */

/* Returns whether the line is a table row. Rows of IACA and uiCA begin with a bar, rows of OSACA
 * with a line number and a bar. *@bars: number of bars. *@behind: end of the last bar. *@twice:
 * whether two bars are adjacent. */
static bool is_row(const char *p, const char *end, size_t *bars, const char **behind, bool *twice)
{
    const char *first = p;
    while (first < end && isdigit((unsigned char)*first))
        first++;
    first = skip_blank(first, end);
    *bars = 0;
    *twice = false;
    *behind = end;
    if (first >= end || (*first != '|' && !text_begins(first, end, BAR)))
        return false;
    for (const char *at = first; at < end; at++) {
        if (text_begins(at, end, RANGE))
            return false;
        size_t wide = *at == '|' ? 1 : text_begins(at, end, BAR) ? strlen(BAR) : 0;
        if (!wide)
            continue;
        *twice |= *at == '|' && at + 1 < end && at[1] == '|';
        ++*bars;
        *behind = at + wide;
        at += wide - 1;
    }
    return *bars >= ROW_BARS;
}

/* Skips the marks of an instruction: OSACA's marks are a single X, * or P. Returns @end for a row
 * of titles or totals, which has no instruction. */
static const char *marks_end(const char *p, const char *end)
{
    p = skip_blank(p, end);
    while (end - p > 1 && strchr("X*P", *p) && isspace((unsigned char)p[1]))
        p = skip_blank(p + 1, end);
    return word_is(p, trim_end(p, end), "Total") || word_is(p, trim_end(p, end), "Instruction")
               ? end
               : p;
}

static bool tables_take(const char *text, struct margins *m)
{
    size_t rows = 0, bars;
    bool doubled = false, twice;
    const char *behind;

    for (size_t i = 0; i < m->lines.count; i++) {
        const char *p = skip_blank(text + m->lines.items[i].start, text + m->lines.items[i].end),
                   *end = trim_end(p, text + m->lines.items[i].end);
        if (is_row(p, end, &bars, &behind, &twice)) {
            rows += marks_end(behind, end) < end;
            doubled |= twice;
        }
    }
    for (size_t i = 0; rows && i < m->lines.count; i++) {
        struct margin *line = &m->lines.items[i];
        const char *p = skip_blank(text + line->start, text + line->end),
                   *end = trim_end(p, text + line->end);
        /* If some rows have a double bar, the rows without a double bar are a second table of the
         * same instructions, which is omitted. */
        bool code = is_row(p, end, &bars, &behind, &twice) && (twice || !doubled);
        line->end = (size_t)(end - text);
        line->start = code ? (size_t)(marks_end(behind, end) - text) : line->end;
    }
    return rows > 0;
}

/* Parts of llvm-mca's report that list instructions, in order of preference. */
static const char *const parts[] = {
    "Instruction Info:", "Resource pressure by instruction:", "Timeline view:"};
#define PART_COUNT (sizeof parts / sizeof *parts)

/* Returns the instruction of a timeline row, which is after the last wide gap. Returns @end for
 * rows of iterations after the first, and for other lines. */
static const char *timeline_code(const char *p, const char *end)
{
    const char *found = end;
    if (!text_begins(p, end, "[0,"))
        return end;
    for (const char *at = p; end - at > 3; at++)
        if (memcmp(at, "   ", 3) == 0 && at[3] != ' ')
            found = at + 3;
    return found;
}

/* Reduces the rows of part @part, from line @first to an empty line, to their instructions. These
 * are in the column below the word "Instructions", or at the end of a row of the timeline (part 2).
 * Other lines become empty. */
static void part_take(const char *text, struct margins *m, size_t first, size_t part)
{
    static const char word[] = "Instructions:";
    size_t column = 0;
    bool empty = false, ended = false;

    for (size_t i = 0; i < m->lines.count; i++) {
        struct margin *line = &m->lines.items[i];
        const char *p = text + line->start, *end = trim_end(p, text + line->end), *code = end, *at;
        if (i > first && !ended) {
            ended = empty && p == end && (column || part == 2);
            empty = column > 0 || part == 2;
            if (part == 2) {
                at = skip_blank(p, end);
                ended = text_begins(at, end, "Average Wait");
                code = timeline_code(at, end);
            } else if ((at = text_find(p, end, word))) {
                column = column ? column : (size_t)(at - p);
            } else if (column && (size_t)(end - p) > column) {
                code = p + column;
            }
        }
        line->end = (size_t)(end - text);
        line->start = (size_t)(code - text);
    }
}

static bool mca_take(const char *text, struct margins *m)
{
    size_t found[PART_COUNT];

    for (size_t k = 0; k < PART_COUNT; k++)
        found[k] = m->lines.count;
    for (size_t i = m->lines.count; i-- > 0;) {
        const char *p = skip_blank(text + m->lines.items[i].start, text + m->lines.items[i].end),
                   *end = trim_end(p, text + m->lines.items[i].end);
        for (size_t k = 0; k < PART_COUNT; k++)
            if (word_is(p, end, parts[k]))
                found[k] = i;
    }
    for (size_t k = 0; k < PART_COUNT; k++)
        if (found[k] < m->lines.count) {
            part_take(text, m, found[k], k);
            return true;
        }
    return false;
}

bool report_take(const char *text, struct margins *m)
{
    return mca_take(text, m) || tables_take(text, m);
}
