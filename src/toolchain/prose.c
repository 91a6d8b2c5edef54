/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/margins_parts.h"

#include <ctype.h>
#include <string.h>

#include "base/steps.h"
#include "isa/isa.h"
#include "toolchain/dialect.h"
#include "toolchain/words.h"

#define SENTENCE_WORDS 3

static bool is_rule(const char *p, const char *end)
{
    if (end - p < 3)
        return false;
    for (; p < end; p++)
        if (!strchr("-=_+|~*. ", *p) && (unsigned char)*p < 0x80)
            return false;
    return true;
}

/* Returns whether the line is `/tmp/a.c:12` or `/tmp/a.c:12 (discriminator 3)`, as printed by
 * objdump -l. */
static bool is_file_line(const char *p, const char *end)
{
    const char *colon = p;
    if (*p != '/' && !text_begins(p, end, "./") &&
        !(end - p > 2 && isalpha((unsigned char)*p) && p[1] == ':' &&
          (p[2] == '\\' || p[2] == '/')))
        return false;
    while (colon < end && !isspace((unsigned char)*colon))
        colon++;
    while (colon > p && isdigit((unsigned char)colon[-1]))
        colon--;
    return colon > p && colon < end && colon[-1] == ':';
}

/* Returns whether the line is `Demo.Sum(Int32[])`, the name of a .NET method above its code in
 * SharpLab. */
static bool is_method(const char *p, const char *end)
{
    const char *open = memchr(p, '(', (size_t)(end - p)),
               *dot = open ? memchr(p, '.', (size_t)(open - p)) : NULL;

    if (!dot || dot == p || end[-1] != ')' || !isalpha((unsigned char)*p))
        return false;
    for (; p < open; p++)
        if (isspace((unsigned char)*p) || *p == ',' || *p == '%')
            return false;
    return true;
}

