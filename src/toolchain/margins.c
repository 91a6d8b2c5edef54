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
#include "toolchain/plan9.h"
#include "toolchain/prose.h"
#include "toolchain/report.h"
#include "toolchain/runtimes.h"
#include "toolchain/words.h"

#define REPEATED "<rep "
#define SECTIONS_MOST 16 /* of a listing that are told apart */
#define LISTING_GAP 8    /* numbers of lines that a listing leaves out at one place */
#define STEP_BYTES 100   /* that are looked through in one step of base/steps.h */

/* A text that is being looked through. */
struct framed_text {
    const char *text;
    struct margins *m;
    bool percents;       /* it has the columns of a profile */
    bool joined;         /* bytes stand beside each other, without blanks */
    bool unplaced;       /* bytes stand there without their addresses: objdump --no-addresses */
};

static struct margin *line_at(const struct framed_text *r, size_t i, const char **p,
                              const char **end)
{
    struct margin *line = &r->m->lines.items[i];
    *p = skip_blank(r->text + line->start, r->text + line->end);
    *end = trim_end(*p, r->text + line->end);
    return line;
}

static void margin_set(const struct framed_text *r, struct margin *line, const char *start,
                       const char *end)
{
    line->start = (size_t)(start - r->text);
    line->end = (size_t)(end - r->text);
}

/* The line is read no further; @why NULL: as one that has no code. */
static void leave(struct margin *line, const char *why)
{
    line->end = line->start;
    line->left_out = why;
}

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

/* Skips leading '>' quote marks. */
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
        line_at(r, i, &p, &end);
        quoted += quote_end(p, end) > p;
        others += p < end && quote_end(p, end) == p;
    }
    if (!quoted || quoted < others)
        return;
    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = line_at(r, i, &p, &end);
        const char *q = quote_end(p, end);
        if (q > p)
            margin_set(r, line, q, end);
        else
            leave(line, p < end ? "outside of the quotation" : NULL);
    }
}

static bool is_fence(const char *p, const char *end)
{
    return text_begins(p, end, "```") || text_begins(p, end, "~~~");
}

/* Whether a block of Markdown says that it is in another language. */
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

/* Markdown: what stands between fences is read; a lone fence with code only before it has lost its
 * first. */
static void fences_take(struct framed_text *r)
{
    size_t fences = 0, behind = 0, others = 0;
    bool inside = false, source = false, any_plain = false;
    const char *p, *end;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        line_at(r, i, &p, &end);
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
        struct margin *line = line_at(r, i, &p, &end);
        if (is_fence(p, end)) {
            inside = !inside;
            source = inside && any_plain && fence_of_source(p, end);
            leave(line, NULL);
        } else if (!inside || source) {
            leave(line, p == end ? NULL
                        : source ? "source in another language"
                                 : "outside of the code block");
        }
    }
}

/* A decimal number and what separates it from the line; NULL when there is none. */
static const char *number_end(const char *p, const char *end, uint64_t *number)
{
    const char *start = p;
    for (*number = 0; p < end && isdigit((unsigned char)*p) && p - start < 8; p++)
        *number = 10 * *number + (uint64_t)(*p - '0');
    if (p == start || (p < end && isdigit((unsigned char)*p)))
        return NULL;
    if (p == end)
        return p;
    const char *gap = skip_blank(p, end);
    if (text_begins(gap, end, BAR))
        return gap + strlen(BAR);
    if (gap < end && (*gap == '|' || (gap == p && strchr(":.)", *gap))))
        return gap + 1;
    return gap > p ? p : NULL;
}

/* Appends the bytes from @p to @end, pairs of hex digits, to those of @line; what is too long for
 * an instruction leaves it without. */
static void bytes_take(struct margin *line, const char *p, const char *end)
{
    uint64_t value;

    for (p = skip_blank(p, end);
         end - p >= 2 && isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]);
         p = skip_blank(p + 2, end)) {
        hex_end(p, p + 2, &value);
        if (line->byte_count == MARGIN_BYTES)
            return;
        line->bytes[line->byte_count++] = (uint8_t)value;
    }
}

/* Pairs of hex digits in brackets or without, as listings of assemblers have them; the end, or
 * NULL. */
static const char *listed_bytes_end(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && (isxdigit((unsigned char)*p) || strchr("[]()-", *p)))
        p++;
    /* NASM: how often they come */
    const char *times = text_begins(p, end, REPEATED) ? memchr(p, '>', (size_t)(end - p)) : NULL;
    p = times ? times + 1 : p;
    return p > start + 1 && (p == end || isspace((unsigned char)*p)) ? p : NULL;
}

