/* AArch64's part of cleaning a listing. Internal to listing.c. */
#ifndef PORTOLAN_ISA_A64_LISTING_H
#define PORTOLAN_ISA_A64_LISTING_H

#include "base/str.h"

/* Skips the eight hex digits of the instruction word in objdump's text; @p if there are none or the
 * text is no @disassembly. */
const char *a64_word_end(const char *p, const char *end, bool disassembly);
/* Copies the line to @out without comments: // to the end, C comments (@in_comment lives over
 * lines), a line that begins with #, and what follows a semicolon unless it reads like a statement
 * (`mov x1, #111 ; .byte 213,3,32,31`). */
void a64_comments_cut(const char *p, const char *end, bool *in_comment, struct str *out);
/* Directives that the assembler gets besides those of listing.c. */
bool a64_directive_kept(const char *word, size_t length);
/* One statement of a disassembly with its branch target turned into the label of the line that has
 * this address. */
void a64_target_clean(const char *p, const char *end, unsigned section, struct str *out);

/* x0..x30, xzr, w.., v0.4s, z0.d, q0 and the like; not b and d ones, which may be hex. */
bool a64_is_register(const char *word, size_t length);
/* True when the text looks like AArch64 assembler: its registers, no x86 ones. */
bool a64_looks_like(const char *text, size_t length);

#endif
