/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work grows with the input, not with its square: inputs are doubled, and the steps that are counted (base/steps.h) may grow by little more. No clock is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/steps.h"
#include "io/experiments_file.h"
#include "io/import_llvm.h"
#include "io/pmevo_json.h"
#include "io/uops_table.h"
#include "io/yaml_tree.h"
#include "toolchain/assemble.h"
#include "toolchain/object.h"
#include "../support/support.h"

#define RATIO 2.5

/* The steps of @work on an input of @size. */
static uint64_t steps_of(void (*work)(size_t size), size_t size)
{
    uint64_t before = steps_taken;
    work(size);
    return steps_taken - before;
}

static void check_growth(void (*work)(size_t size), size_t size)
{
    uint64_t once = steps_of(work, size), twice = steps_of(work, 2 * size);

    if (once < size / 2 || (double)twice > RATIO * (double)once)
        fail_msg("%zu: %llu steps, %zu: %llu", size, (unsigned long long)once, 2 * size, (unsigned long long)twice);
}

static void try_assembling(const struct str *text, bool fine)
{
    struct assembled a;
    struct err err = {0};
    bool ok = assemble(ISA_X86_64, "text", text->data, text->length, SYNTAX_ATT, false, &a, &err);

    assembled_done(&a);
    assert_int_equal(ok, fine);
}

static void refused_directives(size_t count)
{
    struct str text = {0};
    for (size_t i = 0; i < count; i++)
        str_add(&text, ".incbin x\n");
    str_add(&text, "nop\n");
    try_assembling(&text, false);
    str_done(&text);
}

static void refused_instructions(size_t count)
{
    struct str text = {0};
    for (size_t i = 0; i < count; i++)
        str_add(&text, "nosuch\n");
    try_assembling(&text, false);
    str_done(&text);
}

static void global_labels(size_t count)
{
    struct str text = {0};
    for (size_t i = 0; i < count; i++)
        str_addf(&text, ".globl f%zu\nf%zu: nop\n", i, i);
    try_assembling(&text, true);
    str_done(&text);
}

static void test_assembling(void **state)
{
    (void)state;
    check_growth(refused_directives, 2000);
    check_growth(refused_instructions, 1000);
    check_growth(global_labels, 2000);
}

static void add_section(struct str *out, uint32_t name, uint32_t type, uint64_t flags, uint64_t offset, uint64_t size, uint32_t link, uint32_t info, uint64_t each)
{
    Elf64_Shdr header = {.sh_name = name, .sh_type = type, .sh_flags = flags, .sh_offset = offset, .sh_size = size, .sh_link = link, .sh_info = info, .sh_addralign = 1,
                         .sh_entsize = each};
    str_add_bytes(out, &header, sizeof header);
}

/* A relocatable file of @count sections of one instruction, with a function without a size in each, or, with @sparse, one section of so many bytes that are not there. */
static const char *make_object(size_t count, uint64_t sparse)
{
    static const char names[] = "\0.text\0.names";
    const char *path = work_path("sections.o");
    struct str code = {0}, symbols = {0}, strings = {0}, sections = {0}, file = {0};
    Elf64_Sym symbol = {0};

    str_add_char(&strings, '\0');
    str_add_bytes(&symbols, &symbol, sizeof symbol);
    for (size_t i = 0; i < count; i++) {
        symbol = (Elf64_Sym){.st_name = (uint32_t)strings.length, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = (uint16_t)(i + 1)};
        str_add_bytes(&symbols, &symbol, sizeof symbol);
        str_addf(&strings, "f%zu", i);
        str_add_char(&strings, '\0');
        str_add_char(&code, (char)0x90);
    }
    uint64_t at = sizeof(Elf64_Ehdr), names_at = at + code.length, strings_at = names_at + sizeof names, symbols_at = strings_at + strings.length;
    add_section(&sections, 0, SHT_NULL, 0, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < count; i++)
        add_section(&sections, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, sparse ? 4096 : at + i, sparse ? sparse : 1, 0, 0, 0);
    add_section(&sections, 7, SHT_STRTAB, 0, names_at, sizeof names, 0, 0, 0);
    add_section(&sections, 7, SHT_SYMTAB, 0, symbols_at, symbols.length, (uint32_t)count + 3, 1, sizeof symbol);
    add_section(&sections, 7, SHT_STRTAB, 0, strings_at, strings.length, 0, 0, 0);
    Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_REL, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
                         .e_shoff = symbols_at + symbols.length, .e_ehsize = sizeof header, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = (uint16_t)(count + 4),
                         .e_shstrndx = (uint16_t)(count + 1)};
    str_add_bytes(&file, &header, sizeof header);
    str_add_bytes(&file, code.data, code.length);
    str_add_bytes(&file, names, sizeof names);
    str_add_bytes(&file, strings.data, strings.length);
    str_add_bytes(&file, symbols.data, symbols.length);
    str_add_bytes(&file, sections.data, sections.length);
    assert_true(file_write(path, file.data, file.length, NULL));
    if (sparse)
        assert_int_equal(truncate(path, (off_t)(4096 + sparse)), 0);
    str_done(&code);
    str_done(&symbols);
    str_done(&strings);
    str_done(&sections);
    str_done(&file);
    return path;
}

