/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/listing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/watch.h"
#include "toolchain/dialect.h"
#include "toolchain/listing_modes.h"
#include "toolchain/margins.h"
#include "toolchain/markers.h"
#include "toolchain/line_places.h"
#include "toolchain/words.h"

/* maximum number of subsections of `as`, which order instructions by address */
#define SUBSECTIONS 4000

/* Meaning of a semicolon that follows a blank. SEMICOLON_EITHER: the text after it determines its
 * meaning. */
enum semicolon { SEMICOLON_SEPARATES, SEMICOLON_COMMENTS, SEMICOLON_EITHER };

/* Writes the line to @out with its comments replaced by blanks or removed. Strings are unchanged.
 * *@in_comment is whether a C comment is open at the end of a line. */
static void comments_cut(const char *p, const char *end, enum semicolon semicolon, bool *in_comment,
                         struct str *out)
{
    bool quoted = false;
    const char *first = skip_blank(p, end);
    if (!*in_comment && first < end && (*first == ';' || *first == '#'))
        return;
    for (; p < end; p++) {
        if (*in_comment) {
            if (*p == '*' && p + 1 < end && p[1] == '/') {
                *in_comment = false;
                p++;
            }
            continue;
        }
        if (*p == '"')
            quoted = !quoted;
        else if (quoted && *p == '\\' && p + 1 < end)
            str_add_char(out, *p++);
        if (!quoted) {
            if ((*p == '#' && !is_lambda(first, p, end)) ||
                (*p == '/' && p + 1 < end && p[1] == '/'))
                return;
            bool apart =
                p + 1 >= end || p[1] == ';' || (p > first && (p[-1] == ' ' || p[-1] == '\t'));
            if (*p == ';' && apart && semicolon != SEMICOLON_SEPARATES &&
                (semicolon == SEMICOLON_COMMENTS || !semicolon_separates(p + 1, end)))
                return;
            if (*p == '/' && p + 1 < end && p[1] == '*') {
                *in_comment = true;
                str_add_char(out, ' ');
                p++;
                continue;
            }
        }
        str_add_char(out, *p);
    }
}

static const char *const kept[] = {
    ".p2align",    ".align", ".balign", ".skip",   ".space", ".zero",   ".fill",   ".byte",
    ".value",      ".short", ".word",   ".hword",  ".2byte", ".long",   ".int",    ".4byte",
    ".quad",       ".8byte", ".octa",   ".string", ".ascii", ".asciz",  ".float",  ".single",
    ".double",     ".set",   ".equ",    ".equiv",  ".macro", ".endm",   ".exitm",  ".purgem",
    ".rept",       ".endr",  ".irp",    ".irpc",   ".if",    ".ifdef",  ".ifndef", ".ifeq",
    ".ifne",       ".ifc",   ".ifb",    ".ifnb",   ".else",  ".elseif", ".endif",  ".altmacro",
    ".noaltmacro", ".nops",  ".comm",   ".lcomm",  ".data",  ".bss",    ".text",   ".insn",
};

static bool directive_kept(const char *p, const char *end)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (word_is(p, end, kept[i]))
            return true;
    return memchr(p, '\\', (size_t)(end - p)) != NULL;
}

static void function_add(struct listing *l, const char *p, const char *end)
{
    p = skip_blank(p, end);
    const char *e = word_end(p, end);
    if (e > p)
        vec_add(&l->functions, mem_strndup(p, (size_t)(e - p)));
}

/* Returns whether the section named at @p contains code. In Mach-O, the name begins with a segment:
 * "__TEXT,__const". */
static bool is_code_section(const char *p, const char *end)
{
    p = skip_blank(p, end);
    if (text_begins(p, end, "__"))
        return text_find(p, end, ",__text") != NULL;
    return contains_nocase(p, end, "text") || contains_nocase(p, end, "\"ax") ||
           contains_nocase(p, end, "hot") || contains_nocase(p, end, ".init");
}

