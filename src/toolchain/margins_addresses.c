/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/margins_parts.h"

#include <ctype.h>
#include <string.h>

#include "isa/isa.h"
#include "toolchain/columns.h"
#include "toolchain/dialect.h"

const char *margin_number_end(const char *p, const char *end, uint64_t *number)
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

void margin_take_bytes(struct margin *line, const char *p, const char *end)
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

/* The address column of a line, and its properties */
struct address_column {
    uint64_t address;
    /* @start: the first digit. @rest: the text after address, symbol and bytes */
    const char *start, *rest;
    bool named; /* whether `<main+4>` or `<+4>` follows the address */
    bool bytes;
    bool joined;
    bool wide;        /* whether the address has at least eight digits and a word after it */
    const char *code; /* start of the bytes, which end at @rest */
};

/* Skips a bar, and a debugger's mark of the current instruction or a breakpoint. */
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

/* Returns the end of `<main+4>` at @p, or NULL if there is none. The name may contain angle
 * brackets, as in C++. */
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
        /* A debugger's line may have no address. */
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
    /* On AArch64, `b <f+0x10>` is an instruction, not an address. */
    if (out->named && behind == end && e - digits < 4 && !prefixed)
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
    bool digits_within = false;
    for (const char *at = b; at < run; at++)
        digits_within |= isdigit((unsigned char)*at) != 0;
    out->joined = !count && run > b && (joined || (run - b > 2 && digits_within));
    if (joined && out->joined) {
        out->bytes = true;
        after = skip_blank(run, end);
    }
    out->rest = after;
    const char *word = skip_blank(behind, end);
    /* A word of hexadecimal letters may be a name, but a statement never begins with a digit. */
    out->wide = !colon && !out->named && e - digits >= 8 &&
                ((isdigit((unsigned char)*p) && word < end && isalpha((unsigned char)*word)) ||
                 isa_of_dialects()->is_mnemonic(word, (size_t)(word_end(word, end) - word)));
    return out->bytes || out->named || prefixed || out->wide || (out->joined && !colon) ||
           (colon && b > behind);
}

bool margin_heading(const char *p, const char *end, const char **start, const char **stop)
{
    uint64_t address;
    const char *e = hex_end(p, end, &address);
    if (!e || end - e < 5 || e[0] != ' ' || e[1] != '<' || end[-1] != ':' || end[-2] != '>')
        return false;
    *start = e + 2;
    *stop = end - 2;
    return true;
}

void margins_judge_addresses(struct framed_text *r)
{
    size_t sure = 0, weak = 0, other = 0, joined = 0, places = 0, unplaced = 0;
    uint64_t last = 0;
    bool header = false, named = false;
    const char *p, *end;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct address_column place;
        margin_at(r, i, &p, &end);
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

/* Skips a column of bytes. Returns NULL if there is none or if it ends the line. */
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

/* Returns whether a row of objdump's symbol table begins at @p: flags, section, tab, size. */
static bool is_symbol_row(const char *p, const char *end)
{
    const char *tab = memchr(p, '\t', (size_t)(end - p));
    uint64_t size;
    const char *e = tab ? hex_end(tab + 1, end, &size) : NULL;
    return e && e - tab > 8 && e < end && *e == ' ';
}

void margins_take_bytes(struct framed_text *r)
{
    struct margin *last = NULL;
    uint64_t next = 0;
    unsigned section = 0, count;
    const char *p, *end;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = margin_at(r, i, &p, &end);
        /* A line "...", which objdump prints for omitted zeros, also begins a section. */
        section += text_begins(p, end, "Disassembly of section") || text_begins(p, end, "...");
        line->section = section;
        const char *code = column_bytes(p, end, &count);
        if (p == end || !count) {
            if (p < end && !(*p == '<' && end[-1] == ':'))
                margin_leave(line, prose_is_heading(p, end) || text_begins(p, end, "...") ||
                                           *p == '#' || *p == ';'
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
        margin_take_bytes(last, p, code);
        next += count;
        margin_set(r, line, more ? end : column_art(code, end), end);
    }
}

/* Returns whether a heading of objdump -D names a section that never contains code. */
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

void margins_take_addresses(struct framed_text *r)
{
    /* last line with an instruction, whose bytes may continue in the next lines */
    struct margin *last = NULL;
    unsigned section = 0;
    bool data = false; /* whether the section contains no code */
    /* whether the previous line was a heading; some tools then repeat the function's name */
    bool headed = false;
    /* address column of a line that has only bytes; the instruction may be after more lines of
     * bytes (Visual C++) */
    struct address_column open = {0};
    const char *p, *end, *start, *stop;

    for (size_t i = 0; i < r->m->lines.count; i++) {
        struct margin *line = margin_at(r, i, &p, &end);
        struct address_column place;
        if (p == end)
            continue;
        if (text_begins(p, end, "Disassembly of section")) {
            section++;
            data = begins_data(p, end);
        }
        line->section = section;
        if (data) {
            margin_leave(line, NULL);
            continue;
        }
        const char *bare = column_art_before(p, end);
        end = bare > p ? bare : end; /* Excludes arrows and a vertical line. */
        uint64_t number;
        bool placed = place_find(p, end, r->joined, &place);
        const char *e =
            r->percents && isdigit((unsigned char)*p) ? margin_number_end(p, end, &number) : NULL;
        if (e && e[-1] != ':' &&
            (!placed || margin_heading(skip_blank(e, end), end, &start, &stop)))
            p = skip_blank(e, end); /* Skips the number of a source line. */
        bool heading = margin_heading(p, end, &start, &stop);
        if (heading) {
            margin_set(r, line, start, stop);
            line->symbol = true;
        } else if (placed && (text_begins(place.rest, end, "R_") ||
                              (place.wide &&
                               is_symbol_row(place.rest, end)))) { /* relocation of objdump -r */
            margin_leave(line, NULL);
        } else if (placed && !place.bytes && !place.named &&
                   /* The number is a line number before a colon. */
                   is_source_line(place.rest, end)) {
            margin_leave(line, "source code");
        } else if (placed) {
            line->addressed = true;
            line->address = place.address;
            margin_set(r, line, column_art(place.rest, end), end);
            bool more = place.bytes && place.rest == end && last && last->section == section &&
                        last->address + last->byte_count == place.address;
            line->joined = place.joined;
            if (place.bytes)
                margin_take_bytes(more ? last : line, place.code, place.rest);
            last = more ? last : line;
        } else if (open.bytes && behind_bytes(p, end)) {
            line->addressed = true;
            line->address = open.address;
            margin_take_bytes(line, open.code, open.rest);
            margin_take_bytes(line, p, behind_bytes(p, end));
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
            margin_leave(line, known ? NULL : "no instruction with an address");
        }
        headed = heading;
        open = placed && place.rest == end ? place : (struct address_column){0};
    }
}
