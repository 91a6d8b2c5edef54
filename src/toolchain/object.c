/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/object.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/watch.h"

#define CODE_LIMIT ((size_t)256 << 20)

/* A bounded reader of .debug_line; reading past the end gives zeros and sets @over. */
struct byte_cursor {
    const uint8_t *at, *end;
    bool over;
};

static uint64_t read_fixed(struct byte_cursor *r, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < size) {
        r->over = true;
        r->at = r->end;
        return 0;
    }
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)r->at[i] << (8 * i);
    r->at += size;
    return value;
}

static uint64_t read_leb(struct byte_cursor *r, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = (uint8_t)read_fixed(r, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while ((byte & 128) && !r->over);
    if (is_signed && (byte & 64) && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return value;
}

static void line_push(struct object *o, uint64_t offset, uint64_t line)
{
    struct object_line row = {offset, (uint32_t)line};
    if (o->lines.count && o->lines.items[o->lines.count - 1].offset == offset)
        o->lines.items[o->lines.count - 1] = row;
    else
        vec_add(&o->lines, row);
}

/* The statement program of DWARF 2 to 4, section 6.2; the file has one code section, so addresses are offsets in it. */
static void lines_read(struct object *o, const uint8_t *bytes, size_t size)
{
    struct byte_cursor r = {bytes, bytes + size, false};
    uint64_t length = read_fixed(&r, 4);
    if (length < (uint64_t)(r.end - r.at))
        r.end = r.at + length;
    uint64_t version = read_fixed(&r, 2);
    if (version < 2 || version > 4)
        return;
    uint64_t header = read_fixed(&r, 4);
    if (header > (uint64_t)(r.end - r.at))
        return;
    const uint8_t *program = r.at + header;
    uint64_t unit = read_fixed(&r, 1);
    if (version >= 4)
        read_fixed(&r, 1);
    read_fixed(&r, 1);
    int64_t line_base = (int8_t)read_fixed(&r, 1);
    uint64_t line_range = read_fixed(&r, 1), opcode_base = read_fixed(&r, 1);
    uint8_t operands[256] = {0};
    for (uint64_t i = 1; i < opcode_base; i++)
        operands[i] = (uint8_t)read_fixed(&r, 1);
    if (r.over || line_range == 0)
        return;
    r.at = program;
    uint64_t address = 0, line = 1;
    while (r.at < r.end && !r.over) {
        uint64_t op = read_fixed(&r, 1);
        if (op >= opcode_base) {
            address += (op - opcode_base) / line_range * unit;
            line += (uint64_t)(line_base + (int64_t)((op - opcode_base) % line_range));
            line_push(o, address, line);
        } else if (op == 0) {
            uint64_t n = read_leb(&r, false);
            if (n == 0 || n > (uint64_t)(r.end - r.at))
                return;
            const uint8_t *next = r.at + n;
            uint64_t extended = read_fixed(&r, 1);
            if (extended == 1) {
                address = 0;
                line = 1;
            } else if (extended == 2) {
                address = read_fixed(&r, n - 1 < 8 ? (size_t)(n - 1) : 8);
            }
            r.at = next;
        } else if (op == 1) {
            line_push(o, address, line);
        } else if (op == 2) {
            address += read_leb(&r, false) * unit;
        } else if (op == 3) {
            line += read_leb(&r, true);
        } else if (op == 8) {
            address += (255 - opcode_base) / line_range * unit;
        } else if (op == 9) {
            address += read_fixed(&r, 2);
        } else {
            for (unsigned i = 0; i < operands[op]; i++)
                read_leb(&r, false);
        }
    }
}

static int symbol_order(const void *a, const void *b)
{
    const struct object_symbol *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->function != y->function)
        return x->function ? -1 : 1;
    return strcmp(x->name, y->name);
}

#define NO_SECTION UINT32_MAX

/* What a file of its size may come to: tables that overlap, and names that share their ends, say more than there is. */
struct budget {
    size_t symbols, names;       /* bytes of all names */
};

static bool spend(struct budget *left, size_t symbols, size_t names, struct err *err)
{
    if (symbols > left->symbols || names > left->names)
        return err_set(err, ERR_LIMIT, "build the file again", "its symbols or names overlap");
    left->symbols -= symbols;
    left->names -= names;
    return !watch_steps(1 + names / 100) || watch_goes_on(err);
}

/* A table of names. elf_strptr looks at all of one that has no end for every name: such a table has none. */
struct strings {
    const char *bytes;
    size_t length;
};

static struct strings strings_at(Elf *elf, size_t index)
{
    Elf_Scn *scn = elf_getscn(elf, index);
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
    const char *bytes = data ? data->d_buf : NULL;

    return bytes && data->d_size && !bytes[data->d_size - 1] ? (struct strings){bytes, data->d_size} : (struct strings){NULL, 0};
}

static const char *string_of(const struct strings *s, size_t at)
{
    return at < s->length ? s->bytes + at : NULL;
}

/* By the index in the file: which of ours a section is. */
struct section_map {
    uint32_t *items;
    size_t count;
};

static void sections_map(const struct object *o, struct section_map *out)
{
    for (size_t i = 0; i < o->sections.count; i++)
        out->count = o->sections.items[i].index + 1 > out->count ? o->sections.items[i].index + 1 : out->count;
    out->items = mem_alloc((out->count + 1) * sizeof *out->items);
    for (size_t i = 0; i < out->count; i++)
        out->items[i] = NO_SECTION;
    for (size_t i = 0; i < o->sections.count; i++)
        out->items[o->sections.items[i].index] = (uint32_t)i;
    steps_add(out->count);
}

/* Symbols without a size reach to the next function or the end of their section. */
static void symbols_bound(struct object *o)
{
    uint64_t next = UINT64_MAX, at = UINT64_MAX;   /* where the nearest function past @at begins, and past what is being looked at */
    uint64_t function = UINT64_MAX;

    for (size_t i = o->symbols.count; i-- > 0;) {
        struct object_symbol *s = &o->symbols.items[i];
        if (s->offset != at) {
            next = function;
            at = s->offset;
        }
        if (s->function)
            function = s->offset;
        if (!s->size)
            s->size = (next < s->limit ? next : s->limit) - s->offset;
        steps_add(1);
    }
}

/* Mapping symbols ($x, $d) of AArch64 name no function. */
static bool symbols_read(struct object *o, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, bool relocatable, const struct section_map *map, struct budget *left, struct err *err)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!data || header->sh_entsize == 0)
        return true;
    const struct strings names = strings_at(elf, header->sh_link);
    for (size_t i = 0; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        const char *name = string_of(&names, symbol.st_name);
        if (!spend(left, 1, 0, err))
            return false;
        if (!name || !*name || (isa_ops(o->isa)->mapping_symbol && *name == isa_ops(o->isa)->mapping_symbol) || (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC))
            continue;
        if (symbol.st_shndx >= SHN_LORESERVE || symbol.st_shndx >= map->count || map->items[symbol.st_shndx] == NO_SECTION)
            continue;
        const struct object_section *s = &o->sections.items[map->items[symbol.st_shndx]];
        uint64_t start = symbol.st_value - (relocatable ? 0 : s->address);
        if (start <= s->size) {
            if (!spend(left, 0, strlen(name), err))
                return false;
            uint64_t room = s->size - start;
            vec_add(&o->symbols, ((struct object_symbol){mem_strdup(name), s->offset + start, symbol.st_size < room ? symbol.st_size : room,
                                                         s->offset + s->size, type != STT_NOTYPE || GELF_ST_BIND(symbol.st_info) != STB_LOCAL}));
        }
    }
    return true;
}

