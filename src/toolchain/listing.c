/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/listing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"

#define STEP_BYTES 100   /* that are looked through in one step of base/steps.h */

struct cursor { const char *at, *end; };

static bool line_next(struct cursor *c, const char **start, const char **end)
{
    if (c->at >= c->end)
        return false;
    *start = c->at;
    const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
    *end = newline ? newline : c->end;
    if (watch_steps(1 + (size_t)(*end - *start) / STEP_BYTES))
        return false;
    c->at = newline ? newline + 1 : c->end;
    if (*end > *start && (*end)[-1] == '\r')
        --*end;
    return true;
}

static const char *skip_blank(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\f' || *p == '\v'))
        p++;
    return p;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

static const char *word_end(const char *p, const char *end)
{
    while (p < end && is_word(*p))
        p++;
    return p;
}

static bool word_is(const char *p, const char *end, const char *word)
{
    return (size_t)(end - p) == strlen(word) && strncasecmp(p, word, (size_t)(end - p)) == 0;
}

/* The address column: hex digits and a colon; NULL when not there. */
static const char *address_end(const char *p, const char *end, uint64_t *address)
{
    const char *start = p;
    *address = 0;
    while (p < end && isxdigit((unsigned char)*p) && p - start < 16) {
        *address = *address << 4 | (uint64_t)(isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10);
        p++;
    }
    return p > start ? p : NULL;
}

/* Two-digit bytes with blanks between; returns the end of the column, @p itself when there is none. */
static const char *bytes_end(const char *p, const char *end, unsigned *count)
{
    *count = 0;
    while (end - p >= 2 && isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]) &&
           (end - p == 2 || p[2] == ' ' || p[2] == '\t')) {
        ++*count;
        p += 2;
        const char *gap = skip_blank(p, end);
        bool column_ends = gap - p > 1 || (gap > p && *p == '\t');
        p = gap;
        if (column_ends)
            break;
    }
    return p;
}

/* Splits a listing line; false when it has no address or bytes. @with_bytes: the line shows its bytes. */
static bool listing_split(const char *start, const char *end, uint64_t *address, const char **rest, bool *with_bytes)
{
    const char *p = skip_blank(start, end);
    const char *a = address_end(p, end, address);
    if (!a)
        return false;
    bool colon = a < end && *a == ':';
    if (colon)
        a++;
    else if (a - p < 4 || a >= end || (*a != ' ' && *a != '\t'))
        return false;
    const char *b = skip_blank(a, end);
    unsigned count;
    const char *after = bytes_end(b, end, &count);
    *with_bytes = count > 0;
    *rest = after;
    return count > 0 || (colon && b > a);
}

/* A disassembly has addresses on nearly all instruction lines, and they grow. */
static bool is_disassembly(const char *text, size_t length)
{
    struct cursor c = {text, text + length};
    size_t with_bytes = 0, addresses = 0, other = 0;
    uint64_t last = 0;
    bool header = false;
    for (const char *start, *end; line_next(&c, &start, &end);) {
        uint64_t address;
        const char *rest;
        bool bytes;
        const char *p = skip_blank(start, end);
        if (p == end || *p == '#' || *p == ';' || *p == '.' || end[-1] == ':')
            continue;
        if ((size_t)(end - p) > 22 && strncmp(p, "Disassembly of section", 22) == 0)
            header = true;
        if (!listing_split(start, end, &address, &rest, &bytes)) {
            other++;
        } else if (bytes) {
            with_bytes++;
        } else {
            addresses += address > last || address == 0;
            last = address;
        }
    }
    return header ? with_bytes + addresses > 0 : with_bytes > other || (addresses > 2 && addresses > other);
}

/* `0000000000001139 <main>:` gives main. */
static bool listing_symbol(const char *start, const char *end, const char **name, size_t *length)
{
    uint64_t address;
    const char *a = address_end(start, end, &address);
    if (!a || end - a < 5 || a[0] != ' ' || a[1] != '<' || end[-1] != ':' || end[-2] != '>')
        return false;
    *name = a + 2;
    *length = (size_t)(end - 2 - *name);
    return true;
}

/* End of the code part: comments cut, strings respected. @in_comment lives over lines for C comments. Writes the text
 * with C comments blanked to @out. */
