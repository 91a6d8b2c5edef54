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

#include "base/compare.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/watch.h"
#include "toolchain/archive.h"
#include "toolchain/object_parts.h"

#define PAGE 4096
#define BEYOND_MOST ((uint64_t)1 << 31)
#define DEBUG_FILES "/usr/lib/debug/.build-id"
#define BUILD_ID_MOST 64u   /* maximum size of a build ID in bytes */
/* maximum size of code that is copied, in bytes; larger code remains mapped */
#define COPIED_MOST ((size_t)1 << 20)

static int symbol_order(const void *a, const void *b)
{
    const struct object_symbol *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->function != y->function)
        return x->function ? -1 : 1;
    return strcmp(x->name, y->name);
}

ORDER_BY(section_order, struct object_section, ASCENDING(offset))

#define NO_SECTION UINT32_MAX

/* Limits on what is read from a file, in proportion to the file's size. Overlapping tables, and
 * names that share their ends, can expand to more bytes than the file has. */
struct budget {
    size_t symbols, names;       /* @symbols: number of symbols. @names: bytes of all names. */
};

static bool spend(struct budget *left, size_t symbols, size_t names, struct err *err)
{
    if (symbols > left->symbols || names > left->names)
        return err_set(err, ERR_LIMIT, "compile the file again", "symbols or their names overlap");
    left->symbols -= symbols;
    left->names -= names;
    return !watch_steps(1 + names / 100) || watch_goes_on(err);
}

/* Index in object.sections of each ELF section */
struct section_map {
    uint32_t *items;
    size_t count;
};

static void sections_map(const struct object *o, struct section_map *out)
{
    for (size_t i = 0; i < o->sections.count; i++)
        out->count = o->sections.items[i].index + 1 > out->count ? o->sections.items[i].index + 1
                                                                 : out->count;
    out->items = mem_alloc((out->count + 1) * sizeof *out->items);
    for (size_t i = 0; i < out->count; i++)
        out->items[i] = NO_SECTION;
    for (size_t i = 0; i < o->sections.count; i++)
        out->items[o->sections.items[i].index] = (uint32_t)i;
    steps_add(out->count);
}

/* Sets the size of symbols that have none to the distance to the next function, or to the end of
 * their section. */
static void symbols_bound(struct object *o)
{
    /* @next: next function after @at. @function: next function after the current symbol. */
    uint64_t next = UINT64_MAX, at = UINT64_MAX;
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
            s->size = s->offset < s->limit ? (next < s->limit ? next : s->limit) - s->offset : 0;
        steps_add(1);
    }
}

/* Adds the functions and labels of section @scn. Ignores AArch64 mapping symbols ($x, $d). If
 * @beyond is true, also reads names before and after a section's code, which may be jump targets.
 * Returns false with err on failure or above a limit. */