bool prose_is_heading(const char *p, const char *end)
{
    static const char *const begins[] = {"Disassembly of ",
                                         "Dump of assembler code",
                                         "End of assembler dump",
                                         "Samples: ",
                                         "Percent",
                                         "Address range ",
                                         "In archive ",
                                         "Microsoft (R) COFF",
                                         "Copyright (C) Microsoft",
                                         "Dump of file ",
                                         "File Type: ",
                                         "GAS LISTING ",
                                         "--Type <RET> for more"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (text_begins(p, end, begins[i]))
            return true;
    const char *path = text_find(p, end, " /");
    bool program =
        path && path > p && !text_find(p, path, "%") && !memchr(p, ',', (size_t)(path - p)) &&
        skip_blank(word_end(p, end), end) >= path && path + 2 < end &&
        isalpha((unsigned char)path[2]) && !memchr(path + 2, ' ', (size_t)(end - path - 2));
    program |= path && path > p + 1 && path[-1] == ')' && path + 2 < end &&
               isalpha((unsigned char)path[2]);
    return program || is_method(p, end) || is_rule(p, end) || is_file_line(p, end) ||
           text_find(p, end, "file format ") || text_find(p, end, ",__text) section");
}

static bool is_prompt(const char *p, const char *end)
{
    return text_begins(p, end, "$ ") || text_begins(p, end, "(gdb)") ||
           text_begins(p, end, "(lldb)") || text_begins(p, end, "% ");
}

/* Returns whether the word is an operand size or kind, or may precede a mnemonic. Such words are
 * not evidence for a sentence. */
static bool is_operand_word(const char *p, const char *end)
{
    static const char *const words[] = {
        "ptr",   "byte",   "word",   "dword",   "qword",  "xmmword",  "ymmword",  "zmmword",
        "tbyte", "mmword", "oword",  "yword",   "zword",  "tword",    "fword",    "short",
        "near",  "far",    "offset", "flat",    "rel",    "lock",     "rep",      "repe",
        "repne", "repz",   "repnz",  "data16",  "addr32", "cs",       "ds",       "es",
        "ss",    "fs",     "gs",     "notrack", "bnd",    "xacquire", "xrelease", "strict",
        "vl",    "mul",    "bcst",   NULL};
    return word_among(p, end, words);
}

/* Returns the end of the statement, before a comment. */
static const char *statement_end(const char *p, const char *end)
{
    for (const char *at = p; at < end; at++)
        if ((*at == '#' && !is_lambda(p, at, end)) ||
            (*at == '/' && at + 1 < end && (at[1] == '/' || at[1] == '*')) ||
            (*at == ';' && at > p && isspace((unsigned char)at[-1])))
            return trim_end(p, at);
    return end;
}

/* Returns whether the line contains a register of x86-64 or AArch64. A percent sign before a letter
 * counts as a register. */
static bool has_register(const char *p, const char *end)
{
    for (; p < end; p++) {
        if (*p == '%' && p + 1 < end && isalpha((unsigned char)p[1]))
            return true;
        if (!is_word(*p))
            continue;
        const char *e = word_end(p, end);
        for (int isa = 0; isa < ISA_COUNT; isa++)
            if (isa_ops((enum isa)isa)->is_register(p, (size_t)(e - p)))
                return true;
        p = e - 1;
    }
    return false;
}

/* Returns whether three words are prose, not a mistyped instruction. Evidence for prose is a
 * capital letter at the start, the punctuation of a sentence, or a function word such as "the". */
static bool is_phrase(const char *p, const char *end)
{
    static const char *const joins[] = {"the",  "an",   "of",   "is",   "are", "to", "for",
                                        "with", "this", "that", "from", "by",  "on", "at",
                                        "it",   "was",  "as",   "we",   "you", NULL};
    if (end - p > 1 && isupper((unsigned char)p[0]) && islower((unsigned char)p[1]))
        return true;
    for (const char *at = p, *e; at < end; at = skip_blank(e, end)) {
        e = word_end(at, end);
        if (e == at)
            e++;
        else if (word_among(at, e, joins))
            return true;
    }
    return strchr(".:!?", end[-1]) != NULL;
}

/* Returns whether the line has more than SENTENCE_WORDS words separated only by blanks, or exactly
 * this number of words that are prose (is_phrase). */
static bool is_sentence(const char *p, const char *end)
{
    size_t words = 0, most = 0;
    for (const char *at = skip_blank(p, end); at < end;) {
        const char *e = at;
        /* A carriage return is part of the word. */
        while (e < end && !is_blank(*e))
            e++;
        const char *stop = e;
        while (stop > at && strchr(".,:;!?", stop[-1]))
            stop--;
        bool letters = stop > at;
        for (const char *c = at; letters && c < stop; c++)
            letters = isalpha((unsigned char)*c) || *c == '\'' || *c == '-';
        words = letters && !is_operand_word(at, stop) ? words + 1 : 0;
        words = e[-1] == ',' ? 0 : words;
        most = words > most ? words : most;
        at = skip_blank(e, end);
    }
    return most > SENTENCE_WORDS || (most == SENTENCE_WORDS && is_phrase(p, end));
}

/* Returns whether the line is an instruction: an x86-64 mnemonic, perhaps after labels, and a
 * register, as in `1: mov eax, (3+4);`. AT&T registers begin with %, which does not precede names
 * in source code. */
static bool is_instruction(const char *p, const char *end)
{
    for (const char *e = word_end(p, end), *colon; e > p; e = word_end(p, end)) {
        colon = skip_blank(e, end);
        if (colon == end || *colon != ':')
            return colon > e && isa_of_dialects()->is_mnemonic(p, (size_t)(e - p)) &&
                   has_register(colon, end);
        p = skip_blank(colon + 1, end);
    }
    return false;
}

/* Returns whether the text is a number, perhaps with a semicolon. Assembler text also assigns
 * numbers to symbols. */
static bool is_number(const char *p, const char *end)
{
    const char *first = skip_blank(p, end), *e = word_end(first, end);
    return first < end && isdigit((unsigned char)*first) &&
           (e == end || (e + 1 == end && *e == ';'));
}

/* Detects a statement of C, C++ or Fortran. */
static bool is_source(const char *p, const char *end, bool profile)
{
    static const char *const keywords[] = {
        "for",    "while",   "if",        "else",   "do",       "return",     "int",     "long",
        "double", "float",   "void",      "char",   "unsigned", "const",      "static",  "auto",
        "struct", "class",   "template",  "inline", "switch",   "case",       "break",   "continue",
        "extern", "using",   "namespace", "size_t", "uint32_t", "uint64_t",   "int32_t", "int64_t",
        "bool",   "typedef", "enum",      "end",    "enddo",    "subroutine", "integer", "real",
        "call",   "endif",   NULL};
    const char *e = word_end(p, end), *operand = skip_blank(e, end), *equals = NULL;
    bool ends = strchr(";{}", end[-1]) != NULL,
         brackets = memchr(p, '(', (size_t)(end - p)) != NULL;
    for (const char *at = p; at < end && !equals; at++)
        if (*at == '=' && !(at + 1 < end && at[1] == '='))
            equals = at;
    bool label = operand < end && *operand == ':';
    bool keyword =
        word_among(p, e, keywords) && !label && !word_is(p, e, "call") && !word_is(p, e, "end");
    if (text_begins(p, end, "#include") || word_is(p, end, "{") || word_is(p, end, "}") ||
        word_is(p, end, "};"))
        return true;
    if (*p == '.' || *p == '%' || memchr(p, '%', (size_t)(end - p)))
        return false;
    if (is_instruction(p, end) || (!profile && equals && is_number(equals + 1, end)))
        return false;
    if (keyword && (ends || brackets) &&
        !(word_is(p, e, "int") && operand < end && isdigit((unsigned char)*operand)))
        return true;
    if (equals && !memchr(p, ',', (size_t)(equals - p)) &&
        (ends || (equals > p && strchr("+-*/", equals[-1])) ||
         (equals > p && memchr(p, '(', (size_t)(equals - p)))))
        return true;
    return (profile && (equals || word_among(p, e, keywords))) ||
           (ends && brackets && end[-1] != '}');
}

bool prose_is_ellipsis(const char *p, const char *end)
{
    bool found = false;

    for (; p < end; p++) {
        const bool character = text_begins(p, end, "\342\200\246"),
                   dots = text_begins(p, end, "...");
        found |= character || dots;
        if (character || dots)
            p += 2;
        else if (!strchr(". []()<>", *p))
            return false;
    }
    return found;
}

const char *prose_reason(const char *p, const char *end, bool profile, bool macros)
{
    static const char *const flow[] = {"call", "callq", "jmp", "jmpq", "bl", "b", NULL};

    steps_add(1 + (size_t)(end - p) / 100);
    if (is_prompt(p, end))
        return "a prompt";
    if (*p == ';' || text_begins(p, end, "//"))
        return NULL;
    const char *stop = statement_end(p, end), *e = word_end(p, stop);
    if (text_begins(p, end, "#include"))
        return "source code";
    if (stop <= p || *p == '.')
        return NULL;
    /* A C++ name resembles source code, but in a listing it is a label or branch target. */
    bool label =
        stop[-1] == ':' && (memchr(p, '(', (size_t)(stop - p)) || text_find(p, stop, "::") ||
                            text_begins(p, stop, "vtable ") || text_begins(p, stop, "typeinfo "));
    if (label || word_among(p, e, flow))
        return NULL;
    if (is_source(p, stop, profile))
        return "source code";
    return !macros && !dialect_knows(p, stop) && !has_register(p, stop) && is_sentence(p, stop)
               ? "a sentence"
               : NULL;
}
