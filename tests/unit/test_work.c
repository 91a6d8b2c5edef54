/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work grows linearly with the input. If the input is doubled, the counted steps (base/steps.h)
 * increase by little more than a factor of two. No clock is read. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "base/file.h"
#include "base/path.h"
#include "base/steps.h"
#include "cmd/command.h"
#include "cmd/session_file.h"
#include "io/experiments_file.h"
#include "io/import.h"
#include "io/machine_file.h"
#include "io/pmevo_json.h"
#include "io/population_file.h"
#include "io/uops_table.h"
#include "measure/journal.h"
#include "toolchain/archive.h"
#include "toolchain/assemble.h"
#include "toolchain/listing.h"
#include "toolchain/markers.h"
#include "toolchain/object.h"
#include "../support/support.h"

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
    assert_grows(refused_directives, 2000);
    assert_grows(refused_instructions, 1000);
    assert_grows(global_labels, 2000);
}

static void add_section(struct str *out, uint32_t name, uint32_t type, uint64_t flags,
                        uint64_t offset, uint64_t size, uint32_t link, uint32_t info, uint64_t each)
{
    Elf64_Shdr header = {.sh_name = name,
                         .sh_type = type,
                         .sh_flags = flags,
                         .sh_offset = offset,
                         .sh_size = size,
                         .sh_link = link,
                         .sh_info = info,
                         .sh_addralign = 1,
                         .sh_entsize = each};
    str_add_bytes(out, &header, sizeof header);
}

/* Makes a relocatable file of @count sections of one instruction, each with a function without a
 * size. With @sparse, each section has @sparse bytes, a hole in the file. */
static const char *make_object(size_t count, uint64_t sparse)
{
    static const char names[] = "\0.text\0.names";
    const char *path = work_path("sections.o");
    struct str code = {0}, symbols = {0}, strings = {0}, sections = {0}, file = {0};
    Elf64_Sym symbol = {0};

    str_add_char(&strings, '\0');
    str_add_bytes(&symbols, &symbol, sizeof symbol);
    for (size_t i = 0; i < count; i++) {
        symbol = (Elf64_Sym){.st_name = (uint32_t)strings.length,
                             .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                             .st_shndx = (uint16_t)(i + 1)};
        str_add_bytes(&symbols, &symbol, sizeof symbol);
        str_addf(&strings, "f%zu", i);
        str_add_char(&strings, '\0');
        str_add_char(&code, (char)0x90);
    }
    uint64_t at = sizeof(Elf64_Ehdr), names_at = at + code.length,
             strings_at = names_at + sizeof names, symbols_at = strings_at + strings.length;
    add_section(&sections, 0, SHT_NULL, 0, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < count; i++)
        add_section(&sections, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, sparse ? 4096 : at + i,
                    sparse ? sparse : 1, 0, 0, 0);
    add_section(&sections, 7, SHT_STRTAB, 0, names_at, sizeof names, 0, 0, 0);
    add_section(&sections, 7, SHT_SYMTAB, 0, symbols_at, symbols.length, (uint32_t)count + 3, 1,
                sizeof symbol);
    add_section(&sections, 7, SHT_STRTAB, 0, strings_at, strings.length, 0, 0, 0);
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_REL,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_shoff = symbols_at + symbols.length,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)(count + 4),
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

    if (!object_read(path, 0, &o, &err))
        fail_msg("%s", err.what);
    assert_int_equal(o.sections.count, count);
    assert_int_equal(o.symbols.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(o.symbols.items[i].size, 1);
    object_done(&o);
}

/* Writes a thin archive of @count members, all the same object file, with names of about 100 bytes.
 * Checks that reading it finds all members. */
static void list_thin(size_t count)
{
    const char *path = work_path("thin.a"), *object = make_object(1, 0);
    struct str file = {0}, names = {0};
    struct archive a;
    struct err err = {0};

    for (size_t i = 0; i < count; i++) {
        for (size_t k = strlen(path_base(object)); k + 2 < 100; k += 2)
            str_add(&names, "./");
        str_addf(&names, "%s/\n", path_base(object));
    }
    const size_t each = names.length / count;
    str_addf(&file, "!<thin>\n%-48s%-10zu`\n%s", "//", names.length, str_text(&names));
    for (size_t i = 0; i < count; i++)
        str_addf(&file, "/%-47zu%-10d`\n", i * each, 1);
    assert_true(file_write(path, file.data, file.length, NULL));
    if (!archive_read(path, &a, &err))
        fail_msg("%s", err.what);
    assert_int_equal(a.members.count, count);
    archive_done(&a);
    str_done(&names);
    str_done(&file);
}

