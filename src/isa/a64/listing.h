/* AArch64 part of the listing reader. Internal to listing.c. */
#ifndef PORTOLAN_ISA_A64_LISTING_H
#define PORTOLAN_ISA_A64_LISTING_H

#include "base/str.h"

/* Skips the eight hex digits of the instruction word in objdump's text. Returns @p if there are
 * none, or if the text is no @disassembly. */
const char *a64_word_end(const char *p, const char *end, bool disassembly);
/* Copies the line to @out without comments. Comments are // to the end of the line, C comments
 * (@in_comment is kept between lines), lines that begin with #, and text after a semicolon unless
 * it is a statement (`mov x1, #111 ; .byte 213,3,32,31`). */
void a64_comments_cut(const char *p, const char *end, bool *in_comment, struct str *out);
/* Returns whether the assembler needs the directive, in addition to those of listing.c. */
bool a64_directive_kept(const char *word, size_t length);
/* Replaces the branch target of a disassembled statement by the label of the line with that
 * address. */
void a64_target_clean(const char *p, const char *end, unsigned section, struct str *out);

/* Returns whether the word is a register like x0..x30, xzr, w0, v0.4s, z0.d, q0. Excludes b and d
 * registers, which may be hex numbers. */
bool a64_is_register(const char *word, size_t length);
/* Returns whether the text has AArch64 registers and no x86 ones. */
bool a64_looks_like(const char *text, size_t length);

#endif
