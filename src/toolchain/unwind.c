/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/object_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "isa/insn.h"
#include "isa/isa.h"

/* Address encodings of .eh_frame (DW_EH_PE_*, Linux Standard Base 5.0, section 10.5). */
enum {
    FORM_MASK = 0x0f, FORM_ABSOLUTE = 0x00, FORM_LEB = 0x01, FORM_HALF = 0x02, FORM_WORD = 0x03,
    FORM_LONG = 0x04, FORM_SIGNED = 0x08, RELATIVE_MASK = 0x70, RELATIVE_HERE = 0x10
};

/* State of reading the unwind tables of an object. */
struct unwinding {
    struct object *o;
    size_t *order;           /* indices of the object's sections, sorted by address */
    const uint8_t *bytes;
    size_t size;
    uint64_t address;        /* address of the first byte of the table */
    size_t named;            /* number of symbols before functions are added */
};

/* Reads a value with encoding @form at the cursor. */
static uint64_t encoded(struct byte_cursor *r, unsigned form)
{
    switch (form & FORM_MASK & ~FORM_SIGNED) {
    case FORM_HALF:
        return form & FORM_SIGNED ? (uint64_t)(int16_t)cursor_fixed(r, 2) : cursor_fixed(r, 2);
    case FORM_WORD:
        return form & FORM_SIGNED ? (uint64_t)(int32_t)cursor_fixed(r, 4) : cursor_fixed(r, 4);
    case FORM_LEB:
        return cursor_leb(r, form & FORM_SIGNED);
    default:
        return cursor_fixed(r, 8);
    }
}

/* Returns the address encoding of the CIE at byte @at, or -1 if invalid. */
static int address_form(const struct unwinding *u, size_t at)
{
    struct byte_cursor r = {u->bytes + at, u->bytes + u->size, false};
    uint64_t length = cursor_fixed(&r, 4);
    char augmentation[16] = "";
    size_t n = 0;

    if (length < 4 || length > (uint64_t)(r.end - r.at))
        return -1;
    r.end = r.at + length;
    if (cursor_fixed(&r, 4) != 0)
        return -1;
    uint64_t version = cursor_fixed(&r, 1);
    for (char c; (c = (char)cursor_fixed(&r, 1)) != '\0' && n + 1 < sizeof augmentation;)
        augmentation[n++] = c;
    if (version >= 4)
        cursor_fixed(&r, 2);
    cursor_leb(&r, false);
    cursor_leb(&r, true);
    if (version == 1)
        cursor_fixed(&r, 1);
    else
        cursor_leb(&r, false);
    if (augmentation[0] != 'z')
        return r.over ? -1 : FORM_ABSOLUTE;
    cursor_leb(&r, false);
    for (size_t i = 1; i < n; i++) {
        if (augmentation[i] == 'R') {
            int form = (int)cursor_fixed(&r, 1);
            return r.over ? -1 : form;
        }
        if (augmentation[i] == 'P')
            encoded(&r, (unsigned)cursor_fixed(&r, 1));
        else if (augmentation[i] == 'L')
            cursor_fixed(&r, 1);
    }
    return r.over ? -1 : FORM_ABSOLUTE;
}

static bool named(const struct unwinding *u, uint64_t offset)
{
    const size_t low = first_from(u->o->symbols.items, u->named, sizeof(struct object_symbol),
                                  offsetof(struct object_symbol, offset), offset);

    return low < u->named && u->o->symbols.items[low].offset == offset &&
           u->o->symbols.items[low].function;
}

static _Thread_local const struct object *sorted;

static int section_order(const void *a, const void *b)
{
    uint64_t x = sorted->sections.items[*(const size_t *)a].address,
             y = sorted->sections.items[*(const size_t *)b].address;
    return (x > y) - (x < y);
}

/* Sorts the sections for binary search, because a file may have thousands of sections and
 * functions. */
static void sort_sections(struct unwinding *u)
{
    const size_t count = u->o->sections.count;

    u->order = mem_alloc((count + 1) * sizeof *u->order);
    for (size_t i = 0; i < count; i++)
        u->order[i] = i;
    sorted = u->o;
    qsort(u->order, count, sizeof *u->order, section_order);
    steps_add(count);
}