static void test_objects(void **state)
{
    assert_grows(read_sections, 5000);
    assert_grows(list_thin, 1000);
    /* A large file is mapped. It is not copied, and none of its bytes is read. */
    struct object o;
    struct err err = {0};
    const char *path = make_object(1, (uint64_t)1 << 30);
    if (!object_read(path, 0, &o, &err))
        fail_msg("%s", err.what);
    assert_int_equal(o.length, (size_t)1 << 30);
    assert_non_null(o.file.bytes);
    object_done(&o);
    /* No memory is allocated for missing parts of a file. */
    assert_int_equal(truncate(path, 4096), 0);
    assert_false(object_read(path, OBJECT_LINES, &o, &err));
    assert_non_null(strstr(err.what, "longer than the file"));
    object_done(&o);
}

/* Reads an object with @tables symbol tables of the same bytes. With 0, reads an object whose
 * symbols all have the same long name. */
static bool read_overlapping(size_t tables, struct err *err)
{
    const char *path = work_path("overlapping.o");
    struct str sections = {0}, file = {0}, symbols = {0}, strings = {0};
    struct object o;
    const size_t count = 2000;
    Elf64_Sym symbol = {
        .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1};

    for (size_t i = 0; i < count; i++)
        str_add_bytes(&symbols, &symbol, sizeof symbol);
    str_add_char(&strings, '\0');
    for (size_t i = 0; i < (tables ? 4 : 50000); i++)
        str_add_char(&strings, 'x');
    str_add_char(&strings, '\0');
    uint64_t at = sizeof(Elf64_Ehdr), strings_at = at + 16,
             symbols_at = strings_at + strings.length;
    size_t many = tables ? tables : 1;
    add_section(&sections, 0, SHT_NULL, 0, 0, 0, 0, 0, 0);
    add_section(&sections, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, at, 16, 0, 0, 0);
    add_section(&sections, 1, SHT_STRTAB, 0, strings_at, strings.length, 0, 0, 0);
    for (size_t i = 0; i < many; i++)
        add_section(&sections, 1, SHT_SYMTAB, 0, symbols_at, symbols.length, 2, 1, sizeof symbol);
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_REL,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_shoff = symbols_at + symbols.length,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)(many + 3),
        .e_shstrndx = 2};
    str_add_bytes(&file, &header, sizeof header);
    for (int i = 0; i < 16; i++)
        str_add_char(&file, (char)0x90);
    str_add_bytes(&file, strings.data, strings.length);
    str_add_bytes(&file, symbols.data, symbols.length);
    str_add_bytes(&file, sections.data, sections.length);
    assert_true(file_write(path, file.data, file.length, NULL));
    bool ok = object_read(path, 0, &o, err);
    object_done(&o);
    unlink(path);
    str_done(&file);
    str_done(&sections);
    str_done(&symbols);
    str_done(&strings);
    return ok;
}

/* Overlapping symbol tables, and names of the same bytes, multiply the contents of a small file.
 * The file is rejected once the multiplied contents exceed its possible contents. */
static void test_overlapping(void **state)
{
    struct err err = {0};
    assert_true(read_overlapping(1, &err));
    uint64_t before = steps_taken;
    assert_false(read_overlapping(20000, &err));
    assert_non_null(strstr(err.what, "overlap"));
    assert_true(steps_taken - before < 1000000);
    before = steps_taken;
    assert_false(read_overlapping(0, &err));
    assert_non_null(strstr(err.what, "overlap"));
    assert_true(steps_taken - before < 100000);
}

