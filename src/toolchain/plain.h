/* Converts pasted text to plain characters for assemblers. */
#ifndef PORTOLAN_TOOLCHAIN_PLAIN_H
#define PORTOLAN_TOOLCHAIN_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Copies @text into @out without decorations of clipboards, terminals and web pages: colours,
 * carriage returns, typographic blanks and quotes, HTML entities; takes "asm" lines from Compiler
 * Explorer's JSON. The number of lines is kept, except for JSON. False, with @out untouched, when
 * the text is plain. The caller frees @out. */
bool plain_text(const char *text, size_t length, struct str *out);

/* reverse.c: tables of interactive disassemblers and profilers: IDA, Ghidra, radare2, x64dbg,
 * WinDbg with line numbers, VTune. */

/* Appends @text with each instruction of such a table as "1198:\tmovsd xmm1, ...", jumps to
 * addresses, and other lines as comments, line by line. False, with nothing appended, for other
 * text. */
bool reverse_plain(const char *text, size_t length, struct str *out);

#endif