static void read_sections(size_t count)
{
    struct object o;
    struct err err = {0};
    const char *path = make_object(count, 0);

    if (!object_read(path, false, &o, &err))
        fail_msg("%s", err.what);
    assert_int_equal(o.sections.count, count);
    assert_int_equal(o.symbols.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(o.symbols.items[i].size, 1);
    object_done(&o);
}

static void test_objects(void **state)
{
    (void)state;
    check_growth(read_sections, 5000);
    /* A file that is nothing but a size is refused before its bytes are asked for. */
    struct object o;
    struct err err = {0};
    const char *path = make_object(1, (uint64_t)1 << 30);
    assert_false(object_read(path, false, &o, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(o.length, 0);
    object_done(&o);
}

static bool read_yaml(const char *piece, size_t count)
{
    struct str text = {0};
    struct yaml_tree tree;
    struct err err = {0};

    for (size_t i = 0; i < count; i++)
        str_addf(&text, piece, i);
    bool ok = yaml_tree_parse("text", text.data, text.length, &tree, &err);
    assert_true(ok || err.what[0]);
    yaml_tree_done(&tree);
    str_done(&text);
    return ok;
}

static void flat_list(size_t count)
{
    assert_true(read_yaml("- [%zu, x]\n", count));
}

static void test_trees(void **state)
{
    (void)state;
    check_growth(flat_list, 2000);
    /* What libyaml itself takes the square for ends early, however long it is. */
    static const char *const bad[] = {"[", "{a: ", "- ", "- &a%zu x\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t before = steps_taken;
        assert_false(read_yaml(bad[i], 200000));
        assert_true(steps_taken - before < 10000);
    }
}

static void csv_rows(size_t count)
{
    struct str text = {0};
    struct err err = {0};

    str_add(&text, "experiment,cycles,note\n");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "F%zu + G,1,\"a,%zu\"\n", i, i);
    struct experiments *t = experiments_parse("text", text.data, text.length, &err);
    assert_non_null(t);
    assert_int_equal(t->rows.count, count);
    experiments_free(t);
    str_done(&text);
}

static void json_experiments(size_t count)
{
    struct str text = {0};
    struct err err = {0};

    str_add(&text, "{\"kind\": \"ExperimentList\", \"exps\": [");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "%s{\"iseq\": [\"F%zu\", \"G\"], \"result\": {\"cycles\": 1.0}}", i ? ", " : "", i);
    str_add(&text, "]}");
    struct experiments *t = pmevo_experiments_parse("text", text.data, text.length, &err);
    assert_non_null(t);
    assert_int_equal(t->rows.count, count);
    experiments_free(t);
    str_done(&text);
}

static void xml_instructions(size_t count)
{
    struct str text = {0};
    struct uops_table t = {0};
    struct err err = {0};

    str_add(&text, "<root>");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "<instruction string=\"F%zu\"><architecture name=\"A\"><measurement ports=\"1*p0\" uops=\"1\"/></architecture></instruction>", i);
    str_add(&text, "</root>");
    struct uops_xml *x = uops_xml_new(&t, "text", NULL);
    assert_true(uops_xml_feed(x, text.data, text.length, true, &err));
    assert_int_equal(t.count, count);
    uops_xml_free(x);
    uops_table_done(&t);
    str_done(&text);
}

static void llvm_rows(size_t count)
{
    struct str text = {0};
    struct err err = {0};
    const char **forms = mem_zero(count, sizeof *forms);

    str_add(&text, "Resources:\n[0]   - TPort0:1\nInstruction Info:\nInstructions:\n");
    for (size_t i = 0; i < count; i++) {
        forms[i] = "F";
        str_add(&text, " 1 1 1.00 1 TPort0 OTHER other\n 1 1 1.00 1 TPort0 CLD cld\n");
    }
    struct machine *m = import_llvm_parse(ISA_X86_64, "some", text.data, text.length, forms, count, &err);
    if (!m)
        fail_msg("%s", err.what);
    machine_free(m);
    free(forms);
    str_done(&text);
}

static void test_tables(void **state)
{
    (void)state;
    check_growth(csv_rows, 3000);
    check_growth(json_experiments, 3000);
    check_growth(xml_instructions, 3000);
    check_growth(llvm_rows, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_assembling), cmocka_unit_test(test_objects), cmocka_unit_test(test_trees), cmocka_unit_test(test_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
