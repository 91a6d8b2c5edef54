/* Translates text of other assemblers for `as`: MASM and Visual C++, NASM, armasm, demangled C++
 * names. */
#ifndef PORTOLAN_TOOLCHAIN_DIALECT_H
#define PORTOLAN_TOOLCHAIN_DIALECT_H

#include <stdbool.h>

#include "base/names.h"
#include "base/str.h"
#include "isa/isa.h"

/* State while reading a text. Zero-initialised except for isa and intel. */
struct dialect {
    enum isa isa;
    bool intel;            /* the syntax */
    bool branch;           /* the current statement goes to a label */
    struct names symbols;  /* symbols of the text that look like MASM numbers: `each` */
    /* registers have the other syntax's notation: `.intel_syntax prefix`, `.att_syntax noprefix` */
    bool unusual;
    bool gnu;              /* it has `as` directives: labels with a dot are names of their own */
    struct str scope;      /* NASM: the label that local labels belong to */
    struct names headings; /* labels made from headings: duplicates are allowed */
    /* of the lines, if the text has no addresses; NULL: unknown */
    const struct line_places *places;
};

void dialect_done(struct dialect *d);
/* Returns whether a line, without its comment, is a directive of MASM, NASM or armasm. */
bool dialect_knows(const char *p, const char *end);
/* Returns whether a line, without its comment, is a NASM directive that generates code: %rep,
 * %macro, `times 4 nop`. */
bool dialect_needs_nasm(const char *p, const char *end);
/* Records declarations of a line, with or without its comment; call it for all lines before
 * translating any. */
void dialect_learn(struct dialect *d, const char *p, const char *end);
/* Appends to @out the translation of a whole line, without its comment: a directive of another
 * assembler, or a label of several words. False: neither. *@function: the name, within the line, of
 * a function that begins here, of *@length; NULL: none. */
bool dialect_line(struct dialect *d, const char *p, const char *end, struct str *out,
                  const char **function, size_t *length);
/* Appends a label from a disassembly heading; drops duplicates. */
void dialect_heading(struct dialect *d, const char *p, const char *end, struct str *out);
/* Appends the name from @p to @end in quotes, in which `as` accepts any name. */
void dialect_quote(const char *p, const char *end, struct str *out);
/* Appends the word from @p to @end as a label with its colon. */
void dialect_label(struct dialect *d, const char *p, const char *end, struct str *out);
/* Returns whether a statement has the other syntax, by its registers: inline assembler whose
 * directives a web site removed. */
bool dialect_is_other(const struct dialect *d, const char *p, const char *end);
/* Appends a statement, from its mnemonic on. */
void dialect_statement(struct dialect *d, const char *p, const char *end, struct str *out);

/* llvm_text.c: LLVM notation that `as` rejects: sizes of gathers, suffixes, masks; Apple's vectors
 * and pages. */

/* Appends the x86-64 statement from @p to @end, starting with its mnemonic, in `as` notation.
 * False, with nothing appended, if `as` accepts it unchanged. */
bool llvm_x86_statement(const char *p, const char *end, bool intel, struct str *out);
/* The same for AArch64: `fmla.4s v0, v1, v2`, `[x8, name@PAGEOFF]`. */
bool llvm_a64_statement(const char *p, const char *end, struct str *out);

/* semicolon.c: meaning of a semicolon in Intel syntax: it separates statements for `as`, but
 * usually begins a comment. */

/* Returns whether an x86-64 instruction in Intel syntax follows the semicolon, from @p to the next
 * semicolon, comment or @end: a mnemonic with plausible operands. English words that are mnemonics
 * (add, test, push) need operands. Linear in the statement's length. */
bool semicolon_separates(const char *p, const char *end);

/* plan9.c: the assembler language of Plan 9, which Go's compiler, disassembler and programmers
 * write, as AT&T text: x86-64 alone. */

/* Counts the line from @p to @end in *@found if it is Plan 9's, in *@others if of another
 * language. */
void plan9_count(const char *p, const char *end, size_t *found, size_t *others);
/* Appends the statement from @p to @end as AT&T text; nothing if it is no code. Unknown statements
 * are unchanged, for the assembler to reject. *@function: name of a function that begins here, of
 * *@length; NULL: none. */
void plan9_statement(const char *p, const char *end, struct str *out, const char **function,
                     size_t *length);

#endif
