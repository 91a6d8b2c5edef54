/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unwind tables of programs without symbols. Reading hostile tables takes time proportional to
 * their size, and returns only their contents. */
#include <elf.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "../support/support.h"
#include "toolchain/object.h"

#define PLACE 0x1000   /* address of the first section */

static void add_number(struct str *out, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        str_add_char(out, (char)(value >> 8 * i));
}

/* Adds a CIE whose functions have addresses of 8 bytes. Its first number is @padding bytes
 * longer. */
static void add_description(struct str *out, size_t padding)
{
    struct str body = {0};

    add_number(&body, 0, 4);
    add_number(&body, 1, 1);
    add_number(&body, 0, 1);
    for (size_t i = 0; i < padding; i++)
        add_number(&body, 0x81, 1);
    add_number(&body, 1, 1);
    add_number(&body, 0x78, 1);
    add_number(&body, 16, 1);
    add_number(out, body.length, 4);
    str_add_bytes(out, str_text(&body), body.length);
    str_done(&body);
}

/* Adds the record of a function of one byte, whose CIE is at the start of the tables. @length is
 * the size of the record. */
static void add_function(struct str *out, uint64_t address, size_t length)
{
    add_number(out, length, 4);
    add_number(out, out->length, 4);
    add_number(out, address, 8);
    add_number(out, 1, 8);
}

static void add_section(struct str *out, uint32_t type, uint32_t name, uint64_t address,
                        uint64_t offset, uint64_t size, uint32_t link)
{
    Elf64_Shdr header = {.sh_name = name,
                         .sh_type = type,
                         .sh_flags = name == 1 ? SHF_ALLOC | SHF_EXECINSTR : 0,
                         .sh_addr = address,
                         .sh_offset = offset,
                         .sh_size = size,
                         .sh_link = link,
                         .sh_addralign = 1,
                         .sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0};
    str_add_bytes(out, &header, sizeof header);
}

/* Makes and reads a program of @count sections of one instruction, with these unwind tables, and
 * @labels labels at the first instruction. */
static void read_program(size_t count, size_t labels, const struct str *tables, struct object *o)
{
    static const char names[] = "\0.text\0.eh_frame\0.symtab\0x";
    const char *path = work_path("program");
    struct str file = {0}, sections = {0};
    struct err err = {0};
    Elf64_Sym label = {.st_name = 25,
                       .st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE),
                       .st_shndx = 1,
                       .st_value = PLACE};
    const uint64_t code = sizeof(Elf64_Ehdr), text = code + count, unwinding = text + sizeof names,
                   symbols = unwinding + tables->length, headers = symbols + labels * sizeof label;
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_entry = PLACE,
        .e_shoff = headers,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)(count + 4),
        .e_shstrndx = (uint16_t)(count + 1)};

    add_section(&sections, SHT_NULL, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < count; i++)
        add_section(&sections, SHT_PROGBITS, 1, PLACE + i, code + i, 1, 0);
    add_section(&sections, SHT_STRTAB, 0, 0, text, sizeof names, 0);
    add_section(&sections, SHT_PROGBITS, 7, 0, unwinding, tables->length, 0);
    add_section(&sections, SHT_SYMTAB, 17, 0, symbols, labels * sizeof label, (uint32_t)count + 1);
    str_add_bytes(&file, &header, sizeof header);
    for (size_t i = 0; i < count; i++)
        str_add_char(&file, (char)0x90);
    str_add_bytes(&file, names, sizeof names);
    str_add_bytes(&file, str_text(tables), tables->length);
    for (size_t i = 0; i < labels; i++)
        str_add_bytes(&file, &label, sizeof label);
    str_add_bytes(&file, str_text(&sections), sections.length);
    assert_true(file_write(path, str_text(&file), file.length, &err));
    if (!object_read(path, OBJECT_FUNCTIONS, o, &err))
        fail_msg("%s", err.what);
    assert_int_equal(o->sections.count, count);
    str_done(&file);
    str_done(&sections);
}

/* Reads a program with as many sections as functions. Every second function is at the first
 * instruction, where all labels are. */
static void read_many(size_t count)
{
    struct str tables = {0};
    struct object o;
    size_t functions = 0;

    add_description(&tables, 8);
    for (size_t i = 0; i < count; i++)
        add_function(&tables, PLACE + (i % 2 ? i : 0), 20);
    read_program(count, count, &tables, &o);
    for (size_t i = 0; i < o.symbols.count; i++)
        functions += o.symbols.items[i].function;
    assert_int_equal(functions, count);
    object_done(&o);
    str_done(&tables);
}

static void test_many_sections_and_labels(void **state)
{
    assert_grows(read_many, 4000);
}

/* Returns the number of functions in tables of two, whose CIE has @padding, with records of length
 * @length. */
static size_t functions_found(size_t padding, size_t length)
{
    struct str tables = {0};
    struct object o;

    add_description(&tables, padding);
    add_function(&tables, PLACE + 1, length);
    add_function(&tables, PLACE + 2, length);
    read_program(4, 0, &tables, &o);
    size_t found = 0;
    for (size_t i = 0; i < o.symbols.count; i++)
        found += o.symbols.items[i].offset > 0;
    object_done(&o);
    str_done(&tables);
    return found;
}

/* The CIE of a function is read again for each function. A number in the CIE may be nine bytes
 * longer than necessary, but not a hundred. */
static void test_numbers_without_an_end(void **state)
{
    assert_int_equal(functions_found(0, 20), 2);
    assert_int_equal(functions_found(9, 20), 2);
    assert_int_equal(functions_found(100, 20), 0);
}

static void test_records_that_are_too_short(void **state)
{
    assert_int_equal(functions_found(0, 12), 0);
    assert_int_equal(functions_found(0, 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_sections_and_labels),
                                       cmocka_unit_test(test_numbers_without_an_end),
                                       cmocka_unit_test(test_records_that_are_too_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
