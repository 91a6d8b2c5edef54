/* Detection of lines of code for margins.c. */
#ifndef PORTOLAN_TOOLCHAIN_MARGINS_PARTS_H
#define PORTOLAN_TOOLCHAIN_MARGINS_PARTS_H

#include <stdbool.h>

#include "toolchain/margins.h"

/* prose.c: detects lines that are not code: headings, rules, prompts, sentences, source. */

/* Detects text that disassemblers and profilers print around code: headings, file names, rules,
 * ellipses. */
bool prose_is_heading(const char *p, const char *end);
/* Returns why the trimmed line from @p to @end is not assembler text: "a sentence", "source code",
 * "a prompt"; NULL if it may be, including erroneous code. @profile: of a profile, which contains
 * source lines; @macros: the text defines macros. */
const char *prose_reason(const char *p, const char *end, bool profile, bool macros);

/* report.c: finds the code in reports of other analyzers. */

/* Narrows the lines of @m to the instructions of a report by llvm-mca, IACA, OSACA or uiCA; others
 * become empty. False, with @m unchanged, for other text. */
bool report_take(const char *text, struct margins *m);

/* runtimes.c: listings of language runtimes: HotSpot under JMH, V8, LuaJIT, .NET with code bytes,
 * Go's objdump and compiler. */

/* Narrows the lines of @m to the instructions of such a listing, with addresses and bytes; others
 * become empty. False, with @m unchanged, for other text. */
bool runtimes_take(const char *text, struct margins *m);

#endif
