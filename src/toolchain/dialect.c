/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/dialect.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"
#include "toolchain/words.h"

#define ANONYMOUS "77"   /* local label that replaces MASM's @@ */

/* First words of directives that generate no code. */
static const char *const silent[] = {
    "public", "extrn",  "extern",   "externdef", "includelib", "include", "title",   "ttl",
    "option", "assume", "comdat",   "global",    "bits",       "use64",   "default", "cpu",
    "format", "export", "import",   "entry",     "end",        "endp",    "proto",   ".model",
    ".686p",  ".xmm",   "%include", "common",    "preserve8",  NULL};
static const char *const data_words[] = {"db",    "dw",   "dd",   "dq",   "dt",   "dy",
                                         "dz",    "resb", "resw", "resd", "resq", "real4",
                                         "real8", "dcb",  "dcw",  "dcd",  "dcq",  NULL};

static const char *next_word(const char *p, const char *end, const char **stop)
{
    p = skip_blank(p, end);
    *stop = p;
    while (*stop < end && !isspace((unsigned char)**stop) && **stop != ',')
        ++*stop;
    return p;
}

/* Positions of the first two words of a line */
struct opening { const char *first, *first_end, *second, *second_end, *end; };

/* Finds the first two words. Ignores the word after a branch, which is a label even if it is `db`
 * or `proc`. */
static struct opening opening_of(const char *p, const char *end)
{
    struct opening o = {.end = end};
    o.first = next_word(p, end, &o.first_end);
    o.second = next_word(o.first_end, end, &o.second_end);
    if (word_is(o.first, o.first_end, "call") ||
        (o.first < o.first_end && (*o.first | 32) == 'j' &&
         isa_of_dialects()->is_mnemonic(o.first, (size_t)(o.first_end - o.first))))
        o.second_end = o.second;
    return o;
}

static bool names_section(const struct opening *o)
{
    return (word_is(o->first, o->first_end, "section") ||
            word_is(o->first, o->first_end, "segment") ||
            word_is(o->first, o->first_end, "area")) &&
           o->second < o->second_end;
}

/* Returns whether the line declares data. `fld real8 ptr [rax]` does not declare data. */
static bool is_data(const struct opening *o)
{
    const char *behind = skip_blank(o->second_end, o->end);
    bool sized =
        (behind < o->end && *behind == '[') || word_is(behind, word_end(behind, o->end), "ptr");
    return o->second < o->second_end && !sized &&
           (word_among(o->first, o->first_end, data_words) ||
            word_among(o->second, o->second_end, data_words));
}

static bool defines(const struct opening *o)
{
    return word_is(o->first, o->first_end, "%define") || word_is(o->second, o->second_end, "equ");
}

static bool is_block(const struct opening *o)
{
    static const char *const words[] = {"proc", "endp", "segment", "ends", NULL};
    return word_among(o->second, o->second_end, words) && o->first[0] != '.';
}

bool dialect_knows(const char *p, const char *end)
{
    struct opening o = opening_of(p, end);
    return o.first < o.first_end &&
           (word_among(o.first, o.first_end, silent) || names_section(&o) ||
            (o.second < o.second_end && (is_data(&o) || defines(&o) || is_block(&o))) ||
            word_is(o.first, o.first_end, "npad") || word_is(o.first, o.first_end, "align") ||
            *o.first == '|');
}

bool dialect_needs_nasm(const char *p, const char *end)
{
    static const char *const words[] = {
        "%rep",      "%macro",   "%imacro", "%rmacro", "%assign", "%iassign", "%xdefine",
        "%ixdefine", "%idefine", "%if",     "%ifdef",  "%ifndef", "%ifidn",   "%ifnum",
        "%rotate",   "%deftok",  "%strlen", "%push",   "struc",   "istruc",   NULL};
    struct opening o = opening_of(p, end);

    if (word_is(o.first, o.first_end, "times")) {
        struct opening rest = opening_of(o.second_end, end);
        return !is_data(&rest);
    }
    const char *round = word_is(o.first, o.first_end, "%define")
                            ? memchr(o.second, '(', (size_t)(o.second_end - o.second))
                            : NULL;
    return round || word_among(o.first, o.first_end, words);
}

