/* Cleans compiler output and disassembly listings for the assembler, line by line. */
#ifndef PORTOLAN_TOOLCHAIN_LISTING_H
#define PORTOLAN_TOOLCHAIN_LISTING_H

#include "base/vec.h"
#include "base/str.h"
#include "isa/assembled.h"

/* Cleaned text without addresses, bytes and comments, and the position of each line's statements
 * in the user's text */
struct listing {
    enum isa isa;
    /* cleaned text, with as many lines as the user's text */
    struct str text;
    VEC(struct source_span) spans;                         /* statements of each line */
    /* refused lines, with the reason: directives that read files, ambiguous numbers, code of 32
     * bits */
    VEC(struct diagnostic) refused;
    /* lines that are not assembler text, without their text */
    VEC(struct diagnostic) left_out;
    /* percentage of samples per line, NaN: no samples; empty if the text is not a profile */
    VEC(float) percents;
    /* function names from directives, such as .globl and .type, and from headings */
    VEC(char *) functions;
    /* syntax at the beginning; directives may change it */
    enum syntax syntax;
    /* whether the text is a disassembly with addresses */
    bool disassembly;
    /* lowest address of an instruction; 0: none */
    uint64_t address;
    /* whether the text is a disassembly without addresses and bytes */
    bool names_only;
    /* whether branches name offsets in functions, which are not yet computed */
    bool unplaced;
    size_t headings;                                       /* number of function headings read */
    /* whether the statements were Plan 9 assembler, which cleaning turned into AT&T text */
    bool plan9;
    /* whether the text has directives for NASM, but nasm is not installed */
    bool no_nasm;
    /* whether the text has directives that only NASM supports; its lines are unchanged */
    bool nasm;
    /* whether some instructions are written as data, each after a label that assigns its line */
    bool encoded;
};

/* Cleans @text into @out. Never fails. Copies unknown text, which the assembler then rejects.
 * @places has the offsets of lines of a disassembly without addresses (toolchain/line_places.h), or
 * is NULL. The caller frees @out with listing_done. */
struct line_places;
void listing_clean(enum isa isa, const char *text, size_t length, enum syntax syntax,
                   const struct line_places *places, struct listing *out);
void listing_done(struct listing *l);
/* Returns the instruction set of the code in the text, or ISA_UNSAID if the text has no
 * evidence. */
enum isa listing_isa(const char *text, size_t length);
/* Returns the syntax at the beginning of the text. */
enum syntax syntax_detect(const char *text, size_t length);


struct line_places;
/* Appends a label for <L5>, from @p to @end, that is unique to the current function. */
void target_label(const struct listing *l, const char *p, const char *end, struct str *out);
/* Appends an x86-64 statement. Replaces the address in `jne 1149 <main+0x10>` with the label of its
 * line. */
void target_clean(const struct listing *l, const char *p, const char *end, unsigned section,
                  struct str *out);
/* Appends a branch to `<L5>`, or, if lines have no addresses, to `<f+0x10>` according to @places.
 * Returns the section of the target, or with @places the index of the function. Appends nothing for
 * other instructions. If the target is unknown, the branch gets its own address as target, because
 * only its length is needed. */
unsigned target_place(struct listing *l, const struct line_places *places, const char *p,
                      const char *end, unsigned section, struct str *out);

#endif
