/* Writes a loop as assembler text, so that an assembler reproduces it. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_TEXT_H
#define PORTOLAN_ANALYSIS_KERNEL_TEXT_H

#include "analysis/kernel.h"

/* Appends loop @loop of @k as text for kernel load and `as` (x86-64: Intel syntax). Assembles it to
 * verify that bytes and references are equal. Instructions that an assembler encodes differently
 * become bytes with a comment. Labels and exits keep their names; places outside are set to their
 * addresses. False with err when the assembler cannot run. Any thread. */
bool kernel_text(const struct kernel *k, size_t loop, struct str *out, struct err *err);
/* Appends @text to a comment of assembler text; escapes characters that would end the comment or be
 * interpreted. */
void comment_print(const char *text, struct str *out);

#endif
