/* ELF files: executable sections, symbols, the line table of an assembled text. */
#ifndef PORTOLAN_TOOLCHAIN_OBJECT_H
#define PORTOLAN_TOOLCHAIN_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/fault.h"
#include "base/str.h"
#include "base/vec.h"
#include "isa/assembled.h"
#include "isa/isa.h"

enum object_parts {
    OBJECT_LINES = 1,       /* its line table: only of a one-section file by `as -g` */
    OBJECT_NAMES = 4,       /* what its code refers to: references and stubs (object_names.c) */
    /* functions without a symbol too, named by their addresses: from unwind tables, else from calls
     * and the entry point */
    OBJECT_FUNCTIONS = 2,
};

struct object_section {
    char *name;
    size_t index;         /* ELF section number */
    uint64_t address;     /* 0 in relocatable files */
    uint64_t file_offset;
    size_t offset, size;  /* in object.code */
    /* what instructions are counted from (struct insn.offset): the address, in relocatable files a
     * place that no other section has */
    uint64_t position;
};

struct object_symbol {
    char *name;
    uint64_t offset;      /* in object.code */
    /* where the file gives none: to the next function, or the end of the section */
    uint64_t size;
    uint64_t limit;       /* where its section ends, in object.code */
    bool function;        /* STT_FUNC, or global */
    bool nameless;        /* found without a symbol; the name is its address */
};

/* A stub through which functions of other files are called. */
struct object_stub {
    uint64_t address;
    uint64_t file_offset;
    char *name;           /* "puts@plt" */
};

struct object_line { uint64_t offset; uint32_t line; };

/* Code of all executable sections: of a small file a copy, in sequence; of a large one the mapped
 * file, with all bytes between them. */
struct object {
    enum isa isa;
    uint8_t *code;
    size_t length;                         /* bytes of code in all sections */
    /* they follow one another from 0 on; else each is at its offset only */
    bool together;
    struct mapped file;                    /* where code stays in it, and must not be changed */
    /* of the file that it was read from, to read more of it */
    char *path;
    /* of the ELF file in it: the place of a member of an archive, else 0; its size */
    uint64_t begin, bytes;
    VEC(struct object_section) sections;   /* by offset */
    bool ascending;                        /* their positions ascend, too */
    VEC(struct object_symbol) symbols;     /* those in executable sections, by offset */
    VEC(struct object_line) lines;         /* only when asked for */
    VEC(struct code_reference) references;   /* likewise, by place */
    VEC(struct object_stub) stubs;         /* likewise, by address */
};

/* Reads an x86-64 or AArch64 (little-endian) ELF file, and besides of it @parts; lib.a(member.o) is
 * one in an archive. Asks watch_steps. object_done frees @out in both cases. Any thread. */
bool object_read(const char *path, unsigned parts, struct object *out, struct err *err);
/* The same of a member of an archive that was read. */
struct archive_member;
bool object_read_member(const struct archive_member *member, unsigned parts, struct object *out,
                        struct err *err);
void object_done(struct object *o);
/* Whether all that was read so far of @o's code was in the file at @path: another program may make
 * it shorter meanwhile. False with err. */
bool object_whole(const struct object *o, const char *path, struct err *err);
/* The function or label called @name; NULL when there is none. */
const struct object_symbol *object_symbol_find(const struct object *o, const char *name);

/* The address that the file gives byte @place of @o's code; in a relocatable file the place in its
 * section. */
uint64_t object_address(const struct object *o, uint64_t place);
/* The section with byte @place of the code; NULL: none. Any thread. */
const struct object_section *object_section_at(const struct object *o, uint64_t place);
/* Offset (struct insn.offset) of the instruction at byte @place of @o's code; and back, UINT64_MAX
 * when no executable section has it. Any thread. */
uint64_t object_position(const struct object *o, uint64_t place);
uint64_t object_position_place(const struct object *o, uint64_t position);
/* The byte of @o's code at an address of the file; UINT64_MAX when no executable section has it. */
uint64_t object_address_place(const struct object *o, uint64_t address);
/* Place of byte @file_offset of the file in @o's code; UINT64_MAX when no executable section has
 * it. */
uint64_t object_place(const struct object *o, uint64_t file_offset);
/* Offset in the file of byte @place of @o's code; @place when no section has it. Any thread. */
uint64_t object_file_offset(const struct object *o, uint64_t place);

/* object_names.c: names of the places that an ELF file's code refers to: symbols, references that a
 * linker fills in, and stubs of the procedure linkage table. */

struct Elf;   /* of libelf */

/* A table of names. elf_strptr looks at all of one that has no end for every name: such a table has
 * none. */
struct elf_strings {
    const char *bytes;
    size_t length;
};
/* The one in section @index, borrowed. */
struct elf_strings elf_strings_at(struct Elf *elf, size_t index);
/* NULL: there is no name. */
const char *elf_string(const struct elf_strings *s, size_t at);

/* Fills references of a relocatable file, stubs of another one. @length: bytes of the file, which
 * bound both. Asks watch_steps. False with err when they claim more than there is. */
bool object_names_read(struct object *o, struct Elf *elf, bool relocatable, size_t length,
                       struct err *err);
void object_names_done(struct object *o);

/* The function around byte @place of the code: of those that begin before it the nearest that
 * reaches so far; NULL: none. Any thread. */
const struct object_symbol *object_function_at(const struct object *o, uint64_t place);
/* The stub with the code at @file_offset; NULL: none. Any thread. */
const struct object_stub *object_stub_at(const struct object *o, uint64_t file_offset);
/* Appends the symbol at @position (object_position) as the file has it: "puts@plt", "f", "f+0x28".
 * False, nothing appended, if no symbol reaches that far. Any thread. */
bool object_name_add(const struct object *o, uint64_t position, struct str *out);
/* The reference within the @length bytes of code from @place on; NULL: none. Any thread. */
const struct code_reference *object_reference_in(const struct object *o, uint64_t place,
                                                 size_t length);

#endif
