/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C to kernels: passed options, line numbers, and the installed compiler's output for a loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/recipe.h"
#include "toolchain/compile.h"
#include "../support/support.h"

static const char source[] = "#include \"step.h\"\n"
                             "void scale(double *restrict a, const double *restrict b, long n)\n"
                             "{\n"
                             "    for (long i = 0; i < n; i++)\n"
                             "        a[i] = FACTOR * b[i];\n"
                             "}\n"
                             "double sum(const double *a, long n)\n"
                             "{\n"
                             "    double s = 0;\n"
                             "    for (long i = 0; i < n; i += STEP)\n"
                             "        s += a[i];\n"
                             "    return s;\n"
                             "}\n";

static void test_options(void **state)
{
    static const char *const allowed[] = {"-O",
                                          "-O3",
                                          "-Ofast",
                                          "-march=native",
                                          "-mavx512f",
                                          "-mno-fma",
                                          "-mtune=znver4",
                                          "-ffast-math",
                                          "-fno-tree-vectorize",
                                          "-funroll-loops",
                                          "-ffp-contract=off",
                                          "-std=gnu17",
                                          "-DN=4",
                                          "-D",
                                          "-UN",
                                          "-I..",
                                          "-I",
                                          "-Wall",
                                          "-Wno-unused",
                                          "-w",
                                          "-falign-loops=32",
                                          "-mprefer-vector-width=512",
                                          "-g",
                                          "-masm=intel"};
    static const char *const refused[] = {"-o",
                                          "-ox.o",
                                          "-c",
                                          "-S",
                                          "-E",
                                          "-fplugin=x.so",
                                          "-fplugin-arg-x-y",
                                          "-wrapper",
                                          "-B/tmp",
                                          "-B",
                                          "-specs=x",
                                          "--specs=x",
                                          "@file",
                                          "-",
                                          "",
                                          "x.c",
                                          "-fdump-tree-all",
                                          "-fdump-rtl-all=/tmp/x",
                                          "-save-temps",
                                          "-Wl,-x",
                                          "-Wa,-a=x",
                                          "-Wp,-MD,x",
                                          "-MD",
                                          "-MF",
                                          "-mllvm",
                                          "-mllvm=-load=x",
                                          "-mlinker-version=1",
                                          "-m32",
                                          "-mx32",
                                          "-fpass-plugin=x",
                                          "-fprofile-generate=/x",
                                          "-fprofile-use=x",
                                          "-fstack-usage",
                                          "-flto",
                                          "-fuse-ld=x",
                                          "-fcallgraph-info",
                                          "-include",
                                          "-imacros",
                                          "-x",
                                          "-Xclang",
                                          "-Xassembler",
                                          "-T",
                                          "-l",
                                          "-L",
                                          "-fopt-info=x",
                                          "-fsave-optimization-record",
                                          "-O3x",
                                          "-fdiagnostics-format=sarif-file",
                                          "-fmodules-cache-path=x",
                                          "-foffload=x",
                                          "-Rpass=x",
                                          "-fauto-profile=x",
                                          "-ffast-math/../x",
                                          "-march=x/y",
                                          "-pipe;x",
                                          "-fno-",
                                          "-f",
                                          "-m",
                                          "-specs",
                                          "-dumpdir",
                                          "-iplugindir=x",
                                          "-fcompare-debug",
                                          "-gsplit-dwarf",
                                          "-gz"};
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        bool next;
        if (!compile_option_allowed(allowed[i], &next, NULL))
            fail_msg("%s was refused", allowed[i]);
        assert_int_equal(next, strlen(allowed[i]) == 2 && strchr("DUI", allowed[i][1]) != NULL);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        bool next;
        struct err err = {0};
        if (compile_option_allowed(refused[i], &next, &err))
            fail_msg("%s was let through", refused[i]);
        assert_int_equal(err.code, ERR_USAGE);
    }
}

