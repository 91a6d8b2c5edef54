/* Operands in the name of an instruction form, "ADD (R64, M64)" or "LD1 ({V.4S}, [X])"; only this
 * file parses them. */
#ifndef PORTOLAN_ISA_OPERANDS_H
#define PORTOLAN_ISA_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>

#define FORM_OPERANDS_MOST 12

enum form_operand_kind {
    FORM_OPERAND_GENERAL,     /* register */
    FORM_OPERAND_VECTOR,      /* a register or a list of registers */
    FORM_OPERAND_SCALAR,      /* AArch64: the low part of a vector register */
    FORM_OPERAND_MASK,        /* K of AVX-512, P of SVE */
    /* also a PC-relative literal, as in LDR (X, Rel) */
    FORM_OPERAND_MEMORY,
    FORM_OPERAND_IMMEDIATE,   /* also a literal number, as the 1 of SHL (R64, 1) */
    FORM_OPERAND_RELATIVE,    /* branch target */
    FORM_OPERAND_OTHER,       /* a fixed register, a condition, a shift */
};

struct form_operand {
    enum form_operand_kind kind;
    const char *text;    /* in the form's name, not NUL-terminated */
    size_t length;
};

/* Lists the operands of @form, at most FORM_OPERANDS_MOST; returns their number. */
size_t form_operands(const char *form, struct form_operand *out);
bool form_has_memory(const char *form);
/* Returns x86's M with its width in the name, as "M64" or "M32_1to16"; NULL: none. */
const char *form_memory(const char *form);
/* Returns whether an operand is in another register file than the general one. */
bool form_has_vectors(const char *form);
/* Writes the first letters of operands, and of words within one, to @out of @size: "RM", "X[I". */
void form_letters(const char *form, char *out, size_t size);
/* Returns "(R64, M64)", the end of @form; "" without operands. */
const char *form_list(const char *form);

#endif
