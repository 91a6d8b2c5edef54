/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/operands.h"

#include <string.h>

#define BIT(kind) (1u << (kind))

static enum form_operand_kind kind_of(const char *form, const char *at)
{
    static const struct { const char *letters; enum form_operand_kind kind;
    } registers[] = {
        {"R", FORM_OPERAND_GENERAL},  {"X", FORM_OPERAND_GENERAL},   {"W", FORM_OPERAND_GENERAL},
        {"MM", FORM_OPERAND_VECTOR},  {"XMM", FORM_OPERAND_VECTOR},  {"YMM", FORM_OPERAND_VECTOR},
        {"ZMM", FORM_OPERAND_VECTOR}, {"V", FORM_OPERAND_VECTOR},    {"Z", FORM_OPERAND_VECTOR},
        {"D", FORM_OPERAND_SCALAR},   {"S", FORM_OPERAND_SCALAR},    {"H", FORM_OPERAND_SCALAR},
        {"B", FORM_OPERAND_SCALAR},   {"Q", FORM_OPERAND_SCALAR},    {"K", FORM_OPERAND_MASK},
        {"P", FORM_OPERAND_MASK},     {"I", FORM_OPERAND_IMMEDIATE}, {"M", FORM_OPERAND_MEMORY},
        {"VSIB", FORM_OPERAND_MEMORY}};

    at += *at == '{';
    size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (*at >= '0' && *at <= '9')
        return FORM_OPERAND_IMMEDIATE;
    if (strncmp(at, "Rel", 3) == 0)
        return strncmp(form, "LD", 2) == 0 ? FORM_OPERAND_MEMORY : FORM_OPERAND_RELATIVE;
    if (*at == '[')
        return FORM_OPERAND_MEMORY;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strlen(registers[i].letters) == length &&
            strncmp(at, registers[i].letters, length) == 0)
            return registers[i].kind;
    return FORM_OPERAND_OTHER;
}

const char *form_list(const char *form)
{
    const char *at = strchr(form, '(');
    return at ? at : "";
}

size_t form_operands(const char *form, struct form_operand *out)
{
    const char *at = form_list(form);
    size_t n = 0;

    while (*at && *at != ')' && n < FORM_OPERANDS_MOST) {
        int depth = 0;
        at += 1 + strspn(at + 1, " ");
        const char *begin = at;
        for (; *at && *at != ')' && (*at != ',' || depth > 0); at++)
            depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
        if (at > begin)
            out[n++] = (struct form_operand){kind_of(form, begin), begin, (size_t)(at - begin)};
    }
    return n;
}

/* Returns the set of the kinds of operands in the name of @form. */
static unsigned form_operand_kinds(const char *form)
{
    struct form_operand operands[FORM_OPERANDS_MOST];
    unsigned kinds = 0;

    for (size_t i = 0, n = form_operands(form, operands); i < n; i++)
        kinds |= BIT(operands[i].kind);
    return kinds;
}

bool form_has_memory(const char *form)
{
    return form_operand_kinds(form) & BIT(FORM_OPERAND_MEMORY);
}

const char *form_memory(const char *form)
{
    struct form_operand operands[FORM_OPERANDS_MOST];

    for (size_t i = 0, n = form_operands(form, operands); i < n; i++)
        if (operands[i].text[0] == 'M' && operands[i].text[1] >= '0' && operands[i].text[1] <= '9')
            return operands[i].text;
    return NULL;
}

bool form_has_vectors(const char *form)
{
    return form_operand_kinds(form) &
           (BIT(FORM_OPERAND_VECTOR) | BIT(FORM_OPERAND_SCALAR) | BIT(FORM_OPERAND_MASK));
}

void form_letters(const char *form, char *out, size_t size)
{
    struct form_operand operands[FORM_OPERANDS_MOST];
    size_t used = 0;

    for (size_t i = 0, n = form_operands(form, operands); i < n; i++)
        for (size_t k = 0; k < operands[i].length && used + 1 < size; k++)
            if (k == 0 || operands[i].text[k - 1] == ' ')
                out[used++] = operands[i].text[k];
    out[used] = '\0';
}
