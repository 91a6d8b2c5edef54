/* Additions of an import of LLVM's scheduling models (import_llvm.h). */
#ifndef PORTOLAN_IO_LLVM_PARTS_H
#define PORTOLAN_IO_LLVM_PARTS_H

#include "base/str.h"
#include "isa/forms.h"
#include "model/machine.h"

/* llvm_advance.c: latencies per operand of LLVM's scheduling models (ReadAdvance): accumulators
 * that are read late. */

/* Adds to @m a latency rule per register operand of @forms whose value reaches the result in fewer
 * cycles than the form's latency. A form forwards to itself: two copies of it run in llvm-mca, and
 * the second one waits for that operand only. False with err when llvm-mca fails. Any thread. */
bool llvm_advances(const char *cpu, const struct forms *forms, struct machine *m, struct err *err);

/* llvm_amd.c: memory operands that LLVM's models of AMD's cores leave out. */

/* Completes the mapping of @m, when it has address units AGU0...: every access takes one, a
 * read-modify-write two; what stores passes a store unit (Zen: one port ST, added; Zen 2: the third
 * address unit, which serves stores alone); loads of 512 bits take two; a memory operand that is
 * read adds no macro-op to its operation, one that is read and written makes two of them. Microcode
 * that the model does not describe is left out. */
void llvm_amd_complete(struct machine *m, const struct forms *forms);

/* llvm_models.c: for which cores LLVM's scheduling models were made: many CPUs borrow that of
 * another. */

/* Appends the title of @cpu as imported: its name, and in brackets if its table is not its own, or
 * not of a core that executes out of order. @resource: a resource of the model, whose prefix
 * identifies the table. Any thread. */
void llvm_model_title(const char *cpu, const char *resource, struct str *out);

#endif
