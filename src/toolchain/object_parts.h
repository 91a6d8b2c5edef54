/* Further parts of an object that object.c reads, besides its symbols and code. */
#ifndef PORTOLAN_TOOLCHAIN_OBJECT_PARTS_H
#define PORTOLAN_TOOLCHAIN_OBJECT_PARTS_H

#include <gelf.h>

#include "toolchain/object.h"

/* object_lines.c: the line table that `as -g` writes. */

/* Fills the lines of @o from the @size bytes of .debug_line, DWARF 2 to 4; what cannot be read adds
 * none. Any thread. */
void object_lines_read(struct object *o, const uint8_t *bytes, size_t size);

/* unwind.c: functions of a program without symbols: by its unwind tables, else by the targets of
 * calls and the entry point. */

/* Adds to @o, whose symbols are sorted, the functions that no symbol names; @section is the number
 * of .eh_frame (0: none), @entry the address where the program begins. True when it added any: they
 * are to be sorted. Asks watch_steps. Any thread. */
bool unwind_functions(struct object *o, Elf *elf, size_t section, uint64_t entry);

#endif
