/* Translates Plan 9 assembler language, as of Go's compiler and disassembler, to AT&T text: x86-64
 * only. */
#ifndef PORTOLAN_TOOLCHAIN_PLAN9_H
#define PORTOLAN_TOOLCHAIN_PLAN9_H

#include "base/str.h"

/* Counts the line from @p to @end in *@found if it is Plan 9's, in *@others if of another
 * language. */
void plan9_count(const char *p, const char *end, size_t *found, size_t *others);
/* Appends the statement from @p to @end as AT&T text; nothing if it is no code. Unknown statements
 * are unchanged, for the assembler to reject. *@function: name of a function that begins here, of
 * *@length; NULL: none. */
void plan9_statement(const char *p, const char *end, struct str *out, const char **function,
                     size_t *length);

#endif
