/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "toolchain/dwarf.h"

#ifdef HAVE_LIBDW
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIES_MOST 20000000u      /* maximum number of debug entries to visit */
#define INLINED_MOST 4096u       /* maximum number of inlined functions per function */
#define ROWS_MOST 200000u
#define DEPTH_MOST 64            /* maximum nesting of scopes */

/* Functions of libdw. The library is loaded when it is first needed, because few runs need it. */
#define DWARF_FUNCTIONS(X)                                                                         \
    X(dwfl_begin)                                                                                  \
    X(dwfl_report_offline) X(dwfl_report_end) X(dwfl_module_getdwarf) X(dwfl_module_relocations)   \
        X(dwfl_module_relocate_address) X(dwfl_module_relocation_info) X(dwarf_get_units)          \
            X(dwarf_addrdie) X(dwarf_haspc) X(dwarf_getsrclines) X(dwarf_onesrcline)               \
                X(dwarf_lineaddr) X(dwarf_lineno) X(dwarf_linesrc) X(dwarf_lineendsequence)        \
                    X(dwarf_child) X(dwarf_siblingof) X(dwarf_tag) X(dwarf_diename)                \
                        X(dwarf_attr_integrate) X(dwarf_formstring) X(dwarf_formudata)             \
                            X(dwarf_decl_file)
#define DECLARE(name) __typeof__(name) *name;
static struct { DWARF_FUNCTIONS(DECLARE) } dw;
static Dwfl_Callbacks callbacks;

static bool load_library(void)
{
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return false;
#define LOAD(name) *(void **)&dw.name = dlsym(library, #name);
    DWARF_FUNCTIONS(LOAD)
#define CHECK(name) if (!dw.name) return false;
    DWARF_FUNCTIONS(CHECK)
    *(void **)&callbacks.find_elf = dlsym(library, "dwfl_build_id_find_elf");
    *(void **)&callbacks.find_debuginfo = dlsym(library, "dwfl_standard_find_debuginfo");
    *(void **)&callbacks.section_address = dlsym(library, "dwfl_offline_section_address");
    return callbacks.find_elf && callbacks.find_debuginfo && callbacks.section_address;
}

/* A row of the line table in the requested range */
struct row {
    uint64_t place;           /* offset of the code in the section */
    Dwarf_Addr address;       /* address of the row in the debug information */
    const char *file;
    int line;
    bool end;
};

struct inlined {
    Dwarf_Die die;
    const char *name;
    unsigned call_line;
};

struct sought {
    const struct dwarf_wish *wish;
    Dwfl_Module *module;
    Dwarf_Addr bias;
    bool relocatable;
    struct row *rows;
    size_t row_count;
    struct inlined *inlined;   /* inlined functions, outermost first */
    size_t inlined_count;
    const char *file;          /* source file of the function; NULL: unknown */
    unsigned left;             /* number of entries that may still be visited */
    bool found;                /* whether the function at the requested byte was found */
};

/* Converts @address to an offset in the requested section. Returns false if the address is in
 * another section or, in a linked file, before the section. Stores the offset in *@place. */
static bool place_of(const struct sought *s, Dwarf_Addr address, uint64_t *place)
{
    if (!s->relocatable) {
        *place = address - s->wish->address;
        return address >= s->wish->address;
    }
    Dwarf_Addr at = address + s->bias;
    GElf_Word section = 0;
    const int index = dw.dwfl_module_relocate_address(s->module, &at);
    *place = at;
    return index >= 0 && dw.dwfl_module_relocation_info(s->module, (unsigned)index, &section) &&
           section == s->wish->section;
}

static int by_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    /* The end of a sequence is sorted before the start of another one at the same address. */
    return x->end != y->end ? (x->end ? -1 : 1) : 0;
}

/* Collects the rows of unit @cu in the requested range, and the last row before it. Does nothing if
 * the unit has no line table. */
