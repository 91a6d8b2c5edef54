/* What an ELF file calls the places that its code refers to: symbols, references that a linker is to fill in, and stubs of the procedure linkage table. */
#ifndef PORTOLAN_TOOLCHAIN_OBJECT_NAMES_H
#define PORTOLAN_TOOLCHAIN_OBJECT_NAMES_H

#include <gelf.h>

#include "toolchain/object.h"

/* A table of names. elf_strptr looks at all of one that has no end for every name: such a table has none. */
struct elf_strings {
    const char *bytes;
    size_t length;
};
/* The one in section @index, borrowed. */
struct elf_strings elf_strings_at(Elf *elf, size_t index);
/* NULL: there is no name. */
const char *elf_string(const struct elf_strings *s, size_t at);

/* Fills references of a relocatable file, stubs of another one. @length: bytes of the file, which bound both. Asks watch_steps. False with err when they claim more than
 * there is. */
bool object_names_read(struct object *o, Elf *elf, bool relocatable, size_t length, struct err *err);
void object_names_done(struct object *o);

/* The function around byte @place of the code: of those that begin before it the nearest that reaches so far; NULL: none. Any thread. */
const struct object_symbol *object_function_at(const struct object *o, uint64_t place);
/* The stub with the code at @file_offset; NULL: none. Any thread. */
const struct object_stub *object_stub_at(const struct object *o, uint64_t file_offset);
/* Appends what stands at @position (object_position), as the file has it: "puts@plt", "f", "f+0x28". False, nothing appended, where no symbol reaches so far. Any thread. */
bool object_name_add(const struct object *o, uint64_t position, struct str *out);
/* The reference within the @length bytes of code from @place on; NULL: none. Any thread. */
const struct code_reference *object_reference_in(const struct object *o, uint64_t place, size_t length);

#endif
