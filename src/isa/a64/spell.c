/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* Returns the length of the operand type at @at, which ends at a comma outside of brackets or at
 * the end of the list. */
static size_t type_length(const char *at)
{
    int depth = 0;
    size_t n = 0;
    for (; at[n] && !(depth == 0 && (at[n] == ',' || at[n] == ')')); n++)
        depth += (at[n] == '[' || at[n] == '{') - (at[n] == ']' || at[n] == '}');
    return n;
}

static bool one_of(const char *text, size_t length, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == length && memcmp(text, *list, length) == 0)
            return true;
    return false;
}

/* Returns whether the text is a shift or extension, such as "LSL I", "SXTW" or "MUL VL". Such a
 * text is part of the operand before it. */
static bool is_shift(const char *text, size_t length)
{
    static const char *const words[] = {"LSL",  "LSR",  "ASR",  "ROR",  "MSL",
                                        "MUL",  "UXTB", "UXTH", "UXTW", "UXTX",
                                        "SXTB", "SXTH", "SXTW", "SXTX", NULL};
    const char *space = memchr(text, ' ', length);
    return one_of(text, space ? (size_t)(space - text) : length, words);
}

/* Parses the prefix and shape of a register, such as "X", "V.2D", "V.D[I]", "P/Z" or "WSP". Returns
 * false for other text. */
static bool register_spell(const char *text, size_t length, struct spelled_operand *out)
{
    static const char *const wide[] = {"SP", "XZR", NULL}, *const narrow[] = {"WSP", "WZR", NULL};
    const char *dot = memchr(text, '.', length);

    *out = (struct spelled_operand){.class = SPELLED_REGISTER};
    if (one_of(text, length, wide) || one_of(text, length, narrow)) {
        strcpy(out->name, one_of(text, length, wide) ? "x" : "w");
        return true;
    }
    if (!length || !strchr("XWBHSDQVZP", text[0]) ||
        (length > 1 && text[1] != '.' && text[1] != '/'))
        return false;
    out->name[0] = (char)tolower((unsigned char)text[0]);
    for (size_t i = dot ? (size_t)(dot - text) + 1 : length; i < length; i++)
        if (isalpha((unsigned char)text[i])) {
            out->shape[0] = (char)tolower((unsigned char)text[i]);
            break;
        }
    return true;
}

/* Parses an address, such as "[X, I]", "[X, Z.D, LSL I]" or "[X, I]!". Returns false for other
 * text. */
static bool memory_spell(const char *text, size_t length, struct spelled_operand *out)
{
    *out = (struct spelled_operand){.class = SPELLED_MEMORY, .pre = text[length - 1] == '!'};
    const char *end = text + length - out->pre - 1;
    for (const char *at = text + 1; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t n = (size_t)((comma ? comma : end) - at);
        struct spelled_operand part;
        if (register_spell(at, n, &part)) {
            bool first = !out->base;
            memcpy(first ? out->base_name : out->name, part.name, sizeof out->base_name);
            out->base = true;
            out->index |= !first;
        } else if (n == 1 && *at == 'I') {
            out->offset = true;
        } else if (is_shift(at, n)) {
            out->scale |= out->index && at[n - 1] == 'I';
        } else {
            return false;
        }
        at += n + (comma ? 1 + (at[n + 1] == ' ') : 0);
    }
    return out->base;
}

static bool operand_add(struct spelling *f, const struct spelled_operand *o)
{
    if (f->count == SPELLING_OPERANDS)
        return false;
    f->operands[f->count++] = *o;
    return true;
}

/* Parses a list, such as "{V.2D, V.2D}" or "{V.S}[I]". Each register becomes an operand. Returns
 * false for other text. */
static bool list_spell(const char *text, size_t length, struct spelling *f)
{
    const char *close = memchr(text, '}', length);
    if (!close)
        return false;
    for (const char *at = text + 1; at < close;) {
        size_t n = strcspn(at, ",}");
        struct spelled_operand o;
        if (!register_spell(at, n, &o) || !operand_add(f, &o))
            return false;
        at += n + (at[n] == ',' ? 2 : 0);
    }
    return true;
}

