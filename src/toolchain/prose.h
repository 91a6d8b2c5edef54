/* Detects lines that are not code: headings of tools, rules, prompts, sentences, source. */
#ifndef PORTOLAN_TOOLCHAIN_PROSE_H
#define PORTOLAN_TOOLCHAIN_PROSE_H

#include <stdbool.h>

/* What disassemblers and profilers print around code: headings, file names, rules, ellipses. */
bool prose_is_heading(const char *p, const char *end);
/* Why the line from @p to @end, without blanks around, cannot be meant as assembler text: "a
 * sentence", "source code", "a prompt"; NULL when it can: what merely is wrong is for the assembler
 * to refuse. @profile: of a profile, which shows source between the instructions; @macros: the text
 * makes its own words. */
const char *prose_reason(const char *p, const char *end, bool profile, bool macros);

#endif
