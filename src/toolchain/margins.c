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

#define STEP_BYTES 100   /* that are looked through in one step of base/steps.h */

/* A text that is being looked through. */
struct framed_text {
    const char *text;
    struct margins *m;
    bool percents;       /* it has the columns of a profile */
    bool joined;         /* bytes stand beside each other, without blanks */
};

static struct margin *line_at(const struct framed_text *r, size_t i, const char **p, const char **end)
{
    struct margin *line = &r->m->lines.items[i];
    *p = skip_blank(r->text + line->start, r->text + line->end);
    *end = trim_end(*p, r->text + line->end);
    return line;
}

static void margin_set(const struct framed_text *r, struct margin *line, const char *start, const char *end)
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

/* Behind the marks of quoted mail; @p itself where there are none. */
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
    static const char *const languages[] = {"c", "cpp", "c++", "cc", "cxx", "rust", "fortran", "python", "go", "sh", "bash", "json", "diff", "java", NULL};
    while (p < end && (*p == '`' || *p == '~'))
        p++;
    const char *e = p;
    while (e < end && !isspace((unsigned char)*e) && *e != '{')
        e++;
    return word_among(p, e, languages);
}

/* Markdown: what stands between fences is read; a lone fence with code only before it has lost its first. */
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
            leave(line, p == end ? NULL : source ? "source in another language" : "outside of the code block");
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

/* Pairs of hex digits in brackets or without, as listings of assemblers have them; the end, or NULL. */
static const char *listed_bytes_end(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && (isxdigit((unsigned char)*p) || strchr("[]()-", *p)))
        p++;
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
    return e && (e == end || *skip_blank(e, end) == '<' || listed_bytes_end(skip_blank(e, end), end) == end);
}

/* Numbers that count the lines, before all or nearly all of them. */
static void numbers_take(struct framed_text *r)
{
    size_t filled = 0, in_order = 0, listed = 0, blank = 0;
    uint64_t last = 0, number;
    const char *p, *end, *e;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        line_at(r, i, &p, &end);
        if (p == end) {
            blank++;
            continue;
        }
        filled++;
        e = number_end(p, end, &number);
        unsigned bytes = 0;
        if (e && e[-1] == ':' && column_bytes(skip_blank(e, end), end, &bytes) && bytes)
            e = NULL;   /* a short address with bytes behind */
        if (e && ((number > last && number <= last + 1 + blank) || (in_order == 0 && filled < 3))) {
            in_order++;
            listed += listed_code(e, end) > e;
            last = number;
        } else if (e && number == last && listed_more(e, end)) {
            in_order++;
        }
        blank = 0;
    }
    if (in_order < 2 || 10 * in_order < 9 * filled)
        return;
    last = 0;
    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = line_at(r, i, &p, &end);
        if (!(e = number_end(p, end, &number)))
            continue;
        if (listed && number == last && listed_more(e, end))
            e = end;
        margin_set(r, line, listed ? listed_code(e, end) : e, end);
        last = number;
    }
}

static const char *rule_end(const char *p, const char *end)
{
    p = skip_blank(p, end);
    return text_begins(p, end, BAR) ? p + strlen(BAR) : p < end && (*p == ':' || *p == '|') ? p + 1 : p;
}

static void percents_take(struct framed_text *r)
{
    size_t filled = 0, with = 0;
    bool heading = false;
    const char *p, *end, *e;
    float percent;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        line_at(r, i, &p, &end);
        filled += p < end;
        with += column_percent(p, end, &percent) != NULL;
        heading |= text_begins(p, end, "Percent") && (trim_end(p, end) == p + 7 || rule_end(p + 7, end) > skip_blank(p + 7, end));
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
    const char *start, *rest;   /* start: the first digit; rest: what stands behind address, symbol and bytes */
    bool named;                 /* `<main+4>` or `<+4>` stands behind it */
    bool bytes;
    bool joined;
    bool wide;                  /* eight digits or more before a word */
    const char *code;           /* where the bytes begin; they end at rest */
};

