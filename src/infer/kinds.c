/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/kinds.h"

#include <stdbool.h>
#include <string.h>

enum { KIND_MEMORY_FIRST = 1, KIND_MEMORY = 2, KIND_VECTOR = 4, KIND_SCALAR = 8, KIND_GENERAL = 16, KIND_OTHER = 32 };

/* What the operand that begins at @at adds, the @operand-th from 0. @loads: a place relative to the code is read, and not branched to. */
static unsigned operand_kind(const char *at, unsigned operand, bool loads)
{
    static const struct { const char *letters; unsigned kind; } registers[] = {
        {"R", KIND_GENERAL}, {"X", KIND_GENERAL}, {"W", KIND_GENERAL}, {"MM", KIND_VECTOR}, {"XMM", KIND_VECTOR}, {"YMM", KIND_VECTOR}, {"ZMM", KIND_VECTOR},
        {"V", KIND_VECTOR}, {"Z", KIND_VECTOR}, {"D", KIND_SCALAR}, {"S", KIND_SCALAR}, {"H", KIND_SCALAR}, {"B", KIND_SCALAR}, {"Q", KIND_SCALAR}, {"I", 0}};

    at += *at == '{';
    size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (*at >= '0' && *at <= '9')   /* the count in SHL (R64, 1) */
        return 0;
    if (strncmp(at, "Rel", 3) == 0)
        return loads ? KIND_MEMORY : 0;
    if (*at == '[' || (length == 1 && *at == 'M') || (length == 4 && strncmp(at, "VSIB", 4) == 0))
        return operand ? KIND_MEMORY : KIND_MEMORY_FIRST;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strlen(registers[i].letters) == length && strncmp(at, registers[i].letters, length) == 0)
            return registers[i].kind;
    return KIND_OTHER;
}

unsigned form_kind(const char *name)
{
    const char *at = strchr(name, '(');
    unsigned kind = 0;

    for (unsigned operand = 0; at && *at && *at != ')'; operand++) {
        int depth = 0;
        at += 1 + strspn(at + 1, " ");
        if (*at && *at != ')')
            kind |= operand_kind(at, operand, strncmp(name, "LD", 2) == 0);
        for (; *at && *at != ')' && (*at != ',' || depth > 0); at++)
            depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
    }
    return kind & (KIND_VECTOR | KIND_SCALAR) ? kind : kind & ~(unsigned)KIND_GENERAL;
}
