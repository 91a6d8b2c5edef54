/* Reads ELF files: executable sections, symbols, and the line table of an assembled text. */
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
    OBJECT_LINES = 1,       /* line table, only of a one-section file from `as -g` */
    OBJECT_NAMES = 4,       /* names that the code refers to: references and PLT stubs
                             * (object_names.c) */
    /* also functions without a symbol, named by address: from unwind tables, else from calls and
     * the entry point */
    OBJECT_FUNCTIONS = 2,
};

struct object_section {
    char *name;
    size_t index;         /* ELF section number */
    uint64_t address;     /* 0 in relocatable files */
    uint64_t file_offset;
    size_t offset, size;  /* in object.code */
    /* base of instruction offsets (struct insn.offset): the address; in relocatable files a unique
     * position per section */
    uint64_t position;
};

struct object_symbol {
    char *name;
    uint64_t offset;      /* in object.code */
    /* if missing in the file: to the next function, or the end of the section */
    uint64_t size;
    uint64_t limit;       /* end of its section, in object.code */
    bool function;        /* STT_FUNC, or global */
    bool nameless;        /* without a symbol; named by its address */
};

/* A stub that calls a function of another file. */
struct object_stub {
    uint64_t address;
    uint64_t file_offset;
    char *name;           /* "puts@plt" */
};

struct object_line { uint64_t offset; uint32_t line; };

/* Code of all executable sections: a consecutive copy for a small file; the mapped file, with bytes
 * between sections, for a large one. */
struct object {
    enum isa isa;
    uint8_t *code;
    size_t length;                         /* bytes of code in all sections */
    /* sections are consecutive from 0 on; if not, each is at its offset */
    bool together;
    struct mapped file;                    /* mapped code, which must not change */
    /* path of the file, for further reading */
    char *path;
    /* offset of an archive member, else 0; size */
    uint64_t begin, bytes;
    VEC(struct object_section) sections;   /* by offset */
    bool ascending;                        /* positions ascend as well */
    VEC(struct object_symbol) symbols;     /* those in executable sections, by offset */
    VEC(struct object_line) lines;         /* only on request */
    VEC(struct code_reference) references;   /* only on request, by place */
    VEC(struct object_stub) stubs;         /* only on request, by address */
};

/* Reads an x86-64 or AArch64 (little-endian) ELF file, or an archive member lib.a(member.o), and
 * the requested @parts. Polls watch_steps. object_done frees @out in both cases. */
bool object_read(const char *path, unsigned parts, struct object *out, struct err *err);
/* The same for a member of an archive that was read. */
struct archive_member;
bool object_read_member(const struct archive_member *member, unsigned parts, struct object *out,
                        struct err *err);
void object_done(struct object *o);
/* Returns whether the file at @path still has all code read so far, since another program may
 * truncate it. False with err. */
bool object_whole(const struct object *o, const char *path, struct err *err);
/* Returns the function or label called @name, or NULL. */
const struct object_symbol *object_symbol_find(const struct object *o, const char *name);

/* Address of byte @place of @o's code in the file; in a relocatable file the offset in its
 * section. */
uint64_t object_address(const struct object *o, uint64_t place);
/* Returns the section with byte @place of the code, or NULL. */
const struct object_section *object_section_at(const struct object *o, uint64_t place);
/* Converts byte @place of @o's code to an instruction offset (struct insn.offset), and back;
 * UINT64_MAX outside executable sections. */
uint64_t object_position(const struct object *o, uint64_t place);
uint64_t object_position_place(const struct object *o, uint64_t position);
/* Byte of @o's code at an address; UINT64_MAX outside executable sections. */
uint64_t object_address_place(const struct object *o, uint64_t address);
/* Byte of @o's code at file offset @file_offset; UINT64_MAX outside executable sections. */
uint64_t object_place(const struct object *o, uint64_t file_offset);
/* File offset of byte @place of @o's code; @place outside all sections. */
uint64_t object_file_offset(const struct object *o, uint64_t place);

/* object_names.c: names that an ELF file's code refers to: symbols, relocations and PLT stubs. */

struct Elf;   /* of libelf */

/* A string table. elf_strptr scans an unterminated one for every name: such a table is ignored. */
struct elf_strings {
    const char *bytes;
    size_t length;
};
/* Returns the table in section @index, borrowed. */
struct elf_strings elf_strings_at(struct Elf *elf, size_t index);
/* NULL: there is no name. */
const char *elf_string(const struct elf_strings *s, size_t at);

/* Fills references of a relocatable file, or stubs of another one. @length: bytes of the file,
 * which limit both. Polls watch_steps. False with err when they exceed that. */
bool object_names_read(struct object *o, struct Elf *elf, bool relocatable, size_t length,
                       struct err *err);
void object_names_done(struct object *o);

/* Returns the function around byte @place: the nearest before it that extends so far, or NULL. */
const struct object_symbol *object_function_at(const struct object *o, uint64_t place);
/* Returns the stub with the code at @file_offset, or NULL. */
const struct object_stub *object_stub_at(const struct object *o, uint64_t file_offset);
/* Appends the symbol at @position (object_position): "puts@plt", "f", "f+0x28". False, with nothing
 * appended, if no symbol extends that far. */
bool object_name_add(const struct object *o, uint64_t position, struct str *out);
/* Returns the reference within @length bytes of code from @place on, or NULL. */
const struct code_reference *object_reference_in(const struct object *o, uint64_t place,
                                                 size_t length);

#endif
