/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/loading.h"
#include "isa/isa.h"
#include "toolchain/compile.h"

struct kernel_load_values {
    const char *file, *symbol, *syntax, *isa, *compiler, *profile;
    struct line_range lines;
    struct word_list flags;
    size_t loop;
    bool skip_bad;
};

static void take_options(const struct kernel_load_values *v, struct kernel_options *o)
{
    o->loop = v->loop == NOT_GIVEN ? 0 : v->loop;
    o->skip_bad = v->skip_bad;
    o->first_line = v->lines.first;
    o->last_line = v->lines.last;
    o->isa_given = v->isa && isa_parse(v->isa, &o->isa);
    if (v->syntax)
        o->syntax = v->syntax[0] == 'a' ? SYNTAX_ATT : SYNTAX_INTEL;
}

/* Reads one word: the file or a compiler flag. Sets *@half to an option whose value is the next
 * word (-D NAME). Returns false with err for a forbidden flag or a second file. */
static bool take_word(struct recipe *r, const char *word, struct str *half, struct err *err)
{
    bool takes_next = false;

    if (half->length) {
        str_add(half, word);
        recipe_add_flag(r, str_text(half));
        str_clear(half);
        return true;
    }
    if (word[0] == '-' && word[1]) {
        if (!compile_option_allowed(word, &takes_next, err))
            return false;
        if (takes_next)
            str_add(half, word);
        else
            recipe_add_flag(r, word);
        return true;
    }
    if (r->path)
        return err_set(err, ERR_USAGE, "load one file at a time", "unexpected second file \"%s\"",
                       word);
    r->path = mem_strdup(word[0] == '-' ? "/dev/stdin" : word);
    return true;
}

static bool take_words(struct recipe *r, const struct kernel_load_values *v, struct err *err)
{
    struct str half = {0};
    bool ok = true;

    for (size_t i = 0; ok && i <= v->flags.count; i++)
        ok = take_word(r, i ? v->flags.items[i - 1] : v->file, &half, err);
    if (ok && half.length)
        ok = err_set(err, ERR_USAGE, "write the value after the option", "%s needs a value",
                     str_text(&half));
    str_done(&half);
    return ok && (r->path || err_set(err, ERR_USAGE, "use kernel load FILE", "no file given"));
}

/* Replaces *@path with the path of the installed file. Does nothing if *@path exists or does not
 * begin with data/, or if there is no such file. */
static void find_bundled(char **path)
{
    if (access(*path, F_OK) == 0 || !str_has_prefix(*path, "data/"))
        return;
    char *bundled = file_data_path(*path + 5);
    if (bundled) {
        free(*path);
        *path = bundled;
    }
}

/* Reads FILE:A-B or FILE:A, the notation of editors for lines. Does nothing if --lines is given, if
 * a file has the whole name, if FILE does not exist, or for an invalid range. */
static void take_lines(struct recipe *r, const struct kernel_load_values *v)
{
    const char *colon = strrchr(r->path, ':');
    unsigned first = 0, last = 0;
    int used = 0;

    if (!colon || v->lines.first || access(r->path, F_OK) == 0)
        return;
    if (strspn(colon + 1, "0123456789-") != strlen(colon + 1) || colon[1] == '-' ||
        strstr(colon, "--"))
        return;
    if (sscanf(colon, ":%9u-%9u%n", &first, &last, &used) != 2 || colon[used]) {
        last = 0;
        if (sscanf(colon, ":%9u%n", &first, &used) != 1 || colon[used])
            return;
    }
    char *path = mem_strndup(r->path, (size_t)(colon - r->path));
    find_bundled(&path);
    if (!first || (last && last < first) || access(path, F_OK) != 0) {
        free(path);
        return;
    }
    free(r->path);
    r->path = path;
    r->options.first_line = first;
    r->options.last_line = last ? last : first;
}

/* Adds -O2 unless a flag sets the level. Unless a flag selects a processor or --isa another
 * instruction set, adds the current machine as the target (native if it is this computer). Without
 * --isa, selects that machine's instruction set. Returns false with err on failure. */
static bool take_defaults(struct session *s, struct recipe *r, struct err *err)
{
    const struct here *here = &s->document.here;
    const struct machine *m = session_current(s, err);
    bool named = false;

    if (!m)
        return false;
    if (!r->options.isa_given)
        r->options.isa_given = isa_parse(m->isa, &r->options.isa);
    if (!recipe_level(r))
        recipe_add_flag(r, "-O2");
    for (size_t i = 0; i < r->flags.count; i++)
        named |= recipe_names_target(r->flags.items[i]);
    if (named || strcmp(isa_name(r->options.isa), m->isa) != 0)
        return true;
    if (here->id && here->isa == isa_host() && strcmp(m->id, here->id) == 0) {
        r->target = mem_strdup("native");
        return true;
    }
    r->target = mem_strdup(machine_compiler_name(m));
    const struct isa_ops *isa = isa_ops(r->options.isa);
    for (size_t i = 0; i < sizeof isa->generic_targets / sizeof *isa->generic_targets &&
                       isa->generic_targets[i].name && !r->generic;
         i++)
        if (!isa->generic_targets[i].extension ||
            machine_has(m, "extensions", isa->generic_targets[i].extension))
            r->generic = isa->generic_targets[i].name;
    return true;
}

