/* Compiler output and disassembly listings made fit for the assembler, line for line. */
#ifndef PORTOLAN_ISA_LISTING_H
#define PORTOLAN_ISA_LISTING_H

#include "base/vec.h"
#include "isa/assemble.h"

/* Where in the user's text a line's statements stand: addresses, bytes, labels and comments left off. */
struct listing {
    enum isa isa;
    struct str text;                                       /* as many lines as the user's */
    VEC(struct source_span) spans;                         /* one per line */
    VEC(struct diagnostic) refused;                        /* directives that read files */
    VEC(char *) functions;                                 /* names of .globl and .type */
    enum syntax syntax;
    bool disassembly;                                      /* it had addresses or byte columns */
};

enum marker_kind { MARKER_BEGIN, MARKER_END };
struct marker {
    enum marker_kind kind;
    size_t line;
    char *text;           /* "LLVM-MCA-BEGIN triad" */
};
struct marker_list { VEC(struct marker) list; };

/* listing_done frees. Never fails: what is no assembler stays for the assembler to refuse. */
void listing_clean(const char *text, size_t length, enum syntax syntax, struct listing *out);
void listing_clean_isa(enum isa isa, const char *text, size_t length, enum syntax syntax, struct listing *out);
void listing_done(struct listing *l);
/* True when the text looks like AArch64 assembler: its registers, no x86 ones. In a64_listing.c. */
bool listing_is_arm(const char *text, size_t length);
/* LLVM-MCA and OSACA region comments (#, // or ;) in order. */
void listing_markers(const char *text, size_t length, struct marker_list *out);
void listing_markers_done(struct marker_list *m);
/* Prefix of the labels that stand for addresses: the rest of the name is section_address. */
#define LISTING_ADDRESS_LABEL ".Lportolan_at_"

#endif
