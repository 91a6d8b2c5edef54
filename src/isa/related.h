/* Forms by their relation to another: what costs the same, does the same on a register, or does the same otherwise. Each function gives one after the other:
 * *@at is 0 at first and stays the function's own; false when there is none left. Any thread. */
#ifndef PORTOLAN_ISA_RELATED_H
#define PORTOLAN_ISA_RELATED_H

#include "isa/insn.h"

/* An instruction that does what another one does. */
struct isa_alternative {
    char form[FORM_MAX];
    char name[64];        /* as the assembler's text has it */
    bool loses_flags;     /* it leaves other flags */
    const char *note;     /* what it takes, NULL: nothing */
};

/* Names of @form that stand for it where a table does not have it: another width of an immediate, another encoding. */
bool isa_alike(enum isa isa, const char *form, size_t *at, char out[FORM_MAX]);
/* Forms that do what @form does after its load or before its store: a register in the place of the memory operand of @bits. The likeliest first. */
bool isa_with_register(enum isa isa, const char *form, unsigned bits, size_t *at, char out[FORM_MAX]);
/* Other instructions for @insn, its immediate looked at. */
bool isa_alternative(const struct insn *insn, size_t *at, struct isa_alternative *out);

#endif
