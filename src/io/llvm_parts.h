/* Further steps of the import of LLVM's scheduling models (import_llvm.h). */
#ifndef PORTOLAN_IO_LLVM_PARTS_H
#define PORTOLAN_IO_LLVM_PARTS_H

#include "base/str.h"
#include "isa/forms.h"
#include "model/machine.h"


/* Adds to @m a latency rule for each register operand of @forms from which the result is available
 * sooner than the form's latency. Runs llvm-mca on two copies. The second copy depends on the first
 * only through this operand. Returns false with err if llvm-mca fails. */
bool llvm_advances(const char *cpu, const struct forms *forms, struct machine *m, struct err *err);


/* Completes the mapping of @m, if it has address units AGU0... Every access uses one of these
 * units, and a read-modify-write uses two. Stores use a store unit (Zen: one port ST, which is
 * added; Zen 2: the third address unit). 512-bit loads use two address units. A memory operand
 * that is only read adds no macro-op to its operation. With a memory operand that is modified, the
 * operation is two macro-ops. Omits microcode that the model does not describe. */
void llvm_amd_complete(struct machine *m, const struct forms *forms);


/* Appends the title of an imported @cpu: its name, with a note if its table belongs to another core
 * or to an in-order core. @resource is a resource of the model. Its prefix identifies the table. */
void llvm_model_title(const char *cpu, const char *resource, struct str *out);

#endif
