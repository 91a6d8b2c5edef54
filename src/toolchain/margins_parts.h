/* Parts of margins.c in separate files. Each detects the lines of code in one kind of text. */
#ifndef PORTOLAN_TOOLCHAIN_MARGINS_PARTS_H
#define PORTOLAN_TOOLCHAIN_MARGINS_PARTS_H

#include <stdbool.h>

#include "toolchain/margins.h"
#include "toolchain/words.h"


/* Returns whether the line is text that disassemblers and profilers print around code, such as
 * headings, file names, rules and ellipses. */
bool prose_is_heading(const char *p, const char *end);
/* Returns whether the trimmed line from @p to @end consists only of dots for omitted lines: "...",
 * "[...]" or a horizontal ellipsis. */
bool prose_is_ellipsis(const char *p, const char *end);
/* Returns the reason why the trimmed line from @p to @end is not assembler text: "a sentence",
 * "source code", "a prompt". Returns NULL if the line may be assembler text, even with errors.
 * @profile is true for a profile, which contains source lines. @macros is true if the text defines
 * macros. */
const char *prose_reason(const char *p, const char *end, bool profile, bool macros);


/* Reduces the lines of @m to the instructions of a report by llvm-mca, IACA, OSACA or uiCA. Other
 * lines become empty. Returns false, with @m unchanged, for other text. */
bool report_take(const char *text, struct margins *m);


/* Reduces the lines of @m to the instructions of a runtime's listing, with addresses and bytes.
 * Other lines become empty. Returns false, with @m unchanged, for other text. */
bool runtimes_take(const char *text, struct margins *m);


/* A text whose margins are being detected */
struct framed_text {
    const char *text;
    struct margins *m;
    bool percents; /* whether the text has a column of percentages */
    bool joined;   /* whether bytes are adjacent digits */
    bool unplaced; /* whether the text has bytes but no addresses, as from objdump
                    * --no-addresses */
};

/* Returns margin @i, and stores start and end of its trimmed text. */
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

/* Excludes the line for reason @why. @why NULL: the line has no code. */
static inline void margin_leave(struct margin *line, const char *why)
{
    line->end = line->start;
    line->left_out = why;
}

/* Skips a decimal number and its separator. Returns NULL if there is none. Stores the number in
 * *@number. */
const char *margin_number_end(const char *p, const char *end, uint64_t *number);
/* Appends the pairs of hexadecimal digits from @p to @end to the bytes of @line, up to MARGIN_BYTES
 * bytes in total. */
void margin_take_bytes(struct margin *line, const char *p, const char *end);
/* Finds the name in a heading: main in `0000000000001139 <main>:`. Returns false if the line is not
 * a heading. */
bool margin_heading(const char *p, const char *end, const char **start, const char **stop);

/* Detects whether lines have addresses. Numbers with a colon must be frequent and ascend. Otherwise
 * such numbers are local labels. */
void margins_judge_addresses(struct framed_text *r);
/* Removes addresses, symbols and bytes. Excludes other lines and records the reason. */
void margins_take_addresses(struct framed_text *r);
/* Removes bytes of a text without addresses. Assumes that lines are consecutive. */
void margins_take_bytes(struct framed_text *r);

#endif