static bool operand_spell(const char *text, size_t length, struct spelling *f)
{
    struct spelled_operand o = {0};
    struct spelled_operand *before = f->count ? &f->operands[f->count - 1] : NULL;

    if (length == 0)
        return false;
    if (before && before->class == SPELLED_MEMORY) {
        before->post = true;
        return true;
    }
    if (text[0] == '{')
        return list_spell(text, length, f);
    if (is_shift(text, length))
        return before != NULL;
    if (text[0] == '[') {
        if (length < 3 || !memory_spell(text, length, &o))
            return false;
    } else if (!register_spell(text, length, &o)) {
        o.class = !f->count && str_has_prefix(f->names[0], "prf") ? SPELLED_PREFETCH
                  : length != 1                                   ? SPELLED_LABEL
                  : *text == 'I'                                  ? SPELLED_IMMEDIATE
                  : *text == 'C'                                  ? SPELLED_CONDITION
                                                                  : SPELLED_LABEL;
    }
    return operand_add(f, &o);
}

/* Adds the names of a form. A conditional branch has a name for each condition, with or without a
 * dot. */
static void names_add(const char *mnemonic, size_t length, struct spelling *f)
{
    static const char *const conditions[] = {
        "b.eq", "b.lt", "b.gt", "b.le", "b.ge", "b.lo", "b.hi", "b.ls", "b.hs", "b.cc", "b.cs",
        "b.mi", "b.pl", "b.vs", "b.vc",
        /* Conditions of SVE. */
        "b.any", "b.none", "b.first", "b.last", "b.nfrst", "b.nlast", "b.plast", "b.pmore",
        "b.tcont", "b.tstop", "bne", "beq", "blt", "bgt", "ble", "bge", "blo", "bhi", "bls", "bhs",
        "bcc", "bcs", "bmi", "bpl", "bvs", "bvc", NULL};
    if (length == 6 && memcmp(mnemonic, "B.COND", 6) == 0) {
        snprintf(f->names[f->name_count++], sizeof f->names[0], "b.ne");
        f->more = conditions;
        return;
    }
    for (size_t i = 0; i < length; i++)
        f->names[0][i] = (char)tolower((unsigned char)mnemonic[i]);
    f->name_count = 1;
}

bool a64_spell(const char *form, struct spelling *out)
{
    const char *open = strstr(form, " (");

    *out = (struct spelling){.address = true, .plain = true};
    if (!open || open == form || (size_t)(open - form) >= sizeof out->names[0])
        return false;
    names_add(form, (size_t)(open - form), out);
    for (const char *at = open + 2; *at != ')';) {
        size_t n = type_length(at);
        if (!operand_spell(at, n, out))
            return false;
        at += n;
        if (*at == ',')
            at += 1 + (at[1] == ' ');
        else if (*at != ')')
            return false;
    }
    return true;
}

static const struct osaca_load loads[] = {
    {"x", "load_latency", "LDR (X, [X, I])"},
    {"w", "load_latency", "LDR (W, [X, I])"},
    {"d", "load_latency_scalar", "LDR (D, [X, I])"},
    {"s", "load_latency_scalar", "LDR (S, [X, I])"},
    {"h", "load_latency_scalar", "LDR (H, [X, I])"},
    {"b", "load_latency_scalar", "LDR (B, [X, I])"},
    {"q", "load_latency_vector", "LDR (Q, [X, I])"},
    {"v", "load_latency_vector", "LDR (Q, [X, I])"},
    {"z", "load_latency_wide", "LDR (Z, [X, I, MUL VL])"},
    {0},
};

const struct isa_osaca a64_osaca = {
    .name = "AArch64", .register_key = "prefix", .shaped = true, .loads = loads};
