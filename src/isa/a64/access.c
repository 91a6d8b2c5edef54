/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/access.h"

#include <string.h>

#include "base/str.h"

enum { CARRY = 1, ZERO = 8, SIGN = 16, OVERFLOW = 32, NZCV = CARRY | ZERO | SIGN | OVERFLOW };
enum { R = ACCESS_READ, W = ACCESS_WRITE, RW = ACCESS_READ | ACCESS_WRITE };

/* Accesses of instructions, except those that write the first operand and read all others. The
 * first matching pattern applies. */
static const struct { const char *pattern; uint8_t first, second, third;
} exceptions[] = {
    /* The next rows write no operand; they may write flags or the program counter. */
    {"cmp", R, R, R},
    {"cmn", R, R, R},
    {"tst", R, R, R},
    {"ccmp", R, R, R},
    {"ccmn", R, R, R},
    {"fcmp", R, R, R},
    {"fcmpe", R, R, R},
    {"fccmp", R, R, R},
    {"fccmpe", R, R, R},
    {"ptest", R, R, R},
    {"cterm*", R, R, R},
    {"rmif", R, R, R},
    {"setf*", R, R, R},
    {"b", R, R, R},
    {"b.*", R, R, R},
    {"bc.*", R, R, R},
    {"bl", R, R, R},
    {"br", R, R, R},
    {"br?a*", R, R, R},
    {"blr*", R, R, R},
    {"ret*", R, R, R},
    {"cbz", R, R, R},
    {"cbnz", R, R, R},
    {"tbz", R, R, R},
    {"tbnz", R, R, R},
    {"msr", R, R, R},
    {"sys", R, R, R},
    {"dc", R, R, R},
    {"ic", R, R, R},
    {"at", R, R, R},
    {"tlbi", R, R, R},
    {"hint", R, R, R},
    {"prf*", R, R, R},
    {"svc", R, R, R},
    {"wrffr", R, R, R},
    /* The next rows are pairs, exclusives, atomics and stores. */
    {"ldp", W, W, R},
    {"ldnp", W, W, R},
    {"ldpsw", W, W, R},
    {"ldxp", W, W, R},
    {"ldaxp", W, W, R},
    {"stxr*", W, R, R},
    {"stlxr*", W, R, R},
    {"stxp", W, R, R},
    {"stlxp", W, R, R},
    {"ldadd*", R, W, R},
    {"ldclr*", R, W, R},
    {"ldeor*", R, W, R},
    {"ldset*", R, W, R},
    {"ldsmax*", R, W, R},
    {"ldsmin*", R, W, R},
    {"ldumax*", R, W, R},
    {"ldumin*", R, W, R},
    {"swp*", R, W, R},
    {"casp*", RW, RW, R},
    {"cas*", RW, R, R},
    {"st*", R, R, R},
    /* The next rows also read the destination. */
    {"movk", RW, R, R},
    {"bfi", RW, R, R},
    {"bfxil", RW, R, R},
    {"bfm", RW, R, R},
    {"bfc", RW, R, R},
    {"fmla*", RW, R, R},
    {"fmls*", RW, R, R},
    {"fnmla", RW, R, R},
    {"fnmls", RW, R, R},
    {"fmad", RW, R, R},
    {"fmsb", RW, R, R},
    {"fnmad", RW, R, R},
    {"fnmsb", RW, R, R},
    {"mla", RW, R, R},
    {"mls", RW, R, R},
    {"mad", RW, R, R},
    {"msb", RW, R, R},
    {"smlal*", RW, R, R},
    {"smlsl*", RW, R, R},
    {"umlal*", RW, R, R},
    {"umlsl*", RW, R, R},
    {"sqdmlal*", RW, R, R},
    {"sqdmlsl*", RW, R, R},
    {"sqrdmla*", RW, R, R},
    {"sqrdmls*", RW, R, R},
    {"saba*", RW, R, R},
    {"uaba*", RW, R, R},
    {"sadalp", RW, R, R},
    {"uadalp", RW, R, R},
    {"ssra", RW, R, R},
    {"usra", RW, R, R},
    {"srsra", RW, R, R},
    {"ursra", RW, R, R},
    {"sli", RW, R, R},
    {"sri", RW, R, R},
    {"bsl", RW, R, R},
    {"bit", RW, R, R},
    {"bif", RW, R, R},
    {"tbx", RW, R, R},
    {"suqadd", RW, R, R},
    {"usqadd", RW, R, R},
    {"sdot", RW, R, R},
    {"udot", RW, R, R},
    {"usdot", RW, R, R},
    {"sudot", RW, R, R},
    {"bfdot", RW, R, R},
    {"cdot", RW, R, R},
    {"fcmla", RW, R, R},
    {"cmla", RW, R, R},
    {"?mmla", RW, R, R},
    {"usmmla", RW, R, R},
    {"bfmmla", RW, R, R},
    {"bfmlal*", RW, R, R},
    {"sqrdcmlah", RW, R, R},
    {"aese", RW, R, R},
    {"aesd", RW, R, R},
    {"sha1c", RW, RW, R},
    {"sha1m", RW, R, R},
    {"sha1p", RW, R, R},
    {"sha1su*", RW, R, R},
    {"sha256*", RW, R, R},
    {"sha512*", RW, R, R},
    {"sm3partw*", RW, R, R},
    {"sm3tt*", RW, R, R},
    {"sm4e", RW, R, R},
    {"eorbt", RW, R, R},
    {"eortb", RW, R, R},
    {"adclb", RW, R, R},
    {"adclt", RW, R, R},
    {"sbclb", RW, R, R},
    {"sbclt", RW, R, R},
    {"sqcadd", RW, R, R},
    {"inc?", RW, R, R},
    {"dec?", RW, R, R},
    {"sqinc?", RW, R, R},
    {"sqdec?", RW, R, R},
    {"uqinc?", RW, R, R},
    {"uqdec?", RW, R, R},
    {"insr", RW, R, R},
    {"autia*", RW, R, R},
    {"autib*", RW, R, R},
    {"pacia", RW, R, R},
    {"pacib", RW, R, R},
};

