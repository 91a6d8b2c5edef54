/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Parts of a form name */
struct parts {
    char mnemonic[48];        /* mnemonic without encoding suffixes */
    char operands[8][16];
    unsigned count;
    const char *lea;          /* address parts of a LEA, such as "_B_I_D8"; otherwise empty */
    bool plain, lock, rep;
};

static bool strip_end(char *text, const char *mark)
{
    size_t length = strlen(text), size = strlen(mark);
    if (length <= size || strcmp(text + length - size, mark) != 0)
        return false;
    text[length - size] = '\0';
    return true;
}

static bool split_operands(const char *list, struct parts *p)
{
    while (*list && *list != ')') {
        size_t length = strcspn(list, ",)");
        if (p->count == 8 || length == 0 || length >= sizeof p->operands[0])
            return false;
        memcpy(p->operands[p->count], list, length);
        p->operands[p->count++][length] = '\0';
        list += length;
        if (*list == ',')
            list += 1 + (list[1] == ' ');
    }
    return *list == ')' && list[1] == '\0';
}

static bool split_form(const char *form, struct parts *p)
{
    static const char *const marks[] = {"_LOCK", "_Z", "_SAE", "_ER", "_EVEX", "_NEAR", "_VEX"};
    static const char *const prefixes[] = {"REP_", "REPE_", "REPNE_"};
    const char *open = strstr(form, " (");

    *p = (struct parts){.lea = "", .plain = true};
    if (!open || (size_t)(open - form) >= sizeof p->mnemonic)
        return false;
    memcpy(p->mnemonic, form, (size_t)(open - form));
    for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strip_end(p->mnemonic, marks[i])) {
            p->plain &= i == 5;
            p->lock |= i == 0;
        }
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (str_has_prefix(p->mnemonic, prefixes[i])) {
            memmove(p->mnemonic, p->mnemonic + strlen(prefixes[i]),
                    strlen(p->mnemonic) - strlen(prefixes[i]) + 1);
            p->plain = false;
            p->rep = true;
        }
    if (str_has_prefix(p->mnemonic, "LEA_")) {
        p->lea = form + 3;
        p->mnemonic[3] = '\0';
    }
    return split_operands(open + 2, p);
}

/* Sets class, name and width of an operand from its type in a form name. Returns false for other
 * types. */
static bool classify(const char *type, struct spelled_operand *out)
{
    static const char *const registers[] = {"XMM", "YMM", "ZMM",  "TMM", "MM",
                                            "K",   "ST",  "SREG", "CR",  "DR"};

    *out = (struct spelled_operand){.class = SPELLED_REGISTER};
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strcmp(type, registers[i]) == 0) {
            for (unsigned k = 0; registers[i][k]; k++)
                out->name[k] = (char)tolower((unsigned char)registers[i][k]);
            return true;
        }
    if ((type[0] == 'R' && isdigit((unsigned char)type[1])) || strcmp(type, "CL") == 0) {
        strcpy(out->name, "gpr");
        out->bits = type[0] == 'C' ? 8 : (unsigned)strtoul(type + 1, NULL, 10);
        return true;
    }
    if (str_has_prefix(type, "VSIB_")) {
        out->class = SPELLED_MEMORY;
        snprintf(out->name, sizeof out->name, "%cmm", tolower((unsigned char)type[5]));
        out->base = out->index = true;
        return true;
    }
    if (type[0] == 'M' && (!type[1] || isdigit((unsigned char)type[1]))) {
        out->class = SPELLED_MEMORY;
        out->bits = strchr(type, '_') ? 0 : (unsigned)strtoul(type + 1, NULL, 10);
        out->base = true;
        return true;
    }
    out->class = str_has_prefix(type, "Rel") ? SPELLED_LABEL : SPELLED_IMMEDIATE;
    return out->class == SPELLED_LABEL || isdigit((unsigned char)type[0]) ||
           (type[0] == 'I' && isdigit((unsigned char)type[1]));
}

static bool has_register(const struct spelling *f, const char *name)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->operands[i].class == SPELLED_REGISTER && strcmp(f->operands[i].name, name) == 0)
            return true;
    return false;
}

static bool has_vector(const struct spelling *f)
{
    return has_register(f, "xmm") || has_register(f, "ymm") || has_register(f, "zmm") ||
           has_register(f, "mm") || has_register(f, "k");
}