/* Large counts in a line are limited, with a reason. */
static void test_counts(void **state)
{
    static const char *const lines[] = {".rept 1000000000\nnop\n.endr\n",
                                        ".fill 2000000000, 8, 0x90\n",
                                        ".skip 4000000000\nnop\n",
                                        ".zero 9000000000000\n",
                                        ".org 0x7fffffffffff\nnop\n",
                                        ".p2align 31\nnop\n.p2align 31\n",
                                        ".irp x,1,2\n.rept 100000000\nnop\n.endr\n.endr\n",
                                        ".space 1<<62\n",
                                        ".macro m\nm\nm\n.endm\nm\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct err err = {0};
        uint64_t before = steps_taken;
        struct kernel *k = kernel_from_text("text", lines[i], strlen(lines[i]), NULL, &err);
        /* The line is skipped, or rejected with a reason. */
        if (k ? k->insn_count > 10 : !err.what[0])
            fail_msg("case %zu: %s", i, k ? "a kernel" : "no reason");
        kernel_free(k);
        assert_true(steps_taken - before < 100000);
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
        str_addf(&text, "%s{\"iseq\": [\"F%zu\", \"G\"], \"result\": {\"cycles\": 1.0}}",
                 i ? ", " : "", i);
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
        str_addf(&text,
                 "<instruction string=\"F%zu\"><architecture name=\"A\"><measurement "
                 "ports=\"1*p0\" uops=\"1\"/></architecture></instruction>",
                 i);
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
    struct machine *m =
        import_llvm_parse(ISA_X86_64, "some", text.data, text.length, forms, count, &err);
    if (!m)
        fail_msg("%s", err.what);
    machine_free(m);
    free(forms);
    str_done(&text);
}

/* Reads one experiment of many forms. */
static void many_forms(size_t count)
{
    struct str text = {0};
    struct experiment e;
    struct err err = {0};

    for (size_t i = 0; i < count; i++)
        str_addf(&text, "%sF%zu", i ? " + " : "", i);
    assert_true(experiment_parse(str_text(&text), &e, &err));
    assert_int_equal(e.count, count);
    experiment_done(&e);
    str_done(&text);
}

static void command_words(size_t count)
{
    struct str text = {0};
    const struct command *c;
    struct err err = {0};

    str_add(&text, "forms select '");
    for (size_t i = 0; i < 16 * count; i++)
        str_add(&text, i % 2 ? "F;" : "(#");
    str_add(&text, "' \"");
    for (size_t i = 0; i < 16 * count; i++)
        str_add(&text, "\\\\");
    str_add(&text, "\"");
    assert_true(command_check(str_text(&text), &c, &err));
    str_done(&text);
}

static void hex_block(size_t count)
{
    struct str text = {0};
    struct err err = {0};

    for (size_t i = 0; i < count; i++)
        str_add(&text, "4801d8 ");
    struct kernel *k = kernel_from_hex(ISA_X86_64, str_text(&text), &err);
    assert_non_null(k);
    assert_int_equal(k->insn_count, count);
    kernel_free(k);
    str_done(&text);
}

static void machine_rows(size_t count)
{
    struct str text = {0};
    struct err err = {0};
    struct ports ports = {0};

    ports_number(&ports, 4);
    struct mapping *m = mapping_new(&ports);
    str_add(&text, "form,usage,latency\n");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "F%zu,1*p0,1\n", i);
    if (!machine_parse_mapping(m, "text", text.data, text.length, false, &err))
        fail_msg("%s", err.what);
    assert_int_equal(mapping_count(m), count);
    mapping_free(m);
    str_done(&text);
}

static void fact_rows(size_t count)
{
    struct str text = {0};
    struct err err = {0};
    struct ports none = {0};
    struct machine *m = machine_new("some", &none);

    str_add(&text, "key,value,unit,source\n");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "fact-%zu,1,,\n", i);
    assert_false(machine_parse_facts(m, NULL, "text", text.data, text.length, &err));
    assert_int_equal(err.code, ERR_LIMIT);   /* They are found one by one, because there are few. */
    machine_free(m);
    str_done(&text);
}

