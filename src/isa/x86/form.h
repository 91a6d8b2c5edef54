/* Makes names and templates of forms from decoded instructions. Internal to isa/. */
#ifndef PORTOLAN_ISA_X86_FORM_H
#define PORTOLAN_ISA_X86_FORM_H

#include <Zydis/Zydis.h>

#include "base/str.h"
#include "isa/forms.h"
#include "isa/insn.h"

/* Writes the name of the form as in uops.info, without suffixes for the direction of the
 * encoding. */
void form_name(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
               char form[FORM_MAX]);
/* Appends the template (isa/forms.h). Returns false if the instruction has none, because an operand
 * is a far pointer. */
bool form_template(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
                   struct str *out);
/* Returns the suffix of the mnemonic in the name of a form that Zydis does not support. VEX and
 * EVEX forms with the same mnemonic need this suffix. @zmm is true if an operand is a zmm
 * register. */
const char *form_encoding(const char *mnemonic, bool evex, bool zmm);
/* Returns whether the name of the form lists the operand. */
bool form_lists(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op);

/* Appends a register or number to an instance, for a placeholder of type @type. */
void x86_placeholder(struct form_registers *in, const char *type, struct str *out);

#endif