static void take_rows(struct sought *s, Dwarf_Die *cu)
{
    Dwarf_Lines *lines;
    size_t count;

    if (dw.dwarf_getsrclines(cu, &lines, &count) != 0)
        return;
    for (size_t i = 0; i < count && s->row_count < ROWS_MOST; i++) {
        Dwarf_Line *line = dw.dwarf_onesrcline(lines, i),
                   *next = i + 1 < count ? dw.dwarf_onesrcline(lines, i + 1) : NULL;
        struct row row = {0};
        uint64_t after = 0;
        Dwarf_Addr following;
        if (!line || dw.dwarf_lineaddr(line, &row.address) != 0 ||
            !place_of(s, row.address, &row.place) || row.place >= s->wish->end)
            continue;
        dw.dwarf_lineendsequence(line, &row.end);
        if (row.place < s->wish->start &&
            (row.end || !next || dw.dwarf_lineaddr(next, &following) != 0 ||
             !place_of(s, following, &after) || after <= s->wish->start))
            continue;
        dw.dwarf_lineno(line, &row.line);
        row.file = dw.dwarf_linesrc(line, NULL, NULL);
        s->rows[s->row_count++] = row;
    }
}

static void take_inlined(struct sought *s, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0;

    if (s->inlined_count == INLINED_MOST)
        return;
    if (dw.dwarf_attr_integrate(die, DW_AT_call_line, &attribute))
        dw.dwarf_formudata(&attribute, &line);
    const char *name = dw.dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute)
                           ? dw.dwarf_formstring(&attribute)
                           : NULL;
    s->inlined[s->inlined_count++] = (struct inlined){*die, name ? name : dw.dwarf_diename(die),
                                                      line < UINT32_MAX ? (unsigned)line : 0};
}

/* Returns whether an entry may contain functions. In Ada, Fortran, Pascal and GNU C functions may
 * contain functions. */
static bool holds_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
           tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
           tag == DW_TAG_lexical_block;
}

/* Searches the entries below @parent for the function at @address. If @inside is true, also
 * searches that function for inlined functions. */
static void walk(struct sought *s, Dwarf_Die *parent, Dwarf_Addr address, bool inside, int depth)
{
    Dwarf_Die die;

    if (depth > DEPTH_MOST || dw.dwarf_child(parent, &die) != 0)
        return;
    do {
        const int tag = dw.dwarf_tag(&die);
        if (!s->left)
            return;
        s->left--;
        if (!inside && tag == DW_TAG_subprogram && dw.dwarf_haspc(&die, address) > 0) {
            s->file = dw.dwarf_decl_file(&die);
            s->found = true;
            walk(s, &die, address, true, depth + 1);
            return;
        }
        if (inside && tag == DW_TAG_inlined_subroutine)
            take_inlined(s, &die);
        if (inside ? tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block
                   : holds_functions(tag))
            walk(s, &die, address, inside, depth + 1);
        if (!inside && s->found)
            return;
    } while (dw.dwarf_siblingof(&die, &die) == 0);
}

static void print_row(const struct sought *s, const struct row *row, FILE *to)
{
    const struct inlined *outer = NULL, *inner = NULL;

    if (row->end) {
        fprintf(to, "E %llx\n", (unsigned long long)row->place);
        return;
    }
    for (size_t i = 0; i < s->inlined_count; i++)
        if (dw.dwarf_haspc(&s->inlined[i].die, row->address) > 0) {
            inner = &s->inlined[i];
            outer = outer ? outer : inner;
        }
    const bool own = s->file && row->file && strcmp(s->file, row->file) == 0;
    const unsigned line = own && row->line > 0 ? (unsigned)row->line : outer ? outer->call_line : 0;
    const char *name = inner && inner->name ? inner->name : "";
    fprintf(to, "R %llx %u %.*s\n", (unsigned long long)row->place, line, (int)strcspn(name, "\n"),
            name);
}

/* Collects the data of the unit if it covers the requested range. Returns whether it covers the
 * range. */
static bool take_unit(struct sought *s, Dwarf_Die *cu)
{
    const size_t before = s->row_count;

    take_rows(s, cu);
    if (s->row_count == before)
        return false;
    const struct row *nearest = NULL;
    for (size_t i = before; i < s->row_count; i++) {
        const struct row *row = &s->rows[i];
        if (!row->end && row->place <= s->wish->at && (!nearest || row->place > nearest->place))
            nearest = row;
    }
    if (!nearest)
        return false;
    walk(s, cu, nearest->address, false, 0);
    if (!s->file)
        for (size_t i = before; i < s->row_count && !s->file; i++)
            s->file = s->rows[i].file;
    return true;
}

