/* AArch64's functions for the reader of listings. Internal to listing.c. */
#ifndef PORTOLAN_ISA_A64_LISTING_H
#define PORTOLAN_ISA_A64_LISTING_H

#include "base/str.h"

/* Skips the eight hexadecimal digits of the instruction word in objdump's text. Returns @p if there
 * are none, or if @disassembly is false. */
const char *a64_word_end(const char *p, const char *end, bool disassembly);
/* Copies the line to @out without comments: // to the end of the line, C comments (*@in_comment is
 * the state between lines), lines that begin with #, and text after a semicolon, unless it is a
 * statement (`mov x1, #111 ; .byte 213,3,32,31`). */
void a64_comments_cut(const char *p, const char *end, bool *in_comment, struct str *out);
/* Returns whether the assembler needs the directive. The directives that every instruction set
 * needs are in toolchain's listing.c. */
bool a64_directive_kept(const char *word, size_t length);
/* Copies a disassembled statement to @out. Replaces a branch target with the label for its
 * address. */
void a64_target_clean(const char *p, const char *end, unsigned section, struct str *out);

/* Returns whether the word is a register such as x0, xzr, w0, v0.4s, z0.d or q0. Returns false for
 * b and d registers, which may be hexadecimal numbers. */
bool a64_is_register(const char *word, size_t length);
/* Returns whether @text names AArch64 as its file format, or has more lines that look like AArch64
 * than like another instruction set. */
bool a64_looks_like(const char *text, size_t length);

#endif
