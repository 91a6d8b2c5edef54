/* Detection of lines of code by margins.c, which files of their own do part by part. */
#ifndef PORTOLAN_TOOLCHAIN_MARGINS_PARTS_H
#define PORTOLAN_TOOLCHAIN_MARGINS_PARTS_H

#include <stdbool.h>

#include "toolchain/margins.h"
#include "toolchain/words.h"

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

/* margins_addresses.c: columns of a disassembly: addresses, symbols and bytes of machine code
 * before the instruction. */

/* A text being examined. */
struct framed_text {
    const char *text;
    struct margins *m;
    bool percents; /* it has profile columns */
    bool joined;   /* bytes are adjacent */
    bool unplaced; /* bytes without addresses: objdump --no-addresses */
};

/* Margin @i and its trimmed text. */
static inline struct margin *margin_at(const struct framed_text *r, size_t i, const char **p,
                                       const char **end)
{
    struct margin *line = &r->m->lines.items[i];
    *p = skip_blank(r->text + line->start, r->text + line->end);
    *end = trim_end(*p, r->text + line->end);
    return line;
}

static inline void margin_set(const struct framed_text *r, struct margin *line, const char *start,
                              const char *end)
{
    line->start = (size_t)(start - r->text);
    line->end = (size_t)(end - r->text);
}

/* Excludes the line; @why NULL: no code. */
static inline void margin_leave(struct margin *line, const char *why)
{
    line->end = line->start;
    line->left_out = why;
}

/* Skips a decimal number and its separator; NULL when there is none. */
const char *margin_number_end(const char *p, const char *end, uint64_t *number);
/* Appends the hex digit pairs from @p to @end to the bytes of @line; if too long for an instruction
 * it gets none. */
void margin_take_bytes(struct margin *line, const char *p, const char *end);
/* Takes main from `0000000000001139 <main>:`. */
bool margin_heading(const char *p, const char *end, const char **start, const char **stop);

/* Detects whether lines have addresses. A number with a colon must occur often and ascend, unlike
 * local labels. */
void margins_judge_addresses(struct framed_text *r);
/* Removes addresses, symbols and bytes; excludes other lines with a reason. */
void margins_take_addresses(struct framed_text *r);
/* The same for bytes without addresses: lines are consecutive. */
void margins_take_bytes(struct framed_text *r);

#endif
