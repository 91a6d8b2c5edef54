/* Computes offsets of instructions in a disassembly without addresses and bytes (objdump
 * --no-addresses --no-show-raw-insn). Branches of such a text name offsets in functions, such as
 * `jne <f+0x10>`. The offsets are computed from the assembled text. */
#ifndef PORTOLAN_TOOLCHAIN_LINE_PLACES_H
#define PORTOLAN_TOOLCHAIN_LINE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/vec.h"
#include "isa/assembled.h"

struct line_place {
    uint32_t function;   /* index of the function, from 1; 0: the line has no offset */
    uint64_t offset;     /* offset of the line in the function, in bytes */
};

struct line_places {
    VEC(struct line_place) lines;     /* one element per line of the text */
    /* names of functions; the index of a name is the function's number minus 1 */
    struct names functions;
    VEC(bool) known;             /* per function: whether its instructions have offsets */
    bool counted;                /* whether line_places_find has computed the offsets */
};

/* Returns whether the trimmed line from @p to @end is the heading of a function, `<f>:`. */
bool line_places_heading(const char *p, const char *end);
/* Returns whether the text from @p to @end is a label such as <L5> of llvm-objdump
 * --symbolize-operands. The same labels occur in other functions. */
bool line_places_is_local(const char *p, const char *end);
/* Returns whether the mnemonic from @p to @end may be a branch or call, according to its first
 * letters. */
bool line_places_is_branch(enum isa isa, const char *p, const char *end);
/* Computes the offsets of the lines of @text. @a is the result of assembling it with dummy branch
 * targets. A function's offsets are valid if each branch target is the start of an instruction. The
 * caller frees @out with line_places_done. */
void line_places_find(const struct assembled *a, const char *text, size_t length,
                      struct line_places *out);
/* Returns the function and offset that `<f+0x10>` from @p to @end names. The function is 0 if it is
 * unknown. */
struct line_place line_places_named(const struct line_places *places, const char *p,
                                    const char *end);
void line_places_done(struct line_places *places);

#endif
