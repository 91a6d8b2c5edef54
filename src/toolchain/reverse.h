/* Tables of interactive disassemblers and profilers: IDA, Ghidra, radare2, x64dbg, WinDbg with line
 * numbers, VTune. */
#ifndef PORTOLAN_TOOLCHAIN_REVERSE_H
#define PORTOLAN_TOOLCHAIN_REVERSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Appends @text with each instruction of such a table as "1198:\tmovsd xmm1, ...", jumps going to
 * addresses, and all other lines as comments: line by line. False, and nothing is added, when it is
 * no such table. Any thread. */
bool reverse_plain(const char *text, size_t length, struct str *out);

#endif
