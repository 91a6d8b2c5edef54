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

/* A text that is being looked through. */
struct framed_text {
    const char *text;
    struct margins *m;
    bool percents; /* it has the columns of a profile */
    bool joined;   /* bytes are adjacent, without blanks */
    bool unplaced; /* bytes stand there without their addresses: objdump --no-addresses */
};

/* Margin @i and its text, without blanks around it. */
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

/* The line is read no further; @why NULL: as one that has no code. */
static inline void margin_leave(struct margin *line, const char *why)
{
    line->end = line->start;
    line->left_out = why;
}

/* A decimal number and its separator from the line; NULL when there is none. */
const char *margin_number_end(const char *p, const char *end, uint64_t *number);
/* Appends the bytes from @p to @end, pairs of hex digits, to those of @line; if too long for an
 * instruction it gets none. */
void margin_take_bytes(struct margin *line, const char *p, const char *end);
/* `0000000000001139 <main>:` gives main. */
bool margin_heading(const char *p, const char *end, const char **start, const char **stop);

/* Detects whether lines have addresses. A number and a colon alone must occur often, and grow, as
 * local labels do not. */
void margins_judge_addresses(struct framed_text *r);
/* Takes off addresses, symbols and bytes; other lines are left out with the reason. */
void margins_take_addresses(struct framed_text *r);
/* The same for listings with bytes but without addresses: lines are consecutive. */
void margins_take_bytes(struct framed_text *r);

#endif
