/* Imports a machine from llvm-mca -instruction-tables=full of the installed LLVM 22, for any CPU
 * that LLVM supports. */
#ifndef PORTOLAN_IO_IMPORT_LLVM_H
#define PORTOLAN_IO_IMPORT_LLVM_H

#include "isa/forms.h"
#include "model/machine.h"

/* Runs llvm-mca (llvm_mca.h) on every form of @forms and resolves resource groups (docs/design.md).
 * Features may be appended to @cpu, as in neoverse-v2+aes+sha2. Returns NULL with err on
 * failure. */
struct machine *import_llvm(const char *cpu, const struct forms *forms, struct err *err);
/* Parses the report, for tests and fuzzing. @text is NUL-terminated at @length. @forms names the
 * rows in order. Omits a form with an invalid row, like an unknown form. Returns NULL with
 * err on failure. */
struct machine *import_llvm_parse(enum isa isa, const char *cpu, const char *text, size_t length,
                                  const char *const *forms, size_t form_count, struct err *err);

#endif
