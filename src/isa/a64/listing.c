/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/listing.h"

#include <ctype.h>
#include <string.h>

#include "isa/a64/form.h"
#include "isa/assembled.h"

static const char *skip_blank(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\f' || *p == '\v'))
        p++;
    return p;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static const char *word_end(const char *p, const char *end)
{
    while (p < end && is_word(*p))
        p++;
    return p;
}

bool a64_is_register(const char *p, size_t length)
{
    const char *end = p + length;
    if (length < 2)
        return false;
    if (length == 3 && (strncasecmp(p, "xzr", 3) == 0 || strncasecmp(p, "wzr", 3) == 0 ||
                        strncasecmp(p, "wsp", 3) == 0))
        return true;
    char class = (char)tolower((unsigned char)*p);
    if (!strchr("xwvzqhs", class) || !isdigit((unsigned char)p[1]))
        return false;
    const char *at = p + 1;
    unsigned n = 0;
    while (at < end && isdigit((unsigned char)*at) && n < 100)
        n = 10 * n + (unsigned)(*at++ - '0');
    return n < 32 && (at == end || (*at == '.' && (class == 'v' || class == 'z')));
}

static bool is_x86_register(const char *p, const char *end, const char *line_end)
{
    static const char *const names[] = {
        "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "eax", "ebx", "ecx", "edx", "esi",
        "edi", "ebp", "esp", "al",  "bl",  "cl",  "dl",  "ax",  "bx",  "cx",  "dx",  "ptr", "st"};
    size_t length = (size_t)(end - p);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncasecmp(p, names[i], length) == 0)
            return true;
    if (length > 1 && length <= 4 && (*p | 32) == 'r' &&
        (strchr("89", p[1]) || (length > 2 && p[1] == '1' && p[2] >= '0' && p[2] < '6')))
        return true;   /* r8 to r15d */
    if (length == 3 && strncasecmp(p, "st", 2) == 0 && isdigit((unsigned char)p[2]))
        /* NASM's name of st(0), but not AArch64's ST1 {V0.4S}, [X0] */
        return end == skip_blank(end, line_end) || *skip_blank(end, line_end) != '{';
    return length >= 4 && strchr("xyzXYZ", *p) && (p[1] | 32) == 'm' && (p[2] | 32) == 'm' &&
           isdigit((unsigned char)p[3]);
}

/* Returns whether the word is a frequent mnemonic that x86-64 does not have. Such a mnemonic is the
 * evidence if all registers of a text are b or d registers. */
static bool is_mnemonic(const char *p, const char *end)
{
    static const char *const words[] = {"ldr",   "ldp",   "stp",     "ldur", "stur", "fmla",
                                        "fmadd", "fadd",  "fmul",    "fdiv", "fmov", "cbz",
                                        "cbnz",  "tbz",   "tbnz",    "adrp", "b.ne", "b.eq",
                                        "b.lt",  "b.any", "whilelo", "ld1d", "st1d"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == (size_t)(end - p) &&
            strncasecmp(p, words[i], (size_t)(end - p)) == 0)
            return true;
    return false;
}

/* Sets *@arm or *@other if the line is evidence for AArch64 or for another instruction set. */
static void line_weigh(const char *p, const char *end, bool *arm, bool *other)
{
    const char *mnemonic = p;
    for (; p < end; p++) {
        if ((p[0] == '/' && p + 1 < end && p[1] == '/') ||
            (*p == '#' && (p + 1 >= end || isspace((unsigned char)p[1]))))
            return;
        if (*p == '%' && p + 1 < end && isalpha((unsigned char)p[1]))
            *other = true;
        if (!isalpha((unsigned char)*p) ||
            (p > mnemonic && (is_word(p[-1]) || p[-1] == '%' || p[-1] == '<')))
            continue;
        const char *e = word_end(p, end);
        *arm |= p > mnemonic && a64_is_register(p, (size_t)(e - p));
        *arm |= is_mnemonic(p, e) && e < end && isspace((unsigned char)*e);
        *other |= p > mnemonic && is_x86_register(p, e, end);
        p = e - 1;
    }
}

bool a64_looks_like(const char *text, size_t length)
{
    size_t arm = 0, other = 0;
    for (const char *at = text, *stop = text + length, *end; at < stop; at = end + 1) {
        end = memchr(at, '\n', (size_t)(stop - at));
        end = end ? end : stop;
        const char *p = skip_blank(at, end);
        bool is_arm = false, is_other = false;
        if ((size_t)(end - p) > 30 &&
            memmem(p, (size_t)(end - p), "file format elf64-littleaarch64", 31))
            return true;
        if (p == end || *p == '#' || *p == '.' || *p == '/' || *p == ';')
            continue;
        line_weigh(p, end, &is_arm, &is_other);
        arm += is_arm;
        other += is_other;
    }
    return arm > other;
}

const char *a64_word_end(const char *p, const char *end, bool disassembly)
{
    const char *at = skip_blank(p, end);
    unsigned digits = 0;
    while (at < end && isxdigit((unsigned char)*at)) {
        at++;
        digits++;
    }
    return disassembly && digits == 8 && (at == end || isspace((unsigned char)*at)) ? at : p;
}

