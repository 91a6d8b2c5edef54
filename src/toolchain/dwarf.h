/* libdw's data on a piece of code, as lines of text: for a child process, which a damaged file may
 * kill. */
#ifndef PORTOLAN_TOOLCHAIN_DWARF_H
#define PORTOLAN_TOOLCHAIN_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of an ELF file open as @fd: bytes @start to @end of section @section, whose address is
 * @address; of the unit and the function around byte @at. */
struct dwarf_wish {
    int fd;
    /* path near which separate debug files are looked for */
    const char *path;
    size_t section;
    uint64_t address, start, end, at;   /* of a relocatable file the address is 0 */
    bool all;           /* the lines of all units instead; section and places are not read */
};

/* Writes to @out, by place: "F file", once, then for each row "R offset line name" in hexadecimal,
 * decimal and the rest of the line (empty: not inlined), "E offset" where code has no line. Of all
 * units it writes "F file" where the file changes and "S section offset line" (a linked file:
 * section 0, and the address), in the order of the line tables. Returns the child's exit status: 0,
 * also where there is nothing. Loads libdw; counts what it looks at, and stops beyond a limit. */
int dwarf_print(const struct dwarf_wish *wish, int out);

#endif
