/* What LLVM's models of AMD's cores leave out of memory operands. */
#ifndef PORTOLAN_IO_LLVM_AMD_H
#define PORTOLAN_IO_LLVM_AMD_H

#include "isa/forms.h"
#include "model/machine.h"

/* Completes the mapping of @m, when it has address units AGU0...: every access takes one, a
 * read-modify-write two; what stores passes a store unit (Zen: one port ST, added; Zen 2: the third
 * address unit, which serves stores alone); loads of 512 bits take two; a memory operand that is
 * read adds no macro-op to its operation, one that is read and written makes two of them. Microcode
 * that the model does not describe is left out. */
void llvm_amd_complete(struct machine *m, const struct forms *forms);

#endif
