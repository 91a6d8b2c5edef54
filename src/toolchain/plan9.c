/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/dialect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/steps.h"
#include "isa/isa.h"
#include "toolchain/words.h"

#define OPERANDS 6

/* Names of general registers in Plan 9, and their names with 8, 4, 2 and 1 bytes. */
static const char *const generals[][5] = {
    {"AX", "rax", "eax", "ax", "al"},       {"BX", "rbx", "ebx", "bx", "bl"},
    {"CX", "rcx", "ecx", "cx", "cl"},       {"DX", "rdx", "edx", "dx", "dl"},
    {"SI", "rsi", "esi", "si", "sil"},      {"DI", "rdi", "edi", "di", "dil"},
    {"BP", "rbp", "ebp", "bp", "bpl"},      {"SP", "rsp", "esp", "sp", "spl"},
    {"R8", "r8", "r8d", "r8w", "r8b"},      {"R9", "r9", "r9d", "r9w", "r9b"},
    {"R10", "r10", "r10d", "r10w", "r10b"}, {"R11", "r11", "r11d", "r11w", "r11b"},
    {"R12", "r12", "r12d", "r12w", "r12b"}, {"R13", "r13", "r13d", "r13w", "r13b"},
    {"R14", "r14", "r14d", "r14w", "r14b"}, {"g", "r14", "r14d", "r14w", "r14b"},
    {"R15", "r15", "r15d", "r15w", "r15b"}, {"AL", "al", "al", "al", "al"},
    {"BL", "bl", "bl", "bl", "bl"},         {"CL", "cl", "cl", "cl", "cl"},
    {"DL", "dl", "dl", "dl", "dl"},         {"AH", "ah", "ah", "ah", "ah"},
    {"BH", "bh", "bh", "bh", "bh"},         {"CH", "ch", "ch", "ch", "ch"},
    {"DH", "dh", "dh", "dh", "dh"},
};

/* Returns whether the word equals @word. Case matters: `ax` is a symbol. */
static bool is_exactly(const char *p, const char *end, const char *word)
{
    return (size_t)(end - p) == strlen(word) && memcmp(p, word, (size_t)(end - p)) == 0;
}

/* Appends the register. @width: size of a general register in bytes. Returns false if the word is
 * no register. */
static bool register_add(const char *p, const char *end, unsigned width, struct str *out)
{
    unsigned column = width == 8 ? 1 : width == 4 ? 2 : width == 2 ? 3 : 4;
    char *stop;

    for (size_t i = 0; i < sizeof generals / sizeof *generals; i++)
        if (is_exactly(p, end, generals[i][0])) {
            str_addf(out, "%%%s", generals[i][column]);
            return true;
        }
    if (end - p < 2 || end - p > 3 || !strchr("XYZKM", *p) || !isdigit((unsigned char)p[1]) ||
        strtoul(p + 1, &stop, 10) > 31 || stop != end)
        return false;
    str_addf(out, "%%%s%.*s",
             *p == 'X'   ? "xmm"
             : *p == 'Y' ? "ymm"
             : *p == 'Z' ? "zmm"
             : *p == 'M' ? "mm"
                         : "k",
             (int)(end - p - 1), p + 1);
    return true;
}

static bool is_register(const char *p, const char *end)
{
    struct str ignored = {0};
    bool is = register_add(p, end, 8, &ignored);
    str_done(&ignored);
    return is;
}

struct plan9_operand { const char *p, *end; };

static size_t operands_split(const char *p, const char *end, struct plan9_operand out[OPERANDS])
{
    size_t count = 0;
    int depth = 0;

    p = skip_blank(p, end);
    for (const char *at = p; at <= end && p < end; at++) {
        depth += at < end && *at == '(';
        depth -= at < end && *at == ')';
        if (at < end && (*at != ',' || depth > 0))
            continue;
        if (count == OPERANDS)
            return OPERANDS + 1;
        const char *start = skip_blank(p, at);
        out[count++] = (struct plan9_operand){start, trim_end(start, at)};
        p = at + 1;
    }
    return count;
}

static void name_add(const char *p, const char *end, struct str *out)
{
    str_add_char(out, '"');
    for (; p < end; p++)
        if (*p != '"' && *p != '\\')
            str_add_char(out, *p);
    str_add_char(out, '"');
}

/* Appends a memory operand. `name+16(FP)` is relative to the frame above the return address.
 * `name(SB)` is a global symbol. */
