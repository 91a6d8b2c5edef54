/* Assembles text by binutils `as` in a private temporary directory, without a shell, under limits;
 * returns code and the source line of each instruction. Directives that read files are refused. */
#ifndef PORTOLAN_TOOLCHAIN_ASSEMBLE_H
#define PORTOLAN_TOOLCHAIN_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/assembled.h"
#include "isa/body.h"

/* @text: compiler output, a listing (objdump, Compiler Explorer: addresses and bytes are stripped)
 * or plain instructions. False when nothing could be assembled, or when lines were rejected and not
 * @skip_bad; @out->refused lists them either way and @err names the first. assembled_done frees
 * @out in both cases. */
bool assemble(enum isa isa, const char *name, const char *text, size_t length, enum syntax syntax,
              bool skip_bad, struct assembled *out, struct err *err);
void assembled_done(struct assembled *a);
void diagnostics_free(struct diagnostic *list, size_t count);
/* assemble and assembled_done as a table. */
extern const struct isa_assembler toolchain_assembler;

/* Gets encodings from an assembler for instruction sets that need them, before bodies are made. */

/* Prepares form_code_new for many forms of one set in one run. False with err when impossible;
 * form_code_new reports errors of single forms. */
bool encodings_learn(const struct form_row *const *rows, size_t count, struct err *err);
/* form_code_new and form_code_any for forms that may not have been learnt. */
struct form_code *encodings_code(const struct form_row *row, struct err *err);
struct form_code *encodings_code_any(const struct form_row *row, struct err *err);

#endif