void dialect_quote(const char *p, const char *end, struct str *out)
{
    str_add_char(out, '"');
    for (; p < end; p++) {
        if (*p == '"' || *p == '\\')
            str_add_char(out, '\\');
        str_add_char(out, *p);
    }
    str_add_char(out, '"');
}

static bool holds_nocase(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (; (size_t)(end - p) >= n; p++)
        if (strncasecmp(p, word, n) == 0)
            return true;
    return false;
}

static void add_section(const char *name, const char *end, struct str *out)
{
    str_add(out,
            holds_nocase(name, end, "text") || holds_nocase(name, end, "code") ? ".text" : ".data");
}

/* Removes the bars in which armasm encloses names made by the compiler. */
static void bars_off(const char **p, const char **end)
{
    if (*end - *p > 2 && **p == '|' && (*end)[-1] == '|') {
        ++*p;
        --*end;
    }
}

/* Returns whether the line is a label of several words, an unquoted C++ name. */
static bool is_long_label(const char *p, const char *end)
{
    if (end - p < 2 || end[-1] != ':' || *p == '"' || (end - p > 2 && end[-2] == ':'))
        return false;
    const char *e = word_end(p, end);
    const char *colon = memchr(p, ':', (size_t)(end - p));
    return e < end - 1 && skip_blank(e, end) < end - 1 &&
           (colon == end - 1 || colon[1] == ':' || memchr(p, '(', (size_t)(colon - p)));
}

/* Translates directives of MASM, NASM and armasm for sections, alignment and constants. Appends
 * nothing for those of data and those that generate no code. Returns false for other directives. */
static bool directive(const struct opening *o, const char *end, struct str *out)
{
    const char *name = o->first, *stop = o->first_end;

    if (names_section(o)) {
        add_section(o->second, end, out);
    } else if (word_is(name, stop, ".code")) {
        str_add(out, ".text");
    } else if (word_is(name, stop, ".const") || word_is(name, stop, ".data?")) {
        str_add(out, ".data");
    } else if (word_is(o->second, o->second_end, "segment")) {
        add_section(name, stop, out);
    } else if (word_is(o->second, o->second_end, "ends")) {
        str_add(out, ".text");
    } else if (word_is(name, stop, "npad")) {
        str_addf(out, ".nops %.*s", (int)(o->second_end - o->second), o->second);
    } else if (word_is(name, stop, "align")) {
        if (o->second < o->second_end && isdigit((unsigned char)*o->second))
            str_addf(out, ".balign %.*s", (int)(o->second_end - o->second), o->second);
    } else if (word_is(name, stop, "%define")) {
        const char *value = skip_blank(o->second_end, end);
        if (value < end)
            str_addf(out, ".set %.*s, %.*s", (int)(o->second_end - o->second), o->second,
                     (int)(end - value), value);
    } else if (word_is(name, stop, "times")) {
        struct opening rest = opening_of(o->second_end, end);
        return is_data(&rest);
    } else {
        return word_among(name, stop, silent) || word_is(o->second, o->second_end, "endp") ||
               is_data(o);
    }
    return true;
}

bool dialect_line(struct dialect *d, const char *p, const char *end, struct str *out,
                  const char **function, size_t *length)
{
    p = skip_blank(p, end);
    end = trim_end(p, end);
    *function = NULL;
    /* Skips lines with several statements, which are translated statement by statement. */
    if (p == end || memchr(p, ';', (size_t)(end - p)))
        return false;
    struct opening o = opening_of(p, end);
    if (is_long_label(p, end)) {
        bool angles = *p == '<' && end[-2] == '>';
        dialect_quote(p + angles, end - 1 - angles, out);
        str_add_char(out, ':');
        return true;
    }
    if (isa_ops(d->isa)->dialects && !d->intel)
        return false;
    bool proc = word_is(o.second, o.second_end, "proc");
    if (proc || (*o.first == '|' && o.first_end == end)) {
        bars_off(&o.first, &o.first_end);
        dialect_quote(o.first, o.first_end, out);
        str_add_char(out, ':');
        str_clear(&d->scope);
        if (proc) {
            *function = o.first;
            *length = (size_t)(o.first_end - o.first);
        }
        return true;
    }
    if (word_is(o.second, o.second_end, "equ") ||
        (o.second_end == o.second + 1 && *o.second == '=' &&
         memchr(o.first, '$', (size_t)(o.first_end - o.first)))) {
        str_add(out, ".set ");
        dialect_quote(o.first, o.first_end, out);
        str_add(out, ", ");
        dialect_statement(d, o.second_end, end, out);
        return true;
    }
    return directive(&o, end, out);
}