/* Returns the section that replaces the section named at @p: code, data, or thread-local data,
 * which `as` requires for thread-local variables. */
static const char *section_alike(const char *p, const char *end)
{
    p = skip_blank(p, end);
    return is_code_section(p, end) ? ".text"
           : text_begins(p, end, ".tbss") || text_begins(p, end, ".tdata")
               ? ".section .tdata,\"awT\""
               : ".data";
}

/* Returns the syntax that the directive from @p to @end sets; SYNTAX_AUTO if there is none. */
static enum syntax syntax_set(const char *p, const char *end)
{
    const char *e = word_end(p, end);
    return word_is(p, e, ".intel_syntax") ? SYNTAX_INTEL
           : word_is(p, e, ".att_syntax") ? SYNTAX_ATT
                                          : SYNTAX_AUTO;
}

/* Appends a directive unchanged, replaces it with a simpler one, or omits it. */
static void directive_clean(struct listing *l, struct dialect *d, const char *p, const char *end)
{
    const char *e = p;
    while (e < end && !isspace((unsigned char)*e) && *e != ',' && *e != '"')
        e++;
    enum syntax syntax = isa_ops(l->isa)->dialects ? syntax_set(p, end) : SYNTAX_AUTO;
    if (syntax != SYNTAX_AUTO) {
        d->intel = syntax == SYNTAX_INTEL;
        d->gnu = true;
        d->unusual = d->intel
                         ? contains_nocase(e, end, "prefix") && !contains_nocase(e, end, "noprefix")
                         : contains_nocase(e, end, "noprefix");
        str_add_bytes(&l->text, p, (size_t)(end - p));
        /* Adds `noprefix`, without which `as` would treat bare register names as symbols. clang
         * does not need `noprefix`. */
        if (d->intel && skip_blank(e, end) == end)
            str_add(&l->text, " noprefix");
    } else if (word_is(p, e, ".section") || word_is(p, e, ".pushsection")) {
        const char *name_end = e;
        while (name_end < end && *name_end != '\n' && *name_end != '@')
            name_end++;
        str_add(&l->text, section_alike(e, name_end));
    } else if (word_is(p, e, ".popsection") || word_is(p, e, ".previous")) {
        str_add(&l->text, ".text");
    } else if (word_is(p, e, ".globl") || word_is(p, e, ".global")) {
        d->gnu = true;
        function_add(l, e, end);
    } else if (word_is(p, e, ".type")) {
        if (contains_nocase(e, end, "function"))
            function_add(l, e, end);
    } else if ((word_is(p, e, ".set") || word_is(p, e, ".equ")) &&
               (text_begins(skip_blank(e, end), end, "@feat") ||
                text_begins(skip_blank(e, end), end, "\"@feat"))) {
        ;   /* Omits a directive for Windows linkers. */
    } else if (word_is(p, e, ".bss") || directive_kept(p, e) ||
               (isa_ops(l->isa)->directive_kept &&
                isa_ops(l->isa)->directive_kept(p, (size_t)(e - p)))) {
        /* otool and LLVM mark data by a comment, as in `.long 4294967213 @ KIND_JUMP_TABLE32`. */
        const char *remark = l->disassembly ? text_find(e, end, "\t@ ") : NULL;
        end = remark ? remark : end;
        const char *comma = word_is(p, e, ".lcomm") ? memchr(p, ',', (size_t)(end - p)) : NULL,
                   *second = comma ? memchr(comma + 1, ',', (size_t)(end - comma - 1)) : NULL;
        end = second ? second : end;   /* Omits the alignment, which Windows assemblers write
                                        * last. */
        size_t quotes = 0;
        for (const char *at = p; at < end; at++)
            quotes += *at == '"' && (at == p || at[-1] != '\\');
        str_add_bytes(&l->text, p, (size_t)(end - p));
        /* Closes a string that is open because an `as` listing truncates long lines. */
        if (quotes % 2)
            str_add_char(&l->text, '"');
    }
}

