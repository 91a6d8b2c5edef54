/* Pasted text in the characters that assemblers read. */
#ifndef PORTOLAN_TOOLCHAIN_PLAIN_H
#define PORTOLAN_TOOLCHAIN_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Puts @text into @out without what clipboards, terminals and web pages add: colours, carriage
 * returns, blanks and quotes of typography, HTML entities; of Compiler Explorer's JSON the lines of
 * "asm". As many lines out as in, but for JSON. False, and @out is untouched, when the text is
 * plain as it is. The caller frees @out. Any thread. */
bool plain_text(const char *text, size_t length, struct str *out);

#endif
