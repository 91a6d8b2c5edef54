/* Assembler text to code, with the source line of each instruction, by binutils `as` in a private temporary directory,
 * without a shell, under limits; directives that read files are refused. */
#ifndef PORTOLAN_TOOLCHAIN_ASSEMBLE_H
#define PORTOLAN_TOOLCHAIN_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/assembled.h"

/* @text: compiler output, a listing (objdump, Compiler Explorer: addresses and bytes stripped) or plain instructions.
 * False when nothing could be assembled, or when lines were refused and not @skip_bad; @out->refused lists them either way
 * and @err names the first. assembled_done frees @out in both cases. */
bool assemble(enum isa isa, const char *name, const char *text, size_t length, enum syntax syntax, bool skip_bad, struct assembled *out,
                  struct err *err);
void assembled_done(struct assembled *a);
/* The two above. */
extern const struct isa_assembler toolchain_assembler;
enum syntax syntax_detect(const char *text, size_t length);

#endif
