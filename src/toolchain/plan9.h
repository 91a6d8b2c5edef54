/* The assembler language of Plan 9, which Go's compiler, disassembler and programmers write, as
 * AT&T text: x86-64 alone. */
#ifndef PORTOLAN_TOOLCHAIN_PLAN9_H
#define PORTOLAN_TOOLCHAIN_PLAN9_H

#include "base/str.h"

/* Counts the line from @p to @end in *@found when it is in it, and in *@others when it has what
 * other languages have. Any thread. */
void plan9_count(const char *p, const char *end, size_t *found, size_t *others);
/* Appends the statement from @p to @end as AT&T text; nothing if it is no code. Unknown statements
 * are appended unchanged, for the assembler to refuse. *@function: within the statement, the name
 * of a function that begins here, of *@length; NULL: none does. Any thread. */
void plan9_statement(const char *p, const char *end, struct str *out, const char **function,
                     size_t *length);

#endif
