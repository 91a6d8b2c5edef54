/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/compile.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/vec.h"
#include "base/child.h"

#define SOURCE_LIMIT ((size_t)16 << 20)

static const struct child_limits cc_limits = {
    .cpu_seconds = 20, .memory = (size_t)3 << 30, .file_size = (size_t)64 << 20, .wall_seconds = 30, .output = (size_t)256 << 10};

static bool has_ending(const char *path, const char *const *endings)
{
    const char *dot = strrchr(path, '.');
    for (; dot && *endings; endings++)
        if (strcmp(dot, *endings) == 0)
            return true;
    return false;
}

static bool is_cplusplus(const char *path)
{
    static const char *const endings[] = {".cc", ".cpp", ".cxx", ".c++", ".C", NULL};
    return has_ending(path, endings);
}

bool compile_is_source(const char *path)
{
    static const char *const endings[] = {".c", NULL};
    return has_ending(path, endings) || is_cplusplus(path);
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* -f options that change code and nothing else; "no-" may stand before them, "=value" behind. */
static bool is_code_flag(const char *flag)
{
    static const char *const known[] = {
        "fast-math", "unsafe-math-optimizations", "associative-math", "reciprocal-math", "finite-math-only", "signed-zeros", "trapping-math", "math-errno",
        "rounding-math", "signaling-nans", "fp-contract", "excess-precision", "single-precision-constant", "cx-limited-range", "wrapv", "trapv",
        "strict-aliasing", "strict-overflow", "strict-enums", "signed-char", "unsigned-char", "omit-frame-pointer", "inline",
        "inline-functions", "inline-small-functions", "unroll-loops", "unroll-all-loops", "peel-loops", "split-loops", "unswitch-loops", "move-loop-invariants",
        "ivopts", "tree-vectorize", "tree-loop-vectorize", "tree-slp-vectorize", "vectorize", "slp-vectorize", "vect-cost-model", "simd-cost-model",
        "tree-loop-distribution", "tree-loop-distribute-patterns", "tree-loop-im", "tree-loop-ivcanon", "tree-pre", "tree-partial-pre", "tree-ter", "tree-sra",
        "gcse", "gcse-after-reload", "if-conversion", "if-conversion2", "jump-tables", "merge-constants", "merge-all-constants", "prefetch-loop-arrays",
        "predictive-commoning", "rename-registers", "reorder-blocks", "schedule-insns", "schedule-insns2", "sched-pressure", "modulo-sched", "web",
        "align-loops", "align-functions", "align-jumps", "align-labels", "stack-protector", "stack-clash-protection", "cf-protection", "exceptions", "rtti",
        "unwind-tables", "asynchronous-unwind-tables", "pic", "PIC", "pie", "PIE", "plt", "common", "builtin", "freestanding", "hosted", "openmp", "openmp-simd",
        "delete-null-pointer-checks", "semantic-interposition", "visibility", "float-store", "optimize-sibling-calls", "function-sections", "data-sections",
        "ipa-cp", "ipa-cp-clone", "ipa-ra", "ipa-sra", "ipa-icf", "version-loops-for-strides", "store-merging", "split-wide-types", "tree-switch-conversion", NULL};
    char name[64];

    if (str_has_prefix(flag, "no-"))
        flag += 3;
    size_t length = strcspn(flag, "=");
    if (length >= sizeof name)
        return false;
    memcpy(name, flag, length);
    name[length] = '\0';
    for (const char *p = flag + length; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("=:-_+", *p))
            return false;
    return is_one_of(name, known);
}

/* Machine options are all about code but these: they hand options to LLVM, link files or change what the assembler must be. */
static bool is_machine_flag(const char *flag)
{
    static const char *const refused[] = {"llvm", "link", "32", "x32", "16", "ms-bitfields"};
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++)
        if (str_has_prefix(flag, refused[i]))
            return false;
    for (const char *p = flag; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("=-.+_", *p))
            return false;
    return *flag;
}

static bool is_level(const char *level)
{
    static const char *const levels[] = {"", "0", "1", "2", "3", "s", "g", "z", "fast", NULL};
    return is_one_of(level, levels);
}

/* Warnings; -Wl, -Wa and -Wp hand options to other tools. */
static bool is_warning(const char *warning)
{
    for (const char *p = warning; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("=-+", *p))
            return false;
    return true;
}

