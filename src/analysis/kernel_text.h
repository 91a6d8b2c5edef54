/* A loop as assembler text: the same program with any assembler. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_TEXT_H
#define PORTOLAN_ANALYSIS_KERNEL_TEXT_H

#include "analysis/kernel.h"

/* Appends loop @loop of @k as text that kernel load and `as` take (x86-64: Intel syntax). It is
 * assembled to verify that it becomes the same bytes and references. Instructions that the
 * assembler would encode otherwise are bytes, with the instruction in a comment. Labels and exits
 * have their names; outside places are set to their addresses. False with err when the assembler
 * cannot be run. Any thread. */
bool kernel_text(const struct kernel *k, size_t loop, struct str *out, struct err *err);
/* Appends @text to a comment of assembler text; escapes characters that could end it or start
 * something else. */
void comment_print(const char *text, struct str *out);

#endif