static void statement_clean(struct listing *l, struct dialect *d, const char *p, const char *end,
                            unsigned section)
{
    struct str targeted = {0}, placed = {0};

    struct str att = {0};
    const char *function;
    size_t length;

    if (l->plan9) {
        plan9_statement(p, end, &att, &function, &length);
        if (function)
            vec_add(&l->functions, mem_strndup(function, length));
        p = str_text(&att);
        end = p + att.length;
    }
    if (l->disassembly) {
        section = target_place(l, d->places, p, end, section, &placed);
        p = placed.length ? str_text(&placed) : p;
        end = placed.length ? p + placed.length : end;
        if (isa_ops(l->isa)->target_clean)
            isa_ops(l->isa)->target_clean(p, end, section, &targeted);
        else
            target_clean(l, p, end, section, &targeted);
        p = str_text(&targeted);
        end = p + targeted.length;
    }
    const bool other = dialect_is_other(d, p, end);
    if (other) {
        str_add(&l->text, d->intel ? ".att_syntax prefix; " : ".intel_syntax noprefix; ");
        d->intel = !d->intel;
    }
    dialect_statement(d, p, end, &l->text);
    if (other) {
        d->intel = !d->intel;
        str_add(&l->text, d->intel ? "; .intel_syntax noprefix" : "; .att_syntax prefix");
    }
    str_done(&targeted);
    str_done(&placed);
    str_done(&att);
}

/* Converts labels, then statements separated by semicolons. @code has no comments. *@first and
 * *@last, the range of the statements, are relative to @code. Returns false with the reason in
 * *@why if the line is refused. */
static bool statements_clean(struct listing *l, struct dialect *d, const char *code,
                             const char *end, unsigned section, size_t *first, size_t *last,
                             const char **why)
{
    const char *p = code;
    *first = *last = 0;
    bool any = false;
    while (p <= end) {
        const char *stop = p;
        bool quoted = false;
        while (stop < end && (quoted || *stop != ';')) {
            if (quoted && *stop == '\\' && stop + 1 < end)
                stop++;
            else if (*stop == '"')
                quoted = !quoted;
            stop++;
        }
        steps_add(1 + (size_t)(stop - p) / STEP_BYTES);
        const char *s = skip_blank(p, stop);
        for (;;) {
            const char *e = *s == '"' && s < stop ? memchr(s + 1, '"', (size_t)(stop - s - 1))
                                                  : word_end(s, stop);
            if (e && e < stop && *e == '"')
                e++;
            if (!e || e == s)
                break;
            const char *colon = skip_blank(e, stop);
            if (colon >= stop || *colon != ':')
                break;
            steps_add(1);
            dialect_label(d, s, e, &l->text);
            s = skip_blank(colon + 1, stop);
        }
        while (stop > s && isspace((unsigned char)stop[-1]))
            stop--;
        if (s < stop) {
            const char *e = word_end(s, stop);
            if (contains_nocase(s, stop, "incbin") || contains_nocase(s, stop, ".include")) {
                *why = contains_nocase(s, stop, "incbin") ? ".incbin reads another file"
                                                          : ".include reads another file";
                return false;
            }
            if (stop - s > 3 && memcmp(stop - 3, "...", 3) == 0) {
                *why = "the end of the line is missing; copy it whole";
                return false;
            }
            if (dialect_is_ambiguous(d, s, stop)) {
                *why = "a number after $ is decimal in AT&T syntax and hexadecimal in NASM's; "
                       "write 16 or 0x16";
                return false;
            }
            const char *equals = skip_blank(e, stop);
            if (*s == '.' && !(equals < stop && *equals == '=')) {
                directive_clean(l, d, s, stop);
            } else {
                if (!any)
                    *first = (size_t)(s - code);
                *last = (size_t)(stop - code);
                any = true;
                statement_clean(l, d, s, stop, section);
            }
        }
        while (stop < end && *stop != ';')
            stop++;
        if (stop >= end)
            break;
        str_add_char(&l->text, ';');
        p = stop + 1;
    }
    return true;
}