static bool symbols_read(struct object *o, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header,
                         bool relocatable, bool beyond, const struct section_map *map,
                         struct budget *left, struct err *err)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!data || header->sh_entsize == 0)
        return true;
    const struct elf_strings names = elf_strings_at(elf, header->sh_link);
    for (size_t i = 0; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        const char *name = elf_string(&names, symbol.st_name);
        if (!spend(left, 1, 0, err))
            return false;
        if (!name || !*name ||
            (isa_ops(o->isa)->mapping_symbol && *name == isa_ops(o->isa)->mapping_symbol) ||
            (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC))
            continue;
        if (symbol.st_shndx >= SHN_LORESERVE || symbol.st_shndx >= map->count ||
            map->items[symbol.st_shndx] == NO_SECTION)
            continue;
        const struct object_section *s = &o->sections.items[map->items[symbol.st_shndx]];
        uint64_t start = symbol.st_value - (relocatable ? 0 : s->address);
        if (start <= s->size || (beyond && (start < BEYOND_MOST || -start < BEYOND_MOST))) {
            if (!spend(left, 0, strlen(name), err))
                return false;
            uint64_t room = start <= s->size ? s->size - start : 0;
            vec_add(&o->symbols,
                    ((struct object_symbol){
                        mem_strdup(name), s->offset + start,
                        symbol.st_size < room ? symbol.st_size : room, s->offset + s->size,
                        type != STT_NOTYPE || GELF_ST_BIND(symbol.st_info) != STB_LOCAL, false}));
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
    err_set(err, ERR_DATA, str_text(&todo), "this ELF file is for neither %s (machine %u)",
            str_text(&neither), machine);
    str_done(&todo);
    str_done(&neither);
    return false;
}

/* Returns whether a section contains code other than PLT stubs. */
static bool holds_code(const GElf_Shdr *header, const char *name)
{
    return header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_EXECINSTR && header->sh_size &&
           !str_has_prefix(name, ".plt");
}

/* Adds a section whose code remains in the mapped file. Returns false with err on failure. */
static bool map_section(struct object *o, Elf_Scn *scn, const GElf_Shdr *header, const char *name,
                        size_t length, struct err *err)
{
    if (header->sh_offset > length || header->sh_size > length - header->sh_offset ||
        header->sh_size > length - o->length)
        return err_set(err, ERR_DATA, "compile the file again",
                       "section %.100s reaches beyond the file, or sections overlap", name);
    vec_add(&o->sections, ((struct object_section){.name = mem_strdup(name),
                                                   .index = elf_ndxscn(scn),
                                                   .address = header->sh_addr,
                                                   .file_offset = header->sh_offset,
                                                   .offset = o->begin + header->sh_offset,
                                                   .size = header->sh_size}));
    o->length += header->sh_size;
    return true;
}

/* Adds a section and copies its code after the previous sections, in a buffer of @room bytes. Does
 * nothing for a section without data. */
static bool copy_section(struct object *o, size_t room, Elf_Scn *scn, const GElf_Shdr *header,
                         const char *name, struct err *err)
{
    errno = 0;
    const Elf_Data *data = elf_getdata(scn, NULL);

    if (!data && errno == ENOMEM)
        return err_memory(err, o->path, header->sh_size);
    if (!data || !data->d_buf || data->d_size == 0)
        return true;
    if (data->d_size > room - o->length)
        return err_set(err, ERR_DATA, "compile the file again",
                       "the size of section %.100s is damaged", name);
    memcpy(o->code + o->length, data->d_buf, data->d_size);
    vec_add(&o->sections, ((struct object_section){.name = mem_strdup(name),
                                                   .index = elf_ndxscn(scn),
                                                   .address = header->sh_addr,
                                                   .file_offset = header->sh_offset,
                                                   .offset = o->length,
                                                   .size = data->d_size}));
    o->length += data->d_size;
    watch_steps(1 + data->d_size / 1000);
    return true;
}

/* Returns the total size of the code sections in bytes; overlapping bytes count once per section.
 * Returns UINT64_MAX on overflow. */
static uint64_t code_size(Elf *elf, const struct elf_strings *names)
{
    uint64_t total = 0;
    GElf_Shdr header;

    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        const char *name = gelf_getshdr(scn, &header) ? elf_string(names, header.sh_name) : NULL;
        if (name && holds_code(&header, name) &&
            __builtin_add_overflow(total, header.sh_size, &total))
            return UINT64_MAX;
    }
    return total;
}

/* Reads the line table in section @scn. In a relocatable file, the start address is in the first
 * relocation. This address is not 0 if data precede the first instruction. */
static void lines_read(struct object *o, Elf *elf, Elf_Scn *scn, const Elf_Data *data)
{
    uint8_t *bytes = mem_try_alloc(data->d_size);
    GElf_Shdr header;
    GElf_Rela rela;

    if (!bytes)
        return;
    memcpy(bytes, data->d_buf, data->d_size);
    for (Elf_Scn *at = NULL; (at = elf_nextscn(elf, at)) != NULL;) {
        Elf_Data *table = gelf_getshdr(at, &header) && header.sh_type == SHT_RELA &&
                                  header.sh_info == elf_ndxscn(scn) && header.sh_entsize
                              ? elf_getdata(at, NULL)
                              : NULL;
        for (int i = 0; table && !watch_steps(1) && gelf_getrela(table, i, &rela); i++)
            for (size_t k = 0;
                 k < 8 && rela.r_offset < data->d_size && data->d_size - rela.r_offset >= 8; k++)
                bytes[rela.r_offset + k] = (uint8_t)((uint64_t)rela.r_addend >> 8 * k);
    }
    object_lines_read(o, bytes, data->d_size);
    free(bytes);
}

/* Reads the code sections, and the line table if @parts has OBJECT_LINES. Stores the number of the
 * section with unwind tables in *@unwind. Returns false with err on failure. */
