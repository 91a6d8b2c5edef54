/* Names and templates of forms from a decoded instruction. Internal to isa/: the only header with
 * decoder types. */
#ifndef PORTOLAN_ISA_X86_FORM_H
#define PORTOLAN_ISA_X86_FORM_H

#include <Zydis/Zydis.h>

#include "base/str.h"
#include "isa/forms.h"
#include "isa/insn.h"

/* Writes the canonical name, as in uops.info, without encoding-direction suffixes. */
void form_name(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
               char form[FORM_MAX]);
/* Appends the template (isa/forms.h); false for instructions without one (far transfers, fixed
 * addresses). */
bool form_template(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
                   struct str *out);
/* Suffix of the mnemonic in the form name of an instruction that the decoder lacks, if VEX and EVEX
 * share a mnemonic; @zmm: an operand is one. */
const char *form_encoding(const char *mnemonic, bool evex, bool zmm);
/* Returns whether the form lists the operand. */
bool form_lists(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op);

/* Register or number for a placeholder of that type in an instance. */
void x86_placeholder(struct form_registers *in, const char *type, struct str *out);

#endif