/* Returns the initial syntax of a text: the syntax of most distinct lines before the first syntax
 * directive. If only directives precede that directive, it determines the syntax. */
static enum syntax syntax_of(const char *text, const struct margins *margins)
{
    size_t att = 0, intel = 0;
    bool code = false;
    for (size_t i = 0; i < margins->lines.count; i++) {
        const char *start = text + margins->lines.items[i].start,
                   *end = text + margins->lines.items[i].end, *p = skip_blank(start, end);
        if (p == end || *p == '#' || *p == ';')
            continue;
        enum syntax set = syntax_set(p, end);
        if (set != SYNTAX_AUTO)
            return code ? (intel > att ? SYNTAX_INTEL : SYNTAX_ATT) : set;
        /* Treats a macro as code, because directives in it have no effect before it is expanded. */
        code |= (*p != '.' && end[-1] != ':') || text_begins(p, end, ".macro");
        p += *p == '%';   /* Skips a percent sign, which may begin a NASM directive. */
        for (bool mark_att = false, mark_intel = false; p < end && *p != '#'; p++) {
            if (*p == '%' && p + 1 < end && isalpha((unsigned char)p[1])) {
                att += !mark_att;
                mark_att = true;
            } else if (*p == '"') {   /* Skips a quoted name, because it may look like a
                                       * register. */
                const char *stop = memchr(p + 1, '"', (size_t)(end - p - 1));
                p = stop ? stop : end - 1;
            } else if (isalpha((unsigned char)*p) && (p == start || !is_word(p[-1]))) {
                const char *e = word_end(p, end);
                if ((p == start || p[-1] != '%') &&
                    (isa_of_dialects()->is_register(p, (size_t)(e - p)) || word_is(p, e, "ptr"))) {
                    intel += !mark_intel;
                    mark_intel = true;
                }
                p = e - 1;
            }
        }
    }
    return intel > att ? SYNTAX_INTEL : SYNTAX_ATT;
}

/* Returns whether the bytes of a listing line are several instructions without a branch, from a
 * repetition or from several statements. */
static bool several(const struct isa_ops *isa, const uint8_t *code, size_t n)
{
    size_t at = 0, count = 0;
    bool vector;

    for (int64_t branch = 0; at < n && isa->step == 1; count++) {
        const size_t length = isa->glance(code + at, n - at, &branch, &vector);
        if (!length || length > n - at || branch)
            return false;
        at += length;
    }
    return at == n && count > 1;
}

/* Appends the machine code of a disassembled line. It is more reliable than the text, which differs
 * between tools. A branch refers to the label of its target address, because lines may be missing.
 * Returns false if bytes are missing or incomplete, or lack a branch's target; the caller then uses
 * the text. @next: address of the next instruction, 0 if unknown. @bad: whether the disassembler
 * could not decode the bytes. */
