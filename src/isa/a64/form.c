/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/form.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool word_in(const char *text, size_t length, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == length && memcmp(text, *list, length) == 0)
            return true;
    return false;
}

/* Splits @text at commas that are not in brackets or braces. Returns the number of parts; 0 if a
 * part is empty, or if there are more than @most. Stores the parts in @parts and @lengths. */
static unsigned split(const char *text, size_t length, const char *parts[], size_t lengths[],
                      unsigned most)
{
    unsigned count = 0;
    size_t start = 0;
    int depth = 0;
    for (size_t i = 0; i <= length; i++) {
        char c = i < length ? text[i] : ',';
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (c != ',' || (depth > 0 && i < length))
            continue;
        size_t a = start, b = i;
        while (a < b && isspace((unsigned char)text[a]))
            a++;
        while (b > a && isspace((unsigned char)text[b - 1]))
            b--;
        if (a == b || count == most)
            return 0;
        parts[count] = text + a;
        lengths[count++] = b - a;
        start = i + 1;
    }
    return count;
}

/* Parses decimal digits until the value is 1000 or more, and advances *@at. */
static unsigned number(const char **at, const char *end)
{
    unsigned value = 0;
    while (*at < end && isdigit((unsigned char)**at) && value < 1000)
        value = 10 * value + (unsigned)(*(*at)++ - '0');
    return value;
}

static uint16_t element_bits(char c)
{
    return c == 'b' ? 8 : c == 'h' ? 16 : c == 's' ? 32 : c == 'd' ? 64 : c == 'q' ? 128 : 0;
}

/* Parses the suffix of a register name (".2d", ".d", "[1]" or "/m"): type, bits, element, merging.
 * Returns false if it is invalid. */
static bool suffix_parse(const char *at, const char *end, char class, struct a64_operand *out)
{
    int used = snprintf(out->type, sizeof out->type, "%c", toupper((unsigned char)class));
    if (at < end && *at == '.') {
        unsigned lanes = 0;
        at++;
        if (at < end && isdigit((unsigned char)*at))
            lanes = number(&at, end);
        uint16_t bits = at < end ? element_bits(*at) : 0;
        if (!bits || lanes > 16)
            return false;
        if (lanes)
            used += snprintf(out->type + used, sizeof out->type - (size_t)used, ".%u%c", lanes,
                             toupper((unsigned char)*at));
        else
            used += snprintf(out->type + used, sizeof out->type - (size_t)used, ".%c",
                             toupper((unsigned char)*at));
        out->bits = class == 'v'   ? (uint16_t)(lanes ? lanes * bits : bits)
                    : class == 'p' ? 16
                                   : 128;
        at++;
    }
    if (at < end && *at == '[') {
        if (end[-1] != ']' || end - at < 3)
            return false;
        at++;
        for (const char *digit = at; digit < end - 1; digit++)
            if (!isdigit((unsigned char)*digit))
                return false;
        out->value = number(&at, end);
        at = end;
        out->element = true;
        snprintf(out->type + used, sizeof out->type - (size_t)used, "[I]");
    } else if (end - at == 2 && *at == '/' && (at[1] == 'm' || at[1] == 'z')) {
        out->merging = at[1] == 'm';
        snprintf(out->type + used, sizeof out->type - (size_t)used, "/%c",
                 toupper((unsigned char)at[1]));
        at = end;
    }
    return at == end;
}