/* What debuggers put before the instruction they are at, and breakpoints. */
static const char *mark_end(const char *p, const char *end)
{
    static const char *const marks[] = {"-->", "=>", "->", "B+>", "b+>", "B+", "b+", "H+", ">", "*"};
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
        const char *angle = text_begins(p, end, "<+") ? angle_end(p, end) : NULL;   /* a debugger's line without its address */
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
    if (colon)
        behind++;
    else if (!out->named && ((e - digits < 4 && !prefixed) || behind >= end || !isspace((unsigned char)*behind)))
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
    out->wide = !colon && !out->named && e - digits >= 8 && ((isdigit((unsigned char)*p) && word < end && isalpha((unsigned char)*word)) || isa_of_dialects()->is_mnemonic(word, (size_t)(word_end(word, end) - word)));
    return out->bytes || out->named || prefixed || out->wide || (out->joined && !colon) || (colon && b > behind);
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

/* Whether lines say where they are. Of those that are only a number and a colon there must be many, and they must grow: as do local labels not. */
static void disassembly_judge(struct framed_text *r)
{
    size_t sure = 0, weak = 0, other = 0, joined = 0, places = 0;
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
            other++;
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
    r->m->disassembly = header || named ? sure + weak > 0 : sure > other || (sure > 1 && 4 * sure > other) || (weak > 2 && weak > other);
}

static bool is_label_line(const char *p, const char *end)
{
    const char *blank = p;
    while (blank < end && !isspace((unsigned char)*blank))
        blank++;
    return end - p > 1 && end[-1] == ':' && (blank == end || memchr(p, '(', (size_t)(end - p)) || text_find(p, end, "::"));
}

/* Behind a column of bytes, NULL when there is none or nothing behind it. */
static const char *behind_bytes(const char *p, const char *end)
{
    unsigned count;
    const char *e = column_bytes(p, end, &count);
    return count && e < end ? e : NULL;
}

/* Appends the bytes from @p to @end, pairs of hex digits, to those of @line; what is too long for an instruction leaves it without. */
static void bytes_take(struct margin *line, const char *p, const char *end)
{
    uint64_t value;

    for (p = skip_blank(p, end); end - p >= 2 && isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]); p = skip_blank(p + 2, end)) {
        hex_end(p, p + 2, &value);
        if (line->byte_count == MARGIN_BYTES)
            return;
        line->bytes[line->byte_count++] = (uint8_t)value;
    }
}

static bool is_source_line(const char *p, const char *end)
{
    const char *why = p < end ? prose_reason(p, end, false, false) : NULL;
    return why && strcmp(why, "source code") == 0;
}

static void addresses_take(struct framed_text *r)
{
    struct margin *last = NULL;   /* line with an instruction: disassemblers break long columns of bytes */
    unsigned section = 0;
    bool headed = false;   /* the line before was a symbol's heading: the function's name comes again */
    struct address_column open = {0};   /* of a line of bytes alone: what they are may stand behind more of them (Visual C++) */
    const char *p, *end, *start, *stop;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = line_at(r, i, &p, &end);
        struct address_column place;
        if (p == end)
            continue;
        section += text_begins(p, end, "Disassembly of section");
        line->section = section;
        if (text_begins(p, end, BAR) && end - p > (long)(2 * strlen(BAR)) && memcmp(end - strlen(BAR), BAR, strlen(BAR)) == 0)
            end = trim_end(p, end - strlen(BAR));   /* a debugger's window */
        uint64_t number;
        bool placed = place_find(p, end, r->joined, &place);
        const char *e = r->percents && isdigit((unsigned char)*p) ? number_end(p, end, &number) : NULL;
        if (e && e[-1] != ':' && (!placed || heading_symbol(skip_blank(e, end), end, &start, &stop)))
            p = skip_blank(e, end);   /* the number of a source line */
        bool heading = heading_symbol(p, end, &start, &stop);
        if (heading) {
            margin_set(r, line, start, stop);
            line->symbol = true;
        } else if (placed && text_begins(place.rest, end, "R_")) {   /* a relocation of objdump -r */
            leave(line, NULL);
        } else if (placed && !place.bytes && !place.named && is_source_line(place.rest, end)) {   /* its number and a colon */
            leave(line, "source code");
        } else if (placed) {
            line->addressed = true;
            line->address = place.address;
            margin_set(r, line, column_art(place.rest, end), end);
            bool more = place.bytes && place.rest == end && last && last->section == section && last->address + last->byte_count == place.address;
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
        } else if (is_label_line(p, end) && !(headed && memchr(p, '(', (size_t)(end - p))) && *p != '/') {
            margin_set(r, line, p, end);
        } else {
            bool known = prose_is_heading(p, end) || is_label_line(p, end) || *p == ';' || *p == '#' || dialect_knows(p, end);
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
    if (out->disassembly || r.percents)
        addresses_take(&r);
    out->disassembly |= r.percents;
    out->plan9 = plan9_looks_like(text, out);
    prose_leave(&r);
}

void margins_done(struct margins *m)
{
    vec_done(&m->lines);
}