static bool code_read(struct object *o, Elf *elf, const struct elf_strings *names, size_t length,
                      unsigned parts, size_t *unwind, struct budget *left, struct err *err)
{
    GElf_Shdr header;

    const uint64_t room = code_size(elf, names);
    if (room > length)
        return err_set(err, ERR_DATA, "compile the file again",
                       "the code sections overlap or are longer than the file");
    o->together = parts & OBJECT_LINES || room <= COPIED_MOST;
    if (o->together && room && (o->code = mem_try_alloc(room)) == NULL)
        return err_memory(err, o->path, room);
    if (!o->together && !o->file.bytes)
        return err_set(err, ERR_IO, NULL, "cannot map the file");
    if (!o->together)
        o->code = (uint8_t *)(uintptr_t)o->file.bytes;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        const char *name = gelf_getshdr(scn, &header) ? elf_string(names, header.sh_name) : NULL;
        Elf_Data *data;
        if (!name)
            continue;
        if (!spend(left, 0, strlen(name), err))
            return false;
        if (strcmp(name, ".eh_frame") == 0 && header.sh_type != SHT_NOBITS)
            *unwind = elf_ndxscn(scn);
        if (parts & OBJECT_LINES && strcmp(name, ".debug_line") == 0 &&
            (data = elf_getdata(scn, NULL)) != NULL && data->d_buf)
            lines_read(o, elf, scn, data);
        else if (holds_code(&header, name) &&
                 !(o->together ? copy_section(o, room, scn, &header, name, err)
                               : map_section(o, scn, &header, name, length, err)))
            return false;
    }
    return true;
}

/* Appends the path at which distributions install the debug symbols of @elf. Returns false if the
 * file has no build ID. */
static bool debug_path(Elf *elf, struct str *out)
{
    GElf_Shdr header;
    GElf_Nhdr note;
    size_t name, bytes;

    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        Elf_Data *data = gelf_getshdr(scn, &header) && header.sh_type == SHT_NOTE
                             ? elf_getdata(scn, NULL)
                             : NULL;
        for (size_t at = 0, next;
             data && (next = gelf_getnote(data, at, &note, &name, &bytes)) > 0 && !watch_steps(1);
             at = next) {
            const uint8_t *id = (const uint8_t *)data->d_buf + bytes;
            if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof ELF_NOTE_GNU ||
                memcmp((const char *)data->d_buf + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) != 0 ||
                note.n_descsz < 2 || note.n_descsz > BUILD_ID_MOST)
                continue;
            str_addf(out, DEBUG_FILES "/%02x/", id[0]);
            for (size_t i = 1; i < note.n_descsz; i++)
                str_addf(out, "%02x", id[i]);
            str_add(out, ".debug");
            return true;
        }
    }
    return false;
}

/* Returns whether @elf has each of @o's sections at the same number and address. */
static bool same_sections(const struct object *o, Elf *elf)
{
    GElf_Shdr header;

    for (size_t i = 0; i < o->sections.count; i++) {
        Elf_Scn *scn = elf_getscn(elf, o->sections.items[i].index);
        if (!scn || !gelf_getshdr(scn, &header) || header.sh_addr != o->sections.items[i].address)
            return false;
    }
    return true;
}

/* Reads stripped symbols from the installed debug file. Returns whether there are any. Ignores
 * errors in that file. */
static bool stripped_read(struct object *o, Elf *elf, const struct section_map *map)
{
    struct str path = {0};
    const size_t before = o->symbols.count;
    int fd = debug_path(elf, &path) ? file_open_regular(str_text(&path)) : -1;
    struct stat status;
    Elf *debug = fd >= 0 && fstat(fd, &status) == 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    struct err ignored = {0};
    GElf_Shdr header;

    if (debug && elf_kind(debug) == ELF_K_ELF && same_sections(o, debug)) {
        const size_t length = (size_t)status.st_size;
        struct budget left = {length / sizeof(Elf32_Sym) + 1, 16 * length + 4096};
        for (Elf_Scn *scn = NULL; (scn = elf_nextscn(debug, scn)) != NULL;)
            if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB)
                symbols_read(o, debug, scn, &header, false, false, map, &left, &ignored);
    }
    if (debug)
        elf_end(debug);
    if (fd >= 0)
        close(fd);
    str_done(&path);
    return o->symbols.count > before;
}

