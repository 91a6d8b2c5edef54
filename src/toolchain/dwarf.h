/* Prints libdw's data about a range of code as text, in a child process because a damaged file may
 * crash libdw. */
#ifndef PORTOLAN_TOOLCHAIN_DWARF_H
#define PORTOLAN_TOOLCHAIN_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of the ELF file that is open as @fd: bytes @start to @end of section @section, which has
 * address @address. Functions are only searched in the unit that contains byte @at. */
struct dwarf_wish {
    int fd;
    /* path of the file; separate debug files are searched for near it */
    const char *path;
    size_t section;
    uint64_t address, start, end, at;   /* address is 0 for a relocatable file */
    bool all;           /* whether to print the lines of all units; section and positions are then
                         * ignored */
};

/* Writes lines to @out, sorted by position: "F file" once; "R offset line name" per row, with the
 * offset in hexadecimal, the line in decimal, and the name to the line end (empty if not inlined);
 * "E offset" at the start of code without a line. For all units it writes "F file" at each change,
 * and "S section offset line" in line table order. For a linked file the section is 0 and the
 * offset is the address. Returns the child's exit status; 0 on success or if there are no data.
 * Loads libdw. Stops at a limit of entries. */
int dwarf_print(const struct dwarf_wish *wish, int out);

#endif
