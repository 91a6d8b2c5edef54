/* Kinds of instruction forms, told by the operands in their names alone: forms of one kind are likelier to have the same usage than others. */
#ifndef PORTOLAN_INFER_KINDS_H
#define PORTOLAN_INFER_KINDS_H

/* The kind of the form @name, as "ADD (R64, M64)": whether it has an operand in memory, and as the first or a later one; vectors; scalar registers of floating point;
 * general registers beside these; anything else, such as a shift or a mask. Widths and immediates, also such as the 1 of SHL (R64, 1), do not count, nor does where a branch goes; LDR (D, Rel) reads memory. AArch64 names what is stored first,
 * so that its stores have the kind of loads. Names without operands are of the kind of those with general registers alone. Any thread. */
unsigned form_kind(const char *name);

#endif
