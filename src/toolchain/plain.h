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

/* reverse.c: tables of interactive disassemblers and profilers: IDA, Ghidra, radare2, x64dbg,
 * WinDbg with line numbers, VTune. */

/* Appends @text with each instruction of such a table as "1198:\tmovsd xmm1, ...", jumps going to
 * addresses, and all other lines as comments: line by line. False, and nothing is added, when it is
 * no such table. Any thread. */
bool reverse_plain(const char *text, size_t length, struct str *out);

#endif