void dialect_heading(struct dialect *d, const char *p, const char *end, struct str *out)
{
    if (end - p > 2 && *p == '<' && end[-1] == '>') {
        p++;
        end--;
    }
    /* Omits the name of a section, because `as` creates a symbol for it. */
    if (*p == '.' && !text_begins(p, end, ".L"))
        return;
    char *name = mem_strndup(p, (size_t)(end - p));
    bool known = names_find(&d->headings, name) != UINT32_MAX;
    if (!known && names_try_add(&d->headings, name) != UINT32_MAX) {
        dialect_quote(p, end, out);
        str_add_char(out, ':');
    }
    free(name);
}

/* Appends a word as a quoted name if `as` would parse it differently. A local label of NASM has its
 * parent's name as a prefix. Returns false, with nothing appended, for other words. */
static bool name_add(const struct dialect *d, const char *p, const char *end, struct str *out)
{
    static const char *const relocations[] = {
        "plt",    "got",       "gotpcrel", "gotpcrelx", "tpoff",  "ntpoff",
        "dtpoff", "gottpoff",  "tlsgd",    "tlsld",     "gotoff", "pltoff",
        "size",   "indntpoff", "tlsdesc",  "tlscall",   NULL};
    bool local =
        *p == '.' && p + 1 < end && p[1] != 'L' && (isalpha((unsigned char)p[1]) || p[1] == '_');
    const char *at = memchr(p, '@', (size_t)(end - p));
    bool strange = *p == '$' || *p == '?' || memchr(p, '?', (size_t)(end - p)) ||
                   memchr(p + 1, '$', (size_t)(end - p - 1)) ||
                   (at && !word_among(at + 1, end, relocations));
    if (local && d->intel && !d->gnu && d->scope.length) {
        struct str full = {0};
        str_addf(&full, "%s%.*s", str_text(&d->scope), (int)(end - p), p);
        dialect_quote(full.data, full.data + full.length, out);
        str_done(&full);
    } else if (strange) {
        dialect_quote(p, end, out);
    } else {
        return false;
    }
    return true;
}

void dialect_label(struct dialect *d, const char *p, const char *end, struct str *out)
{
    if (d->intel && word_is(p, end, "@@")) {
        str_add(out, ANONYMOUS);
    } else if (!d->intel || *p == '"' || !name_add(d, p, end, out)) {
        str_add_bytes(out, p, (size_t)(end - p));
    }
    if (d->intel && *p != '.' && *p != '@' && !isdigit((unsigned char)*p) && *p != '"') {
        str_clear(&d->scope);
        str_add_bytes(&d->scope, p, (size_t)(end - p));
    }
    str_add(out, ": ");
}

