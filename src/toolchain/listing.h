/* Cleans compiler output and disassembly listings for the assembler, line by line. */
#ifndef PORTOLAN_TOOLCHAIN_LISTING_H
#define PORTOLAN_TOOLCHAIN_LISTING_H

#include "base/vec.h"
#include "base/str.h"
#include "isa/assembled.h"

/* Cleaned text with the position of each line's statements in the user's text, without addresses,
 * bytes, labels and comments. */
struct listing {
    enum isa isa;
    struct str text;                                       /* with the user's number of lines */
    VEC(struct source_span) spans;                         /* per line */
    VEC(struct diagnostic) refused;                        /* directives that read files */
    /* lines that are not assembler text, without their text */
    VEC(struct diagnostic) left_out;
    /* share of samples per line, NaN if none; empty without a profile */
    VEC(float) percents;
    VEC(char *) functions;                                 /* names from .globl and .type */
    /* syntax at the beginning; directives may change it */
    enum syntax syntax;
    bool disassembly;                                      /* it has addresses */
    /* lowest address of an instruction; 0: none */
    uint64_t address;
    /* a disassembly without addresses and bytes */
    bool names_only;
    /* whose branches name offsets in functions */
    bool unplaced;
    size_t headings;                                       /* number of function headings so far */
    /* its statements were in that language, and are AT&T now */
    bool plan9;
    /* it has such directives, and nasm is missing */
    bool no_nasm;
    /* it has directives that only NASM handles: lines are unchanged */
    bool nasm;
    /* some instructions are data: a label before each gives it its line */
    bool encoded;
};

/* listing_done frees. Never fails: unknown text is left for the assembler to reject. @places:
 * offsets of such a disassembly's lines (toolchain/line_places.h); NULL: unknown. */
struct line_places;
void listing_clean(enum isa isa, const char *text, size_t length, enum syntax syntax,
                   const struct line_places *places, struct listing *out);
void listing_done(struct listing *l);
/* Instruction set that the text looks like; ISA_UNSAID if none. */
enum isa listing_isa(const char *text, size_t length);
/* Syntax at the beginning of the text. */
enum syntax syntax_detect(const char *text, size_t length);

/* Internal, targets.c: where branches lead in a disassembly, as labels that its lines get; and
 * operands that are places. */

struct line_places;
/* Appends the label of <L5>, from @p to @end, in the last function. */
void target_label(const struct listing *l, const char *p, const char *end, struct str *out);
/* Appends an x86-64 statement: the address in `jne 1149 <main+0x10>` becomes the label of its
 * line. */
void target_clean(const struct listing *l, const char *p, const char *end, unsigned section,
                  struct str *out);
/* Appends a branch to `<L5>`, or to `<f+0x10>` if lines lack addresses, by @places; gives the
 * section of the target: for @places the function's number. Appends nothing for other instructions.
 * Unknown targets become the branch itself, since only lengths are needed. */
unsigned target_place(struct listing *l, const struct line_places *places, const char *p,
                      const char *end, unsigned section, struct str *out);

#endif
