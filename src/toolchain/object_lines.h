/* The line table that `as -g` writes. */
#ifndef PORTOLAN_TOOLCHAIN_OBJECT_LINES_H
#define PORTOLAN_TOOLCHAIN_OBJECT_LINES_H

#include "toolchain/object.h"

/* Fills the lines of @o from the @size bytes of .debug_line, DWARF 2 to 4; what cannot be read adds
 * none. Any thread. */
void object_lines_read(struct object *o, const uint8_t *bytes, size_t size);

#endif