static void memory_add(const struct plan9_operand *o, struct str *out)
{
    const char *open = memchr(o->p, '(', (size_t)(o->end - o->p)), *base = open + 1,
               *close = memchr(base, ')', (size_t)(o->end - base)), *sign = open;

    if (!close) {
        str_add_bytes(out, o->p, (size_t)(o->end - o->p));
        return;
    }
    /* Finds the offset, which follows the name. */
    while (sign > o->p && sign[-1] != '+' && sign[-1] != '-')
        sign--;
    bool named = o->p < open && !isdigit((unsigned char)*o->p) && *o->p != '-' && *o->p != '+';
    const char *offset = named ? (sign > o->p ? sign - 1 : open) : o->p;
    if (is_exactly(base, close, "SB")) {
        name_add(o->p, offset, out);
        str_addf(out, "%.*s(%%rip)", (int)(open - offset), offset);
        return;
    }
    str_add_bytes(out, offset, (size_t)(open - offset));
    if (is_exactly(base, close, "FP")) {
        str_addf(out, "%s(%%rsp)", offset < open ? "+8" : "8");
        return;
    }
    const char *index = close + 1 < o->end && close[1] == '(' ? close + 2 : NULL,
               *star = index ? memchr(index, '*', (size_t)(o->end - index)) : NULL;
    str_add_char(out, '(');
    /* An address such as `(AX*8)` has an index but no base. */
    const char *first = memchr(base, '*', (size_t)(close - base));
    if (first) {
        str_add_char(out, ',');
        register_add(base, first, 8, out);
        str_addf(out, ",%.*s", (int)(close - first - 1), first + 1);
    } else if (!register_add(base, close, 8, out)) {
        str_add_bytes(out, base, (size_t)(close - base));
    }
    if (star && star + 1 < o->end) {
        str_add_char(out, ',');
        register_add(index, star, 8, out);
        str_addf(out, ",%.*s", (int)(o->end - star - 2), star + 1);
    }
    str_add_char(out, ')');
}

static void operand_add(const struct plan9_operand *o, unsigned width, struct str *out)
{
    if (o->p < o->end && *o->p == '$') {
        bool fraction = memchr(o->p, '.', (size_t)(o->end - o->p)) != NULL;
        str_addf(out, "$%.*s", fraction ? 1 : (int)(o->end - o->p - 1), fraction ? "0" : o->p + 1);
    } else if (o->p < o->end &&
               !register_add(o->p, o->end, width,
                             /* An unknown register is left unchanged, so the assembler rejects the
                              * text. */
                             out)) {
        if (memchr(o->p, '(', (size_t)(o->end - o->p)))
            memory_add(o, out);
        else
            name_add(o->p, o->end, out);
    }
}

static const struct { const char *plan9, *condition;
} conditions[] = {
    {"EQ", "e"}, {"NE", "ne"}, {"LT", "l"}, {"LE", "le"}, {"GT", "g"},  {"GE", "ge"},
    {"HI", "a"}, {"LS", "be"}, {"CS", "b"}, {"LO", "b"},  {"CC", "ae"}, {"HS", "ae"},
    {"MI", "s"}, {"PL", "ns"}, {"OS", "o"}, {"OC", "no"}, {"PS", "p"},  {"PC", "np"},
};

static const char *condition_of(const char *p, const char *end)
{
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (word_is(p, end, conditions[i].plan9))
            return conditions[i].condition;
    return NULL;
}

static unsigned width_of(char suffix)
{
    return suffix == 'B' ? 1 : suffix == 'W' ? 2 : suffix == 'L' ? 4 : 8;
}

/* A mnemonic in AT&T notation, with operand widths. */
struct plan9_mnemonic {
    char name[24];
    /* @width: width of general registers in bytes. @to_width: width of the last operand in bytes,
     * if it differs. */
    unsigned width, to_width;
};

static void lower(const char *p, const char *end, char out[24])
{
    size_t n = (size_t)(end - p) < 23 ? (size_t)(end - p) : 23;
    for (size_t i = 0; i < n; i++)
        out[i] = (char)tolower((unsigned char)p[i]);
    out[n] = '\0';
}

