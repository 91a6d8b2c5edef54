/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/decode_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "isa/x86/form.h"

#define TYPE_MAX 24

/* number of r16 (APX); r16 to r31 follow all other registers */
#define REG_R16 67

struct span { const char *at; size_t length; };

static bool word_is(struct span w, const char *name)
{
    return strlen(name) == w.length && strncasecmp(w.at, name, w.length) == 0;
}

static struct span trimmed(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    return (struct span){from, (size_t)(to - from)};
}

/* Parses the number after the first @skip characters of @w, and sets *@end to its end. Returns -1
 * if there is no number below 32. */
static int register_number(struct span w, size_t skip, size_t *end)
{
    int n = 0;
    size_t at = skip;

    for (; at < w.length && isdigit((unsigned char)w.at[at]) && at < skip + 2; at++)
        n = 10 * n + (w.at[at] - '0');
    *end = at;
    return at > skip && n < 32 ? n : -1;
}

/* Parses a general register. Returns false if @w is none. */
static bool general_read(struct span w, struct operand *op, char type[TYPE_MAX])
{
    static const char *const names[8] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"},
                             *const low[8] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"},
                             *const high[4] = {"ah", "ch", "dh", "bh"};
    size_t end;
    int n = -1;

    op->bits = 0;
    for (unsigned i = 0; i < 8 && n < 0; i++) {
        if (word_is(w, names[i]))
            op->bits = 16;
        else if (w.length == 3 && strchr("eErR", *w.at) && strncasecmp(w.at + 1, names[i], 2) == 0)
            op->bits = (*w.at | 32) == 'e' ? 32 : 64;
        else if (word_is(w, low[i]) || (i < 4 && word_is(w, high[i])))
            op->bits = 8;
        n = op->bits ? (int)i : -1;
    }
    bool is_high = op->bits == 8 && n < 4 && (w.at[1] | 32) == 'h';
    if (n < 0 && w.length >= 2 && (*w.at | 32) == 'r' && (n = register_number(w, 1, &end)) >= 0) {
        char width = end < w.length ? (char)(w.at[end] | 32) : 'q';
        op->bits = width == 'd' ? 32 : width == 'w' ? 16 : width == 'b' ? 8 : 64;
        if (end + (width != 'q') != w.length || n < 8)
            return false;
    }
    if (n < 0)
        return false;
    op->reg = (uint8_t)(n < 16 ? n : REG_R16 + n - 16);
    op->file = FILE_GENERAL;
    op->offset_bits = is_high ? 8 : 0;
    snprintf(type, TYPE_MAX, op->bits == 8 ? is_high ? "R8h" : "R8l" : "R%u", (unsigned)op->bits);
    return true;
}

/* Parses a vector, mask, mmx, tile or system register. Returns false if @w is none. */
static bool special_read(struct span w, struct operand *op, char type[TYPE_MAX])
{
    static const struct {
        const char *name, *type;
        uint16_t bits;
        uint8_t first, count, file;
    } kinds[] = {
        {"xmm", "XMM", 128, 16, 32, FILE_VECTOR},   {"ymm", "YMM", 256, 16, 32, FILE_VECTOR},
        {"zmm", "ZMM", 512, 16, 32, FILE_VECTOR},   {"tmm", "TMM", 8192, REG_OTHER, 0, FILE_OTHER},
        {"mm", "MM", 64, 56, 8, FILE_X87},          {"k", "K", 64, 48, 8, FILE_MASK},
        {"cr", "CR", 64, REG_OTHER, 0, FILE_OTHER}, {"dr", "DR", 64, REG_OTHER, 0, FILE_OTHER},
    };
    size_t end;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].name);
        int n = w.length > length && strncasecmp(w.at, kinds[i].name, length) == 0
                    ? register_number(w, length, &end)
                    : -1;
        if (n < 0 || end != w.length || (kinds[i].count && n >= kinds[i].count))
            continue;
        op->reg = (uint8_t)(kinds[i].first + (kinds[i].count ? n : 0));
        op->file = kinds[i].file;
        op->bits = kinds[i].bits;
        snprintf(type, TYPE_MAX, "%s", kinds[i].type);
        return true;
    }
    return false;
}

static bool register_read(struct span w, struct operand *op, char type[TYPE_MAX])
{
    op->kind = OPERAND_REGISTER;
    op->scale = 1;
    return general_read(w, op, type) || special_read(w, op, type);
}

/* Parses an address, such as `rdi+rax*4+0x40` or `rdi + 4*rax + 0x40`. Sets @index to the type of a
 * vector index. Sets *@narrow if a register has 32 bits. Returns false if invalid. */
