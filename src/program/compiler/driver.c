/* SPDX-License-Identifier: GPL-3.0-or-later */
/* portolan-cc, portolan-c++, portolan-fortran: compiler drivers for commands and Makefiles. The
 * drivers compile sources with clang or flang and the user's options. They add counters and trace
 * calls to the optimised code, and a description of the blocks with the uninstrumented code to the
 * object. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <llvm-c/Core.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8_text.h"
#include "base/vec.h"
#include "config.h"
#include "program/compiler/generate.h"
#include "program/compiler/module.h"
#include "program/runtime/layout.h"

enum language { LANGUAGE_C, LANGUAGE_CPLUSPLUS, LANGUAGE_FORTRAN, LANGUAGE_NONE };

struct word { const char *text; bool value; };

struct command_line {
    enum language language;              /* language of the driver; selects the linker driver */
    VEC(struct word) options;            /* options for compiling and linking */
    /* source files, and other words for the linker (objects, libraries, assembler text) */
    VEC(const char *) sources, others;
    const char *output;
    bool compile_only, as_it_is;
    const char *level;                   /* the option -O...; NULL: none */
};

#define NUMBER(macro) NUMBER_TEXT(macro)
#define NUMBER_TEXT(value) #value

static const char *const compilers[] = {CLANG_PROGRAM, CLANGXX_PROGRAM, FLANG_PROGRAM};

static bool has_suffix(const char *name, const char *const *list)
{
    const char *dot = strrchr(name, '.');
    for (; dot && *list; list++)
        if (strcmp(dot, *list) == 0)
            return true;
    return false;
}

static enum language language_of(const char *name)
{
    static const char *const c[] = {".c", NULL}, *const cplusplus[] = {".cc",  ".cpp", ".cxx",
                                                                       ".c++", ".C",   NULL},
                             *const fortran[] = {".f",   ".F",   ".for", ".f90", ".F90", ".f95",
                                                 ".F95", ".f03", ".F03", ".f08", ".F08", NULL};
    return has_suffix(name, c)           ? LANGUAGE_C
           : has_suffix(name, cplusplus) ? LANGUAGE_CPLUSPLUS
           : has_suffix(name, fortran)   ? LANGUAGE_FORTRAN
                                         : LANGUAGE_NONE;
}

static bool one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* Returns whether the option's value is the next word. */
static bool takes_value(const char *option)
{
    static const char *const list[] = {"-I",          "-D",
                                       "-U",          "-L",
                                       "-l",          "-x",
                                       "-MF",         "-MT",
                                       "-MQ",         "-include",
                                       "-isystem",    "-iquote",
                                       "-idirafter",  "-Xlinker",
                                       "-Xclang",     "-T",
                                       "-u",          "-J",
                                       "-module-dir", "-target",
                                       "-z",          "-rpath",
                                       "-mllvm",      "-arch",
                                       "-Xassembler", "-Xpreprocessor",
                                       NULL};
    return one_of(option, list);
}

/* Returns whether the option selects an output that cannot be traced. */
static bool is_other_action(const char *option)
{
    static const char *const list[] = {"-E",
                                       "-S",
                                       "-M",
                                       "-MM",
                                       "-fsyntax-only",
                                       "--version",
                                       "-dumpversion",
                                       "-dumpmachine",
                                       "-###",
                                       "--help",
                                       "-shared",
                                       "-r",
                                       NULL};
    return one_of(option, list) || str_has_prefix(option, "-print-") ||
           str_has_prefix(option, "--print-");
}

static void read_word(struct command_line *l, int *i, int argc, char **argv)
{
    const char *word = argv[*i];

    if (word[0] != '-' || !word[1]) {
        if (language_of(word) == LANGUAGE_NONE)
            vec_push(&l->others, word);
        else
            vec_push(&l->sources, word);
    } else if (strcmp(word, "-c") == 0) {
        l->compile_only = true;
    } else if (str_has_prefix(word, "-o") && strcmp(word, "-openmp") != 0) {
        l->output = word[2] ? word + 2 : *i + 1 < argc ? argv[++*i] : NULL;
    } else if (is_other_action(word)) {
        l->as_it_is = true;
    } else if (str_has_prefix(word, "-flto") ||
               (str_has_prefix(word, "-g") && !str_has_prefix(word, "-gcc"))) {
        /* Omits options for LTO, because there would be no machine code. Omits options for debug
         * information, because its line numbers would replace those of the blocks. */
        return;
    } else {
        if (str_has_prefix(word, "-O"))
            l->level = word;
        vec_push(&l->options, ((struct word){word, false}));
        if (takes_value(word) && *i + 1 < argc)
            vec_push(&l->options, ((struct word){argv[++*i], true}));
    }
}