static void comments_cut(const char *p, const char *end, bool intel, bool *in_comment, struct str *out)
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
            if (*p == '#' || (*p == '/' && p + 1 < end && p[1] == '/'))
                return;
            if (*p == ';' && intel && (p + 1 >= end || p[1] == ';' || (p > first && p[-1] == ' ' && p[1] == ' ')))
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
    ".p2align", ".align", ".balign", ".skip", ".space", ".zero", ".fill", ".byte", ".value", ".short", ".word", ".hword",
    ".2byte", ".long", ".int", ".4byte", ".quad", ".8byte", ".octa", ".string", ".ascii", ".asciz", ".float", ".single",
    ".double", ".set", ".equ", ".equiv", ".macro", ".endm", ".exitm", ".purgem", ".rept", ".endr", ".irp", ".irpc", ".if",
    ".ifdef", ".ifndef", ".ifeq", ".ifne", ".ifc", ".ifb", ".ifnb", ".else", ".elseif", ".endif", ".intel_syntax", ".att_syntax",
    ".altmacro", ".noaltmacro", ".nops", ".comm", ".lcomm", ".data", ".bss", ".text", ".insn",
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

static bool contains_nocase(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    steps_add((size_t)(end - p) / STEP_BYTES);
    for (; (size_t)(end - p) >= n; p++)
        if (strncasecmp(p, word, n) == 0)
            return true;
    return false;
}

/* One statement starting with a dot: kept, turned into its plain equal, or dropped. */
static void directive_clean(struct listing *l, const char *p, const char *end)
{
    const char *e = p;
    while (e < end && !isspace((unsigned char)*e) && *e != ',' && *e != '"')
        e++;
    if (word_is(p, e, ".section") || word_is(p, e, ".pushsection")) {
        const char *name_end = e;
        while (name_end < end && *name_end != '\n' && *name_end != '@')
            name_end++;
        bool code = contains_nocase(e, name_end, "text") || contains_nocase(e, name_end, "\"ax") ||
                    contains_nocase(e, name_end, "hot") || contains_nocase(e, name_end, ".init");
        str_add(&l->text, code ? ".text" : ".data");
    } else if (word_is(p, e, ".popsection") || word_is(p, e, ".previous")) {
        str_add(&l->text, ".text");
    } else if (word_is(p, e, ".globl") || word_is(p, e, ".global")) {
        function_add(l, e, end);
    } else if (word_is(p, e, ".type")) {
        if (contains_nocase(e, end, "function"))
            function_add(l, e, end);
    } else if (word_is(p, e, ".bss") || directive_kept(p, e) || (isa_ops(l->isa)->directive_kept && isa_ops(l->isa)->directive_kept(p, (size_t)(e - p)))) {
        str_add_bytes(&l->text, p, (size_t)(end - p));
    }
}

/* `jne 1149 <main+0x10>`: the address becomes the label of the line that has it. */
static void target_clean(struct listing *l, const char *p, const char *end, unsigned section)
{
    const char *e = word_end(p, end);
    while (word_is(p, e, "bnd") || word_is(p, e, "notrack")) {
        str_add_bytes(&l->text, p, (size_t)(e - p));
        str_add_char(&l->text, ' ');
        p = skip_blank(e, end);
        e = word_end(p, end);
    }
    if (str_has_prefix(p, "R_X86_64"))   /* a relocation of objdump -r */
        return;
    const char *nop = p;
    while (word_is(nop, word_end(nop, end), "data16") || word_is(nop, word_end(nop, end), "cs") ||
           word_is(nop, word_end(nop, end), "ds"))
        nop = skip_blank(word_end(nop, end), end);
    if (nop > p && end - nop >= 3 && strncasecmp(nop, "nop", 3) == 0) {   /* padding with more prefixes than `as` takes */
        p = nop;
        e = word_end(p, end);
    }
    bool flow = e > p && ((*p | 32) == 'j' || strncasecmp(p, "call", 4) == 0 || strncasecmp(p, "loop", 4) == 0 ||
                          word_is(p, e, "xbegin"));
    const char *mnemonic_end = e;
    const char *comma = memchr(p, ',', (size_t)(end - p));
    if (flow && comma && *e == ',') {   /* jne,pn */
        e = word_end(comma + 1, end);
        mnemonic_end = e;
    }
    const char *operand = skip_blank(e, end);
    if (flow && end - operand > 2 && operand[0] == '0' && (operand[1] | 32) == 'x')
        operand += 2;
    uint64_t address;
    const char *a = flow ? address_end(operand, end, &address) : NULL;
    if (a && (a == end || skip_blank(a, end) == end || *skip_blank(a, end) == '<')) {
        str_add_bytes(&l->text, p, (size_t)(mnemonic_end - p));
        str_addf(&l->text, " %s%u_%llx", LISTING_ADDRESS_LABEL, section, (unsigned long long)address);
        return;
    }
    const char *angle = memchr(p, '<', (size_t)(end - p));
    str_add_bytes(&l->text, p, (size_t)((angle && angle > p && angle[-1] == ' ' ? angle : end) - p));
}

