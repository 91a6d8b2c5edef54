/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/margins_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/steps.h"
#include "isa/isa.h"
#include "toolchain/columns.h"
#include "toolchain/words.h"

/* A parsed line of a runtime's listing. */
struct listed_row {
    uint64_t address;
    const char *code, *end;          /* text of the instruction; empty for a row of data */
    const char *bytes, *bytes_end;   /* machine code as text; empty: unknown */
    float percent;
    bool addressed, joined;
    bool telling;                    /* whether the format is characteristic of this runtime */
    bool first;                      /* whether a function starts at this row */
};

static const char *hex_prefixed(const char *p, const char *end, uint64_t *value)
{
    return text_begins(p, end, "0x") ? hex_end(p + 2, end, value) : NULL;
}

/* Parses a row of JMH perfasm: percentages, arrows, `0x00007fd1cd0a8a60: vmovdqu ...`. */
static bool hotspot_row(const char *p, const char *end, struct listed_row *out)
{
    const char *start = p, *e;
    float other;

    for (float *percent = &out->percent;
         (e = column_percent(p, end, percent)) && memchr(p, '%', (size_t)(e - p)); percent = &other)
        p = skip_blank(e, end);
    const char *art = p;
    p = column_art(p, end);
    e = hex_prefixed(p, end, &out->address);
    if (!e || e >= end || *e != ':')
        return false;
    out->telling = art > start || skip_blank(art, end) < p;
    out->code = skip_blank(e + 1, end);
    out->end = end;
    out->addressed = true;
    return out->code < end;
}

/* Parses a row of V8: `0x55d5a7c04ac7     7  483bd9         REX.W cmpq rbx,rcx`. */
static bool v8_row(const char *p, const char *end, struct listed_row *out)
{
    uint64_t offset;
    const char *e = hex_prefixed(p, end, &out->address), *at = e ? skip_blank(e, end) : NULL,
               *digits = at && at > e ? hex_end(at, end, &offset) : NULL;

    if (!digits || digits >= end || !is_blank(*digits))
        return false;
    out->bytes = skip_blank(digits, end);
    out->bytes_end = column_joined(out->bytes, end);
    out->code = skip_blank(out->bytes_end, end);
    out->end = end;
    out->addressed = out->joined = out->telling = true;
    return out->bytes_end > out->bytes && out->code < end && isalpha((unsigned char)*out->code);
}

/* Parses a row of LuaJIT: `0bcafab0  add rbp, +0x01`, `0bcafabd  jle 0x0bcafab0	->LOOP`. */
static bool luajit_row(const char *p, const char *end, struct listed_row *out)
{
    const char *e = hex_end(p, end, &out->address), *mark;

    if (!e || e - p < 6 || end - e < 3 || e[0] != ' ' || e[1] != ' ' || e[2] == ' ')
        return false;
    out->code = e + 2;
    mark = text_find(out->code, end, "->");
    out->end = mark ? trim_end(out->code, mark) : end;
    out->addressed = true;
    out->telling = mark != NULL;
    return out->code < out->end && isalpha((unsigned char)*out->code);
}

/* Parses a row of Go's objdump: `main.go:10	0x48f3c0	4883c001	ADDQ $0x1, AX`. */
static bool go_row(const char *p, const char *end, struct listed_row *out)
{
    const char *e = p, *colon;

    while (e < end && !is_blank(*e))
        e++;
    colon = memrchr(p, ':', (size_t)(e - p));
    if (!colon || colon + 1 == e || !isdigit((unsigned char)colon[1]) ||
        !(e = hex_prefixed(skip_blank(e, end), end, &out->address)) || e >= end || !is_blank(*e))
        return false;
    out->bytes = skip_blank(e, end);
    out->bytes_end = column_joined(out->bytes, end);
    out->code = skip_blank(out->bytes_end, end);
    out->end = end;
    out->addressed = out->joined = out->telling = true;
    return out->bytes_end > out->bytes && out->code < end;
}

/* Parses a row of Go's compiler with -S: `0x000a 00010 (/tmp/main.go:6) ADDQ (AX)(CX*8), DX`, or
 * `0x0010 f1 48 39 d9` with all bytes of the function. */