/* Sets the operands in AT&T order. The mask register of a destination becomes a mark of that
 * operand. Returns false for an unknown operand, or for too many operands. */
static bool set_operands(const struct parts *p, struct spelling *f)
{
    bool masked = (p->count > 2 || strstr(p->mnemonic, "ERPF")) && p->mnemonic[0] != 'K' &&
                  p->count > 1 && strcmp(p->operands[1], "K") == 0;

    for (unsigned i = p->count; i-- > 0;) {
        if (masked && i == 1)
            continue;
        if (f->count == SPELLING_OPERANDS || !classify(p->operands[i], &f->operands[f->count]))
            return false;
        f->operands[f->count].mask = masked && i == 0;
        f->count++;
    }
    if (!*p->lea)
        return true;
    /* The source of a LEA is an address, whose parts the form name has in its mnemonic. */
    struct spelled_operand address = {.class = SPELLED_MEMORY};
    address.base = strstr(p->lea, "_B") || strstr(p->lea, "_R");
    address.index = strstr(p->lea, "_I") != NULL;
    address.scale = strstr(p->lea, "_IS") != NULL;
    address.offset = strstr(p->lea, "_D") != NULL;
    f->operands[1] = f->operands[0];
    f->operands[0] = address;
    f->count = 2;
    f->address = true;
    return true;
}

static void add_name(struct spelling *f, const char *format, const char *stem, const char *tail)
{
    char name[64];
    snprintf(name, sizeof name, format, stem, tail);
    size_t length = strlen(name);
    if (f->name_count == SPELLING_NAMES || length >= sizeof f->names[0])
        return;
    for (unsigned i = 0; i <= length; i++)
        f->names[f->name_count][i] = (char)tolower((unsigned char)name[i]);
    f->name_count++;
}

static const char *size_letter(unsigned bits)
{
    return bits == 8 ? "b" : bits == 16 ? "w" : bits == 32 ? "l" : bits == 64 ? "q" : "";
}

/* Returns the width that determines the size suffix: the width of the last general register or
 * integer memory operand in AT&T order. 0: no suffix. */
static unsigned suffix_bits(const struct parts *p, const struct spelling *f)
{
    static const char *const bare[] = {
        "SET",      "PREFETCH",  "CLDEMOTE", "CLFLUSH",  "CLWB",     "LDMXCSR",  "STMXCSR",
        "VLDMXCSR", "VSTMXCSR",  "RDSEED",   "RDFSBASE", "RDGSBASE", "WRFSBASE", "WRGSBASE",
        "RDPID",    "WRSS",      "WRUSS",    "INCSSP",   "RDSSP",    "TPAUSE",   "UMONITOR",
        "UMWAIT",   "ENCODEKEY", "INVLPG",   "INVPCID",  "CLZERO",   "PSMASH",   "CLRSSBSY",
        "AADD",     "AAND",      "AOR",      "AXOR",     "ENQCMD",   "MOVDIR64B"};
    bool converts = strstr(p->mnemonic, "CVTSI2") || strstr(p->mnemonic, "CVTUSI2");
    bool to_integer =
        (strstr(p->mnemonic, "SD2SI") || strstr(p->mnemonic, "SS2SI")) && has_register(f, "gpr");
    if ((has_vector(f) && !converts && !to_integer) || p->mnemonic[0] == 'F' ||
        strstr(p->mnemonic, "2USI") || strstr(p->mnemonic, "SH2SI") ||
        (str_has_prefix(p->mnemonic, "CMP") && strstr(p->mnemonic, "XADD")))
        return 0;
    for (unsigned i = 0; i < sizeof bare / sizeof *bare; i++)
        if (str_has_prefix(p->mnemonic, bare[i]))
            return 0;
    if (strcmp(p->mnemonic, "CRC32") == 0)
        return f->operands[0].bits;
    for (unsigned i = f->count; i-- > 0;)
        if (f->operands[i].bits &&
            (f->operands[i].class == SPELLED_REGISTER || !has_vector(f) || converts))
            return f->operands[i].bits <= 64 ? f->operands[i].bits : 0;
    return 0;
}

/* Returns the suffix for a memory operand of an x87 instruction. The suffix shows type and width.
 * Returns "" for other instructions. */