static bool address_read(struct span w, struct operand *op, bool *narrow, char index[TYPE_MAX])
{
    const char *end = w.at + w.length, *next;

    for (const char *at = w.at; at < end; at = next) {
        bool minus = *at == '-';
        at += *at == '-' || *at == '+';
        for (next = at; next < end && *next != '+' && *next != '-'; next++) {}
        struct span part = trimmed(at, next);
        const char *star = memchr(part.at, '*', part.length), *stop = part.at + part.length;
        struct span name = part;
        struct operand reg = {0};
        char type[TYPE_MAX] = "";
        int scale = 1;
        if (star) {
            bool number_first = isdigit((unsigned char)*part.at);
            name = number_first ? trimmed(star + 1, stop) : trimmed(part.at, star);
            scale = atoi(number_first ? part.at : star + 1);
        }
        if (!part.length)
            continue;
        if (word_is(name, "rip") || word_is(name, "eip")) {
            op->base = REG_PC;
        } else if (word_is(name, "riz") || word_is(name, "eiz")) {
            continue;
        } else if (register_read(name, &reg, type)) {
            bool vector = reg.file == FILE_VECTOR;
            *narrow |= !vector && reg.bits == 32;
            if (vector)
                snprintf(index, TYPE_MAX, "%s", type);
            if (star || vector || op->base != REG_NONE) {
                op->index = reg.reg;
                op->scale = (uint8_t)scale;
            } else {
                op->base = reg.reg;
            }
        } else if (isdigit((unsigned char)*part.at)) {
            int64_t value = (int64_t)strtoull(part.at, NULL, 0);
            op->displacement += minus ? -value : value;
        } else {
            return false;
        }
    }
    return true;
}

/* Parses a memory operand, such as `YMMWORD PTR [rdi]`, `dword ptr fs:[rax]`, `WORD BCST [rax]` or
 * `word ptr [rax]{1to32}`. Returns false if invalid. */
static bool memory_read(struct span w, struct insn *in, struct operand *op, char type[TYPE_MAX])
{
    static const struct {
        const char *name;
        uint16_t bits;
    } sizes[] = {{"byte", 8},   {"word", 16},     {"dword", 32},    {"qword", 64},   {"fword", 48},
                 {"tbyte", 80}, {"xmmword", 128}, {"ymmword", 256}, {"zmmword", 512}};
    const char *open = memchr(w.at, '[', w.length),
               *close = open ? memchr(open, ']', (size_t)(w.at + w.length - open)) : NULL;
    char index[TYPE_MAX] = "";
    bool narrow = false;

    op->kind = OPERAND_MEMORY;
    if (!open && (open = memchr(w.at, ':', w.length)))   /* The address has no brackets, as in
                                                          * `DWORD PTR ds:0x1000`. */
        close = w.at + w.length;
    if (!close)
        return false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t length = strlen(sizes[i].name);
        if (w.length > length && strncasecmp(w.at, sizes[i].name, length) == 0 &&
            isspace((unsigned char)w.at[length]))
            op->bits = sizes[i].bits;
    }
    if (open - w.at >= 3 && open[-1] == ':')
        op->segment = strncasecmp(open - 3, "fs", 2) == 0 || strncasecmp(open - 3, "gs", 2) == 0
                          ? REG_OTHER
                          : REG_NONE;
    if (!address_read((struct span){open + 1, (size_t)(close - open - 1)}, op, &narrow, index))
        return false;
    in->traits |= (op->index != REG_NONE ? INSN_INDEXED : 0) |
                  (op->base == REG_PC ? INSN_RIP_RELATIVE : 0) | (narrow ? INSN_NARROW_ADDRESS : 0);
    const char *broadcast = memchr(close, '{', (size_t)(w.at + w.length - close));
    unsigned to =
        broadcast && strncmp(broadcast, "{1to", 4) == 0 ? (unsigned)atoi(broadcast + 4) : 0;
    if (*index)
        snprintf(type, TYPE_MAX, "VSIB_%.4s", index);
    else if (to)
        snprintf(type, TYPE_MAX, "M%u_1to%u", (unsigned)op->bits, to % 100);
    else if (op->bits)
        snprintf(type, TYPE_MAX, "M%u", (unsigned)op->bits);
    else
        strcpy(type, "M");
    return true;
}

static bool immediate_read(struct span w, const struct insn *in, struct operand *op,
                           char type[TYPE_MAX])
{
    char *end;

    op->kind = OPERAND_IMMEDIATE;
    op->access = ACCESS_READ;
    op->immediate = (int64_t)strtoull(w.at, &end, 0);
    /* Assumes the width of the immediate, which the text does not show: a byte for vector
     * instructions. */
    bool vector = in->bytes[0] == 0xc4 || in->bytes[0] == 0xc5 ||
                  (in->bytes[0] == 0x62 && (in->bytes[1] & 7) != 4);
    snprintf(type, TYPE_MAX,
             vector || (op->immediate >= -128 && op->immediate < 256) ? "I8" : "I32");
    return end == w.at + w.length && end > w.at;
}