/* Returns flang's other name, flang-new up to LLVM 19. Tests for this name at run time, because
 * packages differ and flang may be installed after the build. */
static const char *flang_other_name(void)
{
    return strncmp(FLANG_PROGRAM, "flang-new", 9) == 0 ? "flang-" NUMBER(LLVM_MAJOR)
                                                       : "flang-new-" NUMBER(LLVM_MAJOR);
}

/* Runs a program and waits for it. Its messages go to the user's terminal. Returns whether it
 * succeeded. */
static bool run(const char **argv)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        if (errno == ENOENT && strcmp(argv[0], FLANG_PROGRAM) == 0) {
            argv[0] = flang_other_name();
            execvp(argv[0], (char *const *)(uintptr_t)argv);
            argv[0] = FLANG_PROGRAM;
        }
        utf8_say(stderr,
                 "portolan-cc: cannot run %s: %s; install the package %s-%d, or put the program on "
                 "PATH\n",
                 argv[0], strerror(errno), strcmp(argv[0], FLANG_PROGRAM) == 0 ? "flang" : "clang",
                 LLVM_MAJOR);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        continue;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

typedef VEC(const char *) arguments;

static bool run_arguments(arguments *a)
{
    vec_push(a, NULL);
    bool ok = run(a->items);
    vec_done(a);
    return ok;
}

static bool is_for_linker(const struct word *w)
{
    return str_has_prefix(w->text, "-l") || str_has_prefix(w->text, "-L") ||
           str_has_prefix(w->text, "-Wl,") || strcmp(w->text, "-Xlinker") == 0 ||
           strcmp(w->text, "-static") == 0 || strcmp(w->text, "-rdynamic") == 0 ||
           strcmp(w->text, "-z") == 0;
}

/* Appends the compiler's options, with values as separate words. If @generator is true, appends
 * only those that affect code generation. */
static void push_options(const struct command_line *l, arguments *a, bool generator)
{
    for (size_t i = 0; i < l->options.count; i++) {
        const struct word *w = &l->options.items[i];
        bool value = i + 1 < l->options.count && l->options.items[i + 1].value;
        bool code = str_has_prefix(w->text, "-O") || str_has_prefix(w->text, "-m") ||
                    str_has_prefix(w->text, "-f");
        if (!is_for_linker(w) && (!generator || (code && strcmp(w->text, "-module-dir") != 0))) {
            vec_push(a, w->text);
            if (value)
                vec_push(a, w[1].text);
        }
        i += value;
    }
}

static bool to_bitcode(const struct command_line *l, const char *source, const char *object,
                       const char *out)
{
    enum language language = language_of(source);
    arguments a = {0};
    struct str dependencies = {0};
    bool wants = false, names = false;

    vec_push(&a, compilers[language]);
    push_options(l, &a, false);
    for (size_t i = 0; i < l->options.count; i++) {
        wants |= strcmp(l->options.items[i].text, "-MD") == 0 ||
                 strcmp(l->options.items[i].text, "-MMD") == 0;
        names |= strcmp(l->options.items[i].text, "-MF") == 0;
    }
    if (wants && !names) {
        const char *dot = strrchr(object, '.');
        str_addf(&dependencies, "%.*s.d", (int)(dot ? dot - object : (long)strlen(object)), object);
        vec_push(&a, "-MF");
        vec_push(&a, str_text(&dependencies));
    }
    if (wants) {
        vec_push(&a, "-MT");
        vec_push(&a, object);
    }
    if (language != LANGUAGE_FORTRAN)   /* Omits line numbers for Fortran, because flang 19 has none
                                         * in optimised code. */
        vec_push(&a, "-gline-tables-only");
    vec_push(&a, "-c");
    vec_push(&a, "-emit-llvm");
    vec_push(&a, "-o");
    vec_push(&a, out);
    vec_push(&a, source);
    bool ok = run_arguments(&a);
    str_done(&dependencies);
    return ok;
}

/* Writes the machine code of the optimised @module of @source to @out with the options of @l. */
static bool generate(const struct command_line *l, LLVMModuleRef module, const char *source,
                     enum generated kind, const char *out, struct err *err)
{
    arguments words = {0};

