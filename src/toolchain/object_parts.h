/* Parts of an object besides symbols and code, for object.c. */
#ifndef PORTOLAN_TOOLCHAIN_OBJECT_PARTS_H
#define PORTOLAN_TOOLCHAIN_OBJECT_PARTS_H

#include <gelf.h>

#include "toolchain/object.h"

/* object_lines.c: the line table of `as -g`. */

/* Fills the lines of @o from @size bytes of .debug_line, DWARF 2 to 4; ignores unreadable parts. */
void object_lines_read(struct object *o, const uint8_t *bytes, size_t size);

/* unwind.c: functions of a program without symbols, from unwind tables, else from call targets and
 * the entry point. */

/* Adds to @o, whose symbols are sorted, functions without a symbol; @section is the number of
 * .eh_frame (0: none), @entry the entry address. Returns whether any were added, unsorted. Polls
 * watch_steps. */
bool unwind_functions(struct object *o, Elf *elf, size_t section, uint64_t entry);

#endif