/* Returns whether the text after a semicolon is a statement: a directive, a label, a mnemonic
 * without operands, or a mnemonic followed by a register, number or bracket. */
static bool is_statement(const char *p, const char *end)
{
    static const char *const lone[] = {"ret", "nop", "eret", "isb"};
    p = skip_blank(p, end);
    const char *e = word_end(p, end), *operand = skip_blank(e, end);
    if (e == p || isdigit((unsigned char)*p))
        return false;
    if (*p == '.' || (e < end && *e == ':'))
        return true;
    for (size_t i = 0; operand == end && i < sizeof lone / sizeof *lone; i++)
        if (strlen(lone[i]) == (size_t)(e - p) && strncasecmp(p, lone[i], (size_t)(e - p)) == 0)
            return true;
    if (operand == end || operand == e)
        return false;
    const char *operand_end = word_end(operand, end);
    bool number = (*p | 32) == 'b' && (*operand == '.' || isdigit((unsigned char)*operand));
    if (strchr("#[{", *operand) || number)
        return true;
    bool scalar = operand_end - operand >= 2 && operand_end - operand <= 3 &&
                  strchr("bdpBDP", *operand) && isdigit((unsigned char)operand[1]);
    bool followed = operand_end == end || strchr(", \t;/", *operand_end);
    return followed && (scalar || a64_is_register(operand, (size_t)(operand_end - operand)) ||
                        strncasecmp(operand, "sp", 2) == 0);
}

void a64_comments_cut(const char *p, const char *end, bool *in_comment, struct str *out)
{
    bool quoted = false;
    const char *first = skip_blank(p, end);
    if (!*in_comment && first < end && (*first == ';' || *first == '#'))
        return;
    for (; p < end; p++) {
        bool pair = p + 1 < end;
        if (*in_comment) {
            if (*p == '*' && pair && p[1] == '/') {
                *in_comment = false;
                p++;
            }
            continue;
        }
        if (*p == '"')
            quoted = !quoted;
        else if (quoted && *p == '\\' && pair)
            str_add_char(out, *p++);
        if (!quoted && *p == '/' && pair && p[1] == '/')
            return;
        if (!quoted && *p == ';' && !is_statement(p + 1, end))
            return;
        if (!quoted && *p == '/' && pair && p[1] == '*') {
            *in_comment = true;
            str_add_char(out, ' ');
            p++;
            continue;
        }
        str_add_char(out, *p);
    }
}

bool a64_directive_kept(const char *word, size_t length)
{
    static const char *const kept[] = {".inst", ".xword", ".dword", ".ltorg", ".pool", ".unreq"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strlen(kept[i]) == length && strncasecmp(word, kept[i], length) == 0)
            return true;
    return false;
}

/* The target is the last operand, as in `b.ne`, `bne`, `cbz x0,` and `tbz w0, #3,`. adr, adrp and
 * literal loads refer to data. */
void a64_target_clean(const char *p, const char *end, unsigned section, struct str *out)
{
    const char *e = word_end(p, end);
    size_t length = (size_t)(e - p);
    bool branch = (length == 3 && (*p | 32) == 'b' && a64_is_condition(p + 1, 2)) ||
                  (length >= 1 && (*p | 32) == 'b' &&
                   (length == 1 || p[1] == '.' || (length == 2 && (p[1] | 32) == 'l'))) ||
                  (length >= 3 && (strncasecmp(p, "cb", 2) == 0 || strncasecmp(p, "tb", 2) == 0) &&
                   p[2] != 'l' && p[2] != 'x');
    bool place = length >= 3 && (strncasecmp(p, "adr", 3) == 0 || strncasecmp(p, "ldr", 3) == 0);
    const char *stop = memchr(p, '<', (size_t)(end - p));
    stop = stop ? stop : end;
    while (stop > e && isspace((unsigned char)stop[-1]))
        stop--;
    const char *operand = stop;
    while (operand > e && !isspace((unsigned char)operand[-1]) && operand[-1] != ',')
        operand--;
    const char *digits =
                   operand +
                   (stop - operand > 2 && operand[0] == '0' && (operand[1] | 32) == 'x' ? 2 : 0),
               *at = digits;
    unsigned long long address = 0;
    for (; at < stop && isxdigit((unsigned char)*at) && at - digits < 16; at++)
        address =
            address << 4 |
            (unsigned long long)(isdigit((unsigned char)*at) ? *at - '0' : (*at | 32) - 'a' + 10);
    bool number = at == stop && at > digits;
    if (branch && number) {
        str_add_bytes(out, p, (size_t)(operand - p));
        str_addf(out, "%s%u_%llx", LISTING_ADDRESS_LABEL, section, address);
    } else if (place && number && operand > e) {
        str_add_bytes(out, p, (size_t)(operand - p));
        str_add_char(out, '.');
    } else {
        str_add_bytes(out, p, (size_t)(stop - p));
        /* objdump --no-addresses has omitted the target. */
        if (place && stop > e && stop[-1] == ',')
            str_add(out, " .");
    }
}
