/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "isa/operands.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Replaces the first @from in @form with @to. Returns false if @form lacks @from. */
static bool swapped(const char *form, const char *from, const char *to, char out[FORM_MAX])
{
    const char *at = strstr(form, from);
    if (!at)
        return false;
    snprintf(out, FORM_MAX, "%.*s%s%s", (int)(at - form), form, to, at + strlen(from));
    return true;
}

bool x86_alike(const char *form, size_t *at, char out[FORM_MAX])
{
    static const char *const alike[][2] = {
        {", I32)", ", I8)"}, {", I8)", ", I32)"}, {"Rel8", "Rel32"},
        {"Rel32", "Rel8"},   {"R8h", "R8l"},      {"_EVEX", ""},
    };
    while (*at < COUNT(alike)) {
        size_t i = (*at)++;
        if (swapped(form, alike[i][0], alike[i][1], out))
            return true;
    }
    return false;
}

unsigned x86_form_traits(const char *form)
{
    /* xchg with memory and the comparisons CMPccXADD are locked without a prefix. */
    bool locked = strstr(form, "_LOCK (") || strncmp(form, "XCHG (M", 7) == 0 ||
                  (strncmp(form, "CMP", 3) == 0 && strstr(form, "XADD (M"));
    return (form_has_memory(form) ? FORM_MEMORY : 0) | (locked ? FORM_LOCKED : 0);
}