static const char *x87_suffix(const struct parts *p, const struct spelling *f)
{
    static const char *const integers[] = {"FILD",   "FIST",  "FISTP",  "FISTTP",
                                           "FIADD",  "FICOM", "FICOMP", "FIDIV",
                                           "FIDIVR", "FIMUL", "FISUB",  "FISUBR"};
    static const char *const reals[] = {"FADD", "FCOM", "FCOMP", "FDIV", "FDIVR", "FLD",
                                        "FMUL", "FST",  "FSTP",  "FSUB", "FSUBR"};

    if (f->count != 1 || f->operands[0].class != SPELLED_MEMORY)
        return "";
    unsigned bits = f->operands[0].bits;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcmp(p->mnemonic, integers[i]) == 0)
            return bits == 16 ? "s" : bits == 32 ? "l" : bits == 64 ? "ll" : "";
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (strcmp(p->mnemonic, reals[i]) == 0)
            return bits == 32 ? "s" : bits == 64 ? "l" : bits == 80 ? "t" : "";
    return "";
}

/* Returns the suffix of a narrowing conversion from memory. The suffix shows the width of the
 * source, on which the destination register does not depend. Returns "" for other instructions. */
static const char *narrowing_suffix(const struct parts *p, const struct spelling *f)
{
    static const char *const ends[] = {"PD2PS", "PD2DQ", "PD2UDQ", "QQ2PS"};

    if (p->mnemonic[0] != 'V' || f->operands[0].class != SPELLED_MEMORY ||
        strcmp(f->operands[f->count - 1].name, "xmm") != 0)
        return "";
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t length = strlen(p->mnemonic), end = strlen(ends[i]);
        if (length > end && strcmp(p->mnemonic + length - end, ends[i]) == 0)
            return f->operands[0].bits == 128 ? "x" : f->operands[0].bits == 256 ? "y" : "";
    }
    return "";
}

/* Adds names for the conditions of J, SET and CMOV, such as "NBE". The spelling that compilers use
 * is first. Returns false for other mnemonics. */
static bool add_condition(const struct parts *p, unsigned bits, struct spelling *f)
{
    static const char *const stems[] = {"CMOV", "SET", "J"};
    static const char *const same[][3] = {
        {"B", "C", "NAE"},  {"AE", "NB", "NC"}, {"E", "Z", NULL},   {"NE", "NZ", NULL},
        {"BE", "NA", NULL}, {"A", "NBE", NULL}, {"L", "NGE", NULL}, {"GE", "NL", NULL},
        {"LE", "NG", NULL}, {"G", "NLE", NULL}, {"P", "PE", NULL},  {"NP", "PO", NULL},
        {"O", NULL, NULL},  {"NO", NULL, NULL}, {"S", NULL, NULL},  {"NS", NULL, NULL},
    };
    const char *stem = NULL;

    for (unsigned i = 0; i < 3 && !stem; i++)
        if (str_has_prefix(p->mnemonic, stems[i]))
            stem = stems[i];
    for (unsigned i = 0; stem && i < sizeof same / sizeof *same; i++)
        for (unsigned k = 0; k < 3 && same[i][k]; k++) {
            if (strcmp(p->mnemonic + strlen(stem), same[i][k]) != 0)
                continue;
            if (stem[0] == 'C') {
                char suffixed[8];
                snprintf(suffixed, sizeof suffixed, "%s%s", same[i][0], size_letter(bits));
                add_name(f, "%s%s", stem, suffixed);
                f->suffixed = *size_letter(bits);
            }
            for (unsigned n = 0; n < 3 && same[i][n]; n++)
                add_name(f, "%s%s", stem, same[i][n]);
            return true;
        }
    return false;
}