/* Translates `MOVBLZX` (from byte to long, zero-extended) and similar mnemonics. */
static bool extension(const char *p, const char *e, struct plan9_mnemonic *m)
{
    if (e - p != 7 || strncmp(p, "MOV", 3) != 0 || !strchr("BWL", p[3]) || !strchr("WLQ", p[4]) ||
        !strchr("ZS", p[5]) || p[6] != 'X')
        return false;
    m->width = width_of(p[3]);
    m->to_width = width_of(p[4]);
    bool zeros = p[5] == 'Z';
    if (zeros && m->width == 4)   /* Uses movl, which zeroes the upper half. */
        strcpy(m->name, "movl");
    else
        snprintf(m->name, sizeof m->name, "mov%c%c%c", zeros ? 'z' : 's', tolower(p[3]),
                 zeros && m->to_width == 8 ? 'l' : tolower(p[4]));
    if (zeros && m->to_width == 8)
        m->to_width = 4;
    return true;
}

/* Translates mnemonics that have another name in AT&T syntax. */
static bool renamed(const char *p, const char *e, struct plan9_mnemonic *m)
{
    static const char *const names[][2] = {
        {"MOVO", "movdqa"},
        {"MOVOA", "movdqa"},
        {"MOVOU", "movdqu"},
        {"MOVNTO", "movntdq"},
        {"PADDL", "paddd"},
        {"PSUBL", "psubd"},
        {"PSLLL", "pslld"},
        {"PSRLL", "psrld"},
        {"PSRAL", "psrad"},
        {"PSLLO", "pslldq"},
        {"PSRLO", "psrldq"},
        {"PCMPEQL", "pcmpeqd"},
        {"PCMPGTL", "pcmpgtd"},
        {"PMULULQ", "pmuludq"},
        {"PUNPCKLLQ", "punpckldq"},
        {"PUNPCKHLQ", "punpckhdq"},
        {"PUNPCKLWL", "punpcklwd"},
        {"PUNPCKHWL", "punpckhwd"},
        {"PMADDWL", "pmaddwd"},
        {"PACKSSLW", "packssdw"},
        {"PSHUFL", "pshufd"},
        {"CVTSQ2SD", "cvtsi2sdq"},
        {"CVTSQ2SS", "cvtsi2ssq"},
        {"CVTTSD2SQ", "cvttsd2si"},
        {"CVTTSS2SQ", "cvttss2si"},
        {"CVTSD2SQ", "cvtsd2si"},
        {"CVTSS2SQ", "cvtss2si"},
        {"CVTPL2PD", "cvtdq2pd"},
        {"CVTPL2PS", "cvtdq2ps"},
        {"CVTTPS2PL", "cvttps2dq"},
        {"CVTTPD2PL", "cvttpd2dq"},
        {"UNDEF", "ud2"},
        {"IMUL3Q", "imulq"},
        {"IMUL3L", "imull"},
        {"MASKMOVOU", "maskmovdqu"},
        {"MOVQOZX", "movq"},
        {"CDQE", "cltq"},
        {"CQO", "cqto"},
        {"CDQ", "cltd"},
        {"CWDE", "cwtl"},
        {"ICEBP", "int1"},
    };
    static const char *const longs[][2] = {{"CVTSL2SD", "cvtsi2sdl"},
                                           {"CVTSL2SS", "cvtsi2ssl"},
                                           {"CVTTSD2SL", "cvttsd2si"},
                                           {"CVTTSS2SL", "cvttss2si"},
                                           {"CVTSD2SL", "cvtsd2si"}};

    m->width = m->to_width = word_is(p, e, "IMUL3L") ? 4 : 8;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (word_is(p, e, names[i][0])) {
            strcpy(m->name, names[i][1]);
            return true;
        }
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++)
        if (word_is(p, e, longs[i][0])) {
            strcpy(m->name, longs[i][1]);
            m->width = m->to_width = 4;
            return true;
        }
    return false;
}