/* Labels, then statements between semicolons. @code holds no comments. Span offsets are relative to @code. */
static bool statements_clean(struct listing *l, const char *code, const char *end, unsigned section, size_t *first,
                             size_t *last, const char **why)
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
            const char *e = *s == '"' && s < stop ? memchr(s + 1, '"', (size_t)(stop - s - 1)) : word_end(s, stop);
            if (e && e < stop && *e == '"')
                e++;
            if (!e || e == s)
                break;
            const char *colon = skip_blank(e, stop);
            if (colon >= stop || *colon != ':')
                break;
            steps_add(1);
            str_add_bytes(&l->text, s, (size_t)(e - s));
            str_add(&l->text, ": ");
            s = skip_blank(colon + 1, stop);
        }
        while (stop > s && isspace((unsigned char)stop[-1]))
            stop--;
        if (s < stop) {
            const char *e = word_end(s, stop);
            if (contains_nocase(s, stop, "incbin") || contains_nocase(s, stop, ".include")) {
                *why = contains_nocase(s, stop, "incbin") ? ".incbin reads another file" : ".include reads another file";
                return false;
            }
            const char *equals = skip_blank(e, stop);
            if (*s == '.' && !(equals < stop && *equals == '=')) {
                directive_clean(l, s, stop);
            } else {
                if (!any)
                    *first = (size_t)(s - code);
                *last = (size_t)(stop - code);
                any = true;
                if (l->disassembly && isa_ops(l->isa)->target_clean)
                    isa_ops(l->isa)->target_clean(s, stop, section, &l->text);
                else if (l->disassembly)
                    target_clean(l, s, stop, section);
                else
                    str_add_bytes(&l->text, s, (size_t)(stop - s));
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

void listing_clean(enum isa isa, const char *text, size_t length, enum syntax syntax, struct listing *out)
{
    memset(out, 0, sizeof *out);
    out->isa = isa;
    out->syntax = !isa_ops(isa)->dialects ? SYNTAX_AUTO : syntax == SYNTAX_AUTO ? syntax_detect(text, length) : syntax;
    out->disassembly = is_disassembly(text, length);
    struct cursor c = {text, text + length};
    struct str code = {0};
    bool in_comment = false;
    unsigned section = 0;
    size_t number = 0;
    for (const char *start, *end; line_next(&c, &start, &end);) {
        number++;
        struct source_span span = {(size_t)(start - text), 0};
        const char *p = start;
        const char *name;
        size_t name_length;
        if (out->disassembly) {
            uint64_t address;
            bool bytes;
            const char *rest;
            if ((size_t)(end - start) > 22 && strncmp(start, "Disassembly of section", 22) == 0)
                section++;
            if (listing_symbol(start, end, &name, &name_length)) {
                vec_add(&out->functions, mem_strndup(name, name_length));
                str_addf(&out->text, "\"%.*s\":", (int)name_length, name);
                p = end;
            } else if (listing_split(start, end, &address, &rest, &bytes)) {
                if (rest < end)
                    str_addf(&out->text, "%s%u_%llx: ", LISTING_ADDRESS_LABEL, section, (unsigned long long)address);
                p = rest;
            } else if (end > start && end[-1] == ':' && word_end(start, end) == end - 1) {
                p = start;
            } else {
                p = end;
            }
        }
        str_clear(&code);
        if (!isa_ops(isa)->dialects) {
            p = isa_ops(isa)->word_end(p, end, out->disassembly);
            isa_ops(isa)->comments_cut(p, end, &in_comment, &code);
        } else {
            comments_cut(p, end, out->syntax == SYNTAX_INTEL, &in_comment, &code);
        }
        const char *s = str_text(&code), *why = NULL;
        size_t first, last, before = out->text.length;
        if (!statements_clean(out, s, s + code.length, section, &first, &last, &why)) {
            vec_add(&out->refused, ((struct diagnostic){number, mem_strndup(start, (size_t)(end - start)), mem_strdup(why)}));
            out->text.length = before;
        } else if (last > first && code.length <= (size_t)(end - p)) {
            span.start = (size_t)(p - text) + first;
            span.length = last - first;
        }
        vec_add(&out->spans, span);
        str_add_char(&out->text, '\n');
    }
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
    for (size_t i = 0; i < l->functions.count; i++)
        free(l->functions.items[i]);
    vec_done(&l->functions);
}

void listing_markers(const char *text, size_t length, struct marker_list *out)
{
    static const char *const words[] = {"LLVM-MCA-BEGIN", "LLVM-MCA-END", "OSACA-BEGIN", "OSACA-END"};
    memset(out, 0, sizeof *out);
    struct cursor c = {text, text + length};
    size_t number = 0;
    for (const char *start, *end; line_next(&c, &start, &end);) {
        number++;
        const char *p = start;
        while (p < end && *p != '#' && *p != ';' && *p != '/')
            p++;
        while (p < end && (*p == '#' || *p == ';' || *p == '/' || *p == '*' || *p == ' ' || *p == '\t'))
            p++;
        for (size_t i = 0; i < 4; i++)
            if ((size_t)(end - p) >= strlen(words[i]) && strncmp(p, words[i], strlen(words[i])) == 0) {
                const char *stop = end;
                while (stop > p && (isspace((unsigned char)stop[-1])))
                    stop--;
                vec_add(&out->list, ((struct marker){i % 2 ? MARKER_END : MARKER_BEGIN, number, mem_strndup(p, (size_t)(stop - p))}));
                break;
            }
    }
}

void listing_markers_done(struct marker_list *m)
{
    for (size_t i = 0; i < m->list.count; i++)
        free(m->list.items[i].text);
    vec_done(&m->list);
}

static bool is_intel_register(const char *p, const char *end)
{
    static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "eax", "ebx", "ecx", "edx",
                                        "esi", "edi", "ebp", "esp", "al", "bl", "cl", "dl", "ax", "bx", "cx", "dx"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (word_is(p, end, names[i]))
            return true;
    if (end - p >= 2 && (*p | 32) == 'r' && isdigit((unsigned char)p[1]))
        return true;
    return end - p >= 4 && (p[1] | 32) == 'm' && (p[2] | 32) == 'm' && strchr("xyzXYZ", *p) && isdigit((unsigned char)p[3]);
}

enum syntax syntax_detect(const char *text, size_t length)
{
    struct cursor c = {text, text + length};
    size_t att = 0, intel = 0;
    for (const char *start, *end; line_next(&c, &start, &end);) {
        const char *p = skip_blank(start, end);
        if (p == end || *p == '#' || *p == ';')
            continue;
        if (contains_nocase(p, end, ".intel_syntax"))
            return SYNTAX_INTEL;
        if (contains_nocase(p, end, ".att_syntax"))
            return SYNTAX_ATT;
        for (bool mark_att = false, mark_intel = false; p < end && *p != '#'; p++) {
            if (*p == '%' && p + 1 < end && isalpha((unsigned char)p[1])) {
                att += !mark_att;
                mark_att = true;
            } else if (isalpha((unsigned char)*p) && (p == start || !is_word(p[-1]))) {
                const char *e = word_end(p, end);
                if ((p == start || p[-1] != '%') && (is_intel_register(p, e) || word_is(p, e, "ptr"))) {
                    intel += !mark_intel;
                    mark_intel = true;
                }
                p = e - 1;
            }
        }
    }
    return intel > att ? SYNTAX_INTEL : SYNTAX_ATT;
}

enum isa listing_isa(const char *text, size_t length)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (isa_ops((enum isa)isa)->looks_like && isa_ops((enum isa)isa)->looks_like(text, length))
            return (enum isa)isa;
    return ISA_UNSAID;
}