/* Behind place and bytes of a listing of `as` or NASM, @p itself where there are none. */
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

/* More bytes of the line before, with their place or without, or how often they are repeated. */
static bool listed_more(const char *p, const char *end)
{
    const char *at = skip_blank(p, end), *e = listed_bytes_end(at, end);
    return e && (e == end || *skip_blank(e, end) == '<' ||
                 listed_bytes_end(skip_blank(e, end), end) == end);
}

struct section_name { const char *text; size_t length; };

/* The section that a line of a listing goes on in, by a directive at @p: 0 where it is the first
 * one or .text; @was where it is none. Beyond SECTIONS_MOST all are one. */
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

/* The place and bytes of a line of a listing, from @p on: what the assembler made of the code
 * behind them, but where others are still to fill in a part. */
static void listed_take(struct margin *line, const char *p, const char *code)
{
    const char *at = skip_blank(p, code), *e = hex_end(at, code, &line->address),
               *bytes = skip_blank(e, code);

    line->addressed = true;
    if (!memchr(bytes, '[', (size_t)(code - bytes)) && !memchr(bytes, '(', (size_t)(code - bytes)))
        bytes_take(line, bytes, code);
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

/* Behind the mark of a line that a macro or repetition made, `<1>` of NASM and `>` of `as`; @p
 * itself where there is none. */
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

/* Whether a line of a listing is one of a definition or repetition, whose instructions are listed
 * where they were made; @depth of those that are open. */
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

/* Whether a line of a listing that has no code is a macro's call: what it made follows. */
static bool calls_macro(const struct framed_text *r, size_t i)
{
    const char *p, *end, *e, *code;
    uint64_t number;

    line_at(r, i, &p, &end);
    if (memchr(p, ':', (size_t)(end - p)) || i + 1 == r->m->lines.count)
        return false;
    line_at(r, i + 1, &p, &end);
    e = number_end(p, end, &number);
    code = e ? listed_code(e, end) : p;
    return e && code > e && expansion_end(code, end) > code;
}

/* Source that `as -ah` lists between the instructions: `   1:f.c           **** int f(void)`. */
static bool listed_source(const char *p, const char *end)
{
    const char *first = p;

    while (p < end && isdigit((unsigned char)*p))
        p++;
    return p > first && p < end && *p == ':' && text_find(p, end, " **** ");
}

/* Numbers that count the lines, before all or nearly all of them. */
static void numbers_take(struct framed_text *r)
{
    size_t filled = 0, in_order = 0, listed = 0, expanded = 0, blank = 0;
    uint64_t last = 0, number;
    const char *p, *end, *e;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        line_at(r, i, &p, &end);
        if (p == end || listed_source(p, end)) {
            blank++;
            continue;
        }
        filled++;
        e = number_end(p, end, &number);
        unsigned bytes = 0;
        if (e && e[-1] == ':' && column_bytes(skip_blank(e, end), end, &bytes) && bytes)
            e = NULL;   /* a short address with bytes behind */
        const char *behind = e ? listed_code(e, end) : p;
        /* the number is that of the definition, or comes again */
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
    struct margin *before = NULL;   /* the line whose bytes go on */
    struct section_name sections[SECTIONS_MOST];
    size_t section_count = 0;
    unsigned section = 0, depth = 0;
    last = 0;
    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = line_at(r, i, &p, &end);
        if (listed_source(p, end)) {
            leave(line, "source code");
            continue;
        }
        if (!(e = number_end(p, end, &number)))
            continue;
        const bool more = listed && number == last && listed_more(e, end);
        if (more && before) {
            const char *bytes =
                listed_code(e, end) > e ? skip_blank(word_end(skip_blank(e, end), end), end) : e;
            bytes_take(before, bytes, end);
        }
        const char *code = more ? end : listed ? listed_code(e, end) : e;
        const bool made = expanded && !more && expansion_end(code, end) > code;
        if (expanded && !more &&
            (made ? code == e
                  : in_definition(skip_blank(code, end), end, &depth) ||
                        (code == e && calls_macro(r, i)))) {
            leave(line, NULL);
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
        line_at(r, i, &p, &end);
        /* where nothing was seen the column is blank, and its rule is first */
        filled += p < end && !text_begins(p, end, BAR);
        with += column_percent(p, end, &percent) != NULL;
        heading |= text_begins(p, end, "Percent") &&
                   (trim_end(p, end) == p + 7 || rule_end(p + 7, end) > skip_blank(p + 7, end));
    }
    r->percents = with && (heading || (with > 1 && 2 * with >= filled));
    for (size_t i = 0; r->percents && i < r->m->lines.count; i++) {
        struct margin *line = line_at(r, i, &p, &end);
        e = column_percent(p, end, &line->percent);
        r->m->percents |= e != NULL;
        margin_set(r, line, rule_end(e ? e : p, end), end);
    }
}

/* An address with what belongs to it. */
struct address_column {
    uint64_t address;
    /* start: the first digit; rest: what stands behind address, symbol and bytes */
    const char *start, *rest;
    bool named;                 /* `<main+4>` or `<+4>` stands behind it */
    bool bytes;
    bool joined;
    bool wide;                  /* eight digits or more before a word */
    const char *code;           /* where the bytes begin; they end at rest */
};

/* What debuggers put before the instruction they are at, and breakpoints. */
static const char *mark_end(const char *p, const char *end)
{
    static const char *const marks[] = {"-->", "=>", "->", "B+>", "b+>",
                                        "B+",  "b+", "H+", ">",   "*"};
    if (text_begins(p, end, BAR))
        p = skip_blank(p + strlen(BAR), end);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (text_begins(p, end, marks[i]))
            return skip_blank(p + strlen(marks[i]), end);
    return p;
}

/* The end of `<main+4>` at @p, NULL when there is none. Names of C++ have such brackets within. */
static const char *angle_end(const char *p, const char *end)
{
    if (p >= end || *p != '<')
        return NULL;
    const char *first = NULL, *at = p;
    steps_add((size_t)(end - p) / 16);
    while ((at = memchr(at, '>', (size_t)(end - at)))) {
        at++;
        if (at < end && *at == ':' && (at + 1 == end || isspace((unsigned char)at[1])))
            return at;
        if (!first && (at == end || isspace((unsigned char)*at)) && isalnum((unsigned char)at[-2]))
            first = at;
    }
    return first;
}

static bool place_find(const char *p, const char *end, bool joined, struct address_column *out)
{
    p = mark_end(p, end);
    *out = (struct address_column){.start = p};
    bool prefixed = text_begins(p, end, "0x") || text_begins(p, end, "0X");
    const char *digits = p + (prefixed ? 2 : 0), *e = hex_end(digits, end, &out->address);
    uint64_t low;
    if (!e) {
        /* a debugger's line without its address */
        const char *angle = text_begins(p, end, "<+") ? angle_end(p, end) : NULL;
        if (!angle || angle >= end || *angle != ':')
            return false;
        out->address = strtoull(p + 2, NULL, 10);
        out->named = true;
        out->rest = skip_blank(angle + 1, end);
        return true;
    }
    if (e < end && *e == '`' && hex_end(e + 1, end, &low)) {
        e = hex_end(e + 1, end, &low);
        out->address = out->address << 32 | low;
    }
    const char *angle = angle_end(skip_blank(e, end), end);
    out->named = angle && e < end;
    const char *behind = out->named ? angle : e;
    bool colon = behind < end && *behind == ':';
    if (out->named && behind == end && e - digits < 4 && !prefixed)   /* `b <f+0x10>` of AArch64 */
        return false;
    if (colon)
        behind++;
    else if (!out->named &&
             ((e - digits < 4 && !prefixed) || behind >= end || !isspace((unsigned char)*behind)))
        return false;
    const char *b = column_art(behind, end), *after;
    unsigned count;
    out->code = b;
    after = column_bytes(b, end, &count);
    out->bytes = count > 0;
    const char *run = column_joined(b, end);
    bool digits_within = false;   /* fadd has none */
    for (const char *at = b; at < run; at++)
        digits_within |= isdigit((unsigned char)*at) != 0;
    out->joined = !count && run > b && (joined || (run - b > 2 && digits_within));
    if (joined && out->joined) {
        out->bytes = true;
        after = skip_blank(run, end);
    }
    out->rest = after;
    const char *word = skip_blank(behind, end);
    /* No statement begins with a digit; letters alone may be a name. */
    out->wide = !colon && !out->named && e - digits >= 8 &&
                ((isdigit((unsigned char)*p) && word < end && isalpha((unsigned char)*word)) ||
                 isa_of_dialects()->is_mnemonic(word, (size_t)(word_end(word, end) - word)));
    return out->bytes || out->named || prefixed || out->wide || (out->joined && !colon) ||
           (colon && b > behind);
}

/* `0000000000001139 <main>:` gives main. */
static bool heading_symbol(const char *p, const char *end, const char **start, const char **stop)
{
    uint64_t address;
    const char *e = hex_end(p, end, &address);
    if (!e || end - e < 5 || e[0] != ' ' || e[1] != '<' || end[-1] != ':' || end[-2] != '>')
        return false;
    *start = e + 2;
    *stop = end - 2;
    return true;
}

/* Whether lines say where they are. Of those that are only a number and a colon there must be many,
 * and they must grow: as do local labels not. */
static void disassembly_judge(struct framed_text *r)
{
    size_t sure = 0, weak = 0, other = 0, joined = 0, places = 0, unplaced = 0;
    uint64_t last = 0;
    bool header = false, named = false;
    const char *p, *end;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct address_column place;
        line_at(r, i, &p, &end);
        if (p == end || *p == '#' || *p == ';' || *p == '.' || end[-1] == ':')
            continue;
        header |= text_begins(p, end, "Disassembly of section");
        if (!place_find(p, end, false, &place)) {
            unsigned count;
            other++;
            unplaced += column_bytes(p, end, &count) > p && count;
            continue;
        }
        places++;
        joined += place.joined;
        named |= place.named;
        if (place.named || place.bytes || place.joined || place.wide) {
            sure++;
        } else {
            weak += place.address > last || place.address == 0;
            last = place.address;
        }
    }
    r->joined = places > 0 && 10 * joined >= 8 * places;
    r->unplaced = !places && unplaced > 1 && 10 * unplaced >= 9 * other;
    r->m->disassembly = r->unplaced       ? true
                        : header || named ? sure + weak > 0
                                          : sure > other || (sure > 1 && 4 * sure > other) ||
                                                (weak > 2 && weak > other);
}

