/* Offsets of instructions in a disassembly without addresses and bytes (objdump --no-addresses
 * --no-show-raw-insn). Branches there name offsets in functions, `jne <f+0x10>`, which are computed
 * from the assembled text. */
#ifndef PORTOLAN_TOOLCHAIN_LINE_PLACES_H
#define PORTOLAN_TOOLCHAIN_LINE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/vec.h"
#include "isa/assembled.h"

struct line_place {
    uint32_t function;   /* number, from 1; 0: the line has no offset */
    uint64_t offset;     /* in it, in bytes */
};

struct line_places {
    VEC(struct line_place) lines;     /* per line of the text */
    struct names functions;      /* by number, from 0 */
    VEC(bool) known;             /* per function: its instructions have offsets */
    bool counted;                /* line_places_find was called */
};

/* Returns whether the trimmed line from @p to @end is the heading of a function, `<f>:`. */
bool line_places_heading(const char *p, const char *end);
/* Returns whether <L5> is at @p to @end, a label that llvm-objdump --symbolize-operands makes; not
 * unique between functions. */
bool line_places_is_local(const char *p, const char *end);
/* Returns whether the mnemonic from @p to @end is a branch or call. */
bool line_places_is_branch(enum isa isa, const char *p, const char *end);
/* Computes the offsets of the lines of @text; @a was assembled from it with dummy branch targets. A
 * function is known if instructions are at all branch targets. line_places_done frees. */
void line_places_find(const struct assembled *a, const char *text, size_t length,
                      struct line_places *out);
/* The place `<f+0x10>` from @p to @end; function 0: none. */
struct line_place line_places_named(const struct line_places *places, const char *p,
                                    const char *end);
void line_places_done(struct line_places *places);

#endif
