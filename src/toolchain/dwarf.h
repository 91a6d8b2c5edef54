/* Prints libdw's data on a piece of code as text, in a child process, which a damaged file may
 * crash. */
#ifndef PORTOLAN_TOOLCHAIN_DWARF_H
#define PORTOLAN_TOOLCHAIN_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of an ELF file open as @fd: bytes @start to @end of section @section, which has address
 * @address; in the unit and function of byte @at. */
struct dwarf_wish {
    int fd;
    /* path near which separate debug files are searched */
    const char *path;
    size_t section;
    uint64_t address, start, end, at;   /* address 0 for a relocatable file */
    bool all;           /* the lines of all units instead; section and positions are ignored */
};

/* Writes to @out, by position: "F file" once, then per row "R offset line name" in hexadecimal,
 * decimal and the rest of the line (empty: not inlined), "E offset" where code has no line. For all
 * units: "F file" at each change, and "S section offset line" (a linked file: section 0 and the
 * address), in line table order. Returns the child's exit status, 0 also without data. Loads libdw;
 * stops at a limit of entries. */
int dwarf_print(const struct dwarf_wish *wish, int out);

#endif
