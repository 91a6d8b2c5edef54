/* Parts of an object that object.c does not read itself, and the reader of their numbers. */
#ifndef PORTOLAN_TOOLCHAIN_OBJECT_PARTS_H
#define PORTOLAN_TOOLCHAIN_OBJECT_PARTS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toolchain/object.h"

/* object_lines.c: the line table of `as -g` */

/* Fills the lines of @o from @size bytes of .debug_line, DWARF 2 to 4. Ignores parts that it cannot
 * parse. */
void object_lines_read(struct object *o, const uint8_t *bytes, size_t size);

/* Adds functions without a symbol to @o, whose symbols are sorted. The source is unwind tables, or
 * in a file without symbols and unwind tables, call targets and the entry point. @section: index of
 * .eh_frame; 0: none. @entry: address of the entry point. The added functions are not sorted.
 * Returns whether there are any. Polls watch_steps. */
bool unwind_functions(struct object *o, Elf *elf, size_t section, uint64_t entry);

/* bounded reader of tables of little-endian numbers; any thread may use it */
struct byte_cursor {
    const uint8_t *at, *end;
    /* whether the reader passed the end, or a number was too long; after the end it returns only
     * zeros */
    bool over;
};

/* Reads the next @size bytes, at most 8, as a number. */
uint64_t cursor_fixed(struct byte_cursor *r, size_t size);
/* Reads the next LEB128 number. */
uint64_t cursor_leb(struct byte_cursor *r, bool is_signed);

#endif
