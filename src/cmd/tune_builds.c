/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/tune_builds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advance.h"
#include "analysis/recipe.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "simulate/simulate.h"
#include "toolchain/compilers.h"

#define COMPILERS_MOST 4
#define FAST_MATH "-ffast-math"
#define LEVEL_LEAST "-O2"

/* A change of the recipe. A NULL member changes nothing. */
struct build_change {
    const char *level, *compiler, *target;
    bool fast;
};

static double cycles_of(const struct kernel *k, size_t loop, const struct machine *m)
{
    struct simulation sim;
    struct bounds bounds;

    simulate_kernel(k, loop, m, &(struct simulate_options){0}, &sim, &bounds);
    /* NaN is tested first, because fmax would return its other argument. */
    const double cycles = bounds.unknown ? NAN : fmax(bounds.total, sim.cycles);
    simulation_done(&sim);
    return cycles;
}

static bool has_flag(const struct recipe *r, const char *flag)
{
    for (size_t i = 0; i < r->flags.count; i++)
        if (strcmp(r->flags.items[i], flag) == 0)
            return true;
    return false;
}

static void add_word(struct str *out, const char *word)
{
    str_addf(out, "%s%s", out->length ? " " : "", word);
}

/* Returns the recipe with change @c, and appends the changes to @how. NULL: @c changes nothing, or
 * adds a FAST_MATH that @from has already. The caller frees the result. */
static struct recipe *changed_recipe(const struct recipe *from, const struct build_change *c,
                                     struct str *how)
{
    struct recipe *r = recipe_copy(from);

    r->options.loop = 0;
    if (c->compiler) {
        free(r->compiler);
        r->compiler = mem_strdup(c->compiler);
        add_word(how, c->compiler);
    }
    if (c->level && (!recipe_level(from) || strcmp(recipe_level(from), c->level) != 0)) {
        recipe_add_flag(r, c->level);
        add_word(how, c->level);
    }
    if (c->target) {
        recipe_add_flag(r, c->target);
        add_word(how, c->target);
    }
    if (c->fast && !has_flag(from, FAST_MATH)) {
        recipe_add_flag(r, FAST_MATH);
        add_word(how, FAST_MATH);
    }
    if (how->length && (!c->fast || !has_flag(from, FAST_MATH)))
        return r;
    recipe_free(r);
    return NULL;
}

/* Finds the loop of @made from the same source lines as the loop of @k. Of several loops, takes the
 * loop with the fewest cycles per original iteration. Returns false if there is none. */
static bool find_loop(const struct kernel *k, size_t loop, const struct machine *m,
                      const struct kernel *made, struct tune_build *out)
{
    out->cycles = NAN;
    for (size_t i = 0; i < made->loop_count; i++) {
        uint64_t times, own;
        if (made->loops[i].depth == 0 ||
            advance_compare(k, loop, made, i, &times, &own) != ADVANCE_KNOWN)
            continue;
        const double ratio = (double)own / (double)times, cycles = cycles_of(made, i, m) / ratio;
        if (!isnan(cycles) && !(cycles >= out->cycles)) {
            out->cycles = cycles;
            out->times = ratio;
            out->loop = i;
        }
    }
    return !isnan(out->cycles);
}

/* Returns whether two loops have the same instructions, except jump targets. */
static bool same_code(const struct kernel *a, size_t loop_a, const struct kernel *b, size_t loop_b)
{
    size_t n, m;
    const struct insn *x = kernel_insns(a, loop_a, &n), *y = kernel_insns(b, loop_b, &m);
    bool same = n == m;

    for (size_t i = 0; same && i < n; i++)
        same = x[i].traits & y[i].traits & INSN_BRANCH
                   ? strcmp(x[i].mnemonic, y[i].mnemonic) == 0
                   : x[i].length == y[i].length && memcmp(x[i].bytes, y[i].bytes, x[i].length) == 0;
    return same;
}

/* Returns whether the loop of @build equals that of @k or of a listed build. */
static bool is_known(const struct kernel *k, size_t loop, const struct tune_builds *builds,
                     const struct tune_build *build)
{
    bool known = same_code(k, loop, build->kernel, build->loop);

    for (size_t i = 0; i < builds->list.count; i++)
        known |= same_code(builds->list.items[i].kernel, builds->list.items[i].loop, build->kernel,
                           build->loop);
    return known;
}

static void try_change(const struct kernel *k, size_t loop, const struct machine *m,
                       const struct build_change *c, struct tune_builds *out)
{
    struct tune_build build = {.changes_results = c->fast};
    struct err fault = {0};
    struct recipe *r = changed_recipe(k->recipe, c, &build.how);
    const struct kernel *made = r ? recipe_make(r, NULL, &fault) : NULL;

    out->tried += r != NULL;
    build.kernel = made;
    if (made && find_loop(k, loop, m, made, &build) && !is_known(k, loop, out, &build)) {
        vec_push(&out->list, build);
        return;
    }
    kernel_free(made);
    str_done(&build.how);
}

ORDER_BY(by_cycles, struct tune_build, ASCENDING(cycles))

/* Lists at most @most installed compilers other than that of @r. Returns their number. */
static size_t other_compilers(const struct recipe *r, const char **out, size_t most)
{
    const enum isa isa = r->options.isa_given ? r->options.isa : isa_host();
    const enum source_language language = compiler_language(r->path);
    const char *own = r->compiler ? r->compiler : compiler_default(language, isa);
    const char *installed[COMPILERS_MOST + 1];
    const size_t n = compilers_installed(language, isa, installed, COMPILERS_MOST + 1);
    size_t count = 0;

    for (size_t i = 0; i < n && count < most; i++)
        if (strcmp(installed[i], own) != 0)
            out[count++] = installed[i];
    return count;
}

bool tune_builds_make(const struct kernel *k, size_t loop, const struct machine *m,
                      struct tune_builds *out, struct err *err)
{
    const struct recipe *r = k->recipe;
    const char *compilers[1 + COMPILERS_MOST] = {NULL};
    struct str march = {0};
    bool named = false;

    if (!r || !r->source || r->foreign)
        return true;
    /* The recipe's target may have fewer features than this machine. */
    for (size_t i = 0; i < r->flags.count; i++)
        named |= recipe_names_target(r->flags.items[i]);
    if (named)
        str_addf(&march, "%s%s", isa_ops(k->isa)->target_option, machine_compiler_name(m));
    const size_t compiler_count = 1 + other_compilers(r, compilers + 1, COMPILERS_MOST);
    const size_t targets = 1 + named, total = compiler_count * targets * 2 * 2;
    static const char *const levels[] = {LEVEL_LEAST, "-O3"};
    for (size_t i = 0; i < total && !watch_over(); i++) {
        const struct build_change c = {levels[i / 2 % 2], compilers[i / 4 / targets],
                                       i / 4 % targets ? str_text(&march) : NULL, i % 2 == 1};
        watch_at("builds", (double)i, (double)total);
        try_change(k, loop, m, &c, out);
    }
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, by_cycles);
    str_done(&march);
    return watch_goes_on(err);
}

void tune_builds_done(struct tune_builds *b)
{
    for (size_t i = 0; i < b->list.count; i++) {
        kernel_free(b->list.items[i].kernel);
        str_done(&b->list.items[i].how);
    }
    vec_done(&b->list);
}