static bool tables_read(struct object *o, Elf *elf, bool relocatable, unsigned parts,
                        struct budget *left, struct err *err)
{
    struct section_map map = {0};
    bool has_table = false, ok = true;
    GElf_Shdr header;

    sections_map(o, &map);
    for (int dynamic = 0; dynamic < 2 && !has_table; dynamic++) {
        if (dynamic && !relocatable && parts & (OBJECT_NAMES | OBJECT_FUNCTIONS) &&
            stripped_read(o, elf, &map))
            break;
        for (Elf_Scn *scn = NULL; ok && (scn = elf_nextscn(elf, scn)) != NULL;)
            if (gelf_getshdr(scn, &header) &&
                header.sh_type == (dynamic ? SHT_DYNSYM : SHT_SYMTAB)) {
                ok = symbols_read(o, elf, scn, &header, relocatable, parts & OBJECT_LINES, &map,
                                  left, err);
                has_table = true;
            }
    }
    free(map.items);
    return ok;
}

static void symbols_sort(struct object *o)
{
    if (o->symbols.count)
        qsort(o->symbols.items, o->symbols.count, sizeof *o->symbols.items, symbol_order);
}

static void positions_set(struct object *o, bool relocatable)
{
    uint64_t next = 0;

    o->ascending = true;
    for (size_t i = 0; i < o->sections.count; i++) {
        struct object_section *s = &o->sections.items[i];
        s->position = relocatable ? next : s->address;
        o->ascending &= i == 0 || s->position >= s[-1].position + s[-1].size;
        /* Leaves a gap between sections. */
        next = (next + s->size + 2 * PAGE - 1) / PAGE * PAGE;
    }
}

static bool sections_read(struct object *o, Elf *elf, size_t length, unsigned parts,
                          struct err *err)
{
    struct budget left = {length / sizeof(Elf32_Sym) + 1, 16 * length + 4096};
    GElf_Ehdr file;
    size_t names, unwind = 0;

    if (elf_kind(elf) != ELF_K_ELF)
        return err_set(err, ERR_DATA, "give a program, a library or an object file",
                       "not an ELF file");
    if (!gelf_getehdr(elf, &file) || elf_getshdrstrndx(elf, &names) != 0)
        return err_set(err, ERR_DATA, "compile the file again", "the ELF headers are damaged");
    int isa = 0;
    while (isa < ISA_COUNT && isa_ops((enum isa)isa)->elf_machine != file.e_machine)
        isa++;
    if (isa == ISA_COUNT || file.e_ident[EI_DATA] != ELFDATA2LSB)
        return refuse_machine(file.e_machine, err);
    o->isa = (enum isa)isa;
    const bool relocatable = file.e_type == ET_REL;
    const struct elf_strings section_names = elf_strings_at(elf, names);
    if (!code_read(o, elf, &section_names, length, parts, &unwind, &left, err))
        return false;
    if (o->sections.count)
        qsort(o->sections.items, o->sections.count, sizeof *o->sections.items, section_order);
    if (!tables_read(o, elf, relocatable, parts, &left, err))
        return false;
    symbols_sort(o);
    if (parts & OBJECT_FUNCTIONS && !relocatable && unwind_functions(o, elf, unwind, file.e_entry))
        symbols_sort(o);
    symbols_bound(o);
    positions_set(o, relocatable);
    return (!(parts & OBJECT_NAMES) || object_names_read(o, elf, relocatable, length, err)) &&
           watch_goes_on(err);
}

