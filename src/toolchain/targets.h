/* Where branches lead in a disassembly, as labels that its lines get; and operands that are places.
 * Any thread. */
#ifndef PORTOLAN_TOOLCHAIN_TARGETS_H
#define PORTOLAN_TOOLCHAIN_TARGETS_H

#include "toolchain/dialect.h"
#include "toolchain/listing.h"

/* Appends the label of the place <L5>, from @p to @end, of the function that began last. */
void target_label(const struct listing *l, const char *p, const char *end, struct str *out);
/* Appends a statement of x86-64: `jne 1149 <main+0x10>`: its address becomes the label of the line
 * that has it. */
void target_clean(const struct listing *l, const char *p, const char *end, unsigned section,
                  struct str *out);
/* Appends a branch to `<L5>`, or `<f+0x10>` if the lines have no addresses, with the place from
 * @places, and gives the section of that place: for @places the number of the function. Appends
 * nothing for other instructions. Places that are not counted yet become the branch itself, since
 * only lengths are needed. */
unsigned target_place(struct listing *l, const struct line_places *places, const char *p,
                      const char *end, unsigned section, struct str *out);

#endif
