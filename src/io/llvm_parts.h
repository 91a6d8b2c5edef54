/* Further steps of importing LLVM's scheduling models (import_llvm.h). */
#ifndef PORTOLAN_IO_LLVM_PARTS_H
#define PORTOLAN_IO_LLVM_PARTS_H

#include "base/str.h"
#include "isa/forms.h"
#include "model/machine.h"

/* llvm_advance.c: latencies per operand (ReadAdvance): accumulators that are read late. */

/* Adds to @m a latency rule per register operand of @forms whose value reaches the result faster
 * than the form's latency. llvm-mca runs two copies, of which the second waits for that operand
 * only. False with err when llvm-mca fails. */
bool llvm_advances(const char *cpu, const struct forms *forms, struct machine *m, struct err *err);

/* llvm_amd.c: memory operands that LLVM's models of AMD cores omit. */

/* Completes the mapping of @m, if it has address units AGU0...: every access takes one, a
 * read-modify-write two; stores use a store unit (Zen: one port ST, added; Zen 2: the third address
 * unit); 512-bit loads take two. A read memory operand adds no macro-op to its operation, a
 * modified one makes two. Microcode that the model does not describe is omitted. */
void llvm_amd_complete(struct machine *m, const struct forms *forms);

/* llvm_models.c: cores of LLVM's scheduling models: many CPUs borrow another core's. */

/* Appends the title of @cpu as imported: its name, with a note if its table is of another core or
 * of an in-order one. @resource: a resource of the model, whose prefix identifies the table. */
void llvm_model_title(const char *cpu, const char *resource, struct str *out);

#endif
