/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/margins.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/steps.h"
#include "isa/isa.h"
#include "toolchain/columns.h"
#include "toolchain/dialect.h"
#include "toolchain/margins_parts.h"
#include "toolchain/words.h"

#define REPEATED "<rep "
#define SECTIONS_MOST 16 /* maximum number of sections distinguished in a listing */
#define LISTING_GAP 8    /* largest step of a listing's line numbers, without blank lines */

static void split(struct framed_text *r, size_t length)
{
    const char *end = r->text + length;
    for (const char *p = r->text, *stop; p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        steps_add(1 + (size_t)(stop - p) / STEP_BYTES);
        struct margin line = {.percent = NAN};
        margin_set(r, &line, p, stop > p && stop[-1] == '\r' ? stop - 1 : stop);
        vec_add(&r->m->lines, line);
    }
}

/* Skips the quote marks ('>') at the start of a line. */
static const char *quote_end(const char *p, const char *end)
{
    while (p < end && *p == '>' && (p + 1 == end || p[1] == ' ' || p[1] == '>' || p[1] == '\t'))
        p = skip_blank(p + 1, end);
    return p;
}

static void quotes_take(struct framed_text *r)
{
    size_t quoted = 0, others = 0;
    const char *p, *end;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        margin_at(r, i, &p, &end);
        quoted += quote_end(p, end) > p;
        others += p < end && quote_end(p, end) == p;
    }
    if (!quoted || quoted < others)
        return;
    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = margin_at(r, i, &p, &end);
        const char *q = quote_end(p, end);
        if (q > p)
            margin_set(r, line, q, end);
        else
            margin_leave(line, p < end ? "outside of the quotation" : NULL);
    }
}

static bool is_fence(const char *p, const char *end)
{
    return text_begins(p, end, "```") || text_begins(p, end, "~~~");
}

static bool fence_of_source(const char *p, const char *end)
{
    static const char *const languages[] = {"c",    "cpp",     "c++",    "cc",   "cxx",
                                            "rust", "fortran", "python", "go",   "sh",
                                            "bash", "json",    "diff",   "java", NULL};
    while (p < end && (*p == '`' || *p == '~'))
        p++;
    const char *e = p;
    while (e < end && !isspace((unsigned char)*e) && *e != '{')
        e++;
    return word_among(p, e, languages);
}

/* Retains only text between Markdown fences. A single fence closes a block if text precedes it and
 * no text follows it. Excludes blocks of source languages if there is another block. */
static void fences_take(struct framed_text *r)
{
    size_t fences = 0, behind = 0, others = 0;
    bool inside = false, source = false, any_plain = false;
    const char *p, *end;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        margin_at(r, i, &p, &end);
        if (is_fence(p, end)) {
            any_plain |= fences % 2 == 0 && !fence_of_source(p, end);
            fences++;
            behind = 0;
        } else {
            behind += p < end;
            others += p < end && fences == 0;
        }
    }
    if (!fences)
        return;
    inside = fences == 1 && !behind && others;
    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = margin_at(r, i, &p, &end);
        if (is_fence(p, end)) {
            inside = !inside;
            source = inside && any_plain && fence_of_source(p, end);
            margin_leave(line, NULL);
        } else if (!inside || source) {
            margin_leave(line, p == end ? NULL
                        : source ? "source in another language"
                                 : "outside of the code block");
        }
    }
}

/* Returns the end of pairs of hex digits, with or without brackets, as in assembler listings; NULL
 * if there are none. */
static const char *listed_bytes_end(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && (isxdigit((unsigned char)*p) || strchr("[]()-", *p)))
        p++;
    /* The text may be a repeat count of NASM. */
    const char *times = text_begins(p, end, REPEATED) ? memchr(p, '>', (size_t)(end - p)) : NULL;
    p = times ? times + 1 : p;
    return p > start + 1 && (p == end || isspace((unsigned char)*p)) ? p : NULL;
}

/* Skips offset and bytes in an `as` or NASM listing. Returns @p if there are none. */
static const char *listed_code(const char *p, const char *end)
{
    uint64_t address;
    const char *at = skip_blank(p, end), *e = hex_end(at, end, &address);
    if (e && e - at >= 4 && e < end && isspace((unsigned char)*e)) {
        const char *bytes = skip_blank(e, end), *stop = listed_bytes_end(bytes, end);
        return stop ? stop : p;
    }
    return p;
}

