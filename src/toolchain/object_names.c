/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/object.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"

#define STUB_MOST 16u       /* maximum number of bytes of a stub */
/* maximum number of symbols that are searched backwards from an address for the function that
 * contains it */
#define ENCLOSING_MOST 64

struct elf_strings elf_strings_at(Elf *elf, size_t index)
{
    Elf_Scn *scn = elf_getscn(elf, index);
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
    const char *bytes = data ? data->d_buf : NULL;

    return bytes && data->d_size && !bytes[data->d_size - 1]
               ? (struct elf_strings){bytes, data->d_size}
               : (struct elf_strings){NULL, 0};
}

const char *elf_string(const struct elf_strings *s, size_t at)
{
    return at < s->length ? s->bytes + at : NULL;
}

/* Limits on the data read from a file, in proportion to the file's size, as in
 * toolchain/object.c. */
struct room {
    size_t entries, names;
};

static bool take_room(struct room *left, size_t names, struct err *err)
{
    if (!left->entries || names > left->names)
        return err_set(err, ERR_LIMIT, "compile the file again",
                       "relocations or their names overlap");
    left->entries--;
    left->names -= names;
    return !watch_steps(1) || watch_goes_on(err);
}

/* A relocation table and its symbol table */
struct relocations {
    Elf_Data *entries, *symbols;
    size_t count;            /* number of entries */
    struct elf_strings names, section_names;
    size_t target;           /* number of the section that is relocated */
};

/* Finds the relocation table of @scn. Returns false if @scn is not a relocation table, or has no
 * symbols. */
static bool relocations_of(Elf *elf, Elf_Scn *scn, struct relocations *out)
{
    GElf_Shdr header, symbols;
    Elf_Scn *table;
    size_t names;

    *out = (struct relocations){0};
    if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_RELA || !header.sh_entsize ||
        !(table = elf_getscn(elf, header.sh_link)) || !gelf_getshdr(table, &symbols) ||
        (symbols.sh_type != SHT_SYMTAB && symbols.sh_type != SHT_DYNSYM))
        return false;
    out->entries = elf_getdata(scn, NULL);
    out->symbols = elf_getdata(table, NULL);
    out->count = header.sh_size / header.sh_entsize;
    out->target = header.sh_info;
    if (!out->entries || !out->symbols || elf_getshdrstrndx(elf, &names) != 0)
        return false;
    out->names = elf_strings_at(elf, symbols.sh_link);
    out->section_names = elf_strings_at(elf, names);
    return true;
}

/* Returns the name of the symbol of relocation @rela, or NULL if it has none. A section symbol has
 * the name of its section. */
static const char *name_of(Elf *elf, const struct relocations *r, const GElf_Rela *rela)
{
    GElf_Sym symbol;
    GElf_Shdr header;
    Elf_Scn *scn;

    if (!GELF_R_SYM(rela->r_info) ||
        !gelf_getsym(r->symbols, (int)GELF_R_SYM(rela->r_info), &symbol))
        return NULL;
    if (GELF_ST_TYPE(symbol.st_info) == STT_SECTION)
        return (scn = elf_getscn(elf, symbol.st_shndx)) && gelf_getshdr(scn, &header)
                   ? elf_string(&r->section_names, header.sh_name)
                   : NULL;
    const char *name = elf_string(&r->names, symbol.st_name);
    return name && *name ? name : NULL;
}

ORDER_BY(by_place, struct code_reference, ASCENDING(place))

static bool read_references(struct object *o, Elf *elf, const struct relocations *r,
                            const struct object_section *section, struct room *left,
                            struct err *err)
{
    for (size_t i = 0; i < r->count; i++) {
        GElf_Rela rela;
        if (!gelf_getrela(r->entries, (int)i, &rela))
            break;
        const char *name = name_of(elf, r, &rela);
        const struct isa_relocation *kind =
            isa_relocation(o->isa, (unsigned)GELF_R_TYPE(rela.r_info));
        if (!take_room(left, name ? strlen(name) : 0, err))
            return false;
        if (name && rela.r_offset < section->size)
            vec_add(&o->references,
                    ((struct code_reference){section->offset + rela.r_offset, mem_strdup(name),
                                             rela.r_addend, kind}));
    }
    return true;
}

