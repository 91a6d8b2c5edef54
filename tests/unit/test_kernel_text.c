/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A saved loop is the same program, with the same bytes, references, label names and exits. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "analysis/kernel_names.h"
#include "analysis/kernel_text.h"
#include "../support/support.h"

#define LOOPS_MOST 4   /* maximum number of loops in a file */

static void add_bytes(const struct insn *insns, size_t count, struct str *out)
{
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < insns[i].length; b++)
            str_addf(out, "%02x", insns[i].bytes[b]);
}

/* Fails unless loop @loop of @k, saved and loaded again, has the same bytes and references. Returns
 * the number of instructions written as bytes. */
static size_t assert_same(const struct kernel *k, size_t loop, const char *name, struct str *text)
{
    const struct kernel_options options = {.isa_given = true, .isa = k->isa};
    struct str before = {0}, after = {0};
    struct err err = {0};
    size_t count, references = 0, again_references = 0, bytes = 0;
    const struct insn *insns = kernel_insns(k, loop, &count);

    str_clear(text);
    if (!kernel_text(k, loop, text, &err))
        fail_msg("%s, loop %zu: %s", name, loop + 1, err.what);
    struct kernel *again = kernel_from_text("again", str_text(text), text->length, &options, &err);
    if (!again)
        fail_msg("%s, loop %zu: %s\n%s", name, loop + 1, err.what, str_text(text));
    add_bytes(insns, count, &before);
    add_bytes(again->insns, again->insn_count, &after);
    if (strcmp(str_text(&before), str_text(&after)) != 0)
        fail_msg("%s, loop %zu: %s became %s\n%s", name, loop + 1, str_text(&before),
                 str_text(&after), str_text(text));
    for (size_t i = 0, n; i < count; i++) {
        kernel_references(k, &insns[i], &n);
        references += n;
    }
    again_references = again->names ? again->names->references.count : 0;
    if (references != again_references)
        fail_msg("%s, loop %zu: %zu references became %zu\n%s", name, loop + 1, references,
                 again_references, str_text(text));
    for (const char *at = str_text(text); (at = strstr(at, "\n\t.byte")) != NULL; at++)
        bytes++;
    /* Saving the loop again writes the same text with all names. */
    struct str twice = {0};
    if (again->loops[0].count == again->insn_count) {
        if (!kernel_text(again, 0, &twice, &err))
            fail_msg("%s, loop %zu: %s\n%s", name, loop + 1, err.what, str_text(text));
        /* Compares from the second line, because the first line has the reason for the loop. */
        const char *first = strchr(str_text(text), '\n'), *second = strchr(str_text(&twice), '\n');
        if (!first || !second || strcmp(first, second) != 0)
            fail_msg("%s, loop %zu: saved again,\n%s\nbecame\n%s", name, loop + 1, str_text(text),
                     str_text(&twice));
    }
    str_done(&twice);
    kernel_free(again);
    str_done(&before);
    str_done(&after);
    return bytes;
}

/* Saves the loops of all loadable files of @directory. Returns the number of files. */
static size_t save_all(const char *directory, size_t *loops, size_t *insns, size_t *bytes)
{
    DIR *stream = opendir(directory);
    struct str text = {0};
    size_t files = 0;

    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        const char *ending = strrchr(entry->d_name, '.');
        struct str path = {0};
        struct err err = {0};
        str_addf(&path, "%s/%s", directory, entry->d_name);
        struct kernel *k = ending && (strcmp(ending, ".s") == 0 || strcmp(ending, ".txt") == 0)
                               ? kernel_load(str_text(&path), NULL, &err)
                               : NULL;
        for (size_t loop = 0; k && loop < k->loop_count && loop < LOOPS_MOST; loop++) {
            *bytes += assert_same(k, loop, entry->d_name, &text);
            *insns += k->loops[loop].count;
            ++*loops;
        }
        files += k != NULL;
        if (k)
            kernel_free(k);
        str_done(&path);
    }
    if (stream)
        closedir(stream);
    str_done(&text);
    return files;
}

