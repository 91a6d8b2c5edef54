/* Pasted text in the characters that assemblers read. */
#ifndef PORTOLAN_TOOLCHAIN_PLAIN_H
#define PORTOLAN_TOOLCHAIN_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Copies @text into @out without additions of clipboards, terminals and web pages: colours,
 * carriage returns, typographic blanks and quotes, HTML entities; of Compiler Explorer's JSON the
 * lines of "asm". The number of lines stays, except for JSON. False, and @out is untouched, when
 * the text is plain already. The caller frees @out. Any thread. */
bool plain_text(const char *text, size_t length, struct str *out);

#endif