static bool bytes_clean(struct listing *l, const struct margin *m, size_t number, uint64_t next,
                        bool bad)
{
    const struct isa_ops *isa = isa_ops(l->isa);
    uint8_t code[MARGIN_BYTES] = {0};
    size_t n = m->byte_count, held = 0;
    int64_t far = 0;
    bool vector;

    if (!n || n == MARGIN_BYTES || n % isa->step)
        return false;
    for (size_t i = 0; i < n; i++)
        code[i] = m->bytes[m->joined && isa->step > 1 ? n - 1 - i : i];
    const size_t before = l->text.length;
    if (m->addressed && isa->branch_written && isa->branch_written(code, &far, &l->text)) {
        /* In an assembler listing, a branch to the next instruction may not be relocated yet. The
         * source text of the line names the target and is used then. */
        if (!l->disassembly && far == (int64_t)n) {
            l->text.length = before;
            return false;
        }
        str_addf(&l->text, "%s%u_%llx", LISTING_ADDRESS_LABEL, m->section,
                 (unsigned long long)(m->address + (uint64_t)far));
        return true;
    }
    if (!l->disassembly && several(isa, code, n)) {
        l->encoded = true;
        for (size_t i = 0; i < n; i++)
            str_addf(&l->text, "%s0x%02x", i ? ", " : ".byte ", code[i]);
        return true;
    }
    /* Accepts unknown code if its length agrees with the next address. A length that differs from
     * that of the decoder indicates another instruction set, such as 32-bit code with 48h. */
    if (!isa->listed(code, n, &held, &far) && !bad) {
        const size_t length = isa->step > 1 ? n : isa->glance(code, sizeof code, &far, &vector);
        far = 0;
        if (isa->step > 1 || (length != n && (length || next != m->address + n)))
            return false;
    }
    if (isa->step > 1) {
        str_addf(&l->text, ".inst 0x%02x%02x%02x%02x", code[3], code[2], code[1], code[0]);
        return true;
    }
    if (held && (!m->addressed || (!l->disassembly && far == (int64_t)n)))
        return false;
    if (!m->addressed)   /* Adds a label, without which `as` does not assign data to their line. */
        str_addf(&l->text, "%sline_%zx: ", LISTING_ADDRESS_LABEL, number);
    l->encoded = true;
    for (size_t i = 0; i < n - held; i++)
        str_addf(&l->text, "%s0x%02x", i ? ", " : ".byte ", code[i]);
    if (held)
        str_addf(&l->text, "; %s %s%u_%llx - . - %zu",
                 held == 1   ? ".byte"
                 : held == 2 ? ".short"
                             : ".long",
                 LISTING_ADDRESS_LABEL, m->section,
                 (unsigned long long)(m->address + (uint64_t)far), held);
    return true;
}

/* Converts the code of line @number, from @p to @end, and sets its span of statements. */
static void code_clean(struct listing *l, struct dialect *d, struct str *code, const char *text,
                       size_t number, const char *p, const char *end, unsigned section,
                       struct source_span *span)
{
    const char *s = str_text(code), *why = NULL, *function;
    size_t first, last, before = l->text.length, length;

    if (dialect_line(d, s, s + code->length, &l->text, &function, &length)) {
        if (function)
            vec_add(&l->functions, mem_strndup(function, length));
    } else if (!statements_clean(l, d, s, s + code->length, section, &first, &last, &why)) {
        vec_add(&l->refused,
                ((struct diagnostic){number, mem_strndup(p, (size_t)(end - p)), mem_strdup(why)}));
        l->text.length = before;
    } else if (last > first && code->length <= (size_t)(end - p)) {
        span->start = (size_t)(p - text) + first;
        span->length = last - first;
    }
}

/* Determines the meaning of semicolons. They begin comments in disassemblies and in text of NASM
 * and MASM. In other text, each of them may separate statements or begin a comment. */
static enum semicolon semicolon_of(const struct listing *l, const char *text,
                                   const struct margins *m)
{
    if (l->disassembly)
        return SEMICOLON_COMMENTS;
    for (size_t i = 0; i < m->lines.count; i++) {
        const char *end = text + m->lines.items[i].end,
                   *p = skip_blank(text + m->lines.items[i].start, end);
        if (p < end && dialect_knows(p, end))
            return SEMICOLON_COMMENTS;
    }
    return SEMICOLON_EITHER;
}

/* Copies a line for NASM without its comment. Rejects directives that read another file or the
 * environment. */