/* Returns whether the line has only further bytes of the previous line, or their repeat count. An
 * offset may precede them. */
static bool listed_more(const char *p, const char *end)
{
    const char *at = skip_blank(p, end), *e = listed_bytes_end(at, end);
    return e && (e == end || *skip_blank(e, end) == '<' ||
                 listed_bytes_end(skip_blank(e, end), end) == end);
}

struct section_name { const char *text; size_t length; };

/* Returns the number of the section that a listing continues after a directive at @p. The first
 * section and .text have number 0. Returns @was if the directive selects no section. Sections
 * beyond SECTIONS_MOST share one number. */
static unsigned listed_section(const char *p, const char *end, unsigned was,
                               struct section_name *names, size_t *count)
{
    static const char *const plain[] = {".text", ".data", ".bss", NULL};
    const char *e = word_end(p, end), *name = skip_blank(e, end);

    if (word_is(p, e, ".previous") || word_is(p, e, ".popsection"))
        return 0;
    if (word_among(p, e, plain))
        name = p;
    else if (!word_is(p, e, "section") && !word_is(p, e, "segment") && !word_is(p, e, ".section") &&
             !word_is(p, e, ".pushsection"))
        return was;
    const char *stop = word_end(name, end);
    if (stop == name || word_is(name, stop, ".text"))
        return 0;
    size_t i = 0;
    while (i < *count && (names[i].length != (size_t)(stop - name) ||
                          memcmp(names[i].text, name, names[i].length) != 0))
        i++;
    if (i == *count && i < SECTIONS_MOST)
        names[(*count)++] = (struct section_name){name, (size_t)(stop - name)};
    return (unsigned)i + 1;
}

/* Parses offset and bytes of a listing line from @p. The bytes are the machine code of the text
 * after them, except for relocated parts. */
static void listed_take(struct margin *line, const char *p, const char *code)
{
    const char *at = skip_blank(p, code), *e = hex_end(at, code, &line->address),
               *bytes = skip_blank(e, code);

    line->addressed = true;
    if (!memchr(bytes, '[', (size_t)(code - bytes)) && !memchr(bytes, '(', (size_t)(code - bytes)))
        margin_take_bytes(line, bytes, code);
    else
        line->byte_count = MARGIN_BYTES;
    const char *times = memchr(bytes, '<', (size_t)(code - bytes));
    const unsigned once = line->byte_count;
    uint64_t count = 1;
    if (times)
        hex_end(times + strlen(REPEATED), code, &count);
    for (uint64_t i = 1; i < count && line->byte_count < MARGIN_BYTES; i++)
        for (unsigned k = 0; k < once && line->byte_count < MARGIN_BYTES; k++)
            line->bytes[line->byte_count++] = line->bytes[k];
}

/* Skips the mark of an expanded line: `<1>` in NASM, `>` in `as`. Returns @p if there is none. */
static const char *expansion_end(const char *p, const char *end)
{
    const char *at = skip_blank(p, end);

    if (at + 2 < end && *at == '<' && isdigit((unsigned char)at[1])) {
        while (++at < end && isdigit((unsigned char)*at))
            ;
        return at < end && *at == '>' ? at + 1 : p;
    }
    while (at < end && *at == '>')
        at++;
    return at > skip_blank(p, end) ? at : p;
}

/* Returns whether a listing line is in a macro definition or repetition. Its instructions are
 * listed again at each expansion. *@depth is the number of open definitions. */
static bool in_definition(const char *p, const char *end, unsigned *depth)
{
    static const char *const begins[] = {".macro",  ".rept",   ".irp", ".irpc", "%macro",
                                         "%imacro", "%rmacro", "%rep", NULL},
                             *const ends[] = {".endm", ".endr", "%endmacro", "%endrep", NULL};
    const char *e = p;

    while (e < end && !isspace((unsigned char)*e))
        e++;
    *depth += word_among(p, e, begins);
    if (word_among(p, e, ends) && *depth) {
        --*depth;
        return true;
    }
    return *depth > 0;
}

