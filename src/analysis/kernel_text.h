/* Writes a loop as assembler text that assembles to the same bytes. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_TEXT_H
#define PORTOLAN_ANALYSIS_KERNEL_TEXT_H

#include "analysis/kernel.h"

/* Appends loop @loop of @k as text for kernel load and `as` (x86-64: Intel syntax). Assembles the
 * text, and compares bytes and references. If the assembler encodes an instruction differently, the
 * instruction is written as bytes with a comment. Labels and exits keep their names; .set defines
 * addresses outside the loop. Returns false with err if the assembler cannot run, or cannot
 * reproduce the code. Any thread. */
bool kernel_text(const struct kernel *k, size_t loop, struct str *out, struct err *err);
/* Appends @text as part of a comment in assembler text. Escapes characters that would end the
 * comment or have a special meaning in a comment. */
void comment_print(const char *text, struct str *out);

#endif