static bool is_label_line(const char *p, const char *end)
{
    const char *blank = p;
    while (blank < end && !isspace((unsigned char)*blank))
        blank++;
    return end - p > 1 && end[-1] == ':' &&
           (blank == end || memchr(p, '(', (size_t)(end - p)) || text_find(p, end, "::"));
}

/* Behind a column of bytes, NULL when there is none or nothing behind it. */
static const char *behind_bytes(const char *p, const char *end)
{
    unsigned count;
    const char *e = column_bytes(p, end, &count);
    return count && e < end ? e : NULL;
}

static bool is_source_line(const char *p, const char *end)
{
    const char *why = p < end ? prose_reason(p, end, false, false) : NULL;
    return why && strcmp(why, "source code") == 0;
}

/* Whether a row of objdump's table of symbols stands at @p: flags, a section, a tab, the size. */
static bool is_symbol_row(const char *p, const char *end)
{
    const char *tab = memchr(p, '\t', (size_t)(end - p));
    uint64_t size;
    const char *e = tab ? hex_end(tab + 1, end, &size) : NULL;
    return e && e - tab > 8 && e < end && *e == ' ';
}

/* Bytes without addresses: they follow each other. */
static void bytes_alone_take(struct framed_text *r)
{
    struct margin *last = NULL;
    uint64_t next = 0;
    unsigned section = 0, count;
    const char *p, *end;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = line_at(r, i, &p, &end);
        /* zeros that are left out */
        section += text_begins(p, end, "Disassembly of section") || text_begins(p, end, "...");
        line->section = section;
        const char *code = column_bytes(p, end, &count);
        if (p == end || !count) {
            if (p < end && !(*p == '<' && end[-1] == ':'))
                leave(line, prose_is_heading(p, end) || text_begins(p, end, "...") || *p == '#' ||
                                    *p == ';'
                                ? NULL
                                : "no instruction with bytes");
            continue;
        }
        const bool more = code == end && last && last->section == section;
        if (!more) {
            line->addressed = true;
            line->address = next;
            last = line;
        }
        bytes_take(last, p, code);
        next += count;
        margin_set(r, line, more ? end : column_art(code, end), end);
    }
}