/* Returns the size word in the notation of `as`, or NULL if the word is no size. */
static const char *size_word(const char *p, const char *end)
{
    static const char *const sizes[][2] = {
        {"byte", "BYTE"},       {"word", "WORD"},       {"dword", "DWORD"},
        {"qword", "QWORD"},     {"oword", "XMMWORD"},   {"yword", "YMMWORD"},
        {"zword", "ZMMWORD"},   {"tword", "TBYTE"},     {"real4", "DWORD"},
        {"real8", "QWORD"},     {"real10", "TBYTE"},    {"xmmword", "XMMWORD"},
        {"ymmword", "YMMWORD"}, {"zmmword", "ZMMWORD"}, {"tbyte", "TBYTE"},
        {"mmword", "QWORD"},    {"fword", "FWORD"},     {"gword", "QWORD"},
        {"bword", "QWORD"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (word_is(p, end, sizes[i][0]))
            return sizes[i][1];
    return NULL;
}

/* Returns whether the text consists of digits of @base and underscores, with at least one digit. */
static bool is_digits(const char *p, const char *end, int base)
{
    static const char digits[] = "0123456789abcdef";

    if (p == end || *p == '_' || end[-1] == '_')
        return false;
    for (; p < end; p++)
        if (*p != '_' && !memchr(digits, tolower((unsigned char)*p), (size_t)base))
            return false;
    return true;
}

/* Converts numbers of MASM and NASM: `0ffH`, `1010b`, `17o`, `10d` and `1_000`. If @label is true,
 * up to three digits followed by b may be a GNU label. */
static void number_add(const char *p, const char *end, bool label, struct str *out)
{
    static const struct {
        char suffix;
        int base;
        const char *prefix;
    } kinds[] = {{'h', 16, "0x"}, {'b', 2, "0b"}, {'y', 2, "0b"}, {'o', 8, "0"},
                 {'q', 8, "0"},   {'d', 10, ""},  {'t', 10, ""}};
    const char *prefix = "", *stop = end;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((end[-1] | 32) == kinds[i].suffix && is_digits(p, end - 1, kinds[i].base) &&
            !(label && kinds[i].suffix == 'b' && end - p < 5)) {
            prefix = kinds[i].prefix;
            stop = end - 1;
            break;
        }
    if (stop == end && !is_digits(p, end, 16) &&
        !(end - p > 2 && *p == '0' && is_digits(p + 2, end, 16))) {
        str_add_bytes(out, p, (size_t)(end - p));
        return;
    }
    str_add(out, prefix);
    for (; p < stop; p++)
        if (*p != '_')
            str_add_char(out, *p);
}

/* Returns whether the word looks like `A0h`, a MASM number without the required leading digit. The
 * registers ah, bh, ch and dh are excluded. */
static bool looks_like_number(const char *p, const char *end)
{
    if (end - p < 2 || (end[-1] | 32) != 'h' ||
        isa_of_dialects()->is_register(p, (size_t)(end - p)))
        return false;
    for (; p < end - 1; p++)
        if (!isxdigit((unsigned char)*p))
            return false;
    return true;
}

/* Returns whether the word is a hexadecimal number such as `$0FF` (NASM) or `$FF` (other
 * assemblers). */
static bool is_dollar_number(const char *p, const char *end)
{
    return end - p > 1 && *p == '$' && is_digits(p + 1, end, 16);
}

/* Returns the digits of the next number after $ between *@p and @end, such as 0ff of `$0ff`, and
 * advances *@p past it. Returns NULL after the last one. A number begins with a decimal digit. */
static const char *dollar_number(const char **p, const char *end)
{
    for (const char *at = *p, *e; at < end; at = e) {
        e = word_end(at, end);
        if (e - at > 1 && isdigit((unsigned char)at[1]) && is_dollar_number(at, e)) {
            *p = e;
            return at + 1;
        }
        e += e == at;
    }
    return NULL;
}

void dialect_learn(struct dialect *d, const char *p, const char *end)
{
    static const char *const declare[] = {"extern", "extrn",   "externdef", "global", "public",
                                          ".globl", ".global", ".extern",   ".set",   ".equ",
                                          ".comm",  "proto",   NULL};
    bool declared = true;
    const char *number;

    /* AT&T syntax has no $ in brackets. */
    for (const char *at = p; !d->dollar_hex && (number = dollar_number(&at, end));) {
        const char *open = memrchr(p, '[', (size_t)(number - p));
        d->dollar_hex = (open && !memchr(open, ']', (size_t)(number - open))) ||
                        (*number == '0' ? at - number > 1 : !is_digits(number, at, 10));
    }
    /* Parses several names, because one line may declare more than one. */
    for (unsigned words = 0; declared && words < 8; words++) {
        p = skip_blank(p, end);
        const char *e = word_end(p, end);
        if (looks_like_number(p, e) || is_digits(p, e, 16)) {
            char *name = mem_strndup(p, (size_t)(e - p));
            names_try_add(&d->symbols, name);
            free(name);
        }
        declared = words > 0 || word_among(p, e, declare);
        p = e + (e < end);
    }
}

static bool is_name(char c)
{
    return is_word(c) || c == '?';
}

static bool is_symbol(const struct dialect *d, const char *p, const char *end)
{
    char *name = mem_strndup(p, (size_t)(end - p));
    bool known = names_find(&d->symbols, name) != UINT32_MAX;
    free(name);
    return known;
}

/* Skips ` (07FF6A1B23230h)`, the address that Visual Studio prints after a name. Returns @p if
 * there is none. */
static const char *noted_address_end(const char *p, const char *end)
{
    uint64_t address;
    const char *open = skip_blank(p, end), *e = open > p && open < end && *open == '('
                                                    ? hex_end(open + 1, end, &address)
                                                    : NULL;
    return e && end - e > 1 && (*e | 32) == 'h' && e[1] == ')' ? e + 2 : p;
}

/* Converts operands of Intel syntax word by word. */
static void words_clean(const struct dialect *d, const char *p, const char *end, struct str *out)
{
    bool pointer = false, bracket = false, named = false;

    while (p < end) {
        if (*p == '"') {
            const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));
            close = close ? close + 1 : end;
            str_add_bytes(out, p, (size_t)(close - p));
            p = close;
            continue;
        }
        if (noted_address_end(p, end) > p) {
            p = noted_address_end(p, end);
            continue;
        }
        bracket |= *p == '[' || *p == ':';
        if (!is_name(*p)) {
            str_add_char(out, *p++);
            continue;
        }
        const char *e = p;
        while (e < end && is_name(*e))
            e++;
        const char *next = skip_blank(e, end), *size = size_word(p, e);
        steps_add(1);
        if (isdigit((unsigned char)*p) ||
            (looks_like_number(p, e) && !d->branch && !is_symbol(d, p, e))) {
            number_add(p, e, d->gnu || d->branch || bracket || (next < end && *next == '['), out);
        } else if (is_dollar_number(p, e) &&
                   (isdigit((unsigned char)p[1]) || (!d->branch && !is_symbol(d, p + 1, e)))) {
            str_add(out, "0x");
            for (const char *digit = p + 1; digit < e; digit++)
                if (*digit != '_')
                    str_add_char(out, *digit);
        } else if (size && next < end && *next == '[') {
            str_addf(out, "%s PTR ", size);
            e = next;
        } else if (size && next + 3 <= end && strncasecmp(next, "ptr", 3) == 0) {
            str_addf(out, "%s PTR", size);
            pointer = true;
            e = next + 3;
        } else if (bracket &&
                   /* `reloc` is .NET's mark for relocated data of a method or of the runtime */
                   word_is(p, e, "reloc")) {
            str_add(out, next < end && (is_name(*next) || *next == '@') ? "rip+" : "rip");
            e = next;
            while (e < end && isxdigit((unsigned char)*e))
                e++;
            e = e < end && *e == 'x' ? word_end(e, end) : next;
        } else if (word_is(p, e, "rel") && next > e) {
            bool sub = out->length && out->data[out->length - 1] == '[';
            str_add(out, sub ? "rip+" : "");
            e = next;
        } else if (bracket && word_is(p, e, "string") && next < end &&
                   *next == '"') { /* Visual Studio prints a string constant of the program in
                                    * quotes. */
            const char *close = memchr(next + 1, '"', (size_t)(end - next - 1));
            str_add(out, "rip");
            e = close ? close + 1 : end;
        } else if (word_is(p, e, "flat") && e < end && *e == ':') {
            e++;
        } else if (word_is(p, e, "near") || word_is(p, e, "strict")) {
            e = next;
        } else if (word_is(p, e, "@f") || word_is(p, e, "@b")) {
            str_addf(out, ANONYMOUS "%c", p[1] | 32);
        } else if (word_is(p, e, "$")) { /* $ is the position of the current instruction, a
                                          * number. */
            str_add(out, bracket || d->branch ? "." : "OFFSET .");
        } else {
            if (!name_add(d, p, e, out))
                str_add_bytes(out, p, (size_t)(e - p));
            named |= pointer;
        }
        p = e;
    }
    /* Adds brackets, because MASM permits a variable without them. */
    if (pointer && named && !bracket)
        str_add(out, "[rip]");
}