static bool register_parse(const char *text, size_t length, struct a64_operand *out)
{
    static const struct { const char *name; uint8_t reg; uint16_t bits;
    } named[] = {
        {"sp", A64_SP, 64}, {"wsp", A64_SP, 32}, {"xzr", REG_NONE, 64}, {"wzr", REG_NONE, 32},
        {"fp", 29, 64},     {"lr", 30, 64},      {"ffr", A64_FFR, 256},
    };
    out->kind = A64_REGISTER;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strlen(named[i].name) == length && memcmp(text, named[i].name, length) == 0) {
            out->reg = named[i].reg;
            out->bits = named[i].bits;
            out->general = named[i].bits <= 64;
            strcpy(out->type, !out->general ? "FFR" : out->bits == 64 ? "X" : "W");
            return true;
        }
    char class = length ? text[0] : 0;
    if (length < 2 || !strchr("xwbhsdqvzp", class) || !isdigit((unsigned char)text[1]))
        return false;
    const char *at = text + 1, *end = text + length;
    unsigned n = number(&at, end);
    out->general = class == 'x' || class == 'w';
    out->predicate = class == 'p';
    if (n > (out->general     ? 30u
             : out->predicate ? 15u
                              : 31u) ||
        (at < end && !strchr("vzp", class)))
        return false;
    out->reg = (uint8_t)(out->general ? n : (out->predicate ? A64_P0 : A64_V0) + n);
    out->bits = class == 'x'                   ? 64
                : class == 'w'                 ? 32
                : class == 'p'                 ? 16
                : class == 'v' || class == 'z' ? 128
                                               : element_bits(class);
    return suffix_parse(at, end, class, out);
}

static bool immediate_parse(const char *text, size_t length, struct a64_operand *out)
{
    char digits[48], *stop;
    size_t skip = length && *text == '#';
    if (length <= skip || length - skip >= sizeof digits)
        return false;
    memcpy(digits, text + skip, length - skip);
    digits[length - skip] = '\0';
    const char *first = digits + (digits[0] == '-' || digits[0] == '+');
    if (!isdigit((unsigned char)*first))
        return false;
    out->kind = A64_IMMEDIATE;
    strcpy(out->type, "I");
    out->value =
        *digits == '-' ? (int64_t)strtoll(digits, &stop, 0) : (int64_t)strtoull(digits, &stop, 0);
    /* If more characters follow, the number is a floating-point number, such as 1.0e+0. */
    if (*stop)
        strtod(digits, &stop);
    return *stop == '\0';
}

/* Parses a shift or extension: "lsl #3", "sxtw", "mul vl", "msl #8". Returns false for other
 * text. */
static bool shift_parse(const char *text, size_t length, struct a64_operand *out)
{
    static const char *const words[] = {"lsl",  "lsr",  "asr",  "ror",  "msl",
                                        "mul",  "uxtb", "uxth", "uxtw", "uxtx",
                                        "sxtb", "sxth", "sxtw", "sxtx", NULL};
    size_t span = 0;
    struct a64_operand amount = {0};
    while (span < length && isalpha((unsigned char)text[span]))
        span++;
    if (!word_in(text, span, words))
        return false;
    out->kind = A64_SHIFT;
    for (size_t i = 0; i < span; i++)
        out->type[i] = (char)toupper((unsigned char)text[i]);
    out->type[span] = '\0';
    while (span < length && isspace((unsigned char)text[span]))
        span++;
    if (span == length)
        return true;
    if (length - span == 2 && memcmp(text + span, "vl", 2) == 0) {
        strcat(out->type, " VL");
        return true;
    }
    out->value = 0;
    if (!immediate_parse(text + span, length - span, &amount))
        return false;
    out->value = amount.value;
    strcat(out->type, " I");
    return true;
}

/* Parses a list of registers such as {v0.2d, v1.2d}, {v0.2d - v3.2d}, {z0.d-z1.d} or {v0.d}[1].
 * Returns false for other text. */