static void nasm_clean(struct listing *l, struct str *code, const char *text, size_t number,
                       const struct margin *m)
{
    const char *p = text + m->start, *end = text + m->end, *first = skip_blank(p, end),
               *e = word_end(first, end);
    struct source_span span = {m->start, 0};
    bool in_comment = false;

    if (m->left_out)
        vec_add(&l->left_out, ((struct diagnostic){number, NULL, mem_strdup(m->left_out)}));
    str_clear(code);
    comments_cut(p, end, SEMICOLON_COMMENTS, &in_comment, code);
    const char *s = str_text(code), *stop = trim_end(s, s + code->length);
    if (contains_nocase(s, stop, "incbin") || contains_nocase(s, stop, "%include") ||
        contains_nocase(s, stop, "%pathsearch") || contains_nocase(s, stop, "%!")) {
        vec_add(&l->refused,
                ((struct diagnostic){
                    number, mem_strndup(p, (size_t)(end - p)),
                    mem_strdup("the directive reads another file, or the environment")}));
    } else {
        str_add_bytes(&l->text, s, (size_t)(stop - s));
        /* The code may follow a label. */
        first = e < end && *e == ':' ? skip_blank(e + 1, end) : first;
        if (stop - s > first - p)
            span = (struct source_span){(size_t)(first - text), (size_t)((stop - s) - (first - p))};
    }
    vec_add(&l->spans, span);
    str_add_char(&l->text, '\n');
}

/* Does the same as bytes_clean for the code of the line from @s to @stop. Also converts labels
 * before it. Writes an invalid byte for `(bad)` without bytes. Stores the start of the instruction
 * in *@text. Returns false if the caller must use the text, as for directives. */
static bool listed_clean(struct listing *l, struct dialect *d, const struct margin *m,
                         const char *s, const char *stop, size_t number, uint64_t next,
                         const char **text)
{
    const size_t before = l->text.length;
    const char *at = skip_blank(s, stop), *e, *colon;

    if (!l->disassembly && m->byte_count)
        for (;
             (e = word_end(at, stop)) > at && (colon = skip_blank(e, stop)) < stop && *colon == ':';
             at = skip_blank(colon + 1, stop))
            dialect_label(d, at, e, &l->text);
    *text = at;
    const bool bad = l->disassembly && isa_ops(l->isa)->step == 1 && text_find(at, stop, "(bad)");
    if (at < stop && (l->disassembly || *at != '.') && bytes_clean(l, m, number, next, bad))
        return true;
    if (bad && !m->byte_count) {
        /* Writes the byte 06 as data, because it is not an instruction of this set. */
        str_add(&l->text, ".byte 0x06");
        return true;
    }
    l->text.length = before;
    return false;
}

/* Converts a heading, which is the name of a function or an offset in a function. */
static void heading_clean(struct listing *l, struct dialect *d, const char *p, const char *end)
{
    if (line_places_is_local(p, end)) {
        target_label(l, p, end, &l->text);
        str_add_char(&l->text, ':');
    } else {
        l->headings++;
        dialect_heading(d, p, end, &l->text);
    }
}

/* Converts a line: first the label of its address, then its code. @order is the result of
 * order_of. */