/* Returns the end of the C++ name at @p. Brackets must be closed. Operators are skipped. */
static const char *spelled_end(const char *p, const char *end)
{
    static const char *const operators[] = {"<<=", ">>=", "<=>", "->*", "<<", ">>",
                                            "<=",  ">=",  "->",  "()",  "[]", "<",
                                            ">",   ",",   "+",   "-",   NULL};
    int depth = 0;
    for (const char *at = p; at < end; at++) {
        steps_add(at > p && is_word(*at) && !is_word(at[-1]));
        if (text_begins(at, end, "operator") && (at == p || !isalnum((unsigned char)at[-1]))) {
            at += 8;
            for (size_t i = 0; operators[i]; i++)
                if (text_begins(at, end, operators[i])) {
                    at += strlen(operators[i]);
                    break;
                }
            at--;
            continue;
        }
        depth += strchr("(<{", *at) != NULL;
        depth -= strchr(")>}", *at) != NULL && !(*at == '>' && at > p && at[-1] == '-');
        if (depth == 0 && (*at == ',' || *at == '[' || *at == ']' || (*at == '+' && at > p)))
            return at;
        if (depth == 0 && *at == '-' && at + 1 < end && isdigit((unsigned char)at[1]))
            return at;
        if (depth == 1 && *at == '(' && at + 1 < end &&
            (at[1] == '%' || (at[1] == ',' && at + 2 < end && at[2] == '%')))
            return at;   /* a percent sign begins an AT&T register */
    }
    return end;
}

