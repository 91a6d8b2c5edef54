/* Places of instructions in a disassembly that has neither their addresses nor their bytes (objdump
 * --no-addresses --no-show-raw-insn): its branches name places of functions, `jne <f+0x10>`, which
 * are counted from what an assembler makes of the text. */
#ifndef PORTOLAN_TOOLCHAIN_LINE_PLACES_H
#define PORTOLAN_TOOLCHAIN_LINE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/vec.h"
#include "isa/assembled.h"

struct line_place {
    uint32_t function;   /* its number, from 1; 0: the line has no place */
    uint64_t offset;     /* in it, in bytes */
};

struct line_places {
    VEC(struct line_place) lines;     /* one per line of the text */
    struct names functions;      /* by their numbers, from 0 */
    VEC(bool) known;             /* of each: its instructions have places */
    bool counted;                /* line_places_find has been here */
};

/* Whether the line from @p to @end, without blanks around, is the heading of a function, `<f>:`. */
bool line_places_heading(const char *p, const char *end);
/* Whether <L5> stands from @p to @end, which llvm-objdump --symbolize-operands gives a place of a
 * function: others have the same. */
bool line_places_is_local(const char *p, const char *end);
/* Whether the mnemonic from @p to @end is of a branch or call. */
bool line_places_is_branch(enum isa isa, const char *p, const char *end);
/* Counts the places of the lines of @text, of which @a was made with branches that lead nowhere. A
 * function is known where an instruction stands wherever branches lead in it. line_places_done
 * frees. */
void line_places_find(const struct assembled *a, const char *text, size_t length,
                      struct line_places *out);
/* The place that `<f+0x10>` from @p to @end names; function 0: none. */
struct line_place line_places_named(const struct line_places *places, const char *p,
                                    const char *end);
void line_places_done(struct line_places *places);

#endif