/* Translates integer operations with a width suffix. */
static bool sized(const char *p, const char *e, struct plan9_mnemonic *m)
{
    static const char *const operations[] = {
        "MOV",   "ADD",   "SUB",  "AND",  "OR",     "XOR",     "CMP",  "TEST",   "INC",   "DEC",
        "NEG",   "NOT",   "LEA",  "IMUL", "MUL",    "DIV",     "IDIV", "SHL",    "SHR",   "SAR",
        "SAL",   "ROL",   "ROR",  "RCL",  "RCR",    "ADC",     "SBB",  "PUSH",   "POP",   "XCHG",
        "BSWAP", "BSF",   "BSR",  "BT",   "BTS",    "BTR",     "BTC",  "POPCNT", "LZCNT", "TZCNT",
        "ANDN",  "BEXTR", "BLSI", "BLSR", "BLSMSK", "BZHI",    "PDEP", "PEXT",   "MULX",  "RORX",
        "SARX",  "SHLX",  "SHRX", "ADCX", "ADOX",   "CMPXCHG", "XADD", "CRC32",  NULL};
    if (e - p < 3 || !strchr("BWLQ", e[-1]) || !word_among(p, e - 1, operations))
        return false;
    lower(p, e, m->name);
    if (word_is(p, e - 1, "ADCX") || word_is(p, e - 1, "ADOX"))
        m->name[4] = '\0';
    m->width = m->to_width = width_of(e[-1]);
    return true;
}

/* Translates conditional branches, moves and sets. */
static bool conditional(const char *p, const char *e, struct plan9_mnemonic *m)
{
    const char *condition;

    m->width = m->to_width = 8;
    if (e - p >= 3 && *p == 'J' && (condition = condition_of(p + 1, e))) {
        snprintf(m->name, sizeof m->name, "j%s", condition);
    } else if (e - p == 5 && strncmp(p, "SET", 3) == 0 && (condition = condition_of(p + 3, e))) {
        snprintf(m->name, sizeof m->name, "set%s", condition);
        m->width = m->to_width = 1;
    } else if (e - p == 7 && strncmp(p, "CMOV", 4) == 0 && strchr("WLQ", p[4]) &&
               (condition = condition_of(p + 5, e))) {
        snprintf(m->name, sizeof m->name, "cmov%s", condition);
        m->width = m->to_width = width_of(p[4]);
    } else {
        return false;
    }
    return true;
}

static void mnemonic_of(const char *p, const char *e, struct plan9_mnemonic *m)
{
    if (extension(p, e, m) || renamed(p, e, m) || conditional(p, e, m) || sized(p, e, m))
        return;
    lower(p, e, m->name);
    m->width = m->to_width = 8;
}

/* Translates data such as `BYTE $0x90`. Returns false for other statements. */
static bool data_add(const char *p, const char *e, const char *end, struct str *out)
{
    static const char *const words[][2] = {
        {"BYTE", ".byte"}, {"WORD", ".short"}, {"LONG", ".long"}, {"QUAD", ".quad"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_exactly(p, e, words[i][0])) {
            const char *value = skip_blank(e, end);
            str_addf(out, "%s %.*s", words[i][1], (int)(end - value - (*value == '$')),
                     value + (*value == '$'));
            return true;
        }
    return false;
}

/* Appends a jump or call to a label, decimal offset, function, register or memory operand. */
static void branch_add(const char *name, const struct plan9_operand *to, struct str *out)
{
    char *stop;
    unsigned long offset = strtoul(to->p, &stop, 10);
    const char *open = memchr(to->p, '(', (size_t)(to->end - to->p));
    bool own = open && to->end - open == 4 && strncmp(open, "(SB)", 4) == 0;

    str_addf(out, "%s ", name);
    if (isdigit((unsigned char)*to->p) && stop == to->end && !text_begins(to->p, to->end, "0x")) {
        str_addf(out, "0x%lx", offset);
    } else if (own) {
        name_add(to->p, open, out);
    } else if (open || is_register(to->p, to->end)) {
        str_add_char(out, '*');
        operand_add(to, 8, out);
    } else {
        str_add_bytes(out, to->p, (size_t)(to->end - to->p));
    }
}

/* Returns the number of elements of vector operand @o, from the type suffix of the mnemonic from @p
 * to @e. Returns 0 if @o is no vector register. `as` rejects a wrong number. */
static unsigned elements_of(const struct plan9_operand *o, const char *p, const char *e)
{
    static const char *const doubles[] = {"VPUNPCKLDQ", "VPUNPCKHDQ", "VPACKSSDW",
                                          "VPACKUSDW",  "VPCMPD",     NULL};
    unsigned bytes = !is_register(o->p, o->end) ? 0
                     : *o->p == 'X'             ? 16
                     : *o->p == 'Y'             ? 32
                     : *o->p == 'Z'             ? 64
                                                : 0;
    const char *to = text_find(p, e, "2");
    bool integer = to && e - to > 2 && e[-1] == 'Q' && e[-2] == 'D';   /* The mnemonic converts to
                                                                        * integers, as in
                                                                        * VCVTPS2UDQ. */

    if (e - p < 2)
        return 0;
    if (word_among(p, e, doubles) || integer)
        return bytes / 4;
    if (e[-2] == 'P')
        return bytes / (e[-1] == 'H' ? 2 : e[-1] == 'S' ? 4 : 8);
    return bytes / (e[-1] == 'D' ? 4 : 8);
}

/* Suffixes of the mnemonic: `.BCST` broadcast, `.SAE` and `.RN_SAE` to `.RZ_SAE` rounding, `.Z`
 * zero-masking. */
struct plan9_suffixes { bool zero, broadcast; const char *rounding; };

static void suffixes_read(const char *dot, const char *e, struct plan9_suffixes *out)
{
    static const char *const roundings[][2] = {{".RN_SAE", "{rn-sae}"},
                                               {".RD_SAE", "{rd-sae}"},
                                               {".RU_SAE", "{ru-sae}"},
                                               {".RZ_SAE", "{rz-sae}"},
                                               {".SAE", "{sae}"}};

    *out = (struct plan9_suffixes){.zero = e - dot > 1 && text_begins(e - 2, e, ".Z"),
                                   .broadcast = text_find(dot, e, ".BCST") != NULL};
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings && !out->rounding; i++)
        out->rounding = text_find(dot, e, roundings[i][0]) ? roundings[i][1] : NULL;
}