/* Returns whether the word is `st(1)`, which must not be quoted: since binutils 2.44, the assembler
 * treats quoted text as a symbol. */
static bool is_stack_register(const char *p, const char *stop)
{
    return stop - p == 5 && strncasecmp(p, "st(", 3) == 0 && isdigit((unsigned char)p[3]) &&
           p[4] == ')';
}

/* Returns whether a demangled name begins at @p, and stores its end in *@stop. */
static bool is_spelled(const char *p, const char *end, const char **stop)
{
    static const char *const begins[] = {"vtable for ",
                                         "VTT for ",
                                         "typeinfo for ",
                                         "typeinfo name for ",
                                         "guard variable for ",
                                         "operator ",
                                         "operator",
                                         "non-virtual thunk to ",
                                         "construction vtable for ",
                                         NULL};
    if (p >= end ||
        !(isalpha((unsigned char)*p) || *p == '_' || *p == '~' || *p == '(' || *p == '\''))
        return false;
    *stop = spelled_end(p, end);
    *stop = trim_end(p, *stop);
    for (size_t i = 0; begins[i]; i++)
        if (text_begins(p, *stop, begins[i]) && (begins[i][8] || !is_word(p[8])))
            return true;
    const char *e = word_end(p, *stop), *own = memchr(p, ':', (size_t)(*stop - p));
    bool scoped = own && own + 1 < *stop && own[1] == ':',
         called = e > p && e < *stop && *e == '(' && memchr(e, ')', (size_t)(*stop - e)) &&
                  !is_stack_register(p, *stop);
    bool template = e > p && e < *stop && *e == '<' && (*stop)[-1] == ')';
    const char *blank = skip_blank(e, *stop),
               *round = blank > e && blank < *stop && isalpha((unsigned char)*blank)
                            ? memchr(blank, '(', (size_t)(*stop - blank))
                            : NULL;
    /* The last condition is true if a return type precedes the name. */
    return scoped || called || template || (round && (*stop)[-1] == ')');
}

/* Returns the first possible start of a name in an operand: after signs, size words and
 * brackets. */
static const char *name_begin(const char *p, const char *end)
{
    static const char *const before[] = {"offset", "ptr", "short", "flat", "near", NULL};
    for (;;) {
        p = skip_blank(p, end);
        const char *e = word_end(p, end);
        if (p < end && (strchr("$*[", *p) || (*p == '+' && p + 1 < end && p[1] == ' '))) {
            p++;
        } else if (p < end && (word_among(p, e, before) || size_word(p, e) ||
                               (word_is(p, e, "rip") && e < end && *skip_blank(e, end) == '+'))) {
            p = skip_blank(e, end);
            p += p < end && (*p == ':' || *p == '+');
        } else {
            return p;
        }
    }
}

