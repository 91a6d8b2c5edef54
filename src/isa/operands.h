/* The operands in the name of an instruction form, "ADD (R64, M64)" or "LD1 ({V.4S}, [X])". No
 * other file looks at them. Any thread. */
#ifndef PORTOLAN_ISA_OPERANDS_H
#define PORTOLAN_ISA_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>

#define FORM_OPERANDS_MOST 12

enum form_operand_kind {
    FORM_OPERAND_GENERAL,     /* register */
    FORM_OPERAND_VECTOR,      /* register, or a list of them */
    FORM_OPERAND_SCALAR,      /* AArch64: the low part of a vector register */
    FORM_OPERAND_MASK,        /* K of AVX-512, P of SVE */
    /* also a place relative to the code that is read, as in LDR (X, Rel) */
    FORM_OPERAND_MEMORY,
    FORM_OPERAND_IMMEDIATE,   /* also a number as the 1 of SHL (R64, 1) */
    FORM_OPERAND_RELATIVE,    /* where a branch goes */
    FORM_OPERAND_OTHER,       /* a fixed register, a condition, a shift */
};

struct form_operand {
    enum form_operand_kind kind;
    const char *text;    /* in the form's name, not ended */
    size_t length;
};

/* The operands of @form, at most FORM_OPERANDS_MOST; returns how many. */
size_t form_operands(const char *form, struct form_operand *out);
bool form_has_memory(const char *form);
/* Where x86's M with its width stands, as "M64" or "M32_1to16"; NULL: nowhere. */
const char *form_memory(const char *form);
/* Whether it has an operand of another register file than the general one. */
bool form_has_vectors(const char *form);
/* The first letters of operands, and of what follows a blank within one, in @out of @size: "RM",
 * "X[I". */
void form_letters(const char *form, char *out, size_t size);
/* "(R64, M64)", the end of @form; "" when it has no operands. */
const char *form_list(const char *form);

#endif
