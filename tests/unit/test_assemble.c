/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/path.h"
#include "toolchain/assemble.h"
#include "../support/support.h"

/* Fails if a temporary directory remains. All are created within a private one, which must be
 * empty. */
static void assert_no_leftovers(void)
{
    DIR *d = opendir(work_path(""));
    assert_non_null(d);
    size_t count = 0;
    while (readdir(d))
        count++;
    closedir(d);
    assert_int_equal(count, 2);
}

static bool run(const char *text, bool skip, struct assembled *a, struct err *err)
{
    memset(err, 0, sizeof *err);
    bool ok = assemble(ISA_X86_64, "t.s", text, strlen(text), SYNTAX_AUTO, skip, a, err);
    assert_no_leftovers();
    return ok;
}

static void test_lines_and_labels(void **state)
{
    struct assembled a;
    struct err err;
    assert_true(
        run("# c\nfoo:.L1: add $1,%eax; inc %ebx /* x */\n\n  jne .L1 // back\n", false, &a, &err));
    static const uint8_t code[] = {0x83, 0xC0, 1, 0xFF, 0xC3, 0x75, 0xF9};
    assert_int_equal(a.length, sizeof code);
    assert_memory_equal(a.code, code, sizeof code);
    assert_int_equal(a.lines[0].line, 2);
    assert_int_equal(a.lines[a.line_count - 1].line, 4);
    assert_int_equal(a.lines[a.line_count - 1].offset, 5);
    assert_int_equal(a.label_count, 2);
    assembled_done(&a);
}

static void test_both_syntaxes_agree(void **state)
{
    struct assembled a, b;
    struct err err;
    assert_true(run(".L1: vaddpd 8(%rax,%rcx,4), %ymm1, %ymm2\njne .L1\n", false, &a, &err));
    assert_true(
        run(".L1: vaddpd ymm2, ymm1, ymmword ptr [rax+rcx*4+8] ; c\njne .L1\n", false, &b, &err));
    assert_int_equal(a.syntax, SYNTAX_ATT);
    assert_int_equal(b.syntax, SYNTAX_INTEL);
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.code, b.code, a.length);
    assembled_done(&a);
    assembled_done(&b);
}

/* Accepts segment overrides as compilers write them for stack protectors. Reports a rejected line
 * by its number, even the first. */
static void test_segments(void **state)
{
    static const uint8_t expected[] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0,
                                       0,    0,    0x64, 0x48, 0x8b, 0x3f};
    struct assembled a;
    struct err err;
    assert_true(run("mov rax, QWORD PTR fs:40\nmov rdi, fs:[rdi]\n", false, &a, &err));
    assert_int_equal(a.length, sizeof expected);
    assert_memory_equal(a.code, expected, sizeof expected);
    assembled_done(&a);
    assert_true(run("bogus rax, fs:40\nmov rdi, QWORD PTR [rax]\n", true, &a, &err));
    assert_int_equal(a.refused_count, 1);
    assert_int_equal(a.refused[0].line, 1);
    assert_int_equal(a.length, 3);
    assembled_done(&a);
}

static void test_bad_lines(void **state)
{
    static const char text[] = "add $1, %eax\nbogus %eax\ninc %ecx\nmov %eax\n";
    struct assembled a;
    struct err err;
    assert_false(run(text, false, &a, &err));
    assert_int_equal(err.line, 2);
    assert_int_equal(a.refused_count, 2);
    assert_string_equal(a.refused[0].text, "bogus %eax");
    assert_int_equal(a.refused[1].line, 4);
    assembled_done(&a);
    assert_true(run(text, true, &a, &err));
    assert_int_equal(a.refused_count, 2);
    assert_int_equal(a.length, 5);
    assembled_done(&a);
}