static void operands_add(const struct plan9_mnemonic *m, const struct plan9_suffixes *suffixes,
                         const struct plan9_operand *list, size_t count, const char *p,
                         const char *e, struct str *out)
{
    static const char *const shifts[] = {"SHL", "SHR", "SAR", "SAL", "ROL",
                                         "ROR", "RCL", "RCR", NULL};
    bool shift = e - p > 2 && word_among(p, e - 1, shifts),
         reversed = e - p == 4 && strncmp(p, "CMP", 3) == 0 && count == 2;
    const struct plan9_operand *mask = NULL;
    const char *rounding = suffixes->rounding;
    unsigned elements = 0;

    for (size_t i = count; suffixes->broadcast && i-- > 0 && !elements;)
        elements = elements_of(&list[i], p, e);

    if (*p == 'V' && count > 2 && *list[count - 2].p == 'K' &&
        is_register(list[count - 2].p, list[count - 2].end))
        mask = &list[count - 2];
    for (size_t i = 0, written = 0; i < count; i++) {
        const struct plan9_operand *o = &list[reversed ? count - 1 - i : i];
        if (o == mask)
            continue;
        str_add(out, written++ ? ", " : " ");
        if (rounding && *o->p != '$') {   /* The rounding operand follows an immediate operand. */
            str_addf(out, "%s, ", rounding);
            rounding = NULL;
        }
        if (shift && i == 0 && count > 1 && is_exactly(o->p, o->end, "CX"))
            str_add(out, "%cl");
        else
            operand_add(o, i + 1 == count ? m->to_width : m->width, out);
        if (elements && memchr(o->p, '(', (size_t)(o->end - o->p)))
            str_addf(out, "{1to%u}", elements);
    }
    if (mask) {
        str_add(out, "{");
        register_add(mask->p, mask->end, 8, out);
        str_add(out, "}");
    }
}

