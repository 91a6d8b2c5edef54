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
#include "base/mem.h"
#include "toolchain/compilers.h"

#define SOURCE_LIMIT ((size_t)16 << 20)

static const struct child_limits cc_limits = {.cpu_seconds = 20,
                                              .memory = (size_t)3 << 30,
                                              .file_size = (size_t)64 << 20,
                                              .wall_seconds = 120,
                                              .output = (size_t)256 << 10};

bool compile_is_source(const char *path)
{
    return compiler_language(path) != SOURCE_IN_NONE;
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* Returns whether a -f option affects only code. "no-" may precede its name, "=value" may
 * follow. */
static bool is_code_flag(const char *flag)
{
    static const char *const known[] = {"fast-math",
                                        "unsafe-math-optimizations",
                                        "associative-math",
                                        "reciprocal-math",
                                        "finite-math-only",
                                        "signed-zeros",
                                        "trapping-math",
                                        "math-errno",
                                        "rounding-math",
                                        "signaling-nans",
                                        "fp-contract",
                                        "excess-precision",
                                        "single-precision-constant",
                                        "cx-limited-range",
                                        "wrapv",
                                        "trapv",
                                        "strict-aliasing",
                                        "strict-overflow",
                                        "strict-enums",
                                        "signed-char",
                                        "unsigned-char",
                                        "omit-frame-pointer",
                                        "inline",
                                        "inline-functions",
                                        "inline-small-functions",
                                        "unroll-loops",
                                        "unroll-all-loops",
                                        "peel-loops",
                                        "split-loops",
                                        "unswitch-loops",
                                        "move-loop-invariants",
                                        "ivopts",
                                        "tree-vectorize",
                                        "tree-loop-vectorize",
                                        "tree-slp-vectorize",
                                        "vectorize",
                                        "slp-vectorize",
                                        "vect-cost-model",
                                        "simd-cost-model",
                                        "tree-loop-distribution",
                                        "tree-loop-distribute-patterns",
                                        "tree-loop-im",
                                        "tree-loop-ivcanon",
                                        "tree-pre",
                                        "tree-partial-pre",
                                        "tree-ter",
                                        "tree-sra",
                                        "gcse",
                                        "gcse-after-reload",
                                        "if-conversion",
                                        "if-conversion2",
                                        "jump-tables",
                                        "merge-constants",
                                        "merge-all-constants",
                                        "prefetch-loop-arrays",
                                        "predictive-commoning",
                                        "rename-registers",
                                        "reorder-blocks",
                                        "schedule-insns",
                                        "schedule-insns2",
                                        "sched-pressure",
                                        "modulo-sched",
                                        "web",
                                        "align-loops",
                                        "align-functions",
                                        "align-jumps",
                                        "align-labels",
                                        "stack-protector",
                                        "stack-clash-protection",
                                        "cf-protection",
                                        "exceptions",
                                        "rtti",
                                        "unwind-tables",
                                        "asynchronous-unwind-tables",
                                        "pic",
                                        "PIC",
                                        "pie",
                                        "PIE",
                                        "plt",
                                        "common",
                                        "builtin",
                                        "freestanding",
                                        "hosted",
                                        "openmp",
                                        "openmp-simd",
                                        "delete-null-pointer-checks",
                                        "semantic-interposition",
                                        "visibility",
                                        "float-store",
                                        "optimize-sibling-calls",
                                        "function-sections",
                                        "data-sections",
                                        "ipa-cp",
                                        "ipa-cp-clone",
                                        "ipa-ra",
                                        "ipa-sra",
                                        "ipa-icf",
                                        "version-loops-for-strides",
                                        "store-merging",
                                        "split-wide-types",
                                        "tree-switch-conversion",
                                        NULL};
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

/* Returns whether a machine option affects only code. The excluded options pass options to LLVM,
 * link files, select code of another width or change data layouts. */
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

/* Returns whether a -W option controls warnings. -Wl, -Wa and -Wp, which pass options to other
 * tools, have a comma. */
static bool is_warning(const char *warning)
{
    for (const char *p = warning; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("=-+", *p))
            return false;
    return true;
}

bool compile_option_allowed(const char *option, bool *takes_next, struct err *err)
{
    static const char *const whole[] = {"-w",       "-ansi", "-pedantic", "-pedantic-errors",
                                        "-pthread", "-g",    "-g0",       "-g1",
                                        "-g2",      "-g3",   "-ggdb",     NULL};
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
    return ok || err_set(err, ERR_USAGE,
                         "allowed are -O*, -m*, -std=, -D, -U, -I, -W* and those -f options that "
                         "only change code",
                         "the compiler option \"%.200s\" is not allowed", option);
}

/* Appends the absolute path of a -I directory. The path is relative to the user's directory, but
 * the compiler runs in another directory. */
static void push_directory(const char *text, struct str *out)
{
    char resolved[PATH_MAX];
    str_addf(out, "-I%s", realpath(text, resolved) ? resolved : text);
}

/* Returns whether the compiler reported a resource limit that ended one of its child processes. */
static bool met_limit(const struct child_result *r)
{
    static const char *const signs[] = {"out of memory",  "memory exhausted", "Killed signal",
                                        "CPU time limit", "File size limit",  "Cannot allocate"};
    const char *printed = str_text(&r->output);
    bool failed = !(WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0),
         met = r->timed_out || WIFSIGNALED(r->status);
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
        err_set(err, ERR_DATA, NULL, "the compiler failed: %.*s", (int)strcspn(printed, "\n"),
                *printed ? printed : "no message");
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
    err_set(err, ERR_DATA, "correct the source file and load it again", "%.*s",
            (int)strcspn(found + skip, "\n"), found + skip);
    return err_at(err, file[0] ? file : path, line, column);
}

/* The compiler's command line. All arguments are constant except the target processor. */
struct compiling {
    VEC(char *) argv;           /* owned; NULL-terminated */
    size_t target;              /* index in argv of the processor option; 0: none */
    const char *path;
};

static void push_word(struct compiling *c, struct str *take_word)
{
    if (take_word->length)
        vec_push(&c->argv, str_take(take_word));
}

/* Adds the user's options. Each option is joined with its value, because the compiler could mistake
 * a separate value for an option. Returns false with err for a forbidden option. */
static bool push_options(struct compiling *c, const struct compile_wish *wish, struct err *err)
{
    struct str word = {0};

    for (size_t i = 0; i < wish->count; i++) {
        const char *option = wish->options[i];
        bool takes_next;
        if (!compile_option_allowed(option, &takes_next, err))
            return false;
        if (takes_next && i + 1 == wish->count)
            return err_set(err, ERR_USAGE, "write the value after the option", "%s needs a value",
                           option);
        if (option[1] == 'I')
            push_directory(takes_next ? wish->options[i + 1] : option + 2, &word);
        else
            str_addf(&word, "%s%s", option, takes_next ? wish->options[i + 1] : "");
        i += takes_next;
        push_word(c, &word);
    }
    return true;
}

static bool compiling_fill(struct compiling *c, const struct compile_wish *wish,
                           const char *compiler, const char *resolved, struct err *err)
{
    static const char *const fixed[] = {"-g1", "-S", "-o", "out.s"}, *const preprocess[] = {
                                                                         "-E", "-o", "out.s"};
    const bool assembler = compiler_language(resolved) == SOURCE_IN_ASSEMBLER;
    struct str word = {0};

    compiler_program(compiler, wish->isa, &word);
    push_word(c, &word);
    if (wish->target) {
        c->target = c->argv.count;
        str_addf(&word, "%s%s", isa_ops(wish->isa)->target_option, wish->target);
        push_word(c, &word);
    }
    if (!push_options(c, wish, err))
        return false;
    compiler_set_option(compiler, wish->isa, &word);
    push_word(c, &word);
    for (unsigned i = 0;
         i < (assembler ? sizeof preprocess / sizeof *preprocess : sizeof fixed / sizeof *fixed);
         i++)
        vec_push(&c->argv, mem_strdup(assembler ? preprocess[i] : fixed[i]));
    if (!assembler && !str_has_prefix(compiler, "flang"))
        vec_push(&c->argv, mem_strdup("-fno-lto"));
    vec_push(&c->argv, mem_strdup(resolved));
    vec_push(&c->argv, NULL);
    return true;
}

/* Returns whether the compiler rejected the target processor. */
static bool unknown_target(const char *printed, const char *target)
{
    const char *word = strstr(printed, target);

    return word &&
           (strstr(printed, "bad value") || strstr(printed, "unknown value") ||
            strstr(printed, "unknown target CPU") || strstr(printed, "not a recognized processor"));
}

/* Runs the compiler. Sets *@again if the compiler rejected the processor @target (NULL: not
 * tested). The caller then tries another processor. */
static bool run(const struct compiling *c, const char *dir, const char *target,
                struct compiled *out, bool *again, struct err *err)
{
    struct child_result r;
    struct str result = {0};
    bool ok = child_run((const char *const *)c->argv.items, dir, NULL, 0, &cc_limits, &r, err);

    if (!ok && err && err->code == ERR_MISSING)
        err_set(
            err, ERR_MISSING,
            "install the compiler, choose another compiler with --compiler, or load assembler text",
            "the compiler %s is not installed", c->argv.items[0]);
    if (ok && met_limit(&r)) {
        ok = err_set(
            err, ERR_LIMIT, "reduce the source file",
            "the compiler was stopped at a limit (120 s, 20 s of CPU time, 3 GiB of memory)");
        err_at(err, c->path, 0, 0);
    }
    if (ok && !(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0)) {
        *again = target && unknown_target(str_text(&r.output), target);
        ok = *again || (!child_directory_full(dir, str_text(&r.output), cc_limits.file_size, err) &&
                        compile_blame(c->path, str_text(&r.output), err));
    }
    if (!*again)
        str_add_bytes(&out->printed, str_text(&r.output), r.output.length);
    str_addf(&result, "%s/out.s", dir);
    ok = ok && (*again || file_read(str_text(&result), (size_t)64 << 20, &out->assembly, err));
    str_done(&result);
    child_result_done(&r);
    return ok;
}

bool compile_source(const char *path, const struct compile_wish *wish, struct compiled *out,
                    struct err *err)
{
    struct compiling c = {.path = path};
    char resolved[PATH_MAX], *dir = NULL;
    const char *compiler = wish->compiler;
    bool again = false;

    *out = (struct compiled){.target = wish->target};
    if (compiler ? !compiler_allowed(compiler, err)
                 : !(compiler = compiler_default(compiler_language(path), wish->isa)))
        return false;
    if (!file_read(path, SOURCE_LIMIT, &out->source, err))
        return false;
    if (!realpath(path, resolved))
        return file_fault(err, path, "resolve the full path", NULL);
    bool ok = compiling_fill(&c, wish, compiler, resolved, err) &&
              (dir = child_directory_new(err)) &&
              run(&c, dir, wish->generic ? wish->target : NULL, out, &again, err);
    if (ok && again) {
        struct str word = {0};
        str_addf(&word, "%s%s", isa_ops(wish->isa)->target_option, wish->generic);
        free(c.argv.items[c.target]);
        c.argv.items[c.target] = str_take(&word);
        out->target = wish->generic;
        again = false;
        ok = run(&c, dir, NULL, out, &again, err);
    }
    child_directory_free(dir);
    vec_free_texts(&c.argv);
    return ok;
}

void compiled_done(struct compiled *c)
{
    str_done(&c->assembly);
    str_done(&c->source);
    str_done(&c->printed);
}

/* Parses the quoted text at *@at and advances *@at past it. Returns false if there is none. Stores
 * the text in @out. */
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

/* Returns whether the text after the number in ".file 1 "dir" "name"" refers to @path. */
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
    /* In preprocessed assembler text, line markers determine which lines are of this file. */
    const bool counts = compiler_language(path) == SOURCE_IN_ASSEMBLER;
    bool own[256] = {false};
    uint32_t current = 0, following = 0;

    for (const char *at = assembly, *end = assembly + length, *next; at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        next = stop + (stop < end);
        const char *word = at + strspn(at, " \t");
        unsigned long file;
        char *tail;
        if (counts) {
            current = following;
            following += following > 0;
        }
        if (stop - word > 6 && strncmp(word, ".file", 5) == 0 &&
            (file = strtoul(word + 5, &tail, 10)) < 256 && tail != word + 5 && tail < stop)
            own[file] = names_file(tail, stop, path);
        if (stop - word > 5 && strncmp(word, ".loc", 4) == 0 && isspace((unsigned char)word[4]) &&
            (file = strtoul(word + 4, &tail, 10), tail < stop)) {
            unsigned long line = strtoul(tail, &tail, 10);
            current = file < 256 && own[file] && line <= UINT32_MAX ? (uint32_t)line : 0;
        }
        vec_add(&lines, current);
        if (counts && stop - at > 3 && at[0] == '#' && at[1] == ' ' &&
            isdigit((unsigned char)at[2])) {
            const unsigned long line = strtoul(at + 2, &tail, 10);
            following = line <= UINT32_MAX && names_file(tail, stop, path) ? (uint32_t)line : 0;
        }
    }
    *count = lines.count;
    return lines.items;
}