static bool list_parse(const char *text, size_t length, struct a64_operand *out)
{
    const char *close = memchr(text, '}', length), *parts[4];
    size_t lengths[4];
    struct a64_operand first = {0}, last = {0};
    if (!close)
        return false;
    unsigned count = split(text + 1, (size_t)(close - text - 1), parts, lengths, 4);
    if (!count)
        return false;
    const char *dash = memchr(parts[0], '-', lengths[0]);
    size_t span = dash ? (size_t)(dash - parts[0]) : lengths[0];
    while (span && isspace((unsigned char)parts[0][span - 1]))
        span--;
    if (!register_parse(parts[0], span, &first))
        return false;
    if (dash) {
        const char *second = dash + 1, *end = parts[0] + lengths[0];
        while (second < end && isspace((unsigned char)*second))
            second++;
        if (count != 1 || !register_parse(second, (size_t)(end - second), &last))
            return false;
        count = (unsigned)((last.reg - first.reg) & 31) + 1;
    }
    if (count > 4)
        return false;
    first.base = first.index = REG_NONE;
    first.text = text;
    first.length = length;
    *out = first;
    out->kind = A64_LIST;
    out->count = (uint8_t)count;
    int used = snprintf(out->type, sizeof out->type, "{");
    for (unsigned i = 0; i < count; i++)
        used += snprintf(out->type + used, sizeof out->type - (size_t)used, "%s%s", i ? ", " : "",
                         first.type);
    used += snprintf(out->type + used, sizeof out->type - (size_t)used, "}");
    out->element = close + 1 < text + length;
    if (out->element)
        snprintf(out->type + used, sizeof out->type - (size_t)used, "[I]");
    return used < (int)sizeof out->type &&
           (!out->element || (close[1] == '[' && text[length - 1] == ']'));
}

static bool memory_parse(const char *text, size_t length, struct a64_operand *out)
{
    const char *parts[3];
    size_t lengths[3];
    out->pre = text[length - 1] == '!';
    length -= out->pre;
    if (length < 3 || text[length - 1] != ']')
        return false;
    unsigned count = split(text + 1, length - 2, parts, lengths, 3);
    out->kind = A64_MEMORY;
    out->base = out->index = REG_NONE;
    int used = snprintf(out->type, sizeof out->type, "[");
    for (unsigned i = 0; i < count; i++) {
        struct a64_operand part = {0};
        if (register_parse(parts[i], lengths[i], &part)) {
            if (i == 0)
                out->base = part.reg;
            else if (i == 1)
                out->index = part.reg;
            out->scale = out->index != REG_NONE ? 1 : 0;
        } else if (i > 0 && immediate_parse(parts[i], lengths[i], &part)) {
            out->displacement = part.value;
        } else if (i > 0 && shift_parse(parts[i], lengths[i], &part)) {
            if (out->index != REG_NONE && part.value >= 0 && part.value < 8)
                out->scale = (uint8_t)(1 << part.value);
            else if (strcmp(part.type, "MUL VL") == 0)
                /* Assumes vectors of the smallest length, because displacements are only compared
                 * for equality. */
                out->displacement *= 16;
        } else {
            return false;
        }
        used += snprintf(out->type + used, sizeof out->type - (size_t)used, "%s%s", i ? ", " : "",
                         part.type);
        if (used >= (int)sizeof out->type)
            return false;
    }
    snprintf(out->type + used, sizeof out->type - (size_t)used, "]%s", out->pre ? "!" : "");
    return count > 0;
}

bool a64_is_condition(const char *text, size_t length)
{
    static const char *const conditions[] = {"eq", "ne", "cs", "hs", "cc", "lo", "mi",
                                             "pl", "vs", "vc", "hi", "ls", "ge", "lt",
                                             "gt", "le", "al", "nv", NULL};
    return word_in(text, length, conditions);
}

/* Returns the type of an operand that is a word with a numeric meaning. Each kind of word has one
 * type. Returns NULL for other words. */
static const char *kind_of_word(const char *text, size_t length)
{
    if (a64_is_condition(text, length))
        return "C";
    if (length > 5 &&
        (memcmp(text, "pld", 3) == 0 || memcmp(text, "pli", 3) == 0 || memcmp(text, "pst", 3) == 0))
        /* Older disassemblers print a number for prefetches into the system-level cache (slc). */
        return memcmp(text + 3, "slc", 3) == 0 ? "I" : "PRFOP";
    bool is_count =
        length > 2 && length < 6 && memcmp(text, "vl", 2) == 0 && isdigit((unsigned char)text[2]);
    return is_count ||
                   word_in(text, length, (const char *const[]){"all", "pow2", "mul3", "mul4", NULL})
               ? "PATTERN"
               : NULL;
}

static bool word_parse(const char *text, size_t length, struct a64_operand *out)
{
    const char *kind = kind_of_word(text, length);
    out->kind = A64_WORD;
    if (length >= sizeof out->type)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
        out->type[i] = (char)toupper((unsigned char)text[i]);
    }
    out->type[length] = '\0';
    if (kind)
        strcpy(out->type, kind);
    return true;
}

