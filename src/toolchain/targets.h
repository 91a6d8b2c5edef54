/* Branch targets in a disassembly as labels, and operands that are addresses. */
#ifndef PORTOLAN_TOOLCHAIN_TARGETS_H
#define PORTOLAN_TOOLCHAIN_TARGETS_H

#include "toolchain/dialect.h"
#include "toolchain/listing.h"

/* Appends the label of <L5>, from @p to @end, in the last function. */
void target_label(const struct listing *l, const char *p, const char *end, struct str *out);
/* Appends an x86-64 statement: the address in `jne 1149 <main+0x10>` becomes the label of its
 * line. */
void target_clean(const struct listing *l, const char *p, const char *end, unsigned section,
                  struct str *out);
/* Appends a branch to `<L5>`, or to `<f+0x10>` if lines lack addresses, by @places; gives the
 * section of the target: for @places the function's number. Appends nothing for other instructions.
 * Unknown targets become the branch itself, since only lengths are needed. */
unsigned target_place(struct listing *l, const struct line_places *places, const char *p,
                      const char *end, unsigned section, struct str *out);

#endif
