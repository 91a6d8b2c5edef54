/* Operands in the name of an instruction form, such as "ADD (R64, M64)" or "LD1 ({V.4S}, [X])".
 * Only operands.c parses them. */
#ifndef PORTOLAN_ISA_OPERANDS_H
#define PORTOLAN_ISA_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>

#define FORM_OPERANDS_MOST 12

enum form_operand_kind {
    FORM_OPERAND_GENERAL,     /* general register */
    FORM_OPERAND_VECTOR,      /* vector register or list of vector registers */
    FORM_OPERAND_SCALAR,      /* AArch64: low part of a vector register */
    FORM_OPERAND_MASK,        /* K of AVX-512, P of SVE */
    /* memory, including a PC-relative literal, as in LDR (X, Rel) */
    FORM_OPERAND_MEMORY,
    FORM_OPERAND_IMMEDIATE,   /* immediate, including a literal number such as the 1 in SHL (R64,
                               * 1) */
    FORM_OPERAND_RELATIVE,    /* branch target */
    FORM_OPERAND_OTHER,       /* a fixed register, condition or shift */
};

struct form_operand {
    enum form_operand_kind kind;
    const char *text;    /* text in the form's name, not NUL-terminated */
    size_t length;
};

/* Writes the operands of @form to @out, at most FORM_OPERANDS_MOST. Returns their number. */
size_t form_operands(const char *form, struct form_operand *out);
bool form_has_memory(const char *form);
/* Returns the position of the memory operand, such as "M64" or "M32_1to16", in the name of an x86
 * form; NULL: none. */
const char *form_memory(const char *form);
/* Returns whether an operand is in a register file other than the general registers. */
bool form_has_vectors(const char *form);
/* Writes to @out of @size bytes the first letter of each operand and of each word in an operand,
 * such as "RM" or "X[I". */
void form_letters(const char *form, char *out, size_t size);
/* Returns the operand list at the end of @form, such as "(R64, M64)"; "" if there is none. */
const char *form_list(const char *form);

#endif