bool compile_option_allowed(const char *option, bool *takes_next, struct err *err)
{
    static const char *const whole[] = {"-w", "-ansi", "-pedantic", "-pedantic-errors", "-pthread", "-g", "-g0", "-g1", "-g2", "-g3", "-ggdb", NULL};
    bool ok = option[0] == '-' && option[1];

    *takes_next = false;
    switch (ok ? option[1] : 0) {
    case 'O':
        ok = is_level(option + 2);
        break;
    case 'm':
        ok = is_machine_flag(option + 2);
        break;
    case 'f':
        ok = is_code_flag(option + 2);
        break;
    case 'W':
        ok = is_warning(option + 2);
        break;
    case 'D':
    case 'U':
    case 'I':
        *takes_next = !option[2];
        break;
    case 's':
        ok = str_has_prefix(option, "-std=");
        break;
    default:
        ok = ok && is_one_of(option, whole);
    }
    ok = ok || is_one_of(option, whole);
    return ok || err_set(err, ERR_USAGE, "allowed are -O*, -m*, -std=, -D, -U, -I, -W* and the -f options that only change code",
                         "the compiler option \"%.200s\" is not allowed", option);
}

/* -I directories are meant from here, the compiler runs elsewhere. */
static void push_directory(const char *text, struct str *out)
{
    char resolved[PATH_MAX];
    str_addf(out, "-I%s", realpath(text, resolved) ? resolved : text);
}

/* "cc" or another of the known names, with a version behind if need be. */
static bool compiler_allowed(const char *name, struct err *err)
{
    static const char *const known[] = {"cc", "gcc", "clang", "c++", "g++", "clang++", NULL};
    char stem[16];
    size_t length = strlen(name);

    while (length && (isdigit((unsigned char)name[length - 1]) || name[length - 1] == '.'))
        length--;
    if (length > 1 && length < strlen(name) && name[length - 1] == '-')
        length--;
    else
        length = strlen(name);
    snprintf(stem, sizeof stem, "%.*s", (int)(length < sizeof stem ? length : 0), name);
    return is_one_of(stem, known) ||
           err_set(err, ERR_USAGE, "use cc, gcc, clang, c++, g++ or clang++, as in gcc-12", "the compiler \"%.100s\" is not allowed", name);
}

/* What compilers say when a limit stops a part of them, which the driver outlives. */
static bool met_limit(const struct child_result *r)
{
    static const char *const signs[] = {"out of memory", "memory exhausted", "Killed signal", "CPU time limit", "File size limit", "Cannot allocate"};
    const char *printed = str_text(&r->output);
    bool failed = !(WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0), met = r->timed_out || WIFSIGNALED(r->status);
    for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++)
        met |= failed && !strstr(printed, ": error: ") && strstr(printed, signs[i]);
    return met;
}

bool compile_blame(const char *path, const char *printed, struct err *err)
{
    static const char *const marks[] = {": fatal error: ", ": error: "};
    const char *found = NULL;
    size_t skip = 0;

    for (unsigned i = 0; i < 2; i++) {
        const char *at = strstr(printed, marks[i]);
        if (at && (!found || at < found)) {
            found = at;
            skip = strlen(marks[i]);
        }
    }
    printed += strspn(printed, "\n");
    if (!found) {
        err_set(err, ERR_DATA, NULL, "the compiler failed: %.*s", (int)strcspn(printed, "\n"), *printed ? printed : "no message");
        return err_at(err, path, 0, 0);
    }
    const char *start = found;
    while (start > printed && start[-1] != '\n')
        start--;
    char file[512] = "";
    unsigned line = 0, column = 0;
    const char *colon = memchr(start, ':', (size_t)(found - start));
    if (colon && sscanf(colon, ":%u:%u", &line, &column) >= 1)
        snprintf(file, sizeof file, "%.*s", (int)(colon - start), start);
    err_set(err, ERR_DATA, "correct it and load again", "%.*s", (int)strcspn(found + skip, "\n"), found + skip);
    return err_at(err, file[0] ? file : path, line, column);
}

static bool run(const char *const *argv, const char *dir, const char *path, struct compiled *out, struct err *err)
{
    struct child_result r;
    struct str result = {0};
    bool ok = child_run(argv, dir, NULL, 0, &cc_limits, &r, err);

    if (!ok && err && err->code == ERR_MISSING)
        err_set(err, ERR_MISSING, "install gcc or clang, or load assembler text", "the compiler %s is not installed", argv[0]);
    if (ok && met_limit(&r)) {
        ok = err_set(err, ERR_LIMIT, "make the file smaller", "the compiler was stopped at its limits (30 s, 20 s of CPU time, 3 GiB of memory)");
        err_at(err, path, 0, 0);
    }
    if (ok && !(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0)) {
        ok = compile_blame(path, str_text(&r.output), err);
    }
    str_addf(&result, "%s/out.s", dir);
    ok = ok && file_read(str_text(&result), (size_t)64 << 20, &out->assembly, err);
    str_done(&result);
    child_result_done(&r);
    return ok;
}