/* Returns whether a listing line without code is a macro call before its expansion. */
static bool calls_macro(const struct framed_text *r, size_t i)
{
    const char *p, *end, *e, *code;
    uint64_t number;

    margin_at(r, i, &p, &end);
    if (memchr(p, ':', (size_t)(end - p)) || i + 1 == r->m->lines.count)
        return false;
    margin_at(r, i + 1, &p, &end);
    e = margin_number_end(p, end, &number);
    code = e ? listed_code(e, end) : p;
    return e && code > e && expansion_end(code, end) > code;
}

/* Returns whether the line is a source line in an `as -ah` listing: ` 1:f.c **** int f(void)`. */
static bool listed_source(const char *p, const char *end)
{
    const char *first = p;

    while (p < end && isdigit((unsigned char)*p))
        p++;
    return p > first && p < end && *p == ':' && text_find(p, end, " **** ");
}

/* Removes line numbers if all or nearly all lines have one. In a listing of `as` or NASM, also
 * takes offsets and bytes, and excludes source lines, macro definitions and macro calls. */
static void numbers_take(struct framed_text *r)
{
    size_t filled = 0, in_order = 0, listed = 0, expanded = 0, blank = 0;
    uint64_t last = 0, number;
    const char *p, *end, *e;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        margin_at(r, i, &p, &end);
        if (p == end || listed_source(p, end)) {
            blank++;
            continue;
        }
        filled++;
        e = margin_number_end(p, end, &number);
        unsigned bytes = 0;
        if (e && e[-1] == ':' && column_bytes(skip_blank(e, end), end, &bytes) && bytes)
            /* The number is a short address before bytes, not a line number. */
            e = NULL;
        const char *behind = e ? listed_code(e, end) : p;
        /* Accepts the number of an expanded line: the number of the macro's definition, or a
         * repeated number. */
        if (e && behind > e && expansion_end(behind, end) > behind) {
            in_order++;
            expanded++;
        } else if (e &&
                   ((number > last && number <= last + (e[-1] == ':' ? 1 : LISTING_GAP) + blank) ||
                    (in_order == 0 && filled < 3))) {
            in_order++;
            listed += behind > e;
            last = number;
        } else if (e && number == last && listed_more(e, end)) {
            in_order++;
        }
        blank = 0;
    }
    if (in_order < 2 || 10 * in_order < 9 * filled)
        return;
    struct margin *before = NULL;   /* line whose bytes continue in the next line */
    struct section_name sections[SECTIONS_MOST];
    size_t section_count = 0;
    unsigned section = 0, depth = 0;
    last = 0;
    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = margin_at(r, i, &p, &end);
        if (listed_source(p, end)) {
            margin_leave(line, "source code");
            continue;
        }
        if (!(e = margin_number_end(p, end, &number)))
            continue;
        const bool more = listed && number == last && listed_more(e, end);
        if (more && before) {
            const char *bytes =
                listed_code(e, end) > e ? skip_blank(word_end(skip_blank(e, end), end), end) : e;
            margin_take_bytes(before, bytes, end);
        }
        const char *code = more ? end : listed ? listed_code(e, end) : e;
        const bool made = expanded && !more && expansion_end(code, end) > code;
        if (expanded && !more &&
            (made ? code == e
                  : in_definition(skip_blank(code, end), end, &depth) ||
                        (code == e && calls_macro(r, i)))) {
            margin_leave(line, NULL);
            last = number;
            before = NULL;
            continue;
        }
        if (!more && listed) {
            section = listed_section(skip_blank(code, end), end, section, sections, &section_count);
            line->section = section;
            before = code > e && code < end ? line : NULL;
            if (before)
                listed_take(line, e, code);
        }
        margin_set(r, line, made ? expansion_end(code, end) : code, end);
        last = made ? last : number;
    }
    r->m->expanded = expanded > 0;
}

static const char *rule_end(const char *p, const char *end)
{
    p = skip_blank(p, end);
    return text_begins(p, end, BAR)              ? p + strlen(BAR)
           : p < end && (*p == ':' || *p == '|') ? p + 1
                                                 : p;
}