/* Adds the name of a mnemonic that differs in AT&T syntax. Returns false for other mnemonics. */
static bool add_renamed(const struct parts *p, struct spelling *f)
{
    static const char *const renamed[][2] = {
        {"CBW", "cbtw"},    {"CWDE", "cwtl"},   {"CDQE", "cltq"},   {"CWD", "cwtd"},
        {"CDQ", "cltd"},    {"CQO", "cqto"},    {"MOVSD", "movsl"}, {"LODSD", "lodsl"},
        {"STOSD", "stosl"}, {"SCASD", "scasl"}, {"CMPSD", "cmpsl"}, {"INSD", "insl"},
        {"OUTSD", "outsl"},
    };
    for (unsigned i = 0; p->count == 0 && i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(p->mnemonic, renamed[i][0]) == 0) {
            add_name(f, "%s%s", renamed[i][1], "");
            return true;
        }
    if (strcmp(p->mnemonic, "MOVSXD") == 0 && f->count == 2) {
        add_name(f, "%s%s", "movsl", size_letter(f->operands[1].bits));
        add_name(f, "%s%s", "movsxd", "");
        return true;
    }
    if ((strcmp(p->mnemonic, "MOVZX") == 0 || strcmp(p->mnemonic, "MOVSX") == 0) && f->count == 2) {
        char stem[8];
        snprintf(stem, sizeof stem, "mov%c%s", p->mnemonic[3] == 'Z' ? 'z' : 's',
                 size_letter(f->operands[0].bits));
        add_name(f, "%s%s", stem, size_letter(f->operands[1].bits));
        add_name(f, "%s%s", stem, "");
        add_name(f, "%s%s", p->mnemonic, "");
        f->suffixed = true;
        return true;
    }
    if (strcmp(p->mnemonic, "MOV") == 0 && p->count == 2 && strcmp(p->operands[1], "I64") == 0) {
        add_name(f, "%s%s", "movabsq", "");
        add_name(f, "%s%s", "movabs", "");
        f->suffixed = true;
        return true;
    }
    return false;
}

bool att_form(const char *form, struct spelling *out)
{
    struct parts p;

    *out = (struct spelling){0};
    if (!split_form(form, &p) || !set_operands(&p, out))
        return false;
    out->plain = p.plain;
    /* Omits forms with a lock or rep prefix. In AT&T text a prefix is a separate word, so these
     * forms have no name in the tables. */
    if (p.lock || p.rep)
        return false;
    unsigned bits = suffix_bits(&p, out);
    if (add_renamed(&p, out) || add_condition(&p, bits, out))
        return true;
    if (*x87_suffix(&p, out)) {
        add_name(out, "%s%s", p.mnemonic, x87_suffix(&p, out));
        return true;
    }
    const char *suffix = *size_letter(bits) ? size_letter(bits) : narrowing_suffix(&p, out);
    if (*suffix) {
        add_name(out, "%s%s", p.mnemonic, suffix);
        out->suffixed = out->name_count > 0;
    }
    add_name(out, "%s%s", p.mnemonic, "");
    /* There is no name if all names would be longer than the longest mnemonic. */
    return out->name_count > 0;
}

/* Spells floating-point comparisons, whose predicate is an immediate or, in the output of
 * compilers, a part of the name: cmpltpd. Returns false for other instructions. */
static bool name_predicates(const struct spelling *f, struct spelling *out)
{
    static const char *const predicates[] = {"lt",  "le",  "eq", "neq", "unord", "ord",
                                             "nlt", "nle", "gt", "ge",  "ngt",   "nge"};
    const char *name = f->names[0], *type = name + (name[0] == 'v') + strlen("cmp");

    if (f->operands[0].class != SPELLED_IMMEDIATE ||
        !str_has_prefix(name + (name[0] == 'v'), "cmp") || strlen(type) != 2)
        return false;
    *out = *f;
    out->name_count = 0;
    for (unsigned i = 0; i < sizeof predicates / sizeof *predicates; i++)
        add_name(out, name[0] == 'v' ? "vcmp%s%s" : "cmp%s%s", predicates[i], type);
    out->count--;
    memmove(out->operands, out->operands + 1, out->count * sizeof *out->operands);
    return true;
}

static const struct osaca_load loads[] = {
    {"gpr", "load_latency", "MOV (R64, M64)"},
    {"mm", NULL, "MOVQ (MM, M64)"},
    {"xmm", "load_latency_vector", "VMOVUPS (XMM, M128)"},
    {"ymm", "load_latency_wide", "VMOVUPS (YMM, M256)"},
    {"zmm", "load_latency_wide", "VMOVUPS (ZMM, M512)"},
    {0},
};

const struct isa_osaca att_osaca = {.name = "x86",
                                    .register_key = "name",
                                    .shaped = false,
                                    .loads = loads,
                                    .respell = name_predicates};
