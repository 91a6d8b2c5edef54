/* How AT&T assembly spells an instruction form: mnemonic with size suffix and operand classes,
 * sources first. */
#ifndef PORTOLAN_ISA_X86_ATT_NAME_H
#define PORTOLAN_ISA_X86_ATT_NAME_H

#include "isa/spelling.h"

/* False when @form has operands that AT&T text does not show (far pointers, unknown types). Any
 * thread. */
bool att_form(const char *form, struct spelling *out);

/* How OSACA's machine files are written for the set. */
extern const struct isa_osaca att_osaca;

#endif