static void test_hostile(void **state)
{
    static const struct { const char *text; enum err_code code; } cases[] = {
        {"", ERR_DATA},
        {" \n\t\n", ERR_DATA},
        {".rept 1000000000\nadd $1,%eax\n.endr\n", ERR_LIMIT},
        {".fill 2000000000,1,0\nnop\n", ERR_LIMIT},
        {".incbin \"/etc/passwd\"\nnop\n", ERR_DATA},
        {".L1: nop\n.L2: .IncBin \"/etc/passwd\"\njmp .L1\n", ERR_DATA},
        {"foo: nop; .InClUdE \"/etc/passwd\"\nnop\n", ERR_DATA},
        {"%define x 1; .incbin \"/etc/passwd\"\nmov eax, ebx\n", ERR_DATA},
        {"x equ 1\n.incbin \"/etc/passwd\" ; db 1\nmov eax, ebx\n", ERR_DATA},
        {".macro q a b\n.\\a\\b \"/etc/passwd\"\n.endm\nq inc bin\nnop\n", ERR_DATA},
        {".macro q a b\n.\\a\\b \"/etc/passwd\"\n.endm\nq inc lude\nnop\n", ERR_DATA},
        {".macro m\nm\nm\n.endm\nm\n", ERR_DATA},
        {".L1: ldr x0, [x1]\nb.ne .L1\n", ERR_DATA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct assembled a;
        struct err err;
        assert_false(run(cases[i].text, false, &a, &err));
        assert_int_equal(err.code, cases[i].code);
        assert_true(err.what[0] != 0);
        assert_null(strstr(err.what, "root:"));
        assembled_done(&a);
    }
}

static void test_binary_and_large(void **state)
{
    struct assembled a;
    struct err err = {0};
    assert_false(assemble(ISA_X86_64, "b", "nop\0nop\n", 8, SYNTAX_AUTO, false, &a, &err));
    assembled_done(&a);
    size_t n = (size_t)17 << 20;
    char *big = malloc(n);
    memset(big, '\n', n);
    assert_false(assemble(ISA_X86_64, "b", big, n, SYNTAX_AUTO, false, &a, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assembled_done(&a);
    free(big);
}

/* clang writes a zero verbatim into the comment of `.byte 0`. `as -al` truncates strings.
 * Thread-local variables are in separate sections. */
static void test_what_tools_write(void **state)
{
    static const char zero[] = "\tincl %eax\n\t.byte\t0   # \0\n\tincl %eax\n",
                      binary[] = "incl\0 %eax\n";
    struct assembled a;
    struct err err = {0};

    assert_true(assemble(ISA_X86_64, "t.s", zero, sizeof zero - 1, SYNTAX_AUTO, false, &a, &err));
    assert_int_equal(a.length, 5);
    assembled_done(&a);
    assert_false(
        assemble(ISA_X86_64, "t.s", binary, sizeof binary - 1, SYNTAX_AUTO, false, &a, &err));
    assert_non_null(strstr(err.what, "binary data"));
    assembled_done(&a);
    assert_true(
        run("incl %eax\n.data\n.string \"-O2 -fasync\n.text\nincl %eax\n", false, &a, &err));
    assert_int_equal(a.length, 4);
    assembled_done(&a);
    assert_true(run("addq %fs:x@tpoff, %rax\n.section .tbss,\"awT\",@nobits\nx: .zero 8\n", false,
                    &a, &err));
    assert_int_equal(a.length, 9);
    assembled_done(&a);
}

/* In a listing without addresses and bytes, instruction sizes determine the positions. If this is
 * impossible, the branch is rejected. */
static void test_names_only(void **state)
{
    struct assembled a;
    struct err err;
    static const char text[] =
        "<f>:\n\txor %eax,%eax\n\tnopw 0x0(%rax,%rax,1)\n\tnop\n\tadd (%rdi),%rax\n\tadd "
        "$0x8,%rdi\n\tcmp %rsi,%rdi\n\tjne <f+0x9>\n\tjmp <g>\n\n<g>:\n\tret\n";

    /* Only six bytes of nops place the loop at offset 9. */
    assert_true(run(text, false, &a, &err));
    assert_int_equal(a.code[a.length - 5], 0x75);
    assert_int_equal((int8_t)a.code[a.length - 4], -12);
    assembled_done(&a);
    assert_false(run("<f>:\n\txor %eax,%eax\n\tadd (%rdi),%rax\n\tjne <f+0x1>\n", false, &a, &err));
    assert_non_null(strstr(err.what, "the target cannot be determined"));
    assembled_done(&a);
}

static void test_without_directory(void **state)
{
    struct assembled a;
    struct err err = {0};

    if (access("/proc/self/fd", X_OK) != 0)
        skip();
    setenv("TMPDIR", work_path("missing"), 1);
    bool plain = run("addq %rax, %rbx\n", false, &a, &err);
    size_t length = a.length;
    assembled_done(&a);
    bool named = run(".p2align 4\naddq %rax, %rbx\n", false, &a, &err);
    assembled_done(&a);
    setenv("TMPDIR", work_path(""), 1);
    assert_true(plain && length == 3);
    assert_false(named);
    assert_no_leftovers();
}

/* If the program starts without standard output and error, the file in memory has their
 * descriptors, and the assembler's output must not overwrite it. */
static void test_closed_descriptors(void **state)
{
    for (int fd = 1; fd <= 2; fd++) {
        struct assembled a;
        struct err err = {0};
        int kept = fcntl(fd, F_DUPFD_CLOEXEC, 10);
        fflush(NULL);
        close(fd);
        bool ok = run("addq %rax, %rbx\n", false, &a, &err);
        bool closed = fcntl(fd, F_GETFD) < 0;
        dup2(kept, fd);
        close(kept);
        if (!ok || a.length != 3)
            fail_msg("without descriptor %d: %s", fd, err.what);
        assert_true(closed);
        assembled_done(&a);
    }
}

/* A relative entry of PATH is of the working directory, also for a child in another directory, and
 * the entries behind it are searched. An empty entry is skipped. */
static void test_relative_path(void **state)
{
    static const char *const argv[] = {"only-here", NULL};
    const struct child_limits limits = {.cpu_seconds = 60, .memory = (size_t)1 << 30,
                                        .file_size = 4096, .wall_seconds = 60, .output = 4096};
    struct child_result result;
    struct err err = {0};
    char *before = strdup(getenv("PATH")), *here = getcwd(NULL, 0);

    assert_int_equal(mkdir(work_path("tools"), 0700), 0);
    work_put("tools/only-here", "#!/bin/sh\necho found\n");
    work_put("not-here", "#!/bin/sh\n");
    assert_int_equal(chmod(work_path("tools/only-here"), 0700), 0);
    assert_int_equal(chmod(work_path("not-here"), 0700), 0);
    assert_int_equal(chdir(work_path("")), 0);
    setenv("PATH", "nowhere::tools:/bin", 1);
    char *path = path_find_program("only-here");
    const bool behind = path_has_program("sh"), empty = path_has_program("not-here"),
               ran = child_run(argv, "/", NULL, 0, &limits, &result, &err);
    setenv("PATH", before, 1);
    assert_int_equal(chdir(here), 0);
    assert_string_equal(path, work_path("tools/only-here"));
    assert_true(behind && !empty);
    assert_true(ran && strcmp(str_text(&result.output), "found\n") == 0);
    child_result_done(&result);
    free(path);
    free(before);
    free(here);
}

/* Entries of PATH that precede the assembler and are not executable are skipped. */
static void test_path(void **state)
{
    struct assembled a;
    struct err err = {0};
    char *before = strdup(getenv("PATH")),
         *path = malloc(strlen(before) + strlen(work_path("")) + 8);

    assert_int_equal(mkdir(work_path("as"), 0700), 0);
    sprintf(path, "%s:/:%s", work_path(""), before);
    setenv("PATH", path, 1);
    bool ok = assemble(ISA_X86_64, "t", "addq %rax, %rbx\n", 16, SYNTAX_AUTO, false, &a, &err);
    setenv("PATH", before, 1);
    rmdir(work_path("as"));
    assert_true(ok && a.length == 3);
    assembled_done(&a);
    free(path);
    free(before);
}

int main(void)
{
    setenv("TMPDIR", work_path(""), 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines_and_labels),
                                       cmocka_unit_test(test_both_syntaxes_agree),
                                       cmocka_unit_test(test_segments),
                                       cmocka_unit_test(test_bad_lines),
                                       cmocka_unit_test(test_hostile),
                                       cmocka_unit_test(test_binary_and_large),
                                       cmocka_unit_test(test_what_tools_write),
                                       cmocka_unit_test(test_names_only),
                                       cmocka_unit_test(test_without_directory),
                                       cmocka_unit_test(test_closed_descriptors),
                                       cmocka_unit_test(test_path),
                                       cmocka_unit_test(test_relative_path)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
