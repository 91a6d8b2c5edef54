/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "toolchain/compile.h"

/* A sanitized compiler reserves far more address space than it uses, so its memory is not
 * limited. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY SIZE_MAX   /* the compiler's memory has no limit (RLIM_INFINITY) */
#else
#define MEMORY ((size_t)16 << 30)
#endif

static const struct child_limits limits = {.cpu_seconds = 300,
                                           .memory = MEMORY,
                                           .file_size = (size_t)1 << 30,
                                           .wall_seconds = 600,
                                           .output = (size_t)256 << 10};

static bool is_executable(const char *path)
{
    struct stat info;
    return access(path, X_OK) == 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Sets @out to the path of portolan-cc: next to this program, in the configured directory, or on
 * PATH. */
static void compiler_path(struct str *out)
{
    char *directory = path_program_directory();
    str_addf(out, "%s/portolan-cc", directory ? directory : "");
    free(directory);
    if (is_executable(str_text(out)))
        return;
    str_clear(out);
    str_add(out, is_executable(PORTOLAN_BINDIR "/portolan-cc") ? PORTOLAN_BINDIR "/portolan-cc"
                                                               : "portolan-cc");
}

/* Appends the name at @text unless the list contains it. */
static void add_undefined(struct str *names, const char *text, size_t length)
{
    struct str name = {0};

    str_add_bytes(&name, text, length);
    for (const char *at = str_text(names); (at = strstr(at, str_text(&name))) != NULL; at++)
        if ((at == names->data || at[-1] == ' ') && (!at[length] || at[length] == ','))
            goto out;
    str_addf(names, "%s%s", names->length ? ", " : "", str_text(&name));
out:
    str_done(&name);
}

/* Finds and reports all undefined symbols in the output @said. Returns false if the linker failed
 * for another reason. */
static bool linker_said(const char *said, struct err *err)
{
    static const struct {
        const char *before, *ends;
    } kinds[] = {{"undefined reference to `", "'"}, {"undefined symbol: ", "\n"}};
    const char *library = strstr(said, "cannot find -l");
    struct str names = {0};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (const char *at = said; (at = strstr(at, kinds[k].before)) != NULL;) {
            at += strlen(kinds[k].before);
            if (strcspn(at, kinds[k].ends))
                add_undefined(&names, at, strcspn(at, kinds[k].ends));
        }
    const bool any = names.length || library;
    if (names.length)
        err_set(err, ERR_DATA, "add the source files or libraries (-lNAME) that define these names",
                "the linker does not find %s", str_text(&names));
    else if (library)
        err_set(err, ERR_DATA, "install the library, or give its directory with -L",
                "the linker reports: %.*s", (int)strcspn(library, "\n"), library);
    str_done(&names);
    return any;
}

static bool judge(const char *source, const struct child_result *r, struct err *err)
{
    const char *said = str_text(&r->output);

    if (WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0)
        return true;
    if (r->timed_out)
        return err_set(
            err, ERR_LIMIT,
            "compile the program in a shell with portolan-cc, then program load the executable",
            "the compiler took longer than %g s", limits.wall_seconds);
    if (strstr(said, "undefined reference to `main'") || strstr(said, "undefined symbol: main")) {
        err_set(err, ERR_DATA, "give all source files of the program", "no function main");
        return err_at(err, source, 0, 0);
    }
    if (linker_said(said, err))
        return err_at(err, source, 0, 0);
    return compile_blame(source, said, err);
}

/* Runs the compiler with @option (may be NULL) before the arguments @words. */
static bool compile(const char *compiler, const char *option, const char *const *words,
                    size_t count, const char *executable, const char *name, struct err *err)
{
    VEC(const char *) argv = {0};
    struct child_result result;
    char here[4096];

    vec_push(&argv, compiler);
    if (option)
        vec_push(&argv, option);
    for (size_t i = 0; i < count; i++)
        vec_push(&argv, words[i]);
    vec_push(&argv, "-o");
    vec_push(&argv, executable);
    vec_push(&argv, NULL);
    bool ok = child_run(argv.items, getcwd(here, sizeof here) ? here : "/", NULL, 0, &limits,
                        &result, err);
    if (!ok && err && err->code == ERR_MISSING)
        err_set(err, ERR_MISSING,
                "copy portolan-cc there together with libportolan_run.a; if Portolan was built "
                "without LLVM, install llvm-19-dev and clang-19, then build Portolan again",
                "portolan-cc not found: neither next to this program nor in " PORTOLAN_BINDIR
                " nor on PATH");
    ok = ok && judge(name, &result, err);
    child_result_done(&result);
    vec_done(&argv);
    return ok;
}

struct program *program_build(const char *const *words, size_t count, const char *name,
                              struct err *err)
{
    struct str compiler = {0}, executable = {0}, untraced = {0};
    struct program *p = NULL;
    char *dir = child_directory_new(err);

    if (!dir)
        return NULL;
    compiler_path(&compiler);
    str_addf(&executable, "%s/program", dir);
    str_addf(&untraced, "%s/untraced", dir);
    if (compile(str_text(&compiler), NULL, words, count, str_text(&executable), name, err) &&
        compile(str_text(&compiler), "--untraced", words, count, str_text(&untraced), name, err)) {
        p = program_open(str_text(&executable), name, dir, err);
        dir = NULL;
    }
    if (p)
        program_set_untraced(p, str_text(&untraced));
    child_directory_free(dir);
    str_done(&compiler);
    str_done(&executable);
    str_done(&untraced);
    return p;
}