static bool refuse_machine(unsigned machine, struct err *err)
{
    struct str todo = {0}, neither = {0};

    str_add(&todo, "give an ELF file for ");
    isa_list(true, " or ", &todo);
    isa_list(true, " nor ", &neither);
    err_set(err, ERR_DATA, str_text(&todo), "this ELF file is for neither %s (machine %u)", str_text(&neither), machine);
    str_done(&todo);
    str_done(&neither);
    return false;
}

static bool sections_read(struct object *o, Elf *elf, size_t length, bool want_lines, struct err *err)
{
    struct budget left = {length / sizeof(Elf32_Sym) + 1, 16 * length + 4096};
    GElf_Ehdr file;
    size_t names;
    if (elf_kind(elf) != ELF_K_ELF)
        return err_set(err, ERR_DATA, "give a program, a library or an object file", "not an ELF file");
    if (!gelf_getehdr(elf, &file) || elf_getshdrstrndx(elf, &names) != 0)
        return err_set(err, ERR_DATA, "build the file again", "the ELF headers are damaged");
    int isa = 0;
    while (isa < ISA_COUNT && isa_ops((enum isa)isa)->elf_machine != file.e_machine)
        isa++;
    if (isa == ISA_COUNT || file.e_ident[EI_DATA] != ELFDATA2LSB)
        return refuse_machine(file.e_machine, err);
    o->isa = (enum isa)isa;
    bool relocatable = file.e_type == ET_REL;
    GElf_Shdr header;
    size_t total = 0, room = 0;
    const struct strings section_names = strings_at(elf, names);
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        const char *name;
        if (!gelf_getshdr(scn, &header) || !(name = string_of(&section_names, header.sh_name)))
            continue;
        if (!spend(&left, 0, strlen(name), err))
            return false;
        Elf_Data *data;
        if (want_lines && strcmp(name, ".debug_line") == 0 && (data = elf_getdata(scn, NULL)) != NULL && data->d_buf) {
            lines_read(o, data->d_buf, data->d_size);
            continue;
        }
        if (header.sh_type != SHT_PROGBITS || !(header.sh_flags & SHF_EXECINSTR) || str_has_prefix(name, ".plt"))
            continue;
        errno = 0;
        data = elf_getdata(scn, NULL);
        if (!data && errno == ENOMEM)
            return err_memory(err, NULL, header.sh_size);
        if (!data || !data->d_buf || data->d_size == 0)
            continue;
        if (data->d_size > CODE_LIMIT - total)
            return err_set(err, ERR_LIMIT, "give a smaller object file", "more than 256 MiB of code");
        if (total + data->d_size > room) {
            room = total + data->d_size > 2 * room ? total + data->d_size : 2 * room;
            void *code = mem_try_resize(o->code, room);
            if (!code)
                return err_memory(err, NULL, room);
            o->code = code;
        }
        vec_add(&o->sections, ((struct object_section){mem_strdup(name), elf_ndxscn(scn), header.sh_addr, header.sh_offset, total, data->d_size}));
        watch_steps(1 + data->d_size / 1000);
        memcpy(o->code + total, data->d_buf, data->d_size);
        total += data->d_size;
    }
    o->length = total;
    bool has_table = false;
    struct section_map map = {0};
    sections_map(o, &map);
    bool ok = true;
    for (int dynamic = 0; dynamic < 2 && !has_table; dynamic++)
        for (Elf_Scn *scn = NULL; ok && (scn = elf_nextscn(elf, scn)) != NULL;)
            if (gelf_getshdr(scn, &header) && header.sh_type == (dynamic ? SHT_DYNSYM : SHT_SYMTAB)) {
                ok = symbols_read(o, elf, scn, &header, relocatable, &map, &left, err);
                has_table = true;
            }
    free(map.items);
    if (o->symbols.count)
        qsort(o->symbols.items, o->symbols.count, sizeof *o->symbols.items, symbol_order);
    symbols_bound(o);
    return ok && watch_goes_on(err);
}

