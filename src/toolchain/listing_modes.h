/* Finds lines that mean other code than the assembler would make of them: code of 16 or 32 bits,
 * numbers in another base, conditions of the C preprocessor. */
#ifndef PORTOLAN_TOOLCHAIN_LISTING_MODES_H
#define PORTOLAN_TOOLCHAIN_LISTING_MODES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "isa/isa.h"
#include "toolchain/margins.h"

/* The reason for code of 16 or 32 bits. Such a line is refused even if invalid lines are skipped,
 * because the other lines of the text may also mean other code. */
#define MODE_NARROW "32-bit or 16-bit code in place of 64-bit code"

/* a line number, from 1, with the reason */
struct mode_line { size_t number; const char *reason; };
struct mode_lines { VEC(struct mode_line) list; };

/* Appends such lines of @text to @out. @disassembly: whether the text is a disassembly. The caller
 * frees the list. */
void listing_modes_find(enum isa isa, bool disassembly, const char *text, size_t length,
                        const struct margins *m, struct mode_lines *out);

#endif