/* A GOT slot, and the function whose address the loader stores there */
struct linkage_slot { uint64_t address; const char *name; };
struct linkage_slots { VEC(struct linkage_slot) list; };

ORDER_BY(by_address, struct linkage_slot, ASCENDING(address))

static bool read_slots(Elf *elf, const struct isa_ops *isa, const struct relocations *r,
                       struct linkage_slots *out, struct room *left, struct err *err)
{
    for (size_t i = 0; i < r->count; i++) {
        GElf_Rela rela;
        if (!gelf_getrela(r->entries, (int)i, &rela))
            break;
        const unsigned type = (unsigned)GELF_R_TYPE(rela.r_info);
        const char *name = type == isa->relocation_jump_slot || type == isa->relocation_global
                               ? name_of(elf, r, &rela)
                               : NULL;
        if (!take_room(left, 0, err))
            return false;
        if (name)
            vec_add(&out->list, ((struct linkage_slot){rela.r_offset, name}));
    }
    return true;
}

/* Reads the stubs of a PLT section at file offset @offset. Each stub jumps through a GOT slot. */
static bool read_stubs(struct object *o, const Elf_Data *data, uint64_t address, uint64_t offset,
                       const struct linkage_slots *slots, struct room *left, struct err *err)
{
    const struct isa_ops *isa = isa_ops(o->isa);
    struct str name = {0};
    bool ok = true;

    for (size_t at = 0; ok && at < data->d_size; at += isa_step(o->isa)) {
        uint64_t slot, begin;
        if (watch_steps(1) || !isa->linkage_stub((const uint8_t *)data->d_buf, data->d_size, at,
                                                 address, &slot, &begin))
            continue;
        const struct linkage_slot key = {slot, NULL},
                                  *found =
                                      slots->list.count
                                               ? bsearch(&key, slots->list.items, slots->list.count,
                                                         sizeof *slots->list.items, by_address)
                                               : NULL;
        if (!found)
            continue;
        str_clear(&name);
        str_addf(&name, "%s@plt", found->name);
        ok = take_room(left, name.length, err);
        if (ok)
            vec_add(&o->stubs, ((struct object_stub){address + begin, offset + begin,
                                                     mem_strdup(str_text(&name))}));
    }
    str_done(&name);
    return ok;
}

ORDER_BY(stub_order, struct object_stub, ASCENDING(address))

static bool read_linkage(struct object *o, Elf *elf, struct linkage_slots *slots, struct room *left,
                         struct err *err)
{
    const struct isa_ops *isa = isa_ops(o->isa);
    struct relocations r;
    size_t index;
    bool ok = elf_getshdrstrndx(elf, &index) == 0;
    const struct elf_strings names =
        ok ? elf_strings_at(elf, index) : (struct elf_strings){NULL, 0};