/* Returns whether the word is a prefix. If form names include the prefix, sets *@in_form to its
 * suffix there, such as "_REP". */
static bool is_prefix(struct span w, const char **in_form)
{
    static const struct { const char *text, *form;
    } prefixes[] = {
        {"lock", "_LOCK"}, {"{vex}", ""},    {"{vex3}", ""},      {"{vex2}", ""}, {"{evex}", ""},
        {"{nf}", "_NF"},   {"{rex2}", ""},   {"{disp32}", ""},    {"{load}", ""}, {"xacquire", ""},
        {"xrelease", ""},  {"notrack", ""},  {"bnd", ""},         {"data16", ""}, {"addr32", ""},
        {"rep", "_REP"},   {"repz", "_REP"}, {"repnz", "_REPNE"}, {"cs", ""},     {"ds", ""},
        {"es", ""},        {"ss", ""},       {"fs", ""},          {"gs", ""},
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (word_is(w, prefixes[i].text)) {
            if (prefixes[i].form[0])
                *in_form = prefixes[i].form;
            return true;
        }
    return w.length > 4 && strncasecmp(w.at, "rex", 3) == 0 && w.at[3] == '.';
}

/* Returns whether the instruction also reads its first operand, in addition to writing it. */
static bool accumulates(const char *mnemonic)
{
    static const char *const families[] = {
        "vpdp", "vpmadd52", "vfmadd", "vfmsub", "vfnmadd", "vfnmsub", "vdpbf16", "vdpph", "vsha512",
        "vsm3", "tdp",      "tcmm",   "tmm",    "vpermi2", "vpermt2", "cmp",     "cfcmov"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (str_has_prefix(mnemonic, families[i]))
            return true;
    return false;
}

/* Returns whether the instruction only reads its first operand. */
static bool reads_alone(const char *mnemonic)
{
    static const char *const families[] = {"prefetch", "push", "ccmp",  "ctest",  "test",
                                           "jmp",      "call", "wrmsr", "uwrmsr", "hreset",
                                           "inv",      "ld",   "ud",    "enqcmd", "tilerelease"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (str_has_prefix(mnemonic, families[i]))
            return true;
    return str_has_prefix(mnemonic, "cmp") && !strstr(mnemonic, "xadd");
}

static void access_set(struct insn *in)
{
    for (unsigned i = 0; i < in->operand_count; i++) {
        struct operand *op = &in->operands[i];
        bool first = i == 0 && !reads_alone(in->mnemonic),
             compare = strstr(in->mnemonic, "xadd") != NULL;
        if (op->kind == OPERAND_IMMEDIATE)
            continue;
        op->access = first && op->kind == OPERAND_MEMORY
                         ? in->operand_count > 1 && !str_has_prefix(in->mnemonic, "v")
                               ? ACCESS_READ | ACCESS_WRITE
                               : ACCESS_WRITE
                     : first && accumulates(in->mnemonic) ? ACCESS_READ | ACCESS_WRITE
                     : first                              ? ACCESS_WRITE
                     : compare && i == 1                  ? ACCESS_READ | ACCESS_WRITE
                                                          : ACCESS_READ;
        if (op->kind == OPERAND_MEMORY && !str_has_prefix(in->mnemonic, "prefetch"))
            in->traits |= (op->access & ACCESS_READ ? INSN_LOAD : 0) |
                          (op->access & ACCESS_WRITE ? INSN_STORE : 0);
        if (op->file == FILE_VECTOR)
            in->traits |= INSN_VECTOR;
    }
    if (str_has_prefix(in->mnemonic, "cmp") || str_has_prefix(in->mnemonic, "ccmp") ||
        str_has_prefix(in->mnemonic, "ctest"))
        in->flags_written =
            FLAG_CARRY | FLAG_PARITY | FLAG_ADJUST | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW;
    if (strstr(in->mnemonic, "xadd"))
        in->traits |= INSN_LOCK;
    if (strncmp(in->mnemonic, "jmp", 3) == 0)
        in->traits |= INSN_BRANCH;
    if (in->bytes[0] == 0xc4 || in->bytes[0] == 0xc5 || in->bytes[0] == 0x62)
        in->traits |= INSN_VEX;
}

/* Adds an operand to @in, and its type with mask and rounding mode to @list. Returns false if it
 * cannot be parsed, or if @in has too many operands. */
static bool operand_add(struct span w, struct insn *in, struct str *list, bool *zeroing,
                        const char **rounding)
{
    struct operand op = {.reg = REG_NONE, .base = REG_NONE, .index = REG_NONE, .segment = REG_NONE};
    char type[TYPE_MAX] = "";
    /* APX's conditional comparisons have default flags, such as {dfv=of}. */
    const char *flags =
        w.length > 4 && strncmp(w.at, "{dfv", 4) == 0 ? memchr(w.at, '}', w.length) : NULL;
    if (flags)
        w = trimmed(flags + 1, w.at + w.length);
    const char *brace = memchr(w.at, '{', w.length);
    struct span plain = brace && !memchr(w.at, '[', w.length) ? trimmed(w.at, brace) : w;

    if (!plain.length && brace) {
        bool sae = word_is(w, "{sae}");
        *rounding = sae                                                       ? "_SAE"
                    : w.length == 8 && strncasecmp(w.at + 3, "-sae}", 5) == 0 ? "_ER"
                                                                              : *rounding;
        return true;
    }
    if (in->operand_count == INSN_OPERANDS)
        return false;
    bool memory = memchr(w.at, '[', w.length) || memchr(w.at, ':', w.length);
    bool known = register_read(plain, &op, type) ||
                 (memory ? memory_read(w, in, &op, type) : immediate_read(plain, in, &op, type));
    if (!known)
        return false;
    in->operands[in->operand_count++] = op;
    str_addf(list, "%s%s", list->length ? ", " : "", type);
    for (const char *at = brace, *end = w.at + w.length; at && at < end;
         at = memchr(at + 1, '{', (size_t)(end - at - 1))) {
        *zeroing |= strncmp(at, "{z}", 3) == 0;
        if (at[1] == 'k' && isdigit((unsigned char)at[2]) && in->operand_count < INSN_OPERANDS) {
            in->operands[in->operand_count++] =
                (struct operand){.kind = OPERAND_REGISTER,
                                 .access = ACCESS_READ,
                                 .reg = (uint8_t)(48 + (at[2] - '0') % 8),
                                 .file = FILE_MASK,
                                 .bits = 64,
                                 .scale = 1,
                                 .base = REG_NONE,
                                 .index = REG_NONE,
                                 .segment = REG_NONE};
            str_add(list, ", K");
        }
    }
    return true;
}

/* Returns the comma that ends the operand at @at, or the end of the text. Skips commas in braces
 * and brackets. */
static const char *operand_end(const char *at)
{
    unsigned deep = 0;
    for (; *at && (deep || *at != ','); at++)
        deep += *at == '[' || *at == '{' ? 1u : deep && (*at == ']' || *at == '}') ? -1u : 0u;
    return at;
}

bool x86_text_read(const char *text, struct insn *out)
{
    const char *at = text, *end, *prefix = "", *rounding = "";
    struct str list = {0};
    bool zeroing = false, ok = true;
    struct span name;

    out->operand_count = 0;
    out->traits = out->flags_read = out->flags_written = 0;
    do {
        at += strspn(at, " \t");
        end = at + strcspn(at, " \t");
        name = (struct span){at, (size_t)(end - at)};
        at = end;
    } while (is_prefix(name, &prefix));
    if (!name.length || name.length >= sizeof out->mnemonic || !isalpha((unsigned char)*name.at))
        return false;
    for (size_t i = 0; i <= name.length; i++)
        out->mnemonic[i] = i < name.length ? (char)tolower((unsigned char)name.at[i]) : '\0';
    for (at += strspn(at, " \t"); ok && *at; at = *end ? end + 1 : end) {
        end = operand_end(at);
        ok = operand_add(trimmed(at, end), out, &list, &zeroing, &rounding);
    }
    char upper[sizeof out->mnemonic];
    for (size_t i = 0; i <= name.length; i++)
        upper[i] = (char)toupper((unsigned char)out->mnemonic[i]);
    const bool evex = out->bytes[0] == 0x62, vex = out->bytes[0] == 0xc4 || out->bytes[0] == 0xc5;
    bool extended = out->bytes[0] == 0xd5 || (evex && (out->bytes[1] & 7) == 4);
    for (unsigned i = 0; i < out->operand_count; i++) {
        const struct operand *op = &out->operands[i];
        extended |= (op->file == FILE_GENERAL && op->reg >= REG_R16) ||
                    (op->base != REG_NONE && op->base >= REG_R16) ||
                    (op->index != REG_NONE && op->index >= REG_R16);
    }
    const char *encoding =
        extended      ? "_APX"
        : evex || vex ? form_encoding(out->mnemonic, evex, strstr(str_text(&list), "ZMM") != NULL)
                      : "";
    snprintf(out->form, FORM_MAX, "%s%s%s%s%s (%.120s)", upper, encoding, rounding,
             zeroing ? "_Z" : "", prefix, str_text(&list));
    str_done(&list);
    if (!ok)
        return false;
    out->traits |= strcmp(prefix, "_LOCK") == 0 ? INSN_LOCK : 0;
    access_set(out);
    insn_fill_roles(out);
    return true;
}