/* Reads the ELF file of @size bytes (0: to the end of the file) at @offset of @path. */
static bool read_part(const char *path, uint64_t offset, uint64_t size, unsigned parts,
                      struct object *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    elf_version(EV_CURRENT);
    /* O_NONBLOCK prevents blocking on a pipe, which is no ELF file. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set(err, ERR_IO, "check the file's name and permissions",
                       "cannot open %s: %s", path, strerror(errno));
    struct stat status;
    size_t length = fstat(fd, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : 0;
    bool ok = !size || (offset <= length && size <= length - offset) ||
              err_set(err, ERR_IO,
                      "run the command again", "the archive was truncated while it was read");
    Elf *elf = NULL;
    errno = 0;
    /* If the file cannot be mapped, libelf reads it. */
    if (ok && length && mapped_open(&out->file, fd, length))
        elf = elf_memory((char *)(uintptr_t)out->file.bytes + offset, size ? size : length);
    else if (ok && !size)
        elf = elf_begin(fd, ELF_C_READ, NULL);
    out->begin = offset;
    out->bytes = size ? size : length;
    out->path = mem_strdup(path);
    ok = ok && (elf               ? sections_read(out, elf, size ? size : length, parts, err)
                : errno == ENOMEM ? err_memory(err, path, length)
                                  : err_set(err, ERR_DATA, "give an ELF file",
                                            "invalid ELF file: %s", elf_errmsg(-1)));
    elf_end(elf);
    mapped_check(&out->file, fd);
    close(fd);
    /* Fails, because the file became shorter during the read, so the content may be wrong. */
    if (mapped_cut(&out->file))
        return object_whole(out, path, err);
    if (!out->code || out->together)
        mapped_close(&out->file);
    return ok;
}

bool object_read_member(const struct archive_member *member, unsigned parts, struct object *out,
                        struct err *err)
{
    return read_part(member->file, member->offset, member->size, parts, out, err) ||
           err_at(err, member->spec, 0, 0);
}

bool object_read(const char *path, unsigned parts, struct object *out, struct err *err)
{
    struct archive archive;
    char *file;

    if (!archive_names_member(path, &file))
        return read_part(path, 0, 0, parts, out, err) || err_at(err, path, 0, 0);
    memset(out, 0, sizeof *out);
    bool ok = archive_read(file, &archive, err);
    const struct archive_member *member = ok ? archive_find(&archive, path, err) : NULL;
    ok = member ? object_read_member(member, parts, out, err) : ok && err_at(err, file, 0, 0);
    archive_done(&archive);
    free(file);
    return ok;
}

bool object_whole(const struct object *o, const char *path, struct err *err)
{
    if (!mapped_cut(&o->file))
        return true;
    err_set(err, ERR_IO, "run the command again", "the file was truncated while it was read");
    return err_at(err, path, 0, 0);
}

void object_done(struct object *o)
{
    if (o->together)
        free(o->code);
    mapped_close(&o->file);
    free(o->path);
    for (size_t i = 0; i < o->sections.count; i++)
        free(o->sections.items[i].name);
    vec_done(&o->sections);
    for (size_t i = 0; i < o->symbols.count; i++)
        free(o->symbols.items[i].name);
    vec_done(&o->symbols);
    vec_done(&o->lines);
    object_names_done(o);
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

const struct object_section *object_section_at(const struct object *o, uint64_t place)
{
    const size_t low =
        first_past(o->sections.items, o->sections.count, sizeof(struct object_section),
                   offsetof(struct object_section, offset), place);

    const struct object_section *s = low ? &o->sections.items[low - 1] : NULL;
    return s && place - s->offset < s->size ? s : NULL;
}

uint64_t object_address(const struct object *o, uint64_t place)
{
    const struct object_section *s = object_section_at(o, place);

    return s ? s->address + (place - s->offset) : place;
}

uint64_t object_file_offset(const struct object *o, uint64_t place)
{
    const struct object_section *s = object_section_at(o, place);

    return s ? s->file_offset + (place - s->offset) : place;
}

uint64_t object_address_place(const struct object *o, uint64_t address)
{
    for (size_t i = 0; i < o->sections.count; i++) {
        const struct object_section *s = &o->sections.items[i];
        if (address >= s->address && address - s->address < s->size)
            return s->offset + (address - s->address);
    }
    return UINT64_MAX;
}

uint64_t object_position(const struct object *o, uint64_t place)
{
    const struct object_section *s = object_section_at(o, place);

    return s ? s->position + (place - s->offset) : place;
}

uint64_t object_position_place(const struct object *o, uint64_t position)
{
    const size_t count = o->sections.count;
    const size_t end = o->ascending
                           ? first_past(o->sections.items, count, sizeof(struct object_section),
                                        offsetof(struct object_section, position), position)
                           : count;

    for (size_t i = o->ascending && end ? end - 1 : 0; i < end; i++) {
        const struct object_section *s = &o->sections.items[i];
        if (position >= s->position && position - s->position < s->size)
            return s->offset + (position - s->position);
    }
    return UINT64_MAX;
}
