/* Detection of lines of code by margins.c. */
#ifndef PORTOLAN_TOOLCHAIN_MARGINS_PARTS_H
#define PORTOLAN_TOOLCHAIN_MARGINS_PARTS_H

#include <stdbool.h>

#include "toolchain/margins.h"

/* prose.c: detects lines that are not code: headings of tools, rules, prompts, sentences,
 * source. */

/* Text that disassemblers and profilers print around code: headings, file names, rules,
 * ellipses. */
bool prose_is_heading(const char *p, const char *end);
/* Why the line from @p to @end, without blanks around, cannot be meant as assembler text: "a
 * sentence", "source code", "a prompt"; NULL when it can: what merely is wrong is for the assembler
 * to refuse. @profile: of a profile, which shows source between the instructions; @macros: the text
 * makes its own words. */
const char *prose_reason(const char *p, const char *end, bool profile, bool macros);

/* report.c: reports of other analyzers: which part of them is the code. */

/* Narrows the lines of @m to the instructions of a report by llvm-mca, IACA, OSACA or uiCA, the
 * others to nothing. False, and @m is as it was, when the text is none. Any thread. */
bool report_take(const char *text, struct margins *m);

/* runtimes.c: listings of language runtimes: HotSpot under JMH, V8, LuaJIT, .NET with code
 * bytes, Go's objdump and compiler. */

/* Narrows the lines of @m to the instructions of such a listing, with their addresses and bytes,
 * the others to nothing. False, and @m is as it was: it is none. Any thread. */
bool runtimes_take(const char *text, struct margins *m);

#endif
