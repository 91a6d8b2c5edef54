/* A loop as assembler text: the same program, whoever assembles it. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_TEXT_H
#define PORTOLAN_ANALYSIS_KERNEL_TEXT_H

#include "analysis/kernel.h"

/* Appends loop @loop of @k as text that kernel load and `as` take (x86-64: Intel syntax) and that
 * becomes the same bytes and references: it is assembled to see that, and what the assembler would
 * encode otherwise stands as bytes with the instruction in a comment. Labels and exits have their
 * names; places outside are set to where they are. False with err when the assembler cannot be run.
 * Any thread. */
bool kernel_text(const struct kernel *k, size_t loop, struct str *out, struct err *err);
/* Appends @text to a comment of assembler text: what could end it or begin something else is
 * escaped. */
void comment_print(const char *text, struct str *out);

#endif