static void take_units(struct sought *s, Dwarf *debug)
{
    Dwarf_Die die;

    /* Finds the unit by the address index if the file has one, otherwise by trying each unit. */
    if (!s->relocatable && dw.dwarf_addrdie(debug, s->wish->address + s->wish->at, &die) &&
        take_unit(s, &die))
        return;
    for (Dwarf_CU *cu = NULL;
         s->left && dw.dwarf_get_units(debug, cu, &cu, NULL, NULL, &die, NULL) == 0; s->left--)
        if (s->relocatable || dw.dwarf_haspc(&die, s->wish->address + s->wish->at) > 0)
            if (take_unit(s, &die))
                return;
}

/* Finds section and offset of @address. For a linked file the section is 0 and the address is
 * unchanged. Returns false if no section contains it. Stores the results in *@section and
 * *@place. */
static bool section_of(const struct sought *s, Dwarf_Addr address, GElf_Word *section,
                       uint64_t *place)
{
    Dwarf_Addr at = address + s->bias;

    *section = 0;
    *place = address;
    if (!s->relocatable)
        return true;
    const int index = dw.dwfl_module_relocate_address(s->module, &at);
    *place = at;
    return index >= 0 && dw.dwfl_module_relocation_info(s->module, (unsigned)index, section) &&
           *section;
}

/* Prints the line table of unit @cu. *@file is the last printed source file. Does nothing if the
 * unit has no line table. */
static void print_unit(struct sought *s, Dwarf_Die *cu, const char **file, FILE *to)
{
    Dwarf_Lines *lines;
    size_t count;

    if (dw.dwarf_getsrclines(cu, &lines, &count) != 0)
        return;
    for (size_t i = 0; i < count && s->left; i++, s->left--) {
        Dwarf_Line *line = dw.dwarf_onesrcline(lines, i);
        const char *source = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL;
        Dwarf_Addr address;
        GElf_Word section;
        uint64_t place;
        bool end = false;
        int number = 0;
        if (!source || dw.dwarf_lineaddr(line, &address) != 0 ||
            !section_of(s, address, &section, &place))
            continue;
        if (!*file || strcmp(*file, source) != 0)
            fprintf(to, "F %.*s\n", (int)strcspn(source, "\n"), source);
        *file = source;
        dw.dwarf_lineendsequence(line, &end);
        dw.dwarf_lineno(line, &number);
        fprintf(to, "S %x %llx %d\n", (unsigned)section, (unsigned long long)place,
                end || number < 0 ? 0 : number);
    }
}

static int print_all(struct sought *s, Dwarf *debug, FILE *to)
{
    const char *file = NULL;
    Dwarf_Die die;

    for (Dwarf_CU *cu = NULL;
         s->left && dw.dwarf_get_units(debug, cu, &cu, NULL, NULL, &die, NULL) == 0; s->left--)
        print_unit(s, &die, &file, to);
    return fclose(to) == 0 ? 0 : 1;
}

int dwarf_print(const struct dwarf_wish *wish, int out)
{
    struct sought s = {.wish = wish, .left = DIES_MOST};

    unsetenv("DEBUGINFOD_URLS");   /* Prevents downloads of debug information. */
    FILE *to = fdopen(out, "w");
    if (!to || !load_library())
        return 0;
    Dwfl *files = dw.dwfl_begin(&callbacks);
    s.module = files ? dw.dwfl_report_offline(files, "object", wish->path, wish->fd) : NULL;
    if (!s.module || dw.dwfl_report_end(files, NULL, NULL) != 0)
        return 0;
    Dwarf *debug = dw.dwfl_module_getdwarf(s.module, &s.bias);
    /* dwfl_module_relocations returns 0 for a linked file, 1 for a file relocated as a whole. */
    s.relocatable = !wish->address && dw.dwfl_module_relocations(s.module) > 1;
    if (debug && wish->all)
        return print_all(&s, debug, to);
    s.rows = malloc((ROWS_MOST + 1) * sizeof *s.rows);
    s.inlined = malloc((INLINED_MOST + 1) * sizeof *s.inlined);
    if (!debug || !s.rows || !s.inlined)
        return 0;
    take_units(&s, debug);
    if (!s.file || !s.row_count)
        return 0;
    qsort(s.rows, s.row_count, sizeof *s.rows, by_place);
    fprintf(to, "F %.*s\n", (int)strcspn(s.file, "\n"), s.file);
    for (size_t i = 0; i < s.row_count; i++)
        print_row(&s, &s.rows[i], to);
    return fclose(to) == 0 ? 0 : 1;   /* Frees no memory, because the process ends. */
}

#else

int dwarf_print(const struct dwarf_wish *wish, int out)
{
    (void)wish;
    (void)out;
    return 0;
}

#endif
