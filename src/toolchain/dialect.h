/* Translates text of other assemblers for `as`: MASM and Visual C++, NASM, armasm, demangled C++
 * names. */
#ifndef PORTOLAN_TOOLCHAIN_DIALECT_H
#define PORTOLAN_TOOLCHAIN_DIALECT_H

#include <stdbool.h>

#include "base/names.h"
#include "base/str.h"
#include "isa/isa.h"

/* State of the translation of a text. The caller sets isa and intel, and initialises the other
 * members to zero. */
struct dialect {
    enum isa isa;
    bool intel;            /* whether the text has Intel syntax */
    bool branch;           /* whether an operand of the current statement is a label */
    struct names symbols;  /* symbols of the text that look like MASM numbers, such as `each` */
    /* whether the registers are in the style of the other syntax: `.intel_syntax prefix` or
     * `.att_syntax noprefix` */
    bool unusual;
    /* whether the text has directives of `as`; labels with a leading dot are then not local to
     * another label */
    bool gnu;
    /* whether a number after $ shows that these numbers are hexadecimal: $0ff, $1f */
    bool dollar_hex;
    struct str scope;      /* NASM: last non-local label, the prefix of local labels */
    struct names headings; /* labels that were made from headings, to detect duplicates */
    /* offsets of the lines, if the text has no addresses; NULL: unknown */
    const struct line_places *places;
};

void dialect_done(struct dialect *d);
/* Returns whether a line without its comment is a directive of MASM, NASM or armasm. */
bool dialect_knows(const char *p, const char *end);
/* Returns whether a line without its comment is a NASM directive that generates code: %rep, %macro,
 * `times 4 nop`. */
bool dialect_needs_nasm(const char *p, const char *end);
/* Records the declarations in a line, with or without its comment. Call it for all lines before the
 * first line is translated. */
void dialect_learn(struct dialect *d, const char *p, const char *end);
/* Appends the translation of a line without its comment to @out. The line may be a directive of
 * another assembler, or a label of several words. Returns false, with nothing appended, for other
 * lines. If a function begins here, stores its name, which points into the line, in *@function and
 * its length in *@length. Otherwise sets *@function to NULL. */
bool dialect_line(struct dialect *d, const char *p, const char *end, struct str *out,
                  const char **function, size_t *length);
/* Appends a label made from a disassembly heading, unless it was appended before or is the name of
 * a section. */
void dialect_heading(struct dialect *d, const char *p, const char *end, struct str *out);
/* Appends the name from @p to @end in quotes, because `as` accepts any name in quotes. */
void dialect_quote(const char *p, const char *end, struct str *out);
/* Appends the word from @p to @end as a label, with its colon. */
void dialect_label(struct dialect *d, const char *p, const char *end, struct str *out);
/* Returns whether a statement in Intel syntax has a number after $ of several decimal digits, and
 * no number of the text shows its base. */
bool dialect_is_ambiguous(const struct dialect *d, const char *p, const char *end);
/* Returns whether the registers of a statement belong to the other syntax. Such a statement is from
 * inline assembler without its directives, as on some web sites. */
bool dialect_is_other(const struct dialect *d, const char *p, const char *end);
/* Appends a statement that starts with its mnemonic. */
void dialect_statement(struct dialect *d, const char *p, const char *end, struct str *out);


/* Appends the x86-64 statement from @p to @end, which starts with its mnemonic, in the notation of
 * `as`. Returns false, with nothing appended, if `as` accepts the statement unchanged. */
bool llvm_x86_statement(const char *p, const char *end, bool intel, struct str *out);
/* Does the same as llvm_x86_statement for AArch64: `fmla.4s v0, v1, v2`, `[x8, name@PAGEOFF]`. */
bool llvm_a64_statement(const char *p, const char *end, struct str *out);


/* Returns whether an x86-64 instruction in Intel syntax follows the semicolon, which for `as`
 * separates statements but usually begins a comment. The text is from @p to the next semicolon,
 * comment or @end. An instruction is a mnemonic with plausible operands. Mnemonics that are English
 * words (add, test, push) need operands. The time is linear in the length. */
bool semicolon_separates(const char *p, const char *end);


/* Adds 1 to *@found if the line from @p to @end is Plan 9 assembler, and to *@others if it is in
 * another language. */
void plan9_count(const char *p, const char *end, size_t *found, size_t *others);
/* Appends the statement from @p to @end as AT&T text. Appends nothing if it generates no code.
 * Appends unknown statements unchanged, which the assembler then rejects. If a function begins
 * here, stores its name and length in *@function and *@length. Otherwise sets *@function to
 * NULL. */
void plan9_statement(const char *p, const char *end, struct str *out, const char **function,
                     size_t *length);

#endif