static bool begins(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* Returns whether the form only reads its first operand, which is in memory. */
static bool only_reads(const char *form)
{
    static const char *const readers[] = {"CMP (",  "TEST (", "BT (",    "PREFETCH", "JMP (",
                                          "CALL (", "PUSH (", "MUL (",   "IMUL (",   "DIV (",
                                          "IDIV (", "FLD",    "LDMXCSR", NULL};

    return begins(form, readers);
}

static enum form_kind vector_kind(const char *name)
{
    static const char *const adds[] = {"ADDP", "ADDS", "SUBP", "SUBS", "ADDNEP", "SUBNEP", NULL};
    static const char *const multiplies[] = {"MULP",   "MULS",   "FMADD",  "FMSUB",
                                             "FNMADD", "FNMSUB", "MULNEP", NULL};

    name += *name == 'V';
    return begins(name, adds) && name[4] != 'B' && name[4] != 'W' ? FORM_FP_ADD
           : begins(name, multiplies)                             ? FORM_FP_MULTIPLY
                                                                  : FORM_VECTOR;
}

enum form_kind x86_form_kind(const char *form)
{
    static const char *const branches[] = {"J", "LOOP", NULL}, *const calls[] = {"CALL", NULL},
                             *const returns[] = {"RET", NULL},
                             *const multiplies[] = {"IMUL", "MUL (", "MULX", NULL},
                             *const divides[] = {"IDIV", "DIV (", NULL};
    const char *operands = strchr(form, '('), *memory = form_memory(form);

    if (memory || (operands && strstr(operands, "VSIB_")))
        return memory == operands + 1 && !only_reads(form) ? FORM_STORE : FORM_LOAD;
    if (begins(form, calls) || begins(form, returns))
        return begins(form, calls) ? FORM_STORE : FORM_LOAD;
    /* The names of x87 instructions begin with F. */
    if (*form == 'F' || (operands && (strstr(operands, "MM") || strstr(operands, "(K") ||
                                      strstr(operands, ", K") || strstr(operands, "ST("))))
        return vector_kind(form);
    return begins(form, branches)     ? FORM_BRANCH
           : begins(form, multiplies) ? FORM_MULTIPLY
           : begins(form, divides)    ? FORM_DIVIDE
                                      : FORM_ALU;
}

/* Returns the bits of a vector that the broadcast memory operand at @memory fills: for M32_1to16,
 * 512. Returns 0 if there is no broadcast. */
static unsigned broadcast_bits(const char *memory)
{
    unsigned element, count;

    return sscanf(memory, "M%u_1to%u", &element, &count) == 2 ? element * count : 0;
}

bool x86_with_register(const char *form, unsigned bits, size_t *at, char out[FORM_MAX])
{
    const char *place = form_memory(form);
    const unsigned broadcast = place ? broadcast_bits(place) : 0;

    if (broadcast)   /* A broadcast fills a vector, independent of the size of its elements. */
        bits = broadcast > 128 ? broadcast : 128;
    const char *types[] = {bits == 8     ? "R8l"
                           : bits == 16  ? "R16"
                           : bits == 32  ? "R32"
                           : bits == 64  ? "R64"
                           : bits == 256 ? "YMM"
                           : bits == 512 ? "ZMM"
                                         : "XMM",
                           strstr(form, "YMM") ? "YMM" : "XMM", "XMM", "MM"};

    if (!place || *at >= COUNT(types))
        return false;
    snprintf(out, FORM_MAX, "%.*s%s%s", (int)(place - form), form, types[*at],
             place + strcspn(place, ",)"));
    ++*at;
    return true;
}

/* Condition on the immediate with which two instructions are equivalent. */
enum requirement {
    ALWAYS,
    KEEPS_SINGLES,   /* the shuffle does not move 32-bit elements, so it is a blend */
    KEEPS_DOUBLES,
    KEEPS_HALVES,    /* the shuffle does not move the halves of 256 bits, so it is a blend */
    IN_PAIRS,        /* the blend of words selects whole doublewords */
    IS_ONE,
    /* the factor is 3, 5 or 9; a lea with equal base and index can then multiply */
    IS_LEA_FACTOR,
};

struct related_rule {
    /* mnemonics of the two forms */
    const char *from, *to;
    /* required start of the operand list; NULL: any list */
    const char *from_operands;
    /* Operand list of the other form. "R" stands for @registers registers of the first operand's
     * type. NULL: the same list. */
    const char *to_operands;
    unsigned registers;
    enum requirement requirement;
    bool loses_flags;             /* whether the other instruction changes the flags in another
                                   * way */
    const char *note;             /* reason why the two are equivalent; NULL: none */
};

static const struct related_rule rules[] = {
    {"XORPS", "PXOR", NULL, NULL, 0, ALWAYS, false, NULL},
    {"XORPD", "PXOR", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ANDPS", "PAND", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ANDPD", "PAND", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ANDNPS", "PANDN", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ANDNPD", "PANDN", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ORPS", "POR", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ORPD", "POR", NULL, NULL, 0, ALWAYS, false, NULL},
    {"SHUFPS", "BLENDPS", NULL, NULL, 0, KEEPS_SINGLES, false, NULL},
    {"SHUFPD", "BLENDPD", NULL, NULL, 0, KEEPS_DOUBLES, false, NULL},
    {"VPERM2F128", "VBLENDPD", NULL, NULL, 0, KEEPS_HALVES, false, NULL},
    {"VPERM2I128", "VPBLENDD", NULL, NULL, 0, KEEPS_HALVES, false, NULL},
    {"VPBLENDW", "VPBLENDD", NULL, NULL, 0, IN_PAIRS, false, NULL},
    {"MOVSS", "BLENDPS", "(XMM, XMM", "(XMM, XMM, I8)", 0, ALWAYS, false, NULL},
    {"MOVSD", "BLENDPD", "(XMM, XMM", "(XMM, XMM, I8)", 0, ALWAYS, false, NULL},
    {"VMOVSS", "VBLENDPS", "(XMM, XMM", "(XMM, XMM, XMM, I8)", 0, ALWAYS, false, NULL},
    {"VMOVSD", "VBLENDPD", "(XMM, XMM", "(XMM, XMM, XMM, I8)", 0, ALWAYS, false, NULL},
    {"PSLLW", "PADDW", NULL, "R", 2, IS_ONE, false, NULL},
    {"PSLLD", "PADDD", NULL, "R", 2, IS_ONE, false, NULL},
    {"PSLLQ", "PADDQ", NULL, "R", 2, IS_ONE, false, NULL},
    {"VPSLLW", "VPADDW", NULL, "R", 3, IS_ONE, false, NULL},
    {"VPSLLD", "VPADDD", NULL, "R", 3, IS_ONE, false, NULL},
    {"VPSLLQ", "VPADDQ", NULL, "R", 3, IS_ONE, false, NULL},
    {"SHL", "ADD", "(R", "R", 2, IS_ONE, false, NULL},
    {"SHL", "SHLX", "(R32, CL)", "R", 3, ALWAYS, true, NULL},
    {"SHL", "SHLX", "(R64, CL)", "R", 3, ALWAYS, true, NULL},
    {"SHR", "SHRX", "(R32, CL)", "R", 3, ALWAYS, true, NULL},
    {"SHR", "SHRX", "(R64, CL)", "R", 3, ALWAYS, true, NULL},
    {"SAR", "SARX", "(R32, CL)", "R", 3, ALWAYS, true, NULL},
    {"SAR", "SARX", "(R64, CL)", "R", 3, ALWAYS, true, NULL},
    {"IMUL", "LEA_B_IS", "(R32, R32, I", "R", 1, IS_LEA_FACTOR, true, NULL},
    {"IMUL", "LEA_B_IS", "(R64, R64, I", "R", 1, IS_LEA_FACTOR, true, NULL},
    {"VADDPS", "VFMADD213PS", NULL, NULL, 0, ALWAYS, false, "a factor of one"},
    {"VADDPD", "VFMADD213PD", NULL, NULL, 0, ALWAYS, false, "a factor of one"},
};

/* Returns whether a shuffle leaves each element in its position. */
static bool keeps_places(unsigned immediate, unsigned elements, unsigned bits)
{
    for (unsigned i = 0; i < elements; i++)
        if ((immediate >> i * bits & ((1u << bits) - 1)) != i % (1u << bits))
            return false;
    return true;
}

static bool holds(enum requirement requirement, const struct insn *insn)
{
    const struct operand *immediate = insn_immediate(insn);
    bool given = immediate;
    int64_t value = given ? immediate->immediate : 0;
    unsigned low = (unsigned)value & 0xff;

    switch (requirement) {
    case ALWAYS:
        return true;
    case KEEPS_SINGLES:
        return given && keeps_places(low, 4, 2);
    case KEEPS_DOUBLES:
        return given && keeps_places(low, strstr(insn->form, "YMM") ? 4 : 2, 1);
    case KEEPS_HALVES:
        return given && !(low & 0x88) && !(low & 1) && low >> 4 & 1;
    case IN_PAIRS:
        return given && (low & 0x55) == (low >> 1 & 0x55);
    case IS_ONE:
        return given ? value == 1 : strstr(insn->form, ", 1)") != NULL;
    case IS_LEA_FACTOR:
        return given && (value == 3 || value == 5 || value == 9);
    }
    return false;
}

/* Writes the name of the form by which @rule replaces @form. Returns false if the rule does not
 * apply. */
static bool rename_form(const struct related_rule *rule, const char *form, char *out, size_t size)
{
    const char *list = strchr(form, '(');
    bool vex = form[0] == 'V' && rule->from[0] != 'V';
    const char *name = form + vex;

    size_t length = strlen(rule->from);
    if (!list || strncmp(name, rule->from, length) != 0 || name[length] != ' ' ||
        (rule->from_operands &&
         strncmp(list, rule->from_operands, strlen(rule->from_operands)) != 0))
        return false;
    if (!rule->to_operands) {
        snprintf(out, size, "%s%s %s", vex ? "V" : "", rule->to, list);
    } else if (rule->registers) {
        char type[16];
        snprintf(type, sizeof type, "%.*s", (int)strcspn(list + 1, ",)"), list + 1);
        int used = snprintf(out, size, "%s (%s", rule->to, type);
        for (unsigned i = 1; i < rule->registers; i++)
            used += snprintf(out + used, size - (size_t)used, ", %s", type);
        snprintf(out + used, size - (size_t)used, ")");
    } else {
        snprintf(out, size, "%s %s", rule->to, rule->to_operands);
    }
    return true;
}

/* Writes the mnemonic by which @rule replaces the mnemonic of @form, without encoding and address
 * suffixes. */
static void name_alternative(const struct related_rule *rule, const char *form, char *out,
                             size_t size)
{
    size_t n = 0;

    if (form[0] == 'V' && rule->from[0] != 'V')
        out[n++] = 'v';
    for (const char *text = rule->to; *text && *text != '_' && n + 1 < size; text++)
        out[n++] = (char)tolower((unsigned char)*text);
    out[n] = '\0';
}

bool x86_alternative(const struct insn *insn, size_t *at, struct isa_alternative *out)
{
    while (*at < COUNT(rules)) {
        const struct related_rule *rule = &rules[(*at)++];
        if (!rename_form(rule, insn->form, out->form, sizeof out->form) ||
            !holds(rule->requirement, insn))
            continue;
        name_alternative(rule, insn->form, out->name, sizeof out->name);
        out->loses_flags = rule->loses_flags;
        out->note = rule->note;
        return true;
    }
    return false;
}