static bool go_compiler_row(const char *p, const char *end, struct listed_row *out)
{
    static const char *const nothing[] = {"TEXT", "FUNCDATA", "PCDATA", "NOP",
                                          "END",  "PCALIGN",  NULL};
    const char *e = hex_prefixed(p, end, &out->address), *at = e ? skip_blank(e, end) : NULL,
               *close;
    unsigned count = 0;

    if (!at || at == e)
        return false;
    out->addressed = out->telling = true;
    out->code = out->end = end;
    out->bytes = out->bytes_end = at;
    for (const char *pair = at;
         count < 16 && end - pair >= 2 && isxdigit((unsigned char)pair[0]) &&
         isxdigit((unsigned char)pair[1]) && (end - pair == 2 || pair[2] == ' ');
         pair += 3) {
        out->bytes_end = pair + 2;
        count++;
        if (end - pair < 4 || pair[3] == ' ')
            break;
    }
    if (count)
        return true;
    while (at < end && isdigit((unsigned char)*at))
        at++;
    at = skip_blank(at, end);
    if (at >= end || *at != '(' || !(close = memchr(at, ')', (size_t)(end - at))))
        return false;
    at = skip_blank(close + 1, end);
    const char *word = word_end(at, end);
    out->first = word_is(at, word, "TEXT");
    if (!word_among(at, word, nothing))
        out->code = at;
    return true;
}

/* Parses pairs of hex digits, with or without blanks between them. Returns the number of pairs.
 * Stores the bytes in @out. */
static size_t bytes_read(const char *p, const char *end, uint8_t *out, size_t most)
{
    uint64_t value;
    size_t count = 0;

    for (p = skip_blank(p, end); end - p >= 2 && count < most; p = skip_blank(p + 2, end)) {
        hex_end(p, p + 2, &value);
        out[count++] = (uint8_t)value;
    }
    return count;
}

/* Parses a row of .NET with DOTNET_JitDisasmWithCodeBytes: `488B01 mov rax, bword ptr [rcx]`. The
 * digits are code, not an address. */
static bool dotnet_row(const char *p, const char *end, struct listed_row *out)
{
    uint8_t code[MARGIN_BYTES];
    size_t held;
    int64_t far;

    out->bytes = p;
    out->bytes_end = column_joined(p, end);
    out->code = skip_blank(out->bytes_end, end);
    out->end = end;
    out->joined = true;
    for (const char *at = p; at < out->bytes_end; at++)
        out->telling |= isupper((unsigned char)*at) != 0;
    return out->bytes_end > p && out->code - out->bytes_end > 1 &&
           isa_of_dialects()->listed(code, bytes_read(p, out->bytes_end, code, sizeof code), &held,
                                     &far);
}

struct runtime {
    bool (*row)(const char *p, const char *end, struct listed_row *out);
    /* whether targets of branches are labels, which remain in the text; otherwise they are
     * addresses */
    bool labels;
    bool dump;              /* whether the bytes of a function follow its rows */
    bool plan9;
};

static const struct runtime runtimes[] = {{.row = hotspot_row},
                                          {.row = v8_row},
                                          {.row = go_row, .plan9 = true},
                                          {.row = go_compiler_row, .dump = true, .plan9 = true},
                                          {.row = luajit_row},
                                          {.row = dotnet_row, .labels = true}};

static bool row_read(const struct runtime *r, const char *text, const struct margin *line,
                     struct listed_row *out, const char **p, const char **end)
{
    *p = skip_blank(text + line->start, text + line->end);
    *end = trim_end(*p, text + line->end);
    *out = (struct listed_row){.percent = NAN};
    return r->row(*p, *end, out);
}

/* Returns whether the line may be between rows: a comment, a heading, LuaJIT's bytecode or IR. */
static bool is_between(const char *p, const char *end)
{
    uint64_t number;
    const char *e = hex_end(p, end, &number);

    return p == end || strchr(";#-.[<", *p) || end[-1] == ':' || text_begins(p, end, "//") ||
           text_begins(p, end, "TEXT") || text_begins(p, end, "rel ") ||
           (e == p + 4 && e < end && is_blank(*e));
}