void plan9_statement(const char *p, const char *end, struct str *out, const char **function,
                     size_t *length)
{
    static const char *const silent[] = {"FUNCDATA",
                                         "PCDATA",
                                         "GLOBL",
                                         "DATA",
                                         "NO_LOCAL_POINTERS",
                                         "GO_ARGS",
                                         "GO_RESULTS_INITIALIZED",
                                         "NOP",
                                         "END",
                                         "PCALIGN",
                                         NULL};
    const char *e = p, *dot;
    struct plan9_operand list[OPERANDS];
    struct plan9_mnemonic m;
    struct plan9_suffixes suffixes;

    *function = NULL;
    steps_add(1 + (size_t)(end - p) / 100);
    while (e < end && !isspace((unsigned char)*e))
        e++;
    size_t count = operands_split(e, end, list);
    if (is_exactly(p, e, "TEXT") && count) {
        const char *open = memchr(list[0].p, '(', (size_t)(list[0].end - list[0].p));
        *function = list[0].p;
        *length = (size_t)((open ? open : list[0].end) - list[0].p);
        name_add(*function, *function + *length, out);
        str_add_char(out, ':');
        return;
    }
    if (word_among(p, e, silent) || data_add(p, e, end, out))
        return;
    if (count > OPERANDS) {
        str_add_bytes(out, p, (size_t)(end - p));
        return;
    }
    dot = memchr(p, '.', (size_t)(e - p));
    mnemonic_of(p, dot ? dot : e, &m);
    bool call = is_exactly(p, e, "CALL") || is_exactly(p, e, "JMP");
    if (call && count == 1) {
        branch_add(m.name, &list[0], out);
        return;
    }
    if (*p == 'J' && count == 1) {
        branch_add(m.name, &list[0], out);
        return;
    }
    if ((is_exactly(p, e, "MOVQ") || is_exactly(p, e, "MOVL")) && count == 2) {
        bool name = *list[0].p == '$' && list[0].end - list[0].p > 4 &&
                    text_begins(list[0].end - 4, list[0].end, "(SB)");
        bool vector = *p == 'M' && p[3] == 'L' &&
                      ((*list[0].p == 'X' && is_register(list[0].p, list[0].end)) ||
                       (*list[1].p == 'X' && is_register(list[1].p, list[1].end)));
        if (name) {
            strcpy(m.name, "leaq");
            list[0].p++;
        } else if (vector) {
            strcpy(m.name, "movd");
        }
    }
    const char *stop = dot ? dot : e;
    /* SHL and SHR with three operands are double-precision shifts: shld and shrd. */
    if (count == 3 && stop - p == 4 && (text_begins(p, stop, "SHL") || text_begins(p, stop, "SHR")))
        snprintf(m.name, sizeof m.name, "sh%cd%c", tolower(p[2]), tolower(p[3]));
    /* Moves the predicate, which is the last operand of CMPPS and similar instructions. */
    if (count == 3 && *list[2].p == '$') {
        const struct plan9_operand predicate = list[2];
        memmove(list + 1, list, 2 * sizeof *list);
        list[0] = predicate;
    }
    suffixes_read(stop, e, &suffixes);
    str_add(out, m.name);
    operands_add(&m, &suffixes, list, count, p, stop, out);
    if (suffixes.zero)
        str_add(out, "{z}");
}

/* Returns whether a line is certainly in Plan 9 assembler, such as `TEXT f(SB), ...`. Other lines
 * need an upper-case mnemonic, an operand such as `(SI)`, `$8` or `x(FP)`, and neither `%` nor
 * `[`. */
static bool is_plan9(const char *p, const char *end)
{
    const char *e = word_end(p, end);
    bool telling = false;

    if (text_begins(p, end, "TEXT") && text_find(p, end, "(SB)"))
        return true;
    for (const char *at = p; at < e; at++)
        if (!isupper((unsigned char)*at) && !isdigit((unsigned char)*at))
            return false;
    if (e - p < 2 || !isupper((unsigned char)*p) || e == end || !is_blank(*e) ||
        memchr(p, '%', (size_t)(end - p)) || memchr(p, '[', (size_t)(end - p)))
        return false;
    for (const char *at = e; at < end && !telling; at++) {
        const char *close = *at == '(' ? word_end(at + 1, end) : at;
        telling = (*at == '$' && is_blank(at[-1]) && at + 1 < end &&
                   (isdigit((unsigned char)at[1]) || strchr("-(", at[1]))) ||
                  (*at == '(' && close < end && *close == ')' && is_register(at + 1, close)) ||
                  text_begins(at, end, "(SB)") || text_begins(at, end, "(FP)");
    }
    return telling;
}

/* Returns whether the line contains a register such as RAX or EAX, which Plan 9 calls AX. */
static bool has_wide_register(const char *p, const char *end)
{
    for (const char *e; p < end; p = e) {
        e = word_end(p, end);
        if (e - p == 3 && strchr("REre", *p) && isalpha((unsigned char)p[1]) &&
            isa_of_dialects()->is_register(p, (size_t)(e - p)))
            return true;
        e += e == p;
    }
    return false;
}

void plan9_count(const char *p, const char *end, size_t *found, size_t *others)
{
    p = skip_blank(p, end);
    end = trim_end(p, end);
    steps_add(1 + (size_t)(end - p) / 100);
    if (p == end)
        return;
    *found += is_plan9(p, end);
    *others += has_wide_register(p, end) || memchr(p, '%', (size_t)(end - p)) != NULL ||
               memchr(p, '[', (size_t)(end - p)) != NULL;
}