static void test_lines_of_directives(void **state)
{
    static const char text[] = "\t.file\t\"a.c\"\n"
                               "\t.file 0 \"/src\" \"dir/a.c\"\n"
                               "\t.file 1 \"dir/b.h\"\n"
                               "f:\n"
                               "\t.loc 0 3 1\n"
                               "\tnop\n"
                               "\tnop\n"
                               "\t.loc 1 77 1 is_stmt 0\n"
                               "\tnop\n"
                               "\t.loc 0 4 9 view .LVU2\n"
                               "\tnop\n"
                               "\t.loc 999 4\n"
                               "\tnop";
    static const uint32_t expected[] = {0, 0, 0, 0, 3, 3, 3, 0, 0, 4, 4, 0, 0};
    size_t count;
    uint32_t *lines = compile_lines(text, sizeof text - 1, "/src/dir/a.c", &count);
    assert_int_equal(count, 13);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(lines[i], expected[i]);
    free(lines);
}

static struct kernel *load_by(const char *path, const char *compiler, const char *const *flags,
                              size_t count, const char *symbol, struct err *err)
{
    struct recipe *r = recipe_new();

    r->source = true;
    r->path = strdup(path);
    r->compiler = compiler ? strdup(compiler) : NULL;
    r->options.symbol = symbol ? strdup(symbol) : NULL;
    for (size_t i = 0; i < count; i++)
        vec_push(&r->flags, strdup(flags[i]));
    return recipe_make(r, NULL, err);
}

static struct kernel *load(const char *const *flags, size_t count, const char *symbol,
                           struct err *err)
{
    return load_by(work_path("loop.c"), NULL, flags, count, symbol, err);
}

static void test_kernel_of_a_function(void **state)
{
    static const char *const flags[] = {
        "-O2", "-fno-tree-vectorize", "-fno-unroll-loops", "-D", "FACTOR=3.0", "-I", NULL};
    const char *all[7];
    struct err err = {0};
    size_t count;

    memcpy(all, flags, sizeof flags);
    all[6] = work_path("");
    struct kernel *k = load(all, 7, "sum", &err);
    if (!k && err.code == ERR_MISSING)
        return;   /* There is no compiler here. */
    if (!k)
        fail_msg("%s", err.what);
    const struct insn *insns = kernel_insns(k, 0, &count);
    bool adds = false;
    for (size_t i = 0; i < count; i++) {
        const char *text;
        uint32_t line = kernel_source_line(k, &insns[i], &text);
        if (strcmp(insns[i].mnemonic, "addsd") == 0) {
            adds = true;
            assert_int_equal(line, 11);
            assert_string_equal(text, "        s += a[i];");
        }
        assert_true(strcmp(insns[i].mnemonic, "mulsd") != 0);
    }
    assert_true(adds);
    kernel_free(k);
    k = load(all, 7, "nothing_of_the_kind", &err);
    assert_null(k);
    assert_true(strstr(err.what, "no function"));
}

