/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/pmevo_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char memory_tail[] = "ptr [((MEM:64)) + ((MIMM:16))]";

/* Converts the address of LEA. Only the names of LEA's forms list the parts of an address: a letter
 * each for base, (scaled) index and displacement. PMEvo's memory offsets have up to 16 bits.
 * Without a base, the encoded offset always has 32 bits. Returns false for other addresses. */
static bool lea_parts(const char *text, struct str *out)
{
    static const char *const parts[][2] = {
        {"[((MEM:64))]", "B"},
        {"[((MEM:64)) + ((MIMM:16))]", "B_D32"},
        {"[((MEM:64))+((IMM:8))]", "B_D8"},
        {"[((MEM:64))+((DIV:64))]", "B_I"},
        {"[((MEM:64))+((DIV:64))+((IMM:8))]", "B_I_D8"},
        {"[((MEM:64))+2*((DIV:64))]", "B_IS"},
        {"[((MEM:64))+2*((DIV:64))+((IMM:8))]", "B_IS_D8"},
        {"[2*((DIV:64))]", "IS_D32"},
        {"[2*((DIV:64))+((IMM:8))]", "IS_D32"},
        {"[((IMM:8))]", "D32"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(text, parts[i][0]) == 0) {
            str_add(out, parts[i][1]);
            return true;
        }
    return false;
}

/* Converts an x86-64 operand with its blanks restored. Returns false for an unknown notation. */
static bool x86_operand(const char *text, struct str *out)
{
    static const struct {
        const char *size;
        unsigned bits;
    } sizes[] = {{"byte ", 8},   {"word ", 16},     {"dword ", 32},
                 {"qword ", 64}, {"xmmword ", 128}, {"ymmword ", 256}};
    char access[8], class[4], rest;
    unsigned bits;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (str_has_prefix(text, sizes[i].size) &&
            strcmp(text + strlen(sizes[i].size), memory_tail) == 0) {
            str_addf(out, "M%u", sizes[i].bits);
            return true;
        }
    if (sscanf(text, "((IMM:%u))%c", &bits, &rest) == 1 && !strchr(text, '[') &&
        text[strlen(text) - 1] == ')') {
        str_addf(out, "I%u", bits);
        return true;
    }
    if (sscanf(text, "((DIV:%u))%c", &bits, &rest) == 1 && text[strlen(text) - 1] == ')') {
        str_addf(out, "R%u", bits);
        return true;
    }
    if (sscanf(text, "((REG:%7[RW]:%3[A-Z]:%u))%c", access, class, &bits, &rest) != 3 ||
        text[strlen(text) - 1] != ')')
        return false;
    if (strcmp(class, "G") == 0)
        str_addf(out, bits == 8 ? "R8l" : "R%u", bits);
    else if (strcmp(class, "V") == 0 && (bits == 128 || bits == 256))
        str_add(out, bits == 128 ? "XMM" : "YMM");
    else
        return false;
    return true;
}

/* Parses an AArch64 register with an arrangement (.2d) or element (.d[1]). Returns the end of the
 * register's text, or NULL if invalid. */
static const char *a64_register(const char *text, struct str *out)
{
    static const char *const classes[][2] = {{"G:64", "X"},  {"G:32", "W"}, {"F:8", "B"},
                                             {"F:16", "H"},  {"F:32", "S"}, {"F:64", "D"},
                                             {"F:128", "Q"}, {"F:VEC", "V"}};
    size_t access = str_has_prefix(text, "((REG:") ? strspn(text + 6, "RW") : 0;
    const char *class = text + 6 + access + 1,
               *end = access && class[-1] == ':' ? strstr(class, "))") : NULL;

    for (size_t i = 0; end && i < sizeof classes / sizeof *classes; i++) {
        if (strlen(classes[i][0]) != (size_t)(end - class) ||
            strncmp(class, classes[i][0], (size_t)(end - class)) != 0)
            continue;
        str_add(out, classes[i][1]);
        for (end += 2; *end == '.' || isalnum((unsigned char)*end); end++)
            str_add_char(out, (char)toupper((unsigned char)*end));
        if (*end == '[') {
            size_t digits = strspn(end + 1, "0123456789");
            str_add(out, "[I]");
            return digits && end[1 + digits] == ']' ? end + digits + 2 : NULL;
        }
        return end;
    }
    return NULL;
}

/* Converts a shift or extension, such as `lsl 3`, `sxtw` or `uxtb 2`. Left shifts by 1 to 4 have
 * separate names. Returns false for other text. */
static bool a64_shift(const char *text, struct str *out)
{
    static const char *const names[] = {"lsl",  "lsr",  "asr",  "ror",  "msl",  "sxtb", "sxth",
                                        "sxtw", "sxtx", "uxtb", "uxth", "uxtw", "uxtx"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (!str_has_prefix(text, names[i]) || (text[length] != ' ' && text[length] != '\0'))
            continue;
        for (const char *at = names[i]; *at; at++)
            str_add_char(out, (char)toupper((unsigned char)*at));
        if (!text[length])
            return names[i][1] == 'x';
        char *end;
        long amount = strtol(text + length + 1, &end, 10);
        str_add(out, i == 0 && amount >= 1 && amount <= 4 ? " 1-4" : " I");
        return end > text + length + 1 && !*end;
    }
    return false;
}

/* Converts an AArch64 operand with its blanks restored. Returns false for an unknown notation. */
static bool a64_operand(const char *text, struct str *out)
{
    const char *end;

    /* The text is a part of an address, which was split at its comma. */
    if (strcmp(text, "[((MEM:64))") == 0 || strcmp(text, "((MIMM:16))]") == 0) {
        str_add(out, text[0] == '[' ? "[X" : "I]");
        return true;
    }
    if (text[0] == '{') {
        str_add_char(out, '{');
        end = a64_register(text + 1, out);
        str_add_char(out, '}');
        return end && strcmp(end, "}") == 0;
    }
    if (text[0] == '(') {
        end = a64_register(text, out);
        return end && !*end;
    }
    const char *number = text + (text[0] == '#');
    char *rest;
    strtod(number, &rest);
    if (*rest || rest == number || strchr("in", number[0]))
        return a64_shift(text, out);
    str_add_char(out, 'I');
    return true;
}

/* Returns the alias that the architecture prefers for disassembly. */
static const char *a64_preferred(const char *mnemonic, const char *operands)
{
    static const char *const aliases[][3] = {
        {"INS", NULL, "MOV"},      {"NOT", "V.", "MVN"}, {"UMOV", "X,", "MOV"},
        {"UMOV", "W, V.S", "MOV"}, {"DUP", "B,", "MOV"}, {"DUP", "H,", "MOV"},
        {"DUP", "S,", "MOV"},      {"DUP", "D,", "MOV"},
    };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(mnemonic, aliases[i][0]) == 0 &&
            (!aliases[i][1] || str_has_prefix(operands, aliases[i][1])))
            return aliases[i][2];
    return mnemonic;
}