static void pmevo_forms(size_t count)
{
    struct str text = {0};
    struct err err = {0};

    str_add(&text, "{\"kind\": \"Mapping3\", \"arch\": {\"insns\": []}, \"assignment\": {");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "%s\"F%zu\": [[\"0\", \"1\"]]", i ? ", " : "", i);
    str_add(&text, "}}");
    struct mapping *m = pmevo_mapping_parse("text", text.data, text.length, &err);
    if (!m)
        fail_msg("%s", err.what);
    assert_int_equal(mapping_count(m), count);
    mapping_free(m);
    str_done(&text);
}

/* Reads a journal of @count lines of values, at a path. */
static void journal_lines(size_t count)
{
    struct str text = {0}, line = {0};
    struct err err = {0};
    const char *path = work_path("journal.csv");

    str_add(&text, "experiment,cycles,spread,repeats,state\n");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "F%zu,1,0.01,3,ok\n", i);
    assert_true(file_write(path, text.data, text.length, NULL));
    struct journal *j = journal_open(path, &err);
    assert_true(j || err.what[0]);
    journal_close(j);
    unlink(path);
    str_clear(&line);
    str_addf(&line, "%s.damaged", path);
    unlink(str_text(&line));
    str_done(&line);
    str_done(&text);
}

/* Imports @count entries with the name of many forms, none of which they match. Each entry is
 * compared with each form. */
static void osaca_entries(size_t count)
{
    static struct forms *forms;
    struct str text = {0};
    struct err err = {0};

    if (!forms && !(forms = forms_load(ISA_X86_64, NULL, &err)))
        fail_msg("%s", err.what);
    str_add(&text, "osaca_version: 0.5.3\nmicro_architecture: some\narch_code: some\nisa: "
                   "x86\nports: ['0', '1']\ninstruction_forms:\n"
                   "- {name: imul, operands: [{class: register, name: gpr}, {class: register, "
                   "name: gpr}], latency: 1, port_pressure: [[1, '0']]}\n");
    for (size_t i = 0; i < count; i++)
        str_add(&text, "- {name: add, operands: [{class: register, name: ymm}], latency: 1, "
                       "port_pressure: [[1, '01']]}\n");
    struct osaca_notes notes = {0};
    struct machine *m = import_osaca_parse(
        "some", "text", text.data, text.length,
        (const struct forms *const[ISA_COUNT]){[ISA_X86_64] = forms}, &notes, &err);
    if (!m)
        fail_msg("%s", err.what);
    assert_int_equal(notes.entries, count + 1);
    assert_int_equal(notes.unused_count, count);
    osaca_notes_done(&notes);
    machine_free(m);
    str_done(&text);
}

static void osaca_rules(size_t count)
{
    static struct forms *forms;
    struct str text = {0};
    struct err err = {0};

    if (!forms && !(forms = forms_load(ISA_X86_64, NULL, &err)))
        fail_msg("%s", err.what);
    str_add(&text, "osaca_version: 0.5.3\nmicro_architecture: some\narch_code: some\nisa: "
                   "x86\nports: ['0', '1']\nload_throughput:\n");
    for (size_t i = 0; i < count; i++)
        str_add(&text, "- {dst: nosuch, base: '*', offset: '*', index: '*', scale: '*', "
                       "port_pressure: [[1, '01']]}\n");
    str_add(&text, "instruction_forms:\n- {name: imul, operands: [{class: register, name: gpr}, "
                   "{class: register, name: gpr}], latency: 1, port_pressure: [[1, '0']]}\n");
    struct machine *m = import_osaca_parse(
        "some", "text", text.data, text.length,
        (const struct forms *const[ISA_COUNT]){[ISA_X86_64] = forms}, NULL, &err);
    assert_true(m || err.what[0]);
    machine_free(m);
    str_done(&text);
}

/* Cleans a listing of @count pieces @piece, whose %zu is their number, after @before. */
static void clean(const char *before, const char *piece, size_t count)
{
    struct str text = {0};
    struct listing l;
    struct marker_list markers;

    str_add(&text, before);
    for (size_t i = 0; i < count; i++)
        str_addf(&text, piece, i);
    listing_clean(ISA_X86_64, text.data, text.length, SYNTAX_AUTO, NULL, &l);
    listing_done(&l);
    markers_find(text.data, text.length, &markers);
    markers_done(&markers);
    listing_isa(text.data, text.length);
    str_done(&text);
}