/* Returns the section that contains @address, or NULL. */
static const struct object_section *section_at(const struct unwinding *u, uint64_t address)
{
    size_t low = 0, high = u->o->sections.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->o->sections.items[u->order[middle]].address <= address)
            low = middle + 1;
        else
            high = middle;
        steps_add(1);
    }
    const struct object_section *s = low ? &u->o->sections.items[u->order[low - 1]] : NULL;
    return s && address - s->address < s->size ? s : NULL;
}

/* Adds a function of @size bytes (0 if unknown) at @address. Does nothing if the function is
 * outside of the sections or has a symbol. */
static void add_function(struct unwinding *u, uint64_t address, uint64_t size)
{
    const struct object_section *s = section_at(u, address);
    struct str name = {0};

    if (!s)
        return;
    uint64_t offset = s->offset + (address - s->address), room = s->size - (address - s->address);
    if (named(u, offset))
        return;
    str_addf(&name, "0x%llx", (unsigned long long)address);
    vec_add(&u->o->symbols,
            ((struct object_symbol){str_take(&name), offset, size < room ? size : room,
                                    s->offset + s->size, true, true}));
}

static void read_table(struct unwinding *u)
{
    for (size_t at = 0; at + 8 <= u->size && !watch_steps(1);) {
        struct byte_cursor r = {u->bytes + at, u->bytes + u->size, false};
        uint64_t length = cursor_fixed(&r, 4);
        if (length == 0 || length == UINT32_MAX || length > (uint64_t)(r.end - r.at))
            return;
        size_t next = (size_t)(r.at - u->bytes) + (size_t)length, field = (size_t)(r.at - u->bytes);
        r.end = u->bytes + next;
        uint64_t back = cursor_fixed(&r, 4);
        int form = back && back <= field ? address_form(u, field - (size_t)back) : -1;
        if (form >= 0 && ((form & RELATIVE_MASK) == 0 || (form & RELATIVE_MASK) == RELATIVE_HERE)) {
            uint64_t here = u->address + (uint64_t)(r.at - u->bytes),
                     start = encoded(&r, (unsigned)form);
            start += (form & RELATIVE_MASK) == RELATIVE_HERE ? here : 0;
            uint64_t size = encoded(&r, (unsigned)form & FORM_MASK & ~FORM_SIGNED);
            if (!r.over && size)
                add_function(u, start, size);
        }
        at = next;
    }
}

/* Adds functions at the entry point and at the targets of direct calls, for files without symbols
 * and unwind tables. */
static void read_calls(struct unwinding *u, uint64_t entry)
{
    struct object *o = u->o;
    VEC(uint64_t) places = {0};

    vec_add(&places, entry);
    for (size_t i = 0; i < o->sections.count; i++) {
        const struct object_section *s = &o->sections.items[i];
        for (size_t at = s->offset, end = s->offset + s->size; at < end && !watch_steps(1);) {
            char form[FORM_MAX];
            uint32_t traits = 0;
            size_t n = insn_form(o->isa, o->code + at, end - at, form, &traits);
            int64_t target = n && traits & INSN_CALL && strstr(form, "Rel")
                                 ? isa_ops(o->isa)->branch_place(form, o->code + at, n, at)
                                 : -1;
            if (target >= (int64_t)s->offset && target < (int64_t)end)
                vec_add(&places, s->address + ((uint64_t)target - s->offset));
            at += n ? n : isa_step(o->isa);
        }
    }
    if (places.count)
        qsort(places.items, places.count, sizeof *places.items, compare_uint64);
    for (size_t i = 0; i < places.count; i++)
        if (i == 0 || places.items[i] != places.items[i - 1])
            add_function(u, places.items[i], 0);
    vec_done(&places);
}

bool unwind_functions(struct object *o, Elf *elf, size_t section, uint64_t entry)
{
    struct unwinding u = {.o = o, .named = o->symbols.count};
    Elf_Scn *scn = section ? elf_getscn(elf, section) : NULL;
    const Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
    GElf_Shdr header;

    sort_sections(&u);
    if (data && data->d_buf && gelf_getshdr(scn, &header)) {
        u.bytes = data->d_buf;
        u.size = data->d_size;
        u.address = header.sh_addr;
        read_table(&u);
    }
    if (!o->symbols.count)
        read_calls(&u, entry);
    free(u.order);
    return o->symbols.count > u.named;
}