static bool matches(const char *mnemonic, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (str_match(*patterns, mnemonic))
            return true;
    return false;
}

/* Returns whether the instruction (xtn2, shrn2, fcvtn2, addhn2...) writes the upper half of its
 * destination and preserves the lower half. */
static bool keeps_half(const char *mnemonic)
{
    size_t length = strlen(mnemonic);
    return length > 3 && strcmp(mnemonic + length - 2, "n2") == 0;
}

static void registers(const struct a64_text *t, struct a64_access *out)
{
    const char *m = t->mnemonic;
    uint8_t place[3] = {keeps_half(m) ? RW : W, R, R};

    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (str_match(exceptions[i].pattern, m)) {
            place[0] = exceptions[i].first;
            place[1] = exceptions[i].second;
            place[2] = exceptions[i].third;
            break;
        }
    for (unsigned i = 0; i < t->count; i++) {
        const struct a64_operand *op = &t->operands[i];
        bool holds = op->kind == A64_REGISTER || op->kind == A64_LIST;
        out->operands[i] = !holds ? 0 : i < 3 ? place[i] : R;
        /* Other lanes of the destination keep their values if the instruction inserts one lane or a
         * predicate disables lanes. A load clears disabled lanes. */
        bool merged = i == 0 && t->count > 1 && t->operands[1].merging &&
                      op->kind == A64_REGISTER && !op->general;
        if ((out->operands[i] == W && (op->element || merged)) || op->updated)
            out->operands[i] = RW;
    }
}

static uint32_t condition_flags(const char *name, size_t length)
{
    static const struct { const char *name; uint32_t flags;
    } table[] = {
        {"eq", ZERO},
        {"ne", ZERO},
        {"cs", CARRY},
        {"hs", CARRY},
        {"cc", CARRY},
        {"lo", CARRY},
        {"mi", SIGN},
        {"pl", SIGN},
        {"vs", OVERFLOW},
        {"vc", OVERFLOW},
        {"hi", CARRY | ZERO},
        {"ls", CARRY | ZERO},
        {"ge", SIGN | OVERFLOW},
        {"lt", SIGN | OVERFLOW},
        {"gt", ZERO | SIGN | OVERFLOW},
        {"le", ZERO | SIGN | OVERFLOW},
        {"al", 0},
        {"nv", 0},
        {"none", ZERO},
        {"any", ZERO},
        {"first", SIGN},
        {"nfrst", SIGN},
        {"last", CARRY},
        {"nlast", CARRY},
        {"tcont", SIGN | OVERFLOW},
        {"tstop", SIGN | OVERFLOW},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].name) == length && memcmp(name, table[i].name, length) == 0)
            return table[i].flags;
    return NZCV;
}

