/* Statements as LLVM writes them where `as` does not read them: sizes of gathers, suffixes, masks;
 * Apple's names of vectors and pages. */
#ifndef PORTOLAN_TOOLCHAIN_LLVM_TEXT_H
#define PORTOLAN_TOOLCHAIN_LLVM_TEXT_H

#include <stdbool.h>

#include "base/str.h"

/* Appends the x86-64 statement from @p to @end, its mnemonic first, as `as` reads it. False, and
 * nothing is appended: it does. Any thread. */
bool llvm_x86_statement(const char *p, const char *end, bool intel, struct str *out);
/* The same of AArch64: `fmla.4s v0, v1, v2`, `[x8, name@PAGEOFF]`. Any thread. */
bool llvm_a64_statement(const char *p, const char *end, struct str *out);

#endif
