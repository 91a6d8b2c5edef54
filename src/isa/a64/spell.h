/* How AArch64 assembly spells an instruction form, as OSACA's machine files describe it: registers by prefix and shape, the address by its parts. */
#ifndef PORTOLAN_ISA_A64_SPELL_H
#define PORTOLAN_ISA_A64_SPELL_H

#include "isa/spelling.h"

/* Shifts and extensions are parts of the operand before them, registers of a list operands of their own, what steps a base is a mark on the address. False when
 * @form is not in the shape of an AArch64 form, or has more operands than a spelling holds. Any thread. */
bool a64_spell(const char *form, struct spelling *out);

/* How OSACA's machine files are written for the set. */
extern const struct isa_osaca a64_osaca;

#endif