static void test_faults_of_the_compiler(void **state)
{
    static const char *const no_factor[] = {"-O2"};
    const char *flags[] = {"-O2", "-I", work_path("")};
    struct err err = {0};
    struct kernel *k = load(flags, 3, NULL, &err);
    if (!k && err.code == ERR_MISSING)
        return;   /* There is no compiler here. */
    assert_null(k);
    assert_int_equal(err.line, 5);
    assert_true(strstr(err.what, "FACTOR"));
    assert_true(strstr(err.file, "loop.c"));
    /* The directory work_path("") contains the header, so only the macro is missing. */
    assert_null(load(no_factor, 1, NULL, &err));
    assert_null(load_by(work_path("loop.c"), "sh", no_factor, 1, NULL, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_null(load_by(work_path("loop.c"), "gcc-99", no_factor, 1, NULL, &err));
    assert_int_equal(err.code, ERR_MISSING);
    assert_null(load_by("/nonexistent.c", NULL, no_factor, 1, NULL, &err));
    assert_int_equal(err.code, ERR_MISSING);
}

/* Checks the flags of a recipe after @flag is added. */
static void expect_flags(struct recipe *r, const char *flag, const char *expected)
{
    struct str text = {0};

    recipe_add_flag(r, flag);
    recipe_print(r, ISA_X86_64, &text);
    assert_string_equal(str_text(&text), expected);
    str_done(&text);
}

static void test_flags_replace_their_kind(void **state)
{
    struct recipe *r = recipe_new();

    r->source = true;
    r->target = strdup("skylake");
    assert_null(recipe_level(r));
    expect_flags(r, "-O2", " -O2 -march=skylake");
    expect_flags(r, "-DA=1", " -O2 -DA=1 -march=skylake");
    expect_flags(r, "-DB=2", " -O2 -DA=1 -DB=2 -march=skylake");
    expect_flags(r, "-O3", " -O3 -DA=1 -DB=2 -march=skylake");
    expect_flags(r, "-DB=2", " -O3 -DA=1 -DB=2 -march=skylake");
    expect_flags(r, "-mtune=znver3", " -O3 -DA=1 -DB=2 -mtune=znver3 -march=skylake");
    expect_flags(r, "-march=haswell", " -O3 -DA=1 -DB=2 -mtune=znver3 -march=haswell");
    expect_flags(r, "-DB=3", " -O3 -DA=1 -DB=2 -mtune=znver3 -march=haswell -DB=3");
    /* The last one of duplicates counts. */
    expect_flags(r, "-DB=2", " -O3 -DA=1 -mtune=znver3 -march=haswell -DB=3 -DB=2");
    expect_flags(r, "-mtune-ctrl=sse_unaligned_load_optimal",
                 " -O3 -DA=1 -mtune=znver3 -march=haswell -DB=3 -DB=2 "
                 "-mtune-ctrl=sse_unaligned_load_optimal");
    expect_flags(r, "-mtune=znver4",
                 " -O3 -DA=1 -mtune=znver4 -march=haswell -DB=3 -DB=2 "
                 "-mtune-ctrl=sse_unaligned_load_optimal");
    assert_string_equal(recipe_level(r), "-O3");
    struct recipe *copy = recipe_copy(r);
    r->compiler = strdup("clang");
    expect_flags(r, "-march=haswell",
                 " clang -O3 -DA=1 -mtune=znver4 -march=haswell -DB=3 -DB=2 "
                 "-mtune-ctrl=sse_unaligned_load_optimal");
    expect_flags(copy, "-O0",
                 " -O0 -DA=1 -mtune=znver4 -march=haswell -DB=3 -DB=2 "
                 "-mtune-ctrl=sse_unaligned_load_optimal");
    recipe_free(copy);
    recipe_free(r);
}

/* A compiler that does not support the processor compiles for the closest one that it supports, and
 * the recipe names the closest one. */
static void test_processor_that_compilers_do_not_know(void **state)
{
    struct recipe *r = recipe_new();
    struct err err = {0};

    r->source = true;
    r->path = strdup(work_path("loop.c"));
    r->target = strdup("no-such-processor");
    r->generic = isa_host() == ISA_X86_64 ? "x86-64-v3" : "generic";
    recipe_add_flag(r, "-O2");
    recipe_add_flag(r, "-DFACTOR=2");
    struct kernel *k = recipe_make(r, NULL, &err);
    if (!k && err.code == ERR_MISSING)
        return;   /* There is no compiler here. */
    if (!k)
        fail_msg("%s", err.what);
    assert_string_equal(k->recipe->target, isa_host() == ISA_X86_64 ? "x86-64-v3" : "generic");
    kernel_free(k);
}

/* All messages of the compiler about a rejected source are stored, and the error has the first
 * one. */
static void test_what_the_compiler_printed(void **state)
{
    struct recipe *r = recipe_new();
    struct str printed = {0};
    struct err err = {0};

    r->source = true;
    r->path = strdup(work_path("two.c"));
    assert_null(recipe_make(r, &printed, &err));
    if (err.code != ERR_MISSING) {
        assert_int_equal(err.line, 1);
        assert_non_null(strstr(str_text(&printed), "first_unknown"));
        assert_non_null(strstr(str_text(&printed), "second_unknown"));
        assert_non_null(strchr(str_text(&printed), '^'));
    }
    str_done(&printed);
}

static int make_files(void **state)
{
    work_put("loop.c", source);
    work_put("step.h", "#define STEP 1\n");
    work_put("two.c",
             "int f(void) { return first_unknown; }\nint g(void) { return second_unknown; }\n");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_lines_of_directives),
        cmocka_unit_test(test_kernel_of_a_function),
        cmocka_unit_test(test_faults_of_the_compiler),
        cmocka_unit_test(test_flags_replace_their_kind),
        cmocka_unit_test(test_processor_that_compilers_do_not_know),
        cmocka_unit_test(test_what_the_compiler_printed),
    };
    return cmocka_run_group_tests(tests, make_files, NULL);
}
