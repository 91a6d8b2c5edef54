/* Translates other assemblers and demanglers for `as`: MASM and Visual C++, NASM, armasm, names of
 * C++. */
#ifndef PORTOLAN_TOOLCHAIN_DIALECT_H
#define PORTOLAN_TOOLCHAIN_DIALECT_H

#include <stdbool.h>

#include "base/names.h"
#include "base/str.h"
#include "isa/isa.h"

/* State of reading a text. Zero-initialised except for isa and intel. */
struct dialect {
    enum isa isa;
    bool intel;            /* the syntax */
    bool branch;           /* the statement that is being written goes to a label */
    struct names symbols;  /* of the text, that look like numbers of MASM: `each` */
    /* registers are written as the other syntax has them: `.intel_syntax prefix`, `.att_syntax
     * noprefix` */
    bool unusual;
    bool gnu;              /* it has directives of `as`: labels with a dot are names of their own */
    struct str scope;      /* NASM: the label that local ones belong to */
    struct names headings; /* labels made of headings: these may come twice, and count once */
    /* of the lines, if the text has none itself; NULL: unknown */
    const struct line_places *places;
};

void dialect_done(struct dialect *d);
/* Whether a line without its comment is a directive of MASM, NASM or armasm. Any thread. */
bool dialect_knows(const char *p, const char *end);
/* Whether a line without its comment is a directive that NASM alone knows, and that makes code:
 * %rep, %macro, `times 4 nop`. Any thread. */
bool dialect_needs_nasm(const char *p, const char *end);
/* Records declarations of a line of the text, with or without its comment; call it for all lines
 * before any of them is written. */
void dialect_learn(struct dialect *d, const char *p, const char *end);
/* Appends to @out the translation of the whole line, without its comment: a directive of another
 * assembler, a label that is more than a word. False: it is none of these. *@function: the name,
 * within the line, of a function that begins here, of *@length; NULL: none does. */
bool dialect_line(struct dialect *d, const char *p, const char *end, struct str *out,
                  const char **function, size_t *length);
/* Appends a label that a disassembler gives as a heading; a second one of the name is dropped. */
void dialect_heading(struct dialect *d, const char *p, const char *end, struct str *out);
/* Appends the name from @p to @end in quotation marks, as `as` takes any name. */
void dialect_quote(const char *p, const char *end, struct str *out);
/* Appends the label that the word from @p to @end is, with its colon. */
void dialect_label(struct dialect *d, const char *p, const char *end, struct str *out);
/* Whether a statement is in the other syntax, by its registers: inline assembler where a site left
 * out the directives. */
bool dialect_is_other(const struct dialect *d, const char *p, const char *end);
/* Appends a statement, from its mnemonic on. */
void dialect_statement(struct dialect *d, const char *p, const char *end, struct str *out);

/* llvm_text.c: statements as LLVM writes them where `as` does not read them: sizes of gathers,
 * suffixes, masks; Apple's names of vectors and pages. */

/* Appends the x86-64 statement from @p to @end, its mnemonic first, as `as` reads it. False, with
 * nothing appended, if `as` reads it as it is. Any thread. */
bool llvm_x86_statement(const char *p, const char *end, bool intel, struct str *out);
/* The same of AArch64: `fmla.4s v0, v1, v2`, `[x8, name@PAGEOFF]`. Any thread. */
bool llvm_a64_statement(const char *p, const char *end, struct str *out);

/* semicolon.c: meaning of a semicolon in Intel syntax: `as` separates statements by it, NASM, MASM
 * and most people begin comments with it. */

/* Whether an x86-64 instruction in Intel syntax begins at @p, after a semicolon, up to the next
 * semicolon, comment or @end: a mnemonic with operands that such instructions have. English words
 * that are also mnemonics (add, test, push) need operands. Linear in the length of that statement.
 * Any thread. */
bool semicolon_separates(const char *p, const char *end);

#endif