/* Whether a heading of objdump -D names a section that never has code. */
static bool begins_data(const char *p, const char *end)
{
    static const char *const names[] = {
        ".debug_", ".eh_frame", ".comment",          ".note",  ".rel", ".dyn",
        ".gnu.",   ".interp",   ".gcc_except_table", ".rodata"};
    const char *name = text_find(p, end, " .");
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (text_begins(name + 1, end, names[i]))
            return true;
    return false;
}

static void addresses_take(struct framed_text *r)
{
    /* line with an instruction: disassemblers break long columns of bytes */
    struct margin *last = NULL;
    unsigned section = 0;
    bool data = false;     /* of a section without code */
    /* the line before was a symbol's heading: the function's name comes again */
    bool headed = false;
    /* of a line of bytes alone: what they are may stand behind more of them (Visual C++) */
    struct address_column open = {0};
    const char *p, *end, *start, *stop;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = line_at(r, i, &p, &end);
        struct address_column place;
        if (p == end)
            continue;
        if (text_begins(p, end, "Disassembly of section")) {
            section++;
            data = begins_data(p, end);
        }
        line->section = section;
        if (data) {
            leave(line, NULL);
            continue;
        }
        const char *bare = column_art_before(p, end);
        end = bare > p ? bare : end;   /* else a rule */
        uint64_t number;
        bool placed = place_find(p, end, r->joined, &place);
        const char *e =
            r->percents && isdigit((unsigned char)*p) ? number_end(p, end, &number) : NULL;
        if (e && e[-1] != ':' &&
            (!placed || heading_symbol(skip_blank(e, end), end, &start, &stop)))
            p = skip_blank(e, end);   /* the number of a source line */
        bool heading = heading_symbol(p, end, &start, &stop);
        if (heading) {
            margin_set(r, line, start, stop);
            line->symbol = true;
        } else if (placed && (text_begins(place.rest, end, "R_") ||
                              (place.wide &&
                               is_symbol_row(place.rest, end)))) { /* a relocation of objdump -r */
            leave(line, NULL);
        } else if (placed && !place.bytes && !place.named &&
                   is_source_line(place.rest, end)) { /* its number and a colon */
            leave(line, "source code");
        } else if (placed) {
            line->addressed = true;
            line->address = place.address;
            margin_set(r, line, column_art(place.rest, end), end);
            bool more = place.bytes && place.rest == end && last && last->section == section &&
                        last->address + last->byte_count == place.address;
            line->joined = place.joined;
            if (place.bytes)
                bytes_take(more ? last : line, place.code, place.rest);
            last = more ? last : line;
        } else if (open.bytes && behind_bytes(p, end)) {
            line->addressed = true;
            line->address = open.address;
            bytes_take(line, open.code, open.rest);
            bytes_take(line, p, behind_bytes(p, end));
            last = NULL;
            margin_set(r, line, behind_bytes(p, end), end);
        } else if (r->percents && !r->m->disassembly) {
            margin_set(r, line, column_art(p, end), end);
        } else if (is_label_line(p, end) && !(headed && memchr(p, '(', (size_t)(end - p))) &&
                   *p != '/') {
            margin_set(r, line, p, end);
        } else {
            bool known = prose_is_heading(p, end) || is_label_line(p, end) || *p == ';' ||
                         *p == '#' || dialect_knows(p, end);
            leave(line, known ? NULL : "no instruction with an address");
        }
        headed = heading;
        open = placed && place.rest == end ? place : (struct address_column){0};
    }
}