    push_options(l, &words, true);
    char *fault = generate_code(module, words.items, words.count, kind, out);
    vec_done(&words);
    if (!fault)
        return true;
    err_set(err, ERR_DATA, NULL, "error: %s", fault);
    free(fault);
    return err_at(err, source, 0, 0);
}

/* Writes the unit's description: blocks, references, and uninstrumented machine code. */
static void describe(const struct command_line *l, struct module *m, const char *source,
                     const struct str *assembly, struct str *out)
{
    static const char *const names[] = {"C", "C++", "Fortran"};
    json_t *about = module_describe(m);

    json_object_set_new(about, "source", json_stringn_nocheck(source, strlen(source)));
    json_object_set_new(about, "language", json_string(names[language_of(source)]));
    json_object_set_new(about, "level", json_string(l->level ? l->level : "-O0"));
    json_object_set_new(about, "assembly",
                        json_stringn_nocheck(str_text(assembly), assembly->length));
    char *text = json_dumps(about, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (text)
        str_addf(out, PORTOLAN_ABOUT_MAGIC " %zu\n%s\n", strlen(text), text);
    free(text);
    json_decref(about);
}

static void complain(const struct err *err)
{
    char text[2048];
    utf8_say(stderr, "portolan-cc: %s\n", err_text(err, text, sizeof text));
}

static bool has_threads(const struct command_line *l)
{
    for (size_t i = 0; i < l->options.count; i++)
        if (strcmp(l->options.items[i].text, "-pthread") == 0 ||
            strcmp(l->options.items[i].text, "-lpthread") == 0 ||
            str_has_prefix(l->options.items[i].text, "-fopenmp"))
            return true;
    return false;
}

/* Compiles @source to the traced object @object, with temporary files in @dir. */
static bool compile(const struct command_line *l, const char *dir, const char *source,
                    const char *object)
{
    struct str bitcode = {0}, text = {0}, assembly = {0}, about = {0};
    struct err err = {0};
    struct module *m = NULL;

    str_addf(&bitcode, "%s/unit.bc", dir);
    str_addf(&text, "%s/plain.s", dir);
    bool ok = to_bitcode(l, source, object, str_text(&bitcode)) &&
              (m = module_read(str_text(&bitcode), source, &err));
    if (ok) {
        LLVMModuleRef plain = module_plain(m);
        ok = generate(l, plain, source, GENERATED_ASSEMBLY, str_text(&text), &err) &&
             file_read(str_text(&text), (size_t)256 << 20, &assembly, &err);
        LLVMDisposeModule(plain);
    }
    if (ok) {
        module_find_selects(m, str_text(&assembly));
        describe(l, m, source, &assembly, &about);
        module_trace(m, has_threads(l), str_text(&about), about.length);
        ok = generate(l, m->module, source, GENERATED_OBJECT, object, &err);
    }
    if (err.code != ERR_NONE)
        complain(&err);
    module_free(m);
    str_done(&bitcode);
    str_done(&text);
    str_done(&assembly);
    str_done(&about);
    return ok;
}

/* Returns the path of the runtime: next to the driver in a build tree, relative to the driver in a
 * moved installation, or in the configured directory. Returns NULL with a message if it is missing.
 * The caller frees it. */
static char *runtime_path(void)
{
    char *places[] = {path_program_directory(), path_next_to_program(BINDIR, PKGLIBDIR),
                      mem_strdup(PKGLIBDIR)};
    struct str path = {0};
    bool found = false;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!found && places[i]) {
            str_clear(&path);
            str_addf(&path, "%s/libportolan_run.a", places[i]);
            found = access(str_text(&path), R_OK) == 0;
        }
        free(places[i]);
    }
    if (found)
        return str_take(&path);
    str_done(&path);
    fprintf(
        stderr,
        "portolan-cc: libportolan_run.a not found: neither next to portolan-cc nor in " PKGLIBDIR
        "; copy this library there from the build directory of Portolan, or install Portolan again "
        "(make install, or the package portolan)\n");
    return NULL;
}

