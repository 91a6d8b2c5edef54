/* What a semicolon means in Intel syntax: `as` separates statements by it, NASM, MASM and most
 * people begin comments with it. */
#ifndef PORTOLAN_TOOLCHAIN_SEMICOLON_H
#define PORTOLAN_TOOLCHAIN_SEMICOLON_H

#include <stdbool.h>

/* Whether an x86-64 instruction in Intel syntax begins at @p, after a semicolon, up to the next
 * semicolon, comment or @end: a mnemonic with operands that such instructions have. English words
 * that are also mnemonics (add, test, push) need operands. Linear in the length of that statement.
 * Any thread. */
bool semicolon_separates(const char *p, const char *end);

#endif