static bool fill(struct session *s, struct recipe *r, const struct kernel_load_values *v,
                 struct err *err)
{
    take_options(v, &r->options);
    if (!take_words(r, v, err))
        return false;
    find_bundled(&r->path);
    take_lines(r, v);
    r->source = compile_is_source(r->path);
    if (!r->source && (r->flags.count || v->compiler))
        return err_set(err, ERR_USAGE, "give a .c, .cpp or .f90 file",
                       "%s is not a source file; compiler options apply to C, C++ or Fortran only",
                       r->path);
    if (v->profile && (r->source || r->options.first_line))
        return err_set(err, ERR_USAGE, "use kernel load PROGRAM --profile perf.data",
                       "--profile needs a program, and cannot be combined with a source file or "
                       "--lines");
    r->profile = mem_strdup(v->profile);
    r->options.symbol = mem_strdup(v->symbol);
    r->compiler = mem_strdup(v->compiler);
    return !r->source || take_defaults(s, r, err);
}

static bool prepare_load(struct session *s, const void *values, struct task *task, struct err *err)
{
    struct recipe *r = recipe_new();

    if (fill(s, r, values, err))
        return loading_start(s, r, task);
    recipe_free(r);
    return false;
}

const struct command command_kernel_load = {
    .name = "kernel load",
    .aliases = "load open",
    .help = "load assembler text, a listing or an ELF file, or compile C, C++ or Fortran, and find "
            "its loops",
    .description = "Regions marked for IACA, LLVM-MCA or OSACA come first, then innermost loops. "
                   "C, C++ and Fortran are compiled and .S files preprocessed, without a shell. "
                   "The default options are -O2 and -march= for the current machine (native if the "
                   "machine is this CPU). Source lines are shown above their instructions. kernel "
                   "compile changes options or compiler, kernel edit opens the file in an editor.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct kernel_load_values, file), .required = true,
         .complete = COMPLETE_FILE,
         .help = "assembler text, a listing, an object, program or archive, or C, C++ or Fortran "
                 "source; FILE:A-B means FILE --lines A-B; - reads standard input"},
        {PARAMETER(WORDS, "FLAG", struct kernel_load_values, flags),
         .help = "compiler options for source files: -O*, -m*, -std=, -D, -U, -I, -W* and -f "
                 "options for code generation"}),
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--symbol", struct kernel_load_values, symbol), .value = "S",
         .fallback = "the whole file",
         .help = "function in which to find loops, an address (0x4308), or an address in a "
                 "function (f+0x40)"},
        {PARAMETER(TEXT, "--profile", struct kernel_load_values, profile), .value = "FILE",
         .fallback = "the likely hottest loop", .complete = COMPLETE_FILE,
         .help = "select the loop with the most samples of perf record (perf.data); needs perf"},
        LOADING_OPTION_SYNTAX(struct kernel_load_values),
        {PARAMETER(CHOICE, "--isa", struct kernel_load_values, isa), .choices = ISA_CHOICES,
         .fallback = "detected", .help = "the instruction set"},
        {PARAMETER(LINES, "--lines", struct kernel_load_values, lines), .value = "A-B",
         .fallback = "all lines",
         .help = "only these lines of the text or source; in a program or object with debug "
                 "information, the smallest loop with code of these lines"},
        {PARAMETER(COUNT, "--loop", struct kernel_load_values, loop), .value = "N", .least = 1,
         .most = 1e9, .fallback = "the likely hottest loop",
         .help = "loop number, see kernel list"},
        LOADING_OPTION_SKIP_BAD(struct kernel_load_values),
        {PARAMETER(TEXT, "--compiler", struct kernel_load_values, compiler), .value = "CC",
         .fallback = "the first installed", .complete = COMPLETE_FILE,
         .help = "compiler for source: cc, gcc, clang, c++, g++, clang++, gfortran or flang, with "
                 "or without a version"}),
    .examples = EXAMPLES("kernel load triad.s", "kernel load libm.so.6 --symbol __sin_fma",
                         "kernel load ./program --profile perf.data", "kernel load dot.c",
                         "kernel load dot.c:10-14", "kernel load dot.f90 -O3 -march=native"),
    .values_size = sizeof(struct kernel_load_values),
    .flags = COMMAND_CHANGES,
    .prepare = prepare_load,
};
