/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/plain.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/steps.h"
#include "toolchain/words.h"

#define LEAST_LINES 3    /* minimum number of instructions in a table */

/* A line of a table. Its instruction is the text from @start to @end. */
struct table_line {
    uint64_t address;
    const char *start, *end;
    double percent;      /* percentage of samples; NaN: none */
};

/* Parses @least to 16 hex digits, perhaps with "`" between the two halves. Returns NULL if there
 * are none. Stores the number in *@value. */
static const char *digits_end(const char *p, const char *end, unsigned least, uint64_t *value)
{
    unsigned count = 0;

    for (*value = 0;
         p < end && count < 16 && (isxdigit((unsigned char)*p) || (*p == '`' && count == 8)); p++) {
        if (*p == '`')
            continue;
        *value = *value << 4 | (uint64_t)(*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
        count++;
    }
    return count >= least && (p == end || !is_word(*p)) ? p : NULL;
}

/* Skips pairs of hex digits separated by blanks. Returns @p if there are none. */
static const char *pairs_end(const char *p, const char *end)
{
    while (end - p > 2 && isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]) &&
           is_blank(p[2]))
        p = skip_blank(p + 2, end);
    return p;
}

/* Skips a word of bytes, which may end with a dot if truncated. Returns NULL if there is none. */
static const char *bytes_word_end(const char *p, const char *end)
{
    const char *start = p;

    while (p < end && (isxdigit((unsigned char)*p) || *p == ':' || *p == '.'))
        p++;
    return p - start >= 2 && p < end && is_blank(*p) ? p : NULL;
}

static bool take(struct table_line *line, const char *start, const char *end)
{
    start = skip_blank(start, end);
    for (const char *p = start; p + 1 < end; p++)
        if (*p == ';' || (is_blank(*p) && (p[1] == '{' || p[1] == ';'))) {
            end = p;
            break;
        }
    line->start = start;
    line->end = trim_end(start, end);
    return line->end > start && isalpha((unsigned char)*start);
}

/* Parses a line of IDA:
 * ".text:0000000000001198                 movsd   xmm1, qword ptr [rsi+rax]" */
static bool ida_line(const char *p, const char *end, struct table_line *line)
{
    static const char *const others[] = {"public", "assume",  "align", "db",      "dw",
                                         "dd",     "dq",      "extrn", "org",     "proc",
                                         "endp",   "segment", "ends",  "unicode", NULL};
    const char *colon = word_end(p, end), *rest;

    if (colon == p || colon == end || *colon != ':' ||
        !(rest = digits_end(colon + 1, end, 8, &line->address)))
        return false;
    if (!take(line, pairs_end(skip_blank(rest, end), end), end))
        return false;
    const char *first = word_end(line->start, line->end), *second = skip_blank(first, line->end);
    return !(first < line->end && (*first == ':' || *first == '=')) &&
           !(second < line->end && *second == '=') && !word_among(line->start, first, others) &&
           !word_among(second, word_end(second, line->end), others);
}

/* Parses a line of Ghidra:
 * "        00101198 f2 0f 10        MOVSD      XMM1,qword ptr [RSI + RAX*0x1]" */
static bool ghidra_line(const char *p, const char *end, struct table_line *line)
{
    const char *bytes = digits_end(p, end, 8, &line->address), *rest;

    if (!bytes)
        return false;
    bytes = skip_blank(bytes, end);
    rest = pairs_end(bytes, end);
    return rest > bytes && rest < end && isupper((unsigned char)*rest) && take(line, rest, end);
}

/* Parses a line of radare2:
 * "│      ╎│   0x0000119d      f20f59c8       mulsd xmm1, xmm0            ; arg7" */
static bool radare_line(const char *p, const char *end, struct table_line *line)
{
    const char *at = memmem(p, (size_t)(end - p), "0x", 2), *rest;

    for (const char *art = p; at && art < at; art++)   /* Rejects the line if anything but arrows
                                                        * precedes the address. */
        if (isalnum((unsigned char)*art) || *art == ';' || *art == '[' || *art == '(')
            return false;
    if (!at || !(rest = digits_end(at + 2, end, 8, &line->address)))
        return false;
    rest = skip_blank(rest, end);
    return (rest = bytes_word_end(rest, end)) != NULL && take(line, rest, end);
}

/* Parses a line of x64dbg:
 * "00007FF6A1B2119D | F2:0F59C8                | mulsd xmm1,xmm0                         |" */
static bool x64dbg_line(const char *p, const char *end, struct table_line *line)
{
    const char *rest = digits_end(p, end, 8, &line->address), *bar, *last;

    if (!rest || (rest = skip_blank(rest, end)) == end || *rest != '|' ||
        !(bar = memchr(rest + 1, '|', (size_t)(end - rest - 1))))
        return false;
    last = memchr(bar + 1, '|', (size_t)(end - bar - 1));
    return take(line, bar + 1, last ? last : end);
}

/* Parses a line of WinDbg: "    3 00007ff6`a1b2119d f20f59c8        mulsd   xmm1,xmm0" */
static bool windbg_line(const char *p, const char *end, struct table_line *line)
{
    const char *number = p, *rest;

    while (p < end && isdigit((unsigned char)*p))
        p++;
    const char *at = skip_blank(p, end);
    /* Rejects a line without `, which is from a NASM listing. */
    if (p == number || p - number > 6 || at == p ||
        !(rest = digits_end(at, end, 8, &line->address)) || !memchr(at, '`', (size_t)(rest - at)))
        return false;
    rest = skip_blank(rest, end);
    return (rest = bytes_word_end(rest, end)) != NULL && take(line, rest, end);
}