static void flags(const struct a64_text *t, struct a64_access *out)
{
    static const char *const writers[] = {
        "cmp",    "cmn",    "tst",   "ccmp",  "ccmn",   "fcmp",   "fcmpe",  "fccmp",
        "fccmpe", "adds",   "subs",  "ands",  "bics",   "adcs",   "sbcs",   "negs",
        "ngcs",   "rmif",   "setf*", "cfinv", "axflag", "xaflag", "ptest",  "cterm*",
        "while*", "eors",   "orrs",  "orns",  "nands",  "nors",   "rdffrs", "brk*s",
        "ptrues", "pfirst", "pnext", "match", "nmatch", NULL};
    static const char *const carriers[] = {"adc", "adcs", "sbc",   "sbcs",
                                           "ngc", "ngcs", "cfinv", NULL};
    const struct a64_operand *last = t->count ? &t->operands[t->count - 1] : NULL;
    const char *m = t->mnemonic;
    bool sve_compare = t->count && t->operands[0].predicate && str_has_prefix(m, "cmp");

    if (matches(m, writers) || sve_compare)
        out->flags_written = NZCV;
    if (matches(m, carriers))
        out->flags_read = CARRY;
    else if (str_has_prefix(m, "b.") || str_has_prefix(m, "bc."))
        out->flags_read = condition_flags(strchr(m, '.') + 1, strlen(strchr(m, '.') + 1));
    else if (last && strcmp(last->type, "C") == 0)
        out->flags_read = condition_flags(last->text, last->length);
    else if (matches(m, (const char *const[]){"cterm*", "axflag", "xaflag", NULL}))
        out->flags_read = OVERFLOW | CARRY | ZERO;
    if (str_has_prefix(m, "cterm"))
        out->flags_written = SIGN | OVERFLOW;
}

static void flow(const struct a64_text *t, struct a64_access *out)
{
    static const char *const system[] = {"svc",   "hvc",  "smc",   "brk", "hlt", "eret*", "msr",
                                         "mrs",   "sys",  "sysl",  "isb", "dsb", "dmb",   "dc",
                                         "ic",    "at",   "tlbi",  "wfe", "wfi", "sev",   "sevl",
                                         "clrex", "drps", "dcps?", "udf", NULL};
    const char *m = t->mnemonic;

    if (str_has_prefix(m, "b.") || str_has_prefix(m, "bc.") ||
        matches(m, (const char *const[]){"cbz", "cbnz", "tbz", "tbnz", NULL}))
        out->traits |= INSN_BRANCH | INSN_CONDITIONAL;
    else if (matches(m, (const char *const[]){"b", "br", "bra?", "bra?z", NULL}))
        out->traits |= INSN_BRANCH;
    else if (matches(m, (const char *const[]){"bl", "blr", "blra?", "blra?z", NULL}))
        out->traits |= INSN_BRANCH | INSN_CALL;
    else if (matches(m, (const char *const[]){"ret", "reta?", NULL}))
        out->traits |= INSN_BRANCH | INSN_RETURN;
    else if (strcmp(m, "nop") == 0)
        out->traits |= INSN_NOP;
    else if (matches(m, system))
        out->traits |= INSN_SYSTEM | (strcmp(m, "isb") == 0 ? INSN_BARRIER : 0);
    out->link_written = (out->traits & INSN_CALL) != 0;
    out->link_read = (out->traits & INSN_RETURN) && t->count == 0;
}

/* Returns the width of a memory access in bits. The mnemonic's suffix (ldrb, ldrsh, ldrsw, ld1rqb,
 * st1w) or the registers determine it. */