static bool operand_parse(const char *text, size_t length, struct a64_operand *out)
{
    *out = (struct a64_operand){
        .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE, .text = text, .length = length};
    if (*text == '[')
        return memory_parse(text, length, out);
    if (*text == '{')
        return list_parse(text, length, out);
    bool updated = length > 1 && text[length - 1] == '!';
    if (register_parse(text, length - updated, out) && (out->general || !updated)) {
        out->updated = updated;
        strcat(out->type, updated ? "!" : "");
        return true;
    }
    *out = (struct a64_operand){
        .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE, .text = text, .length = length};
    return shift_parse(text, length, out) || immediate_parse(text, length, out) ||
           word_parse(text, length, out);
}

/* Returns whether the instruction is a branch or a PC-relative access. Its last immediate is then
 * an address. */
static bool is_relative(const struct a64_text *t)
{
    static const char *const always[] = {"b",    "bl",  "cbz",  "cbnz", "tbz",
                                         "tbnz", "adr", "adrp", NULL};
    static const char *const literal[] = {"ldr", "ldrsw", "prfm", NULL};
    size_t length = strlen(t->mnemonic);
    return word_in(t->mnemonic, length, always) || str_has_prefix(t->mnemonic, "b.") ||
           str_has_prefix(t->mnemonic, "bc.") ||
           (t->count == 2 && word_in(t->mnemonic, length, literal));
}

/* Returns the mnemonic that Portolan uses, because disassemblers differ. */
static const char *spelling_of(const char *mnemonic, const struct a64_text *t)
{
    if (strcmp(mnemonic, "ins") == 0 ||
        (t->count == 2 && (strcmp(mnemonic, "movz") == 0 || strcmp(mnemonic, "movn") == 0)))
        return "mov";
    if (strcmp(mnemonic, "umov") == 0 && t->count == 2 &&
        (strcmp(t->operands[1].type, "V.S[I]") == 0 || strcmp(t->operands[1].type, "V.D[I]") == 0))
        return "mov";
    return mnemonic;
}

/* Marks moves to or from sp (additions) and moves from xzr (zeroing). Neither is a register
 * move. */
static void name_special(struct a64_operand operands[2])
{
    bool wide = operands[0].bits == 64;
    for (int i = 0; i < 2; i++)
        if (operands[i].reg == A64_SP)
            strcpy(operands[i].type, wide ? "SP" : "WSP");
    if (operands[1].reg == REG_NONE)
        strcpy(operands[1].type, wide ? "XZR" : "WZR");
}