static void line_clean(struct listing *l, struct dialect *d, struct str *code, bool *in_comment,
                       enum semicolon semicolon, const char *text, size_t number,
                       const struct margin *m, uint64_t next, unsigned order)
{
    const char *p = text + m->start, *end = text + m->end;
    struct source_span span = {m->start, 0};
    const struct isa_ops *isa = isa_ops(l->isa);

    if (order)
        str_addf(&l->text, ".text %u; ", order);
    if (m->left_out)
        vec_add(&l->left_out, ((struct diagnostic){number, NULL, mem_strdup(m->left_out)}));
    str_clear(code);
    if (m->symbol) {
        vec_add(&l->functions, mem_strndup(p, (size_t)(end - p)));
        heading_clean(l, d, p, end);
    } else {
        const struct line_place *place = d->places && number <= d->places->lines.count
                                             ? &d->places->lines.items[number - 1]
                                             : NULL;
        if (place && place->function && p < end)
            str_addf(&l->text, "%s%u_%llx: ", LISTING_ADDRESS_LABEL, place->function,
                     (unsigned long long)place->offset);
        if (m->addressed && p < end)
            str_addf(&l->text, "%s%u_%llx: ", LISTING_ADDRESS_LABEL, m->section,
                     (unsigned long long)m->address);
        if (isa->dialects) {
            comments_cut(p, end, l->disassembly || d->intel ? semicolon : SEMICOLON_SEPARATES,
                         in_comment, code);
        } else {
            p = isa->word_end(p, end, l->disassembly);
            isa->comments_cut(p, end, in_comment, code);
        }
        const char *s = str_text(code), *stop = trim_end(s, s + code->length), *at;
        if (l->disassembly && !m->addressed && stop > s + 1 && stop[-1] == ':')
            heading_clean(l, d, skip_blank(s, stop), stop - 1);
        else if (marker_of_iaca(skip_blank(s, stop), stop))
            ;   /* Omits the line, because markers_find searches the user's text for markers. */
        else if (listed_clean(l, d, m, s, stop, number, next, &at))
            span = (struct source_span){(size_t)(p - text) + (size_t)(at - s), (size_t)(stop - at)};
        else
            code_clean(l, d, code, text, number, p, end, m->section, &span);
    }
    vec_add(&l->spans, span);
    str_add_char(&l->text, '\n');
}

struct ordered { uint64_t address; unsigned section; size_t line; };

static int address_order(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    steps_add(1);
    return x->section != y->section ? (x->section > y->section) - (x->section < y->section)
                                    : (x->address > y->address) - (x->address < y->address);
}

/* Returns the rank by address of each line, from 1, for a debugger listing grouped by source line.
 * The rank becomes the assembler's subsection number. Returns NULL if lines are already in order,
 * if an address repeats, or if there are too many. */
static unsigned *order_of(const struct margins *m)
{
    VEC(struct ordered) places = {0};
    bool sorted = true, once = true;
    unsigned *order = NULL;

    for (size_t i = 0; m->disassembly && i < m->lines.count; i++) {
        const struct margin *line = &m->lines.items[i];
        if (!line->addressed || line->start == line->end)
            continue;
        const struct ordered *last = places.count ? &places.items[places.count - 1] : NULL;
        sorted &= !last || last->section != line->section || last->address < line->address;
        vec_add(&places, ((struct ordered){line->address, line->section, i}));
    }
    if (!sorted && places.count <= SUBSECTIONS) {
        qsort(places.items, places.count, sizeof *places.items, address_order);
        for (size_t i = 1; i < places.count; i++)
            once &= address_order(&places.items[i - 1], &places.items[i]) != 0;
        if (once) {
            order = mem_zero(m->lines.count, sizeof *order);
            for (size_t i = 0; i < places.count; i++)
                order[places.items[i].line] = (unsigned)i + 1;
        }
    }
    vec_done(&places);
    return order;
}

static uint64_t address_behind(const struct margins *m, size_t i)
{
    const struct margin *line = &m->lines.items[i], *next;

    if (!line->addressed || !line->byte_count || line->start >= line->end)
        return 0;
    for (next = line + 1;
         next < m->lines.items + m->lines.count && !(next->addressed && next->start < next->end);
         next++)
        steps_add(1);
    return next < m->lines.items + m->lines.count && next->section == line->section ? next->address
                                                                                    : 0;
}

static uint64_t first_address(const struct margins *m, const unsigned *order)
{
    for (size_t i = 0; m->disassembly && i < m->lines.count; i++) {
        const struct margin *line = &m->lines.items[i];
        if (line->addressed && line->start < line->end && (!order || order[i] == 1))
            return line->address;
    }
    return 0;
}

/* Returns whether the text is a disassembly without addresses and bytes, with function names on
 * separate lines. */