static void percents_take(struct framed_text *r)
{
    size_t filled = 0, with = 0;
    bool heading = false;
    const char *p, *end, *e;
    float percent;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        margin_at(r, i, &p, &end);
        /* In a line without samples, the column is blank, so the line begins with the vertical
         * line. */
        filled += p < end && !text_begins(p, end, BAR);
        with += column_percent(p, end, &percent) != NULL;
        heading |= text_begins(p, end, "Percent") &&
                   (trim_end(p, end) == p + 7 || rule_end(p + 7, end) > skip_blank(p + 7, end));
    }
    r->percents = with && (heading || (with > 1 && 2 * with >= filled));
    for (size_t i = 0; r->percents && i < r->m->lines.count; i++) {
        struct margin *line = margin_at(r, i, &p, &end);
        e = column_percent(p, end, &line->percent);
        r->m->percents |= e != NULL;
        margin_set(r, line, rule_end(e ? e : p, end), end);
    }
}

/* Excludes the remaining lines that do not look like code. Reduces headings to their names. */
static void prose_leave(struct framed_text *r)
{
    const char *p, *end;
    bool macros = false;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = margin_at(r, i, &p, &end);
        const char *start, *stop, *why;
        if (p == end || line->addressed || line->symbol)
            continue;
        macros |= text_begins(p, end, ".macro");
        if (margin_heading(p, end, &start, &stop)) {
            margin_set(r, line, start, stop);
            line->symbol = true;
        } else if (prose_is_ellipsis(p, end))
            margin_leave(line, MARGIN_OMITTED);
        else if (prose_is_heading(p, end))
            margin_leave(line, NULL);
        else if ((why = prose_reason(p, end, r->percents, macros)))
            margin_leave(line, why);
    }
}

/* Returns the length of the longest instruction in bytes: @step if all instructions are that long
 * and all addresses are its multiples. */
static uint64_t longest_of(const struct margins *m, size_t step)
{
    bool aligned = step > 1;

    for (size_t i = 0; i < m->lines.count && aligned; i++)
        aligned = !m->lines.items[i].addressed || m->lines.items[i].address % step == 0;
    return aligned ? step : MARGIN_BYTES - 1;
}

/* Marks lines of code whose address is beyond the end of the previous line of code, if the
 * addresses ascend. A line without bytes has the longest length. A line before a skipped line also
 * has it, because the skipped line may be more bytes. Lines without addresses are not compared. */
static void gaps_mark(struct margins *m, size_t step)
{
    const struct margin *before = NULL;
    const uint64_t longest = longest_of(m, step);
    uint64_t length = 0;
    size_t gaps = 0;

    for (size_t pass = 0; pass < 2 && (pass == 0 || gaps); pass++, before = NULL)
        for (size_t i = 0; i < m->lines.count; i++) {
            struct margin *line = &m->lines.items[i];
            if (line->left_out && line->start == line->end)
                length = longest;
            if (line->start == line->end && !line->byte_count)
                continue;
            const bool follows = before && line->addressed && line->section == before->section;
            if (follows && line->address < before->address)
                return;
            if (follows && line->address > before->address + length) {
                gaps++;
                line->left_out = pass ? MARGIN_GAP : NULL;
            }
            before = line->addressed ? line : NULL;
            length = line->byte_count % MARGIN_BYTES ? line->byte_count : longest;
        }
}

/* Returns whether the lines of @m are Plan 9 assembler language. */
static bool is_plan9(const char *text, const struct margins *m)
{
    size_t found = 0, others = 0;

    for (size_t i = 0; i < m->lines.count; i++)
        plan9_count(text + m->lines.items[i].start, text + m->lines.items[i].end, &found, &others);
    return found > 0 && found > others;
}

void margins_find(const char *text, size_t length, size_t step, struct margins *out)
{
    struct framed_text r = {.text = text, .m = out};

    memset(out, 0, sizeof *out);
    split(&r, length);
    quotes_take(&r);
    fences_take(&r);
    if (report_take(text, out) || runtimes_take(text, out))
        return;
    numbers_take(&r);
    percents_take(&r);
    margins_judge_addresses(&r);
    if (r.unplaced)
        margins_take_bytes(&r);
    else if (out->disassembly || r.percents)
        margins_take_addresses(&r);
    out->disassembly |= r.percents;
    out->plan9 = is_plan9(text, out);
    prose_leave(&r);
    gaps_mark(out, step);
}

void margins_done(struct margins *m)
{
    vec_done(&m->lines);
}
