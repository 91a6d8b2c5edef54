/* A machine from llvm-mca -instruction-tables=full of the installed LLVM 22, for any CPU that it
 * knows. */
#ifndef PORTOLAN_IO_IMPORT_LLVM_H
#define PORTOLAN_IO_IMPORT_LLVM_H

#include "isa/forms.h"
#include "model/machine.h"

/* Runs llvm-mca (llvm_mca.h) on every form of @forms and undoes the group accounting
 * (docs/design.md). Features that LLVM leaves off are appended to the name: neoverse-v2+aes+sha2.
 * The fault's text has the program and its first complaint. */
struct machine *import_llvm(const char *cpu, const struct forms *forms, struct err *err);
/* The parser alone, for tests and fuzzing: @text ends with a NUL at @length, @forms names the rows
 * in order. A form whose row makes no sense is left out like one that LLVM does not know. */
struct machine *import_llvm_parse(enum isa isa, const char *cpu, const char *text, size_t length,
                                  const char *const *forms, size_t form_count, struct err *err);

#endif