static bool has_names_only(const char *text, const struct margins *m)
{
    for (size_t i = 0; !m->disassembly && i < m->lines.count; i++) {
        const char *end = text + m->lines.items[i].end,
                   *p = skip_blank(text + m->lines.items[i].start, end);
        if (line_places_heading(p, trim_end(p, end)))
            return true;
    }
    return false;
}

void listing_clean(enum isa isa, const char *text, size_t length, enum syntax syntax,
                   const struct line_places *places, struct listing *out)
{
    struct margins margins;
    struct str code = {0};
    bool in_comment = false;

    memset(out, 0, sizeof *out);
    out->isa = isa;
    margins_find(text, length, isa_ops(isa)->step, &margins);
    out->syntax = !isa_ops(isa)->dialects ? SYNTAX_AUTO
                  : syntax == SYNTAX_AUTO ? syntax_of(text, &margins)
                                          : syntax;
    out->names_only = has_names_only(text, &margins);
    out->disassembly = margins.disassembly || out->names_only;
    out->plan9 = margins.plan9 && isa_ops(isa)->dialects;
    if (out->plan9)
        out->syntax = SYNTAX_ATT;
    struct dialect dialect = {.isa = isa, .intel = out->syntax == SYNTAX_INTEL, .places = places};
    unsigned *order = order_of(&margins);
    out->address = first_address(&margins, order);
    for (size_t i = 0; isa_ops(isa)->dialects && i < margins.lines.count; i++)
        dialect_learn(&dialect, text + margins.lines.items[i].start,
                      text + margins.lines.items[i].end);
    enum semicolon semicolon = semicolon_of(out, text, &margins);
    for (size_t i = 0; dialect.intel && !margins.disassembly && !margins.expanded && !out->nasm &&
                       i < margins.lines.count;
         i++)
        out->nasm = dialect_needs_nasm(text + margins.lines.items[i].start,
                                       text + margins.lines.items[i].end);
    out->no_nasm = out->nasm && !path_has_program("nasm");
    out->nasm = out->nasm && !out->no_nasm;
    struct mode_lines modes = {0};
    listing_modes_find(isa, out->disassembly, text, length, &margins, &modes);
    for (size_t i = 0; i < modes.list.count; i++)
        vec_add(&out->refused, ((struct diagnostic){modes.list.items[i].number, NULL,
                                                    mem_strdup(modes.list.items[i].reason)}));
    vec_done(&modes.list);
    for (size_t i = 0; i < margins.lines.count; i++) {
        if (out->nasm)
            nasm_clean(out, &code, text, i + 1, &margins.lines.items[i]);
        else
            line_clean(out, &dialect, &code, &in_comment, semicolon, text, i + 1,
                       &margins.lines.items[i], address_behind(&margins, i), order ? order[i] : 0);
        if (margins.percents)
            vec_add(&out->percents, margins.lines.items[i].percent);
    }
    free(order);
    dialect_done(&dialect);
    margins_done(&margins);
    str_done(&code);
}

void listing_done(struct listing *l)
{
    str_done(&l->text);
    vec_done(&l->spans);
    for (size_t i = 0; i < l->refused.count; i++) {
        free(l->refused.items[i].text);
        free(l->refused.items[i].reason);
    }
    vec_done(&l->refused);
    for (size_t i = 0; i < l->left_out.count; i++)
        free(l->left_out.items[i].reason);
    vec_done(&l->left_out);
    vec_done(&l->percents);
    vec_free_texts(&l->functions);
}

enum syntax syntax_detect(const char *text, size_t length)
{
    struct margins margins;

    margins_find(text, length, 1, &margins);
    enum syntax syntax = syntax_of(text, &margins);
    margins_done(&margins);
    return syntax;
}

enum isa listing_isa(const char *text, size_t length)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (isa_ops((enum isa)isa)->looks_like && isa_ops((enum isa)isa)->looks_like(text, length))
            return (enum isa)isa;
    return ISA_UNSAID;
}