static bool link_all(const struct command_line *l, char **objects)
{
    enum language language = l->language;
    char *runtime;
    arguments a = {0};

    for (size_t i = 0; i < l->sources.count; i++)
        if (language_of(l->sources.items[i]) > language)
            language = language_of(l->sources.items[i]);
    runtime = runtime_path();
    if (!runtime)
        return false;
    vec_push(&a, compilers[language]);
    for (size_t i = 0; i < l->options.count; i++)
        if (is_for_linker(&l->options.items[i]) == false ||
            str_has_prefix(l->options.items[i].text, "-L"))
            if (language != LANGUAGE_FORTRAN || str_has_prefix(l->options.items[i].text, "-L") ||
                str_has_prefix(l->options.items[i].text, "-fopenmp"))
                vec_push(&a, l->options.items[i].text);
    for (size_t i = 0; i < l->sources.count; i++)
        vec_push(&a, objects[i]);
    for (size_t i = 0; i < l->others.count; i++)
        vec_push(&a, l->others.items[i]);
    vec_push(&a, runtime);
    for (size_t i = 0; i < l->options.count; i++)
        if (is_for_linker(&l->options.items[i]) &&
            !str_has_prefix(l->options.items[i].text, "-L")) {
            vec_push(&a, l->options.items[i].text);
            if (i + 1 < l->options.count && l->options.items[i + 1].value)
                vec_push(&a, l->options.items[++i].text);
        }
    vec_push(&a, "-o");
    vec_push(&a, l->output ? l->output : "a.out");
    bool ok = run_arguments(&a);
    free(runtime);
    return ok;
}

/* Returns the path of the object of source file @index: the argument of -o, a file in the current
 * directory for -c, or a file in @dir. */
static char *object_of(const struct command_line *l, const char *dir, size_t index)
{
    const char *source = l->sources.items[index], *slash = strrchr(source, '/'),
               *base = slash ? slash + 1 : source, *dot = strrchr(base, '.');
    struct str out = {0};

    if (l->compile_only && l->output)
        str_add(&out, l->output);
    else if (l->compile_only)
        str_addf(&out, "%.*s.o", (int)(dot - base), base);
    else
        str_addf(&out, "%s/%zu.o", dir, index);
    return str_take(&out);
}

static int build(const struct command_line *l)
{
    struct err err = {0};
    char *dir = child_directory_new(&err),
         **objects = mem_zero(l->sources.count + 1, sizeof *objects);
    bool ok = dir != NULL;

    if (!dir)
        complain(&err);
    for (size_t i = 0; ok && i < l->sources.count; i++) {
        objects[i] = object_of(l, dir, i);
        ok = compile(l, dir, l->sources.items[i], objects[i]);
    }
    if (ok && !l->compile_only)
        ok = link_all(l, objects);
    for (size_t i = 0; i < l->sources.count; i++)
        free(objects[i]);
    free(objects);
    child_directory_free(dir);
    return ok ? 0 : 1;
}

/* Builds the uninstrumented program, for measurements, from the words after --untraced. */
static int build_untraced(const struct command_line *l, int argc, char **argv)
{
    const char **words = mem_zero((size_t)argc + 1, sizeof *words);
    enum language language = l->language;

    for (size_t i = 0; i < l->sources.count; i++)
        language = language_of(l->sources.items[i]) > language ? language_of(l->sources.items[i])
                                                               : language;
    words[0] = compilers[language];
    for (int i = 2; i < argc; i++)
        words[i - 1] = argv[i];
    bool ok = run(words);
    free(words);
    return ok ? 0 : 1;
}

/* Runs the unmodified compiler on all words. */
static int pass_on(const struct command_line *l, int argc, char **argv)
{
    const char **same = mem_zero((size_t)argc + 1, sizeof *same);

    for (int i = 0; i < argc; i++)
        same[i] = i ? argv[i] : compilers[l->language];
    bool ok = run(same);
    free(same);
    return ok ? 0 : 1;
}

static int obey(const struct command_line *l, int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--untraced") == 0)
        return build_untraced(l, argc, argv);
    if (l->as_it_is || (!l->sources.count && !l->others.count))
        return pass_on(l, argc, argv);
    if (l->compile_only && !l->sources.count) {
        fprintf(stderr, "portolan-cc: nothing to compile; give C, C++ or Fortran source files\n");
        return 1;
    }
    if (l->compile_only && l->output && l->sources.count > 1) {
        fprintf(stderr, "portolan-cc: -o with -c allows only one source file\n");
        return 1;
    }
    return build(l);
}

int main(int argc, char **argv)
{
    struct command_line l = {0};
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];

    l.language = strstr(name, "c++")       ? LANGUAGE_CPLUSPLUS
                 : strstr(name, "fortran") ? LANGUAGE_FORTRAN
                                           : LANGUAGE_C;
    for (int i = 1; i < argc; i++)
        read_word(&l, &i, argc, argv);
    int status = obey(&l, argc, argv);
    vec_done(&l.options);
    vec_done(&l.sources);
    vec_done(&l.others);
    return status;
}