/* Converts @text after the mnemonic: comma-separated operands. Returns false for an unknown
 * notation. */
static bool operands_of(char *text, bool a64, bool lea, struct str *mnemonic, struct str *out)
{
    unsigned count = 0;

    for (char *save, *operand = strtok_r(text, ",", &save); operand;
         operand = strtok_r(NULL, ",", &save)) {
        operand += strspn(operand, " ");
        bool parts = lea && *operand == '[';
        if (!parts && count++)
            str_add(out, ", ");
        if (!*operand || !(parts ? lea_parts(operand, mnemonic)
                           : a64 ? a64_operand(operand, out)
                                 : x86_operand(operand, out)))
            return false;
    }
    return true;
}

bool pmevo_form_name(const char *theirs, struct str *out)
{
    /* PMEvo's AArch64 names begin with a tab, which files contain as '_' or a space. */
    bool a64 = theirs[0] == '_' || theirs[0] == ' ';
    const char *begin = theirs + a64;
    size_t length = strcspn(begin, "_ ");
    char *text = mem_strdup(begin + length);
    struct str mnemonic = {0}, operands = {0};
    bool ok = length > 0;

    for (size_t i = 0; i < length; i++) {
        ok &= (a64 ? islower((unsigned char)begin[i]) : isupper((unsigned char)begin[i])) ||
              isdigit((unsigned char)begin[i]);
        str_add_char(&mnemonic, (char)toupper((unsigned char)begin[i]));
    }
    for (char *at = text; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    bool lea = !a64 && strcmp(str_text(&mnemonic), "LEA") == 0;
    if (lea)
        str_add_char(&mnemonic, '_');
    ok = ok && operands_of(text, a64, lea, &mnemonic, &operands) &&
         !(lea && str_text(&mnemonic)[mnemonic.length - 1] == '_');
    if (ok)
        str_addf(out, "%s (%s)",
                 a64 ? a64_preferred(str_text(&mnemonic), str_text(&operands))
                     : str_text(&mnemonic),
                 str_text(&operands));
    str_done(&mnemonic);
    str_done(&operands);
    free(text);
    return ok;
}

json_t *pmevo_names_read(const char *text)
{
    json_t *names = *text ? json_loads(text, 0, NULL) : NULL, *name;
    bool right = json_is_array(names) && json_array_size(names) > 0;
    size_t i;

    json_array_foreach(names, i, name)
        right = right && json_is_string(name);
    if (right)
        return names;
    json_decref(names);
    return NULL;
}

json_t *pmevo_names_of_row(const struct experiments *e, size_t index)
{
    uint32_t column = names_find(&e->extra, PMEVO_NAMES);

    return column < e->extra.count ? pmevo_names_read(experiments_extra(e, index, column)) : NULL;
}
