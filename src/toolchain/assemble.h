/* Assembles text with binutils `as` in a private temporary directory, without a shell and under
 * limits. Returns code and the source line of each instruction. Rejects directives that read
 * files. */
#ifndef PORTOLAN_TOOLCHAIN_ASSEMBLE_H
#define PORTOLAN_TOOLCHAIN_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/assembled.h"
#include "isa/body.h"
#include "isa/forms.h"

/* Assembles @text: compiler output, a listing (objdump, Compiler Explorer) or bare instructions.
 * Removes addresses and bytes of a listing. Returns false if nothing could be assembled, if lines
 * were rejected and @skip_bad is false, or if lines are code of 16 or 32 bits. In each case
 * @out->refused lists the rejected lines, and err names the first one, or the first of 16 or 32
 * bits. The caller always frees @out with assembled_done. */
bool assemble(enum isa isa, const char *name, const char *text, size_t length, enum syntax syntax,
              bool skip_bad, struct assembled *out, struct err *err);
void assembled_done(struct assembled *a);
void diagnostics_free(struct diagnostic *list, size_t count);
/* interface of assemble and assembled_done for lower layers */
extern const struct isa_assembler toolchain_assembler;

/* Assembles @rows, all of one instruction set, in one run, for later calls of form_code_new.
 * Returns false with err if the assembler cannot run. form_code_new reports errors of single
 * forms. */
bool encodings_learn(const struct form_row *const *rows, size_t count, struct err *err);
/* Does the same as form_code_new and form_code_any, but first assembles the form if
 * encodings_learn has not assembled it. */
struct form_code *encodings_code(const struct form_row *row, struct err *err);
struct form_code *encodings_code_any(const struct form_row *row, struct err *err);

/* Extends @base by the rows of another CSV with the same columns (extension is optional). A row
 * replaces the form of the same name. The result holds a reference to @base. Assembles every
 * template and checks that it decodes to its form. Returns NULL with err if a template does not, or
 * when cancelled. The error has the file, the line and the actual form. Stores the number of rows
 * in *@added. */
struct forms *forms_add(const struct forms *base, const char *path, size_t *added, struct err *err);

#endif