/* Returns whether the line may be an instruction, because it begins with an address or mnemonic.
 * This test excludes the other text that tools print around small functions. */
static bool could_be_code(const char *p, const char *end)
{
    uint64_t address;
    const char *word = word_end(p, end), *hex = hex_end(p, end, &address);

    return text_begins(p, end, "0x") || (hex && hex < end && *hex == ':') ||
           isa_of_dialects()->is_mnemonic(p, (size_t)(word - p));
}

/* Returns whether the text is a listing of runtime @r. At least half of the lines that may be code
 * must match. At least one row must be characteristic, or half of the rows if the runtime's
 * listings have labels. */
static bool is_of(const struct runtime *r, const char *text, const struct margins *m)
{
    size_t rows = 0, others = 0, telling = 0;

    for (size_t i = 0; i < m->lines.count; i++) {
        struct listed_row row;
        const char *p, *end;
        bool is_row = row_read(r, text, &m->lines.items[i], &row, &p, &end);
        steps_add(1 + (size_t)(end - p) / 100);
        rows += is_row && row.code < row.end;
        telling += is_row && row.telling;
        others += !is_row && !is_between(p, end) && could_be_code(p, end);
    }
    return rows > 1 && telling > 0 && (!r->labels || 2 * telling >= rows) && rows >= others;
}

static void bytes_put(struct margin *line, const uint8_t *bytes, size_t count)
{
    line->byte_count = (uint8_t)(count < MARGIN_BYTES ? count : MARGIN_BYTES);
    memcpy(line->bytes, bytes, line->byte_count);
}

/* Assigns the bytes of a function, @code, to the lines from @first to @end - 1 by their
 * addresses. */
static void dump_share(struct margins *m, size_t first, size_t end, const uint8_t *code,
                       size_t length)
{
    uint64_t behind = length;

    for (size_t i = end; i-- > first;) {
        struct margin *line = &m->lines.items[i];
        if (!line->addressed)
            continue;
        if (line->address < behind && behind <= length && line->start < line->end)
            bytes_put(line, code + line->address, behind - line->address);
        behind = line->address;
    }
}

static void rows_take(const struct runtime *r, const char *text, struct margins *m)
{
    VEC(uint8_t) code = {0};
    size_t first = 0;
    unsigned section = 0;

    for (size_t i = 0; i < m->lines.count; i++) {
        struct margin *line = &m->lines.items[i];
        struct listed_row row;
        const char *p, *end;
        uint8_t bytes[MARGIN_BYTES];
        if (!row_read(r, text, line, &row, &p, &end)) {
            const char *e = word_end(p, end);
            bool kept = r->labels && e > p && e < end && *e == ':';
            if (!kept) {
                line->left_out = is_between(p, end) ? NULL : "no instruction with an address";
                line->end = line->start;
            }
            continue;
        }
        if (row.first) {
            dump_share(m, first, i, code.items, code.count);
            code.count = 0;
            first = i;
            section++;
        }
        size_t count = bytes_read(row.bytes, row.bytes_end, bytes, sizeof bytes);
        const size_t known = code.count;
        for (size_t k = 0; r->dump && row.address == known && k < count; k++)
            vec_add(&code, bytes[k]);
        if (!r->dump)
            bytes_put(line, bytes, count);
        line->start = (size_t)(row.code - text);
        line->end = (size_t)(row.end - text);
        line->addressed = row.addressed && row.code < row.end;
        line->address = row.address;
        line->section = section;
        line->joined = row.joined;
        line->percent = row.percent;
        m->percents |= !isnan(row.percent);
    }
    dump_share(m, first, m->lines.count, code.items, code.count);
    vec_done(&code);
    m->disassembly = !r->labels;
    m->plan9 = r->plan9;
}

bool runtimes_take(const char *text, struct margins *m)
{
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (is_of(&runtimes[i], text, m)) {
            rows_take(&runtimes[i], text, m);
            return true;
        }
    return false;
}