/* Returns the first possible start of a name in an AArch64 operand. It may be in brackets after a
 * register, or after `:lo12:`. */
static const char *modified_begin(const char *p, const char *end)
{
    const char *stop = memchr(p, ']', (size_t)(end - p)),
               *at = memchr(p, ':', (size_t)((stop ? stop : end) - p)),
               *e = at ? word_end(at + 1, end) : NULL;
    bool modified = e && e > at + 1 && e < end && *e == ':' && (at == p || !is_word(at[-1])) &&
                    !memchr(p, '"', (size_t)(at - p));
    return modified ? e + 1 : name_begin(p, end);
}

static void operands_clean(const struct dialect *d, const char *p, const char *end, struct str *out)
{
    bool x86 = isa_ops(d->isa)->dialects;
    while (p < end) {
        const char *name = x86 ? name_begin(p, end) : modified_begin(p, end), *stop, *e;
        bool spelled = is_spelled(name, end, &stop);
        steps_add(1);
        /* The operand ends at a comma outside of brackets. */
        int depth = 0;
        for (e = spelled ? stop : p; e < end && !(depth == 0 && *e == ','); e++) {
            depth += strchr("([{", *e) != NULL;
            depth -= strchr(")]}", *e) != NULL && depth > 0;
        }
        if (spelled) {
            if (d->intel)
                words_clean(d, p, name, out);
            else
                str_add_bytes(out, p, (size_t)(name - p));
            dialect_quote(name, stop, out);
            str_add_bytes(out, stop, (size_t)(e - stop));
        } else if (d->intel) {
            words_clean(d, p, e, out);
        } else {
            /* armasm encloses names in bars. */
            const char *bar = x86 ? NULL : memchr(p, '|', (size_t)(e - p)),
                       *close = bar ? memchr(bar + 1, '|', (size_t)(e - bar - 1)) : NULL;
            if (close) {
                str_add_bytes(out, p, (size_t)(bar - p));
                dialect_quote(bar + 1, close, out);
                p = close + 1;
            }
            str_add_bytes(out, p, (size_t)(e - p));
        }
        if (e < end)
            str_add_char(out, *e++);
        p = e;
    }
}

/* Translates .NET calls: `call [System.Console:WriteLine(int)]` through a cell of the runtime,
 * `call [rax+18H]Program:Sum():int:this` with the callee's name, and `tail.jmp`. Returns false for
 * other statements. */
static bool managed_call(const char *p, const char *e, const char *operand, const char *end,
                         struct str *out)
{
    bool tail = word_is(p, e, "tail.jmp") || word_is(p, e, "rex.jmp"),
         jump = tail || word_is(p, e, "jmp");
    const char *close = operand < end && *operand == '['
                            ? memchr(operand, ']', (size_t)(end - operand))
                            : NULL,
               *name = operand + (close != NULL), *stop = word_end(name, end);

    if (!jump && !word_is(p, e, "call"))
        return false;
    const char *const last = trim_end(operand, end),
                      *round = memchr(name, '(', (size_t)(last - name)),
                      *colon = memchr(name, ':', (size_t)(last - name));
    bool named = stop > name && !isa_of_dialects()->is_register(name, (size_t)(stop - name)) &&
                 !isdigit((unsigned char)*name);
    if (close && named && (round || colon || text_begins(name, last, "CORINFO_"))) {
        str_addf(out, "%s QWORD PTR [rip]", jump ? "jmp" : "call");
    } else if (close && close + 1 < last && (isalpha((unsigned char)close[1]) || close[1] == '_')) {
        str_addf(out, "%s QWORD PTR %.*s", jump ? "jmp" : "call", (int)(close + 1 - operand),
                 operand);
    } else if (!close && named && round && colon && colon < round && !text_find(name, last, "::")) {
        str_addf(out, "%s ", jump ? "jmp" : "call");
        dialect_quote(name, last, out);
    } else if (tail) {
        str_addf(out, "jmp %.*s", (int)(last - operand), operand);
    } else {
        return false;
    }
    return true;
}

