/* For which cores LLVM's scheduling models were made: many CPUs borrow that of another. */
#ifndef PORTOLAN_IO_LLVM_MODELS_H
#define PORTOLAN_IO_LLVM_MODELS_H

#include "base/str.h"

/* Appends the title of @cpu as imported: its name, and in brackets what its table is not: its own,
 * or of a core that executes out of order. @resource: a name among the resources of the model,
 * whose beginning tells which it is. Any thread. */
void llvm_model_title(const char *cpu, const char *resource, struct str *out);

#endif
