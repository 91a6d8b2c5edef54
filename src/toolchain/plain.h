/* Converts pasted text to plain characters for assemblers. */
#ifndef PORTOLAN_TOOLCHAIN_PLAIN_H
#define PORTOLAN_TOOLCHAIN_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Copies @text to @out without decorations of clipboards, terminals and web pages: colours,
 * carriage returns, typographic blanks and quotes, HTML entities. Extracts the "asm" lines from
 * JSON of Compiler Explorer. The number of lines changes only for JSON. Returns false, with @out
 * unchanged, if the text has no decorations. The caller frees @out. */
bool plain_text(const char *text, size_t length, struct str *out);


/* Appends @text line by line: each instruction of the table as "1198:\tmovsd xmm1, ...", with
 * addresses as jump targets, and other lines as comments. Returns false, with nothing appended, for
 * other text. */
bool reverse_plain(const char *text, size_t length, struct str *out);

#endif
