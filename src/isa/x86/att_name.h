/* AT&T spelling of an instruction form: mnemonic with size suffix and operand classes, sources
 * first. */
#ifndef PORTOLAN_ISA_X86_ATT_NAME_H
#define PORTOLAN_ISA_X86_ATT_NAME_H

#include "isa/spelling.h"

/* False when @form has operands without AT&T text (far pointers, unknown types). */
bool att_form(const char *form, struct spelling *out);

/* Notation of OSACA's machine files for the set. */
extern const struct isa_osaca att_osaca;

#endif
