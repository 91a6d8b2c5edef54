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
    OBJECT_LINES = 1,       /* the line table, only for files of `as -g` with one code section */
    /* the names to which the code refers: references and PLT stubs (object_names.c) */
    OBJECT_NAMES = 4,
    /* functions without a symbol, named by their address. The source is unwind tables, or in a file
     * without symbols and unwind tables, calls and the entry point. */
    OBJECT_FUNCTIONS = 2,
};

struct object_section {
    char *name;
    size_t index;         /* index of the section in the ELF file */
    uint64_t address;     /* address of the section; 0 in relocatable files */
    uint64_t file_offset;
    size_t offset, size;  /* range of the section in object.code, in bytes */
    /* base of instruction offsets (struct insn.offset): the address, or, in relocatable files, a
     * number that no other section has */
    uint64_t position;
};

struct object_symbol {
    char *name;
    uint64_t offset;      /* offset in object.code */
    /* size in bytes; if the symbol has no size, the distance to the next function or the end of
     * the section */
    uint64_t size;
    uint64_t limit;       /* end of the symbol's section in object.code */
    bool function;        /* whether the symbol is STT_FUNC, STT_GNU_IFUNC or not local */
    bool nameless;        /* whether the function has no symbol and is named by its address */
};

/* A stub that calls a function of another file */
struct object_stub {
    uint64_t address;
    uint64_t file_offset;
    char *name;           /* name of the called function, such as "puts@plt" */
};

struct object_line { uint64_t offset; uint32_t line; };

/* Code of all executable sections. Small files are copied, with consecutive sections. Large files
 * are mapped, with other bytes between sections. */
struct object {
    enum isa isa;
    uint8_t *code;
    size_t length;                         /* number of code bytes in all sections */
    /* whether sections are consecutive from 0; if not, their offsets are file offsets */
    bool together;
    struct mapped file;                    /* the mapped file; it must not change */
    /* path of the file, which may be read again */
    char *path;
    /* @begin: offset of the archive member; 0: the file is not an archive. @bytes: size of the
     * member. */
    uint64_t begin, bytes;
    VEC(struct object_section) sections;   /* sections by offset */
    /* whether sections are sorted both by position and by offset */
    bool ascending;
    VEC(struct object_symbol) symbols;     /* symbols in executable sections, by offset */
    VEC(struct object_line) lines;         /* line table, only if requested */
    /* references to names, only if requested, sorted by place */
    VEC(struct code_reference) references;
    /* stubs of functions, only if requested, sorted by address */
    VEC(struct object_stub) stubs;
};

/* Reads an x86-64 or AArch64 (little-endian) ELF file, or an archive member lib.a(member.o), with
 * the requested @parts. Polls watch_steps. Returns false with err on failure. The caller always
 * frees @out with object_done. */
bool object_read(const char *path, unsigned parts, struct object *out, struct err *err);
/* Does the same as object_read for a member of an archive that was already read. */
struct archive_member;
bool object_read_member(const struct archive_member *member, unsigned parts, struct object *out,
                        struct err *err);
void object_done(struct object *o);
/* Returns whether the file at @path still contains all code that was read. Returns false with err
 * if another program truncated it. */
bool object_whole(const struct object *o, const char *path, struct err *err);
/* Returns the function or label called @name; NULL: none. */
const struct object_symbol *object_symbol_find(const struct object *o, const char *name);

/* Returns the address of byte @place of @o's code in the file, or for a relocatable file the offset
 * in its section. Returns @place outside of executable sections. */
uint64_t object_address(const struct object *o, uint64_t place);
/* Returns the section that contains byte @place of the code; NULL: none. */
const struct object_section *object_section_at(const struct object *o, uint64_t place);
/* object_position converts byte @place of @o's code to an instruction offset (struct insn.offset),
 * and object_position_place converts back. Outside of executable sections, object_position returns
 * @place, and object_position_place UINT64_MAX. */
uint64_t object_position(const struct object *o, uint64_t place);
uint64_t object_position_place(const struct object *o, uint64_t position);
/* Returns the offset in @o's code of the byte at an address, or UINT64_MAX outside of executable
 * sections. */
uint64_t object_address_place(const struct object *o, uint64_t address);
/* Returns the offset in @o's code of the byte at file offset @file_offset, or UINT64_MAX outside of
 * executable sections. */
uint64_t object_place(const struct object *o, uint64_t file_offset);
/* Returns the file offset of byte @place of @o's code, or @place outside of all sections. */
uint64_t object_file_offset(const struct object *o, uint64_t place);


struct Elf;   /* declared by libelf */

/* A string table. Tables without a final zero are ignored, because elf_strptr would scan the whole
 * table for every name. */
struct elf_strings {
    const char *bytes;
    size_t length;
};
/* Returns the table in section @index, borrowed from @elf. */
struct elf_strings elf_strings_at(struct Elf *elf, size_t index);
/* Returns the name at offset @at, or NULL if there is none. */
const char *elf_string(const struct elf_strings *s, size_t at);

/* Reads the references of a relocatable file, or the stubs of any other file. @length: size of the
 * file in bytes, which limits the number of references. Polls watch_steps. Returns false with err
 * above the limit. */
bool object_names_read(struct object *o, struct Elf *elf, bool relocatable, size_t length,
                       struct err *err);
void object_names_done(struct object *o);

/* Returns the function that contains byte @place, or NULL. If several functions contain the byte,
 * returns the one that begins last. */
const struct object_symbol *object_function_at(const struct object *o, uint64_t place);
/* Returns the stub with the code at @file_offset; NULL: none. */
const struct object_stub *object_stub_at(const struct object *o, uint64_t file_offset);
/* Appends the symbol at @position (object_position): "puts@plt", "f", "f+0x28". Returns false, with
 * nothing appended, if no symbol contains the position. */
bool object_name_add(const struct object *o, uint64_t position, struct str *out);
/* Returns the reference within the @length bytes of code from @place; NULL: none. */
const struct code_reference *object_reference_in(const struct object *o, uint64_t place,
                                                 size_t length);

#endif
