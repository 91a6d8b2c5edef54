/* For which cores LLVM's scheduling models were made: many CPUs borrow that of another. */
#ifndef PORTOLAN_IO_LLVM_MODELS_H
#define PORTOLAN_IO_LLVM_MODELS_H

#include "base/str.h"

/* Appends the title of @cpu as imported: its name, and in brackets if its table is not its own, or
 * not of a core that executes out of order. @resource: a resource of the model, whose prefix
 * identifies the table. Any thread. */
void llvm_model_title(const char *cpu, const char *resource, struct str *out);

#endif
