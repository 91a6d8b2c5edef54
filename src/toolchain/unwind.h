/* Functions of a program without symbols: by its unwind tables, else by the targets of calls and
 * the entry point. */
#ifndef PORTOLAN_TOOLCHAIN_UNWIND_H
#define PORTOLAN_TOOLCHAIN_UNWIND_H

#include <gelf.h>

#include "toolchain/object.h"

/* Adds to @o, whose symbols are sorted, the functions that no symbol names; @section is the number
 * of .eh_frame (0: none), @entry the address where the program begins. True when it added any: they
 * are to be sorted. Asks watch_steps. Any thread. */
bool unwind_functions(struct object *o, Elf *elf, size_t section, uint64_t entry);

#endif