bool object_read(const char *path, bool lines, struct object *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);   /* nothing to wait for at a pipe's end: it is no ELF file */
    if (fd < 0)
        return err_set(err, ERR_IO, NULL, "cannot open %s: %s", path, strerror(errno));
    struct stat status;
    size_t length = fstat(fd, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : 0;
    errno = 0;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool ok = elf ? sections_read(out, elf, length, lines, err)
              : errno == ENOMEM ? err_memory(err, NULL, length)
                                : err_set(err, ERR_DATA, "give an ELF file", "invalid ELF file: %s", elf_errmsg(-1));
    if (elf)
        elf_end(elf);
    close(fd);
    return ok || err_at(err, path, 0, 0);
}

void object_done(struct object *o)
{
    free(o->code);
    for (size_t i = 0; i < o->sections.count; i++)
        free(o->sections.items[i].name);
    vec_done(&o->sections);
    for (size_t i = 0; i < o->symbols.count; i++)
        free(o->symbols.items[i].name);
    vec_done(&o->symbols);
    vec_done(&o->lines);
}

const struct object_symbol *object_symbol_find(const struct object *o, const char *name)
{
    for (size_t i = 0; i < o->symbols.count; i++)
        if (strcmp(o->symbols.items[i].name, name) == 0)
            return &o->symbols.items[i];
    return NULL;
}

uint64_t object_place(const struct object *o, uint64_t file_offset)
{
    for (size_t i = 0; i < o->sections.count; i++) {
        const struct object_section *s = &o->sections.items[i];
        if (file_offset >= s->file_offset && file_offset < s->file_offset + s->size)
            return s->offset + (file_offset - s->file_offset);
    }
    return UINT64_MAX;
}