static void listing_lines(size_t count) { clean("", "\taddq $%zu, %%rax # as it comes\n", count); }
static void listing_disassembly(size_t count)
{
    clean("0000000000001000 <f>:\n", "%8zx:\t48 01 d8\tadd %%rbx,%%rax\n", count);
}
static void listing_functions(size_t count)
{
    clean("", "\t.globl f%zu\n\t.type f, @function\nf:\tnop\n", count);
}
static void listing_statements(size_t count) { clean("", "nop %zu;", count); }
static void listing_labels(size_t count) { clean("", "\"a%zu\": ", count); }
static void listing_quotes(size_t count) { clean("", ".section \"text ; %zu", count); }
static void listing_comments(size_t count) { clean("", "/* %zu */ /", count); }
static void listing_quoted(size_t count) { clean("", "> > \taddq $%zu, %%rax\n", count); }
static void listing_fenced(size_t count) { clean("", "```\nnop # %zu\n", count); }
static void listing_numbered(size_t count) { clean("", "%4zu  addq $1, %%rax\n", count); }
static void listing_table(size_t count) { clean("", "| 1 | 2 | 3 | addq $%zu, %%rax\n", count); }
static void listing_mca(size_t count)
{
    clean("Instruction Info:\n\n[1]    Instructions:\n", " 1     addq $%zu, %%rax\n", count);
}
static void listing_profile(size_t count) { clean("Percent\n", " 1.25  \u2191 jne %zx\n", count); }
static void listing_backwards(size_t count)
{
    clean("  ffffff: 90  nop\n", "=> 0x%zx <+4>:\tjne 0x10 <f>\n", count);
}
static void listing_spelled(size_t count) { clean("", "a::b<c>(%zu)+", count); }
static void listing_operators(size_t count) { clean("call ", "operator<%zu", count); }
static void listing_angles(size_t count) { clean("0x10 <", "> %zu", count); }
static void listing_dialect(size_t count)
{
    clean("f PROC\n", ".loop%zu:\tmov eax, dword [rel x$@y?+0ffh]\n\tjmp .loop\n", count);
}
static void listing_prose(size_t count)
{
    clean("", "This is no code at all %zu, and; is (it) so = ", count);
}
/* Carriage returns alone do not end a line in a JSON string. */
static void listing_returns(size_t count) { clean("", "a \r b %zu", count); }
static void listing_commas(size_t count) { clean("vaddps eax", ", :x%zu", count); }
static void listing_markers_alone(size_t count) { clean("", "# LLVM-MCA-BEGIN %zu\nnop\n", count); }

static void marked(size_t count, const char *begin, const char *end, size_t loops)
{
    struct str text = {0};
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "%s\n\taddq %%rax, %%rbx\n%s\n", begin, end);
    struct kernel *k = kernel_of(str_text(&text));
    assert_int_equal(k->loop_count, loops);
    kernel_free(k);
    str_done(&text);
}

static void marked_pairs(size_t count)
{
    marked(count, "# LLVM-MCA-BEGIN", "# LLVM-MCA-END", count);
}

static void marked_by_bytes(size_t count)
{
    marked(count, "\tmovl $111, %ebx\n\t.byte 0x64, 0x67, 0x90",
           "\tmovl $222, %ebx\n\t.byte 0x64, 0x67, 0x90", count);
}

/* One mark closes all open marks. */
static void marks_left_open(size_t count)
{
    marked(count, "# LLVM-MCA-BEGIN", "# nothing", count);
}

static void test_listings(void **state)
{
    assert_grows(listing_lines, 4000);
    assert_grows(listing_quoted, 4000);
    assert_grows(listing_fenced, 4000);
    assert_grows(listing_numbered, 4000);
    assert_grows(listing_table, 4000);
    assert_grows(listing_mca, 4000);
    assert_grows(listing_profile, 4000);
    assert_grows(listing_spelled, 4000);
    assert_grows(listing_operators, 4000);
    assert_grows(listing_angles, 4000);
    assert_grows(listing_dialect, 4000);
    assert_grows(listing_prose, 4000);
    assert_grows(listing_returns, 4000);
    assert_grows(listing_commas, 4000);
    assert_grows(listing_backwards, 1500);
    assert_grows(listing_disassembly, 4000);
    assert_grows(listing_functions, 4000);
    assert_grows(listing_statements, 4000);
    assert_grows(listing_labels, 4000);
    assert_grows(listing_quotes, 40000);
    assert_grows(listing_comments, 40000);
    assert_grows(listing_markers_alone, 4000);
    assert_grows(marked_pairs, 2000);
    assert_grows(marked_by_bytes, 2000);
    assert_grows(marks_left_open, 2000);
}

