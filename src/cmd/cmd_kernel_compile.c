/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/loading.h"
#include "toolchain/compile.h"
#include "toolchain/compilers.h"

#define COMPILERS_MOST 16

struct compile_values {
    struct word_list flags;
    const char *compiler, *next;
};

/* Returns the recipe of a kernel that kernel load compiled. Returns NULL with err for any other
 * kernel, or without a kernel. */
static const struct recipe *compiled_here(const struct session *s, struct err *err)
{
    const struct kernel *k = s->document.kernel;

    if (!session_has_kernel(s, err))
        return NULL;
    if (!k->recipe || !k->recipe->source)
        err_set(err, ERR_USAGE, "kernel load FILE.c compiles a source file",
                "%s was not compiled by kernel load", k->name);
    return k->recipe && k->recipe->source ? k->recipe : NULL;
}

static void step_level(struct recipe *r)
{
    static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3"};
    const size_t count = sizeof levels / sizeof *levels;
    const char *level = recipe_level(r);
    /* The order is cyclic: the first value follows the last value and any unknown value. */
    size_t at = count - 1;

    for (size_t i = 0; level && i < count; i++)
        at = strcmp(level, levels[i]) == 0 ? i : at;
    recipe_add_flag(r, levels[(at + 1) % count]);
}

static bool step_compiler(struct recipe *r, struct err *err)
{
    const char *installed[COMPILERS_MOST];
    const enum isa isa = r->options.isa_given ? r->options.isa : isa_host();
    size_t count = compilers_installed(compiler_language(r->path), isa, installed, COMPILERS_MOST),
           at = 0;

    if (count < 2) {
        static const char todo[] =
            "install another compiler: gcc or clang for C and C++, gfortran or flang for Fortran";
        return count ? err_set(err, ERR_MISSING, todo, "%s is the only installed compiler for %s",
                               installed[0], r->path)
                     : err_set(err, ERR_MISSING, todo, "no installed compiler accepts %s", r->path);
    }
    for (size_t i = 0; r->compiler && i < count; i++)
        at = strcmp(r->compiler, installed[i]) == 0 ? i : at;
    free(r->compiler);
    r->compiler = mem_strdup(installed[(at + 1) % count]);
    return true;
}

static bool take_flags(struct recipe *r, const struct word_list *flags, struct err *err)
{
    for (size_t i = 0; i < flags->count; i++) {
        struct str flag = {0};
        bool takes_next;
        if (!compile_option_allowed(flags->items[i], &takes_next, err))
            return false;
        if (takes_next && i + 1 == flags->count)
            return err_set(err, ERR_USAGE, "write the value after the option", "%s needs a value",
                           flags->items[i]);
        str_addf(&flag, "%s%s", flags->items[i], takes_next ? flags->items[i + 1] : "");
        i += takes_next;
        recipe_add_flag(r, str_text(&flag));
        str_done(&flag);
    }
    return true;
}

static bool change(struct recipe *r, const struct compile_values *v, struct err *err)
{
    if (v->next && v->next[0] == 'l')
        step_level(r);
    if (v->next && v->next[0] == 'c' && !step_compiler(r, err))
        return false;
    if (v->compiler) {
        free(r->compiler);
        r->compiler = mem_strdup(v->compiler);
    }
    return take_flags(r, &v->flags, err);
}

static bool prepare_compile(struct session *s, const void *values, struct task *task,
                            struct err *err)
{
    const struct recipe *now = compiled_here(s, err);

    if (!now || !session_may_open(s, now, err))
        return false;
    struct recipe *r = recipe_copy(now);
    r->options.loop = 0;   /* Loop 0 selects the best loop of the new code. */
    if (change(r, values, err))
        return loading_start(s, r, task);
    recipe_free(r);
    return false;
}

const struct command command_kernel_compile = {
    .name = "kernel compile",
    .help = "compile the kernel's source again with other options or another compiler",
    .description = "Other options are kept. The first line of the loop shows all options. Key o "
                   "selects the next level, key O the next compiler.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "FLAG", struct compile_values, flags),
         .help = "compiler options, as for kernel load; each replaces an earlier option of its "
                 "kind; for example, -O3 replaces -O2"}),
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--compiler", struct compile_values, compiler), .value = "CC",
         .fallback = "the same compiler", .help = "another compiler, named as for kernel load"},
        {PARAMETER(CHOICE, "--next", struct compile_values, next), .choices = "level|compiler",
         .fallback = "the same level and compiler",
         .help = "the next optimisation level (-O0 to -O3, then again -O0), or the next installed "
                 "compiler"}),
    .examples = EXAMPLES("kernel compile -O3 -ffast-math", "kernel compile --compiler clang",
                         "kernel compile --next level"),
    .values_size = sizeof(struct compile_values),
    .flags = COMMAND_CHANGES,
    .prepare = prepare_compile,
};

static bool run_diagnostics(struct session *s, const void *values, struct result *result,
                            struct err *err)
{
    const struct recipe *r = compiled_here(s, err);

    if (!r)
        return false;
    result_text(result, "printed", r->printed ? r->printed : "");
    if (r->printed)
        result_block(result, r->printed);
    else
        result_line(result, "%s: no messages from the compiler", r->path);
    return true;
}

const struct command command_kernel_diagnostics = {
    .name = "kernel diagnostics",
    .help = "show the compiler's messages about the kernel's source",
    .examples = EXAMPLES("kernel diagnostics"),
    .read = run_diagnostics,
};
