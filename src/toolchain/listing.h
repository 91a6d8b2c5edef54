/* Compiler output and disassembly listings made fit for the assembler, line for line. */
#ifndef PORTOLAN_TOOLCHAIN_LISTING_H
#define PORTOLAN_TOOLCHAIN_LISTING_H

#include "base/vec.h"
#include "base/str.h"
#include "isa/assembled.h"

/* Where in the user's text a line's statements stand: addresses, bytes, labels and comments left
 * off. */
struct listing {
    enum isa isa;
    struct str text;                                       /* as many lines as the user's */
    VEC(struct source_span) spans;                         /* one per line */
    VEC(struct diagnostic) refused;                        /* directives that read files */
    /* lines that are no assembler text; without their text */
    VEC(struct diagnostic) left_out;
    /* of samples, one per line, NaN where none; empty when the text has none */
    VEC(float) percents;
    VEC(char *) functions;                                 /* names of .globl and .type */
    /* that the text begins in; its directives switch */
    enum syntax syntax;
    bool disassembly;                                      /* it had addresses */
    /* of its first instruction in their order; 0: it had none */
    uint64_t address;
    /* a disassembly without addresses and bytes */
    bool names_only;
    /* whose branches name places of functions */
    bool unplaced;
    size_t headings;                                       /* of functions, so far */
    /* its statements were in that language, and are in AT&T's now */
    bool plan9;
    /* it has such directives, and nasm is not installed */
    bool no_nasm;
    /* it has directives that NASM alone knows: the lines are as they were, for it */
    bool nasm;
    /* some instructions are data now: a label stands before each, whose line they have */
    bool encoded;
};

/* listing_done frees. Never fails: what is no assembler stays for the assembler to refuse. @places:
 * of the lines of such a disassembly as has none (toolchain/line_places.h); NULL: not known. */
struct line_places;
void listing_clean(enum isa isa, const char *text, size_t length, enum syntax syntax,
                   const struct line_places *places, struct listing *out);
void listing_done(struct listing *l);
/* The set whose assembler the text looks like; ISA_UNSAID when none claims it. */
enum isa listing_isa(const char *text, size_t length);
/* The syntax that the text begins in. Any thread. */
enum syntax syntax_detect(const char *text, size_t length);

#endif