static uint16_t width_of(const struct a64_text *t)
{
    const char *m = t->mnemonic;
    size_t length = strlen(m);
    const struct a64_operand *first = &t->operands[0];
    bool vector = first->kind == A64_LIST || (!first->general && !first->predicate);

    if (first->kind == A64_LIST) {
        bool one_lane = first->element || (length > 1 && m[length - 1] == 'r');
        if (first->bits == 128 && first->type[1] == 'Z')
            return (uint16_t)(128 * first->count);
        const char *dot = memchr(first->text, '.', first->length), *letter = dot ? dot + 1 : "";
        while (one_lane && dot && *letter >= '0' && *letter <= '9')
            letter++;
        uint16_t lane = !dot             ? 0
                        : *letter == 'b' ? 8
                        : *letter == 'h' ? 16
                        : *letter == 's' ? 32
                                         : 64;
        return (uint16_t)((one_lane ? lane : first->bits) * first->count);
    }
    if (!vector && length > 3) {
        if (strcmp(m + length - 2, "sw") == 0)
            return strcmp(m, "ldpsw") == 0 ? 64 : 32;
        if (m[length - 1] == 'b' && !str_match("*sub", m))
            return 8;
        if (m[length - 1] == 'h')
            return 16;
    }
    bool status = matches(m, (const char *const[]){"stxr", "stlxr", "stxp", "stlxp", NULL});
    bool pair = matches(m, (const char *const[]){"ldp", "ldnp", "stp", "stnp", "ldxp", "ldaxp",
                                                 "stxp", "stlxp", "casp*", NULL});
    return (uint16_t)((status ? t->operands[1].bits : first->bits) * (pair ? 2 : 1));
}

static void memory(const struct a64_text *t, struct a64_access *out)
{
    static const char *const none[] = {"prf*", "dc", "adr", "adrp", NULL};
    static const char *const both[] = {"ldadd*",  "ldclr*",  "ldeor*",  "ldset*", "ldsmax*",
                                       "ldsmin*", "ldumax*", "ldumin*", "swp*",   "cas*",
                                       "stadd*",  "stclr*",  "steor*",  "stset*", "stsmax*",
                                       "stsmin*", "stumax*", "stumin*", NULL};
    const char *m = t->mnemonic;
    for (unsigned i = 0; i < t->count; i++) {
        const struct a64_operand *op = &t->operands[i];
        bool literal = op->kind == A64_LABEL && str_has_prefix(m, "ldr");
        if (op->kind != A64_MEMORY && !literal)
            continue;
        bool filled = i == 0 && (str_has_prefix(m, "cpy") || str_has_prefix(m, "set"));
        uint8_t access = matches(m, none)                    ? 0
                         : matches(m, both)                  ? RW
                         : filled || str_has_prefix(m, "st") ? W
                                                             : R;
        out->operands[i] = access;
        out->traits |= (access & R ? INSN_LOAD : 0) | (access & W ? INSN_STORE : 0) |
                       (access == RW ? INSN_LOCK : 0);
        if (op->index != REG_NONE && op->kind == A64_MEMORY)
            out->traits |= INSN_INDEXED;
        if (op->kind == A64_MEMORY && (op->pre || t->post))
            out->traits |= INSN_WRITEBACK;
        if (access)
            out->memory_bits = width_of(t);
    }
}

/* Returns whether rename may eliminate the instruction: a move between registers of one kind, or of
 * zero to a register. */
static bool is_move(const struct a64_text *t)
{
    const struct a64_operand *to = &t->operands[0], *from = &t->operands[1];
    bool zero = (from->kind == A64_IMMEDIATE && from->value == 0) ||
                (from->kind == A64_REGISTER && from->reg == REG_NONE);
    if (t->count == 2 && zero && to->kind == A64_REGISTER && !to->element &&
        (strcmp(t->mnemonic, "mov") == 0 || strcmp(t->mnemonic, "movi") == 0 ||
         (strcmp(t->mnemonic, "fmov") == 0 && from->general)))
        return true;
    return t->count == 2 && to->kind == A64_REGISTER && from->kind == A64_REGISTER &&
           !to->element && !from->element &&
           (strcmp(t->mnemonic, "mov") == 0 || strcmp(t->mnemonic, "fmov") == 0) &&
           strcmp(to->type, from->type) == 0 && !to->predicate;
}

void a64_access_of(const struct a64_text *t, struct a64_access *out)
{
    memset(out, 0, sizeof *out);
    registers(t, out);
    flags(t, out);
    flow(t, out);
    memory(t, out);
    if (is_move(t))
        out->traits |= INSN_MOVE;
    for (unsigned i = 0; i < t->count; i++) {
        const struct a64_operand *op = &t->operands[i];
        if ((op->kind == A64_LIST || op->kind == A64_REGISTER) && op->bits >= 64 &&
            op->reg >= A64_V0 && op->reg < A64_V0 + 32 && strchr("VZQ{", op->type[0]))
            out->traits |= INSN_VECTOR;
        if (op->kind == A64_REGISTER && op->reg == REG_NONE)
            out->operands[i] = 0;
    }
}