bool a64_text_parse(const char *mnemonic, const char *operands, struct a64_text *out)
{
    const char *parts[A64_OPERANDS];
    size_t lengths[A64_OPERANDS], length = strlen(operands);

    memset(out, 0, sizeof *out);
    if (!*mnemonic || strlen(mnemonic) >= sizeof out->mnemonic || length >= sizeof out->line)
        return false;
    for (size_t i = 0; i < length; i++)
        out->line[i] = (char)tolower((unsigned char)operands[i]);
    while (length && isspace((unsigned char)out->line[length - 1]))
        length--;
    out->line[length] = '\0';
    if (length) {
        out->count = split(out->line, length, parts, lengths, A64_OPERANDS);
        if (!out->count)
            return false;
    }
    for (unsigned i = 0; i < out->count; i++) {
        if (!operand_parse(parts[i], lengths[i], &out->operands[i]))
            return false;
        out->post |= i > 0 && out->operands[i - 1].kind == A64_MEMORY;
    }
    strcpy(out->mnemonic, spelling_of(mnemonic, out));
    for (char *c = out->mnemonic; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (out->count == 2 && strcmp(out->mnemonic, "mov") == 0 && out->operands[0].general &&
        out->operands[1].general)
        name_special(out->operands);
    /* An SVE prefetch operation that has no name is a number. */
    if (out->count && out->operands[0].kind == A64_IMMEDIATE && str_match("prf?", out->mnemonic) &&
        out->mnemonic[3] != 'm')
        strcpy(out->operands[0].type, "PRFOP");
    struct a64_operand *last = out->count ? &out->operands[out->count - 1] : NULL;
    if (last && last->kind == A64_IMMEDIATE && is_relative(out)) {
        last->kind = A64_LABEL;
        strcpy(last->type, "Rel");
    }
    return true;
}

/* Returns whether the address may have an immediate offset. If so, a missing offset means 0. */
static bool takes_offset(const char *mnemonic)
{
    static const char *const heads[] = {"ldr",  "str",  "ldp",  "stp",  "ldnp", "stnp",
                                        "ldur", "stur", "ldtr", "sttr", "prfm", "prfum"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (str_has_prefix(mnemonic, heads[i]))
            return true;
    return false;
}

/* Returns whether operand @i shifts the general register before it left by 1 to 4. */
static bool is_short_shift(const struct a64_text *t, unsigned i)
{
    const struct a64_operand *op = &t->operands[i];
    return i > 0 && op->kind == A64_SHIFT && strcmp(op->type, "LSL I") == 0 && op->value >= 1 &&
           op->value <= 4 && t->operands[i - 1].general;
}

void a64_text_form(const struct a64_text *t, char form[FORM_MAX])
{
    size_t used = 0;
    const char *name = str_has_prefix(t->mnemonic, "b.") ? "b.cond" : t->mnemonic;
    for (; *name && used + 1 < FORM_MAX; name++)
        form[used++] = (char)toupper((unsigned char)*name);
    used += (size_t)snprintf(form + used, FORM_MAX - used, " (");
    for (unsigned i = 0; i < t->count && used < FORM_MAX; i++) {
        const char *type = is_short_shift(t, i) ? "LSL 1-4" : t->operands[i].type;
        if (t->operands[i].kind == A64_MEMORY && strcmp(type, "[X]") == 0 && !t->post &&
            takes_offset(t->mnemonic))
            type = "[X, I]";
        used += (size_t)snprintf(form + used, FORM_MAX - used, "%s%s", i ? ", " : "", type);
    }
    if (used < FORM_MAX)
        snprintf(form + used, FORM_MAX - used, ")");
}

struct template {
    struct str *out;
    /* first register of the template; its later occurrences become {=}, or {=w} with another
     * width */
    uint8_t first;
    char class;
    bool any;
};

/* Appends the operand @text, with placeholders instead of registers. */
static void template_operand(struct template *t, const char *text, size_t length,
                             const char *access)
{
    for (size_t i = 0; i < length;) {
        size_t span = 0;
        struct a64_operand reg = {0};
        while (i + span < length && isalnum((unsigned char)text[i + span]))
            span++;
        bool is_register = span && register_parse(text + i, span, &reg) && reg.reg != REG_NONE &&
                           reg.reg != A64_SP && reg.reg != A64_FFR;
        if (is_register && t->any && reg.reg == t->first && text[i] == t->class)
            str_add(t->out, "{=}");
        else if (is_register && t->any && reg.reg == t->first)
            str_addf(t->out, "{=%c}", text[i]);
        else if (is_register)
            str_addf(t->out, "{%s:%s}", access, reg.type);
        else if (span)
            str_add_bytes(t->out, text + i, span);
        else if (text[i] == '{' || text[i] == '}')
            str_addf(t->out, "%c%c", text[i], text[i]);
        else
            str_add_char(t->out, text[i]);
        if (is_register && !t->any) {
            t->first = reg.reg;
            t->class = text[i];
            t->any = true;
        }
        i += span ? span : 1;
    }
}

/* Appends a list with a placeholder for each register. The placeholders stand for consecutive
 * registers. */
static void template_list(struct template *t, const struct a64_operand *op, const char *access)
{
    const char *suffix = memchr(op->text, '.', op->length),
               *close = memchr(op->text, '}', op->length);
    size_t length = suffix ? strcspn(suffix, ",-} ") : 0;
    str_add(t->out, "{{");
    for (unsigned i = 0; i < op->count; i++)
        str_addf(t->out, "%s{%s:%c}%.*s", i ? ", " : "", access, op->type[1], (int)length,
                 suffix ? suffix : "");
    str_addf(t->out, "}}%.*s", (int)(op->text + op->length - close - 1), close + 1);
    t->first = op->reg;
    t->class = (char)tolower((unsigned char)op->type[1]);
    t->any = true;
}

void a64_text_template(const struct a64_text *text, const uint8_t access[A64_OPERANDS],
                       struct str *out)
{
    static const char *const letters[] = {"R", "R", "W", "RW"};
    struct template t = {.out = out};

    str_add(out, text->mnemonic);
    for (unsigned i = 0; i < text->count; i++) {
        const struct a64_operand *op = &text->operands[i];
        const char *kind = op->kind == A64_MEMORY ? "R" : letters[access[i] & 3];
        str_add(out, i ? ", " : " ");
        /* whether the register is the second one of an even pair */
        const bool second = strncmp(text->mnemonic, "casp", 4) == 0 && (i == 1 || i == 3);
        if (op->kind == A64_LABEL)
            str_add(out, "{Rel}");
        else if (second)
            str_addf(out, "{+%s}", op->type);
        else if (op->kind == A64_LIST && !t.any)
            template_list(&t, op, kind);
        else
            template_operand(&t, op->text, op->length, kind);
    }
}

/* Appends a register or number for a placeholder. Register numbers ascend, so the registers of a
 * list are consecutive. */
void a64_placeholder(struct form_registers *in, const char *type, struct str *out)
{
    char text[8];
    if (strcmp(type, "Rel") == 0) {
        str_add(out, ".+8");
        return;
    }
    type += type[0] == '+';   /* A type with + means the register after the previous register. */
    if (type[0] == '=') {
        str_addf(out, "%c%s", type[1] ? type[1] : in->first[0], in->first + 1);
        return;
    }
    unsigned *next = strchr("XW", type[0]) ? &in->general
                     : type[0] == 'P'      ? &in->mask
                                           : &in->vector;
    snprintf(text, sizeof text, "%c%u", tolower((unsigned char)type[0]), (*next)++ % 16);
    if (!in->first[0])
        memcpy(in->first, text, sizeof text);
    str_add(out, text);
}

static bool begins(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* Returns whether a vector, predicate or floating-point register is among @operands. */
static bool has_vectors(const char *operands)
{
    for (const char *at = operands; at; at = strpbrk(at + 1, " ([{"))
        if (strchr("SDHBQVZP", at[1]) && at[1] && strchr(",.)}[/ ", at[2]) &&
            strncmp(at + 1, "SP", 2) != 0)
            return true;
    return false;
}

enum form_kind a64_form_kind(const char *form)
{
    static const char *const loads[] = {"LD", "PRF", NULL}, *const stores[] = {"ST", NULL},
                             *const adds[] = {"FADD", "FSUB", NULL};
    static const char *const fp_multiplies[] = {"FMUL",  "FMLA",   "FMLS",   "FMADD",
                                                "FMSUB", "FNMADD", "FNMSUB", "FNMUL",
                                                "FNMLA", "FNMLS",  NULL};
    static const char *const branches[] = {"B (", "B.", "BL (", "BR", "BLR",
                                           "RET", "CB", "TB",   NULL},
                             *const multiplies[] = {"MUL",  "MADD",   "MSUB",   "MNEG", "SMUL",
                                                    "UMUL", "SMADDL", "UMADDL", NULL};
    static const char *const divides[] = {"SDIV", "UDIV", NULL};
    const char *operands = strchr(form, '(');

    if (operands && strchr(operands, '[') && begins(form, loads))
        return FORM_LOAD;
    if (operands && strchr(operands, '[') && begins(form, stores))
        return FORM_STORE;
    if (operands && has_vectors(operands))
        return begins(form, adds)            ? FORM_FP_ADD
               : begins(form, fp_multiplies) ? FORM_FP_MULTIPLY
                                             : FORM_VECTOR;
    return begins(form, branches)     ? FORM_BRANCH
           : begins(form, multiplies) ? FORM_MULTIPLY
           : begins(form, divides)    ? FORM_DIVIDE
                                      : FORM_ALU;
}