static void statement(struct dialect *d, const char *p, const char *end, struct str *out)
{
    static const char *const flow[] = {"call", "callq", "jmp", "jmpq", "bl", "b", NULL};
    const char *e = p, *stop;

    steps_add(1 + (size_t)(end - p) / 100);
    while (e < end && !isspace((unsigned char)*e))
        e++;
    const char *operand = skip_blank(e, end), *name = name_begin(operand, end);
    struct opening o = opening_of(p, end);
    d->branch = o.second_end == o.second;
    if (d->intel && directive(&o, end, out))
        return;
    if (d->intel && managed_call(p, e, operand, end, out))
        return;
    /* The operand is a label of llvm-objdump --symbolize-operands. */
    if (operand < end && *operand == '<' && end[-1] == '>' && end - operand > 2) {
        str_add_bytes(out, p, (size_t)(operand - p));
        dialect_quote(operand + 1, end - 1, out);
    } else if (word_is(p, e, "ret") && d->intel && word_is(operand, end, "0")) {
        /* Visual C++ prints `ret 0` for `ret`. */
        str_add(out, "ret");
    } else if (word_among(p, e, flow) && is_spelled(name, end, &stop) && *(end - 1) != ']' &&
               !text_find(name, end, "(%")) {
        str_add_bytes(out, p, (size_t)(name - p));
        dialect_quote(name, trim_end(name, end), out);
    } else if (d->intel && word_is(p, e, "lea") && holds_nocase(operand, end, "offset ")) {
        const char *comma = memchr(operand, ',', (size_t)(end - operand));
        const char *from = comma ? skip_blank(comma + 1, end) : operand;
        bool given = (size_t)(end - from) > 7 && strncasecmp(from, "offset ", 7) == 0;
        operands_clean(d, p, given ? from : end, out);
        if (given) {
            operands_clean(d, from + 7, end, out);
            str_add(out, "[rip]");
        }
    } else {
        str_add_bytes(out, p, (size_t)(operand - p));
        operands_clean(d, operand, end, out);
    }
}

bool dialect_is_other(const struct dialect *d, const char *p, const char *end)
{
    bool marked = false, bare = false;
    const char *mnemonic = word_end(p, end);

    /* Skips a line with a backslash, because the word is a macro argument. */
    if (!isa_ops(d->isa)->dialects || d->unusual || memchr(p, '\\', (size_t)(end - p)))
        return false;
    for (const char *at = mnemonic, *e; at < end; at = e) {
        if (*at == '"') {
            const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
            e = close ? close + 1 : end;
            continue;
        }
        e = word_end(at, end);
        bool is = e > at && isa_of_dialects()->is_register(at, (size_t)(e - at));
        marked |= is && at[-1] == '%';
        bare |= is && at[-1] != '%';
        e += e == at;
    }
    /* A percent sign alone does not show the syntax, because gcc also prints one before registers
     * of inline assembler in Intel syntax. */
    return d->intel
               ? marked && !bare && (memchr(p, '$', (size_t)(end - p)) || text_find(p, end, "(%"))
               : bare && !marked && !memchr(p, '%', (size_t)(end - p)) &&
                     !memchr(p, '$', (size_t)(end - p));
}

bool dialect_is_ambiguous(const struct dialect *d, const char *p, const char *end)
{
    const char *number;

    if (!d->intel || d->dollar_hex || dialect_is_other(d, p, end))
        return false;
    while ((number = dollar_number(&p, end)))
        if (p - number > 1)
            return true;
    return false;
}

void dialect_statement(struct dialect *d, const char *p, const char *end, struct str *out)
{
    struct str read = {0};
    bool llvm = isa_ops(d->isa)->dialects ? llvm_x86_statement(p, end, d->intel, &read)
                                          : llvm_a64_statement(p, end, &read);

    statement(d, llvm ? read.data : p, llvm ? read.data + read.length : end, out);
    str_done(&read);
}

void dialect_done(struct dialect *d)
{
    str_done(&d->scope);
    names_done(&d->headings);
    names_done(&d->symbols);
}