bool compile_source(const char *path, const char *compiler, const char *const *options, size_t count, struct compiled *out, struct err *err)
{
    VEC(const char *) argv = {0};
    struct str include = {0};
    VEC(char *) own = {0};
    char resolved[PATH_MAX], *dir = NULL;
    bool ok = false;

    *out = (struct compiled){0};
    if (!compiler)
        compiler = is_cplusplus(path) ? "c++" : "cc";
    if (!compiler_allowed(compiler, err) || !file_read(path, SOURCE_LIMIT, &out->source, err))
        return false;
    if (!realpath(path, resolved)) {
        err_set(err, ERR_IO, NULL, "cannot resolve its full path");
        return err_at(err, path, 0, 0);
    }
    vec_push(&argv, compiler);
    for (size_t i = 0; i < count; i++) {
        bool takes_next;
        if (!compile_option_allowed(options[i], &takes_next, err))
            goto out;
        if (takes_next && i + 1 == count) {
            err_set(err, ERR_USAGE, NULL, "%s needs a value", options[i]);
            goto out;
        }
        /* Joined, so that no value can pass for an option. */
        str_clear(&include);
        if (options[i][1] == 'I')
            push_directory(takes_next ? options[i + 1] : options[i] + 2, &include);
        else
            str_addf(&include, "%s%s", options[i], takes_next ? options[i + 1] : "");
        i += takes_next;
        vec_push(&own, str_take(&include));
        vec_push(&argv, own.items[own.count - 1]);
    }
    static const char *const fixed[] = {"-m64", "-g1", "-fno-lto", "-S", "-o", "out.s"};
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
        vec_push(&argv, fixed[i]);
    vec_push(&argv, resolved);
    vec_push(&argv, NULL);
    dir = child_directory_new(err);
    ok = dir && run(argv.items, dir, path, out, err);
    child_directory_free(dir);
out:
    for (size_t i = 0; i < own.count; i++)
        free(own.items[i]);
    vec_done(&own);
    vec_done(&argv);
    str_done(&include);
    return ok;
}

void compiled_done(struct compiled *c)
{
    str_done(&c->assembly);
    str_done(&c->source);
}

/* The quoted text at *@at, moved past it; false when there is none. */
static bool quoted(const char **at, const char *end, char out[PATH_MAX])
{
    size_t n = 0;
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    if (*at >= end || **at != '"')
        return false;
    for (++*at; *at < end && **at != '"'; ++*at) {
        if (**at == '\\' && *at + 1 < end)
            ++*at;
        if (n + 1 < PATH_MAX)
            out[n++] = **at;
    }
    out[n] = '\0';
    *at += *at < end;
    return true;
}

/* Whether ".file 1 "dir" "name"" behind the number means @path. */
static bool names_file(const char *at, const char *end, const char *path)
{
    char first[PATH_MAX], second[PATH_MAX], joined[2 * PATH_MAX], resolved[PATH_MAX];
    const char *base = strrchr(path, '/');

    if (!quoted(&at, end, first))
        return false;
    const char *name = first;
    if (quoted(&at, end, second)) {
        snprintf(joined, sizeof joined, "%s/%s", first, second);
        name = second[0] == '/' ? second : joined;
    }
    if (strcmp(name, path) == 0 || (realpath(path, resolved) && strcmp(name, resolved) == 0))
        return true;
    return !strchr(name, '/') && strcmp(name, base ? base + 1 : path) == 0;
}

uint32_t *compile_lines(const char *assembly, size_t length, const char *path, size_t *count)
{
    VEC(uint32_t) lines = {0};
    bool own[256] = {false};
    uint32_t current = 0;

    for (const char *at = assembly, *end = assembly + length, *next; at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        next = stop + (stop < end);
        const char *word = at + strspn(at, " \t");
        unsigned long file;
        char *tail;
        if (stop - word > 6 && strncmp(word, ".file", 5) == 0 && (file = strtoul(word + 5, &tail, 10)) < 256 && tail != word + 5 && tail < stop)
            own[file] = names_file(tail, stop, path);
        if (stop - word > 5 && strncmp(word, ".loc", 4) == 0 && isspace((unsigned char)word[4]) && (file = strtoul(word + 4, &tail, 10), tail < stop)) {
            unsigned long line = strtoul(tail, &tail, 10);
            current = file < 256 && own[file] && line <= UINT32_MAX ? (uint32_t)line : 0;
        }
        vec_add(&lines, current);
    }
    *count = lines.count;
    return lines.items;
}