/* Other lines that hold no code, by what they look like. */
static void prose_leave(struct framed_text *r)
{
    const char *p, *end;
    bool macros = false;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = line_at(r, i, &p, &end);
        const char *start, *stop, *why;
        if (p == end || line->addressed || line->symbol)
            continue;
        macros |= text_begins(p, end, ".macro");
        if (heading_symbol(p, end, &start, &stop)) {
            margin_set(r, line, start, stop);
            line->symbol = true;
        } else if (prose_is_heading(p, end))
            leave(line, NULL);
        else if ((why = prose_reason(p, end, r->percents, macros)))
            leave(line, why);
    }
}

/* Whether the lines of @m are in the assembler language of Plan 9. */
static bool is_plan9(const char *text, const struct margins *m)
{
    size_t found = 0, others = 0;

    for (size_t i = 0; i < m->lines.count; i++)
        plan9_count(text + m->lines.items[i].start, text + m->lines.items[i].end, &found, &others);
    return found > 0 && found > others;
}

void margins_find(const char *text, size_t length, struct margins *out)
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
    disassembly_judge(&r);
    if (r.unplaced)
        bytes_alone_take(&r);
    else if (out->disassembly || r.percents)
        addresses_take(&r);
    out->disassembly |= r.percents;
    out->plan9 = is_plan9(text, out);
    prose_leave(&r);
}

void margins_done(struct margins *m)
{
    vec_done(&m->lines);
}