/* Instructions that only another disassembler supports are written as bytes, because many
 * assemblers lack them. */
static void test_newer_stand_as_bytes(void **state)
{
    struct err err = {0};
    struct str text = {0};
    struct kernel *k = kernel_from_hex(ISA_X86_64, "62f4f41801d0ffc9c4e26f50e1", &err);

    if (!k)
        fail_msg("%s", err.what);
    assert_int_equal(assert_same(k, 0, "newer", &text), 2);
    assert_non_null(strstr(str_text(&text), "\t.byte 0x62, 0xf4, 0xf4, 0x18, 0x01, 0xd0  # "));
    kernel_free(k);
    str_done(&text);
}

/* Fields for the linker remain: displacement or immediate, of four or eight bytes. */
static void test_references(void **state)
{
    static const struct { const char *line, *text;
    } cases[] = {
        {"movl $7,c(%rip)", "mov dword ptr [rip+\"c\"], 0x7"},
        {"movq $c,d(%rip)", "mov qword ptr [rip+\"d\"], OFFSET \"c\""},
        {"imull $300,c(%rip),%eax", "imul eax, [rip+\"c\"], 0x12c"},
        {"addq $c,d(,%rax,8)", "add qword ptr [rax*8+\"d\"], OFFSET \"c\""},
        {"cmpb $3,c+5(%rip)", "cmp byte ptr [rip+\"c\"+5], 0x3"},
        {"pushq $c", "push OFFSET \"c\""},
        {"movl $c,8(%rax)", "mov dword ptr [rax+0x8], OFFSET \"c\""},
        {"movabsq $c,%rax", ".byte 0x48, 0xb8; .quad \"c\"+0  # mov rax, OFFSET \"c\""},
        {"movabs c+4,%eax", ".byte 0xa1; .quad \"c\"+4  # mov eax, [\"c\"+4]"},
        {"movq c@GOTPCREL(%rip),%rax", "mov rax, [rip+\"c\"@GOTPCREL]"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        struct str source = {0}, text = {0};
        str_addf(&source, "1:\t%s\n\tdecl %%ecx\n\tjne 1b\n", cases[i].line);
        struct kernel *k = kernel_from_text("text", str_text(&source), source.length, NULL, &err);
        if (!k)
            fail_msg("%s: %s", cases[i].line, err.what);
        assert_same(k, 0, cases[i].line, &text);
        if (!strstr(str_text(&text), cases[i].text))
            fail_msg("%s: not %s but\n%s", cases[i].line, cases[i].text, str_text(&text));
        kernel_free(k);
        str_done(&source);
        str_done(&text);
    }
}

static void test_bundled(void **state)
{
    /* The last directory is used only if it exists. */
    static const char *const directories[] = {"data/kernels", "tests/data", "tests/data/pastes",
                                              "../shared/cases"};
    size_t loops = 0, insns = 0, bytes = 0, files = 0;

    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        files += save_all(source_path(directories[i]), &loops, &insns, &bytes);
    print_message("%zu files, %zu loops, %zu instructions, %zu of them as bytes\n", files, loops,
                  insns, bytes);
    assert_true(files >= 20);
    assert_true(bytes * 20 < insns);
}

/* A displacement belongs to the nearest symbol; none lies below the first, however far away. */
static void test_symbol_places(void **state)
{
    assert_int_equal(symbol_place(INT64_MIN), 0);
    assert_int_equal(symbol_place(-8), 0);
    assert_int_equal(symbol_place(SYMBOL_FIRST - 8), SYMBOL_FIRST);
    assert_int_equal(symbol_place(SYMBOL_FIRST + SYMBOL_SPAN + 8), SYMBOL_FIRST + SYMBOL_SPAN);
    assert_int_equal(symbol_place(INT64_MAX) % SYMBOL_SPAN, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_newer_stand_as_bytes),
                                       cmocka_unit_test(test_symbol_places),
                                       cmocka_unit_test(test_references),
                                       cmocka_unit_test(test_bundled)};
    return cmocka_run_group_tests_name("kernel_text", tests, NULL, NULL);
}