static void population_forms(size_t count)
{
    struct str text = {0};
    struct err err = {0};
    struct population p;

    str_add(&text,
            "{\"kind\": \"PortolanPopulation\", \"fingerprint\": \"0000000000000001\", "
            "\"seconds\": 1.0, \"ports\": [\"0\"], \"issue_width\": 0.0, \"individuals\": [{");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "%s\"F%zu\": [\"1*p0\", 1]", i ? ", " : "", i);
    str_add(&text, "}]}");
    if (!population_parse("text", text.data, text.length, &p, &err))
        fail_msg("%s", err.what);
    assert_int_equal(mapping_count(p.mappings[0]), count);
    population_done(&p);
    str_done(&text);
}

static void usage_terms(size_t count)
{
    struct str text = {0};
    struct err err = {0};
    struct ports ports = {0};
    struct usage usage = {0};

    ports_number(&ports, 4);
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "%s1*p%zu", i ? "+" : "", i % 4);
    assert_true(usage_parse(str_text(&text), &ports, &usage, &err) || err.what[0]);
    usage_done(&usage);
    str_done(&text);
}

static void uops_rows(size_t count)
{
    struct str text = {0};
    struct uops_table t = {0};
    struct err err = {0};

    str_add(&text, "instr,ports,uops,latency\n");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "F%zu,1*p0,1,1\n", i);
    assert_true(uops_table_csv(&t, "text", text.data, text.length, &err) || err.what[0]);
    uops_table_done(&t);
    str_done(&text);
}

/* Saves a session over a directory with @count machines, which it removes. */
static void session_directory(size_t count)
{
    struct session s;
    struct err err = {0};
    struct str names = {0}, name = {0};
    char directory[300];

    snprintf(directory, sizeof directory, "%s", work_path("session"));
    session_init(&s);
    if (!session_save(&s, directory, &err) ||
        !file_read(work_path("session/manifest.csv"), 1 << 20, &names, &err))
        fail_msg("%s", err.what);
    mkdir(work_path("session/machines"), 0777);
    for (size_t i = 0; i < count; i++) {
        str_clear(&name);
        str_addf(&name, "machines/m%zu.csv", i);
        str_addf(&names, "%s\n", str_text(&name));
        str_clear(&name);
        str_addf(&name, "session/machines/m%zu.csv", i);
        work_put(str_text(&name), "");
    }
    work_put("session/manifest.csv", str_text(&names));
    if (!session_save(&s, directory, &err))
        fail_msg("%s", err.what);
    assert_false(work_has("session/machines/m0.csv"));
    session_done(&s);
    work_remove("session");
    str_done(&names);
    str_done(&name);
}

static void test_more(void **state)
{
    assert_grows(osaca_entries, 3000);
    assert_grows(osaca_rules, 3000);
    assert_grows(population_forms, 3000);
    assert_grows(usage_terms, 3000);
    assert_grows(uops_rows, 3000);
    assert_grows(session_directory, 200);
}

static void test_others(void **state)
{
    assert_grows(many_forms, 2000);
    assert_grows(command_words, 2000);
    assert_grows(hex_block, 2000);
    assert_grows(machine_rows, 3000);
    assert_grows(fact_rows, 12000);
    assert_grows(pmevo_forms, 3000);
    assert_grows(journal_lines, 3000);
}

static void test_tables(void **state)
{
    assert_grows(csv_rows, 3000);
    assert_grows(json_experiments, 3000);
    assert_grows(xml_instructions, 3000);
    assert_grows(llvm_rows, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assembling),  cmocka_unit_test(test_objects),
        cmocka_unit_test(test_overlapping), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_tables),      cmocka_unit_test(test_others),
        cmocka_unit_test(test_listings),    cmocka_unit_test(test_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
