/* Names and templates of forms from a decoded instruction. Internal to isa/. The only header with
 * decoder types. */
#ifndef PORTOLAN_ISA_X86_FORM_H
#define PORTOLAN_ISA_X86_FORM_H

#include <Zydis/Zydis.h>

#include "base/str.h"
#include "isa/forms.h"
#include "isa/insn.h"

/* Writes the canonical name as in uops.info, without suffixes of the encoding's direction. */
void form_name(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
               char form[FORM_MAX]);
/* Appends the template (isa/forms.h). Returns false for instructions without one (far transfers,
 * fixed addresses). */
bool form_template(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
                   struct str *out);
/* Returns the suffix of the mnemonic in the form name of an instruction that the decoder lacks, if
 * VEX and EVEX have the same mnemonic. @zmm: it has a zmm operand. */
const char *form_encoding(const char *mnemonic, bool evex, bool zmm);
/* Returns whether the form lists the operand. */
bool form_lists(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op);

/* Appends a register or number for a placeholder of type @type in an instance. */
void x86_placeholder(struct form_registers *in, const char *type, struct str *out);

#endif