    for (Elf_Scn *scn = NULL; ok && (scn = elf_nextscn(elf, scn)) != NULL;)
        ok = !relocations_of(elf, scn, &r) || read_slots(elf, isa, &r, slots, left, err);
    if (slots->list.count)
        qsort(slots->list.items, slots->list.count, sizeof *slots->list.items, by_address);
    for (Elf_Scn *scn = NULL; ok && slots->list.count && (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(scn, &header) ? elf_string(&names, header.sh_name) : NULL;
        Elf_Data *data = name && str_has_prefix(name, ".plt") && header.sh_type == SHT_PROGBITS &&
                                 header.sh_flags & SHF_EXECINSTR
                             ? elf_getdata(scn, NULL)
                             : NULL;
        if (data && data->d_buf)
            ok = read_stubs(o, data, header.sh_addr, header.sh_offset, slots, left, err);
    }
    if (o->stubs.count)
        qsort(o->stubs.items, o->stubs.count, sizeof *o->stubs.items, stub_order);
    return ok;
}

bool object_names_read(struct object *o, Elf *elf, bool relocatable, size_t length, struct err *err)
{
    struct room left = {length / sizeof(Elf32_Rel) + 1, 16 * length + 4096};
    struct linkage_slots slots = {{0}};
    struct relocations r;
    bool ok = true;

    if (!relocatable) {
        ok = read_linkage(o, elf, &slots, &left, err);
        vec_done(&slots.list);
        return ok;
    }
    for (Elf_Scn *scn = NULL; ok && (scn = elf_nextscn(elf, scn)) != NULL;) {
        const struct object_section *section = NULL;
        if (!relocations_of(elf, scn, &r))
            continue;
        for (size_t i = 0; i < o->sections.count && !section && !watch_steps(1); i++)
            section = o->sections.items[i].index == r.target ? &o->sections.items[i] : NULL;
        ok = !section || read_references(o, elf, &r, section, &left, err);
    }
    if (o->references.count)
        qsort(o->references.items, o->references.count, sizeof *o->references.items, by_place);
    return ok;
}

const struct object_stub *object_stub_at(const struct object *o, uint64_t file_offset)
{
    const struct object_stub *best = NULL;

    for (size_t i = 0; i < o->stubs.count; i++) {
        const struct object_stub *s = &o->stubs.items[i];
        if (s->file_offset <= file_offset && file_offset < s->file_offset + STUB_MOST &&
            (!best || s->file_offset > best->file_offset))
            best = s;
    }
    return best;
}

void object_names_done(struct object *o)
{
    for (size_t i = 0; i < o->references.count; i++)
        free(o->references.items[i].name);
    for (size_t i = 0; i < o->stubs.count; i++)
        free(o->stubs.items[i].name);
    vec_done(&o->references);
    vec_done(&o->stubs);
}

/* Returns the symbol with the largest start that contains @place. With @functions, considers only
 * functions. Returns NULL if none of the last ENCLOSING_MOST symbols before @place contains it. */
static const struct object_symbol *symbol_at(const struct object *o, uint64_t place, bool functions)
{
    const size_t low = first_past(o->symbols.items, o->symbols.count, sizeof(struct object_symbol),
                                  offsetof(struct object_symbol, offset), place);

    for (size_t i = low, tries = 0; i-- > 0 && tries < ENCLOSING_MOST; tries++) {
        const struct object_symbol *s = &o->symbols.items[i];
        if ((s->function || !functions) && place - s->offset < s->size)
            return s;
    }
    return NULL;
}

const struct object_symbol *object_function_at(const struct object *o, uint64_t place)
{
    return symbol_at(o, place, true);
}

bool object_name_add(const struct object *o, uint64_t position, struct str *out)
{
    const struct object_stub key = {.address = position},
                             *stub = o->stubs.count
                                         ? bsearch(&key, o->stubs.items, o->stubs.count,
                                                              sizeof *o->stubs.items, stub_order)
                                                    : NULL;
    const uint64_t place = stub ? UINT64_MAX : object_position_place(o, position);
    const struct object_symbol *function =
        place == UINT64_MAX ? NULL : object_function_at(o, place);
    const struct object_symbol *s =
        function || place == UINT64_MAX ? function : symbol_at(o, place, false);

    if (!stub && !s)
        return false;
    str_add(out, stub ? stub->name : s->name);
    if (s && place > s->offset)
        str_addf(out, "+0x%llx", (unsigned long long)(place - s->offset));
    return true;
}

const struct code_reference *object_reference_in(const struct object *o, uint64_t place,
                                                 size_t length)
{
    const size_t low =
        first_from(o->references.items, o->references.count, sizeof(struct code_reference),
                   offsetof(struct code_reference, place), place);

    return low < o->references.count && o->references.items[low].place < place + length
               ? &o->references.items[low]
               : NULL;
}