/* Parses a line of VTune: "0x119d<TAB>3<TAB>mulsd xmm1, xmm0<TAB>3.9%<TAB>0.040s" */
static bool vtune_line(const char *p, const char *end, struct table_line *line)
{
    const char *rest = end - p > 2 && p[0] == '0' && p[1] == 'x'
                           ? digits_end(p + 2, end, 2, &line->address)
                           : NULL;

    if (!rest || rest == end || *rest != '\t')
        return false;
    for (rest++; rest < end && isdigit((unsigned char)*rest); rest++)
        ;
    if (rest == end || *rest != '\t')
        return false;
    const char *stop = memchr(rest + 1, '\t', (size_t)(end - rest - 1));
    if (stop) {
        char *behind;
        double percent = strtod(stop + 1, &behind);
        line->percent =
            behind > stop + 1 && behind < end && *behind == '%' && percent >= 0 && percent <= 100
                ? percent
                : NAN;
    }
    return stop && take(line, rest + 1, stop);
}

typedef bool line_reader(const char *p, const char *end, struct table_line *line);
static line_reader *const readers[] = {ida_line,    ghidra_line, radare_line,
                                       x64dbg_line, windbg_line, vtune_line};

/* Finds the target of a jump: the last number of its operand. It may be part of a name (loc_1198,
 * hot.7FF6A1B21198) or in brackets. Returns false if there is none. Stores the target in
 * *@address. */
static bool target_of(const char *p, const char *end, uint64_t *address)
{
    bool found = false;

    while (p < end) {
        if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x')
            p += 2;
        const char *start = p;
        uint64_t value = 0;
        unsigned digits = 0;
        for (;
             p < end && digits < 16 && (isxdigit((unsigned char)*p) || (*p == '`' && digits == 8));
             p++)
            if (*p != '`') {
                value = value << 4 | (uint64_t)(*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
                digits++;
            }
        bool ends = p == end || (!isalnum((unsigned char)*p) && *p != '_') ||
                    ((*p | 32) == 'h' && digits >= 8);
        if (digits >= 2 && ends) {
            *address = value;
            found = true;
        }
        if (p == start && p < end && !isalnum((unsigned char)*p))
            p++;
        else if (!ends)   /* The number extends to the end of the name. */
            while (p < end && isalnum((unsigned char)*p))
                p++;
    }
    return found;
}

/* Appends operands without default segments: "ds:[rsi+rax]" becomes "[rsi+rax]". */
static void add_operands(const char *p, const char *end, struct str *out)
{
    while (p < end) {
        bool flat = (text_begins(p, end, "ds:") || text_begins(p, end, "ss:")) && end - p > 3 &&
                    (p[3] == '[' || isdigit((unsigned char)p[3]));
        if (flat)
            p += 3;
        else
            str_add_char(out, *p++);
    }
}

static void add_instruction(const struct table_line *line, struct str *out)
{
    const char *p = line->start, *word = word_end(p, line->end);
    const char *operand = skip_blank(word, line->end);
    bool jump = (*p | 32) == 'j' || (word - p >= 4 && strncasecmp(p, "loop", 4) == 0);
    uint64_t address = 0;

    if (!isnan(line->percent))
        str_addf(out, "%8.2f : ", line->percent);
    str_addf(out, "%llx:\t", (unsigned long long)line->address);
    if (word_is(p, word, "retn"))
        str_add(out, "ret");
    else if (jump && !memchr(operand, '[', (size_t)(line->end - operand)) &&
             target_of(operand, line->end, &address))
        str_addf(out, "%.*s 0x%llx", (int)(word - p), p, (unsigned long long)address);
    else
        add_operands(p, line->end, out);
}

static const char *next_line(const char *p, const char *end, const char **stop)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));

    *stop = newline ? newline : end;
    steps_add(1 + (size_t)(*stop - p) / STEP_BYTES);
    return newline ? newline + 1 : end;
}

/* Returns the parser that matches at least LEAST_LINES lines and a third of all lines, or NULL. The
 * other lines may be headings, labels and continuation bytes. */
static line_reader *reader_of(const char *text, const char *end)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        size_t read = 0, filled = 0;
        for (const char *p = text, *stop, *next; p < end; p = next) {
            struct table_line line = {.percent = NAN};
            next = next_line(p, end, &stop);
            p = skip_blank(p, stop);
            stop = trim_end(p, stop);
            filled += p < stop;
            read += p < stop && readers[i](p, stop, &line);
        }
        if (read >= LEAST_LINES && 3 * read >= filled)
            return readers[i];
    }
    return NULL;
}

bool reverse_plain(const char *text, size_t length, struct str *out)
{
    const char *end = text + length;
    line_reader *reads = reader_of(text, end);

    for (const char *p = text, *stop, *next; reads && p < end; p = next) {
        struct table_line line = {.percent = NAN};
        next = next_line(p, end, &stop);
        bool more = stop < end;
        p = skip_blank(p, stop);
        stop = trim_end(p, stop);
        if (p < stop && reads(p, stop, &line)) {
            add_instruction(&line, out);
        } else if (p < stop) {
            str_add(out, "# ");
            str_add_bytes(out, p, (size_t)(stop - p));
        }
        if (more)
            str_add_char(out, '\n');
    }
    return reads != NULL;
}
